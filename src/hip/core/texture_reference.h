// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture references: textures that are variables of the program. What is bound to one is written into the
// variable of device code with the same name, which kernels read.
#pragma once

#include <hip/runtime/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "hip/core/program.h"
#include "hip/core/texture.h"

namespace heddle::hip {

/// What the program has said of a reference beside its fields.
struct TextureBinding {
  std::shared_ptr<Texture> texture;  ///< null if nothing is bound
  size_t offset = 0;                 ///< bytes from the beginning of the texture to the program's address
};

/// All functions are thread safe; a reference itself belongs to the program.
class TextureReferences {
 public:
  /// Names the variable of a reference that the library has made for a module.
  void add(const textureReference* reference, const Variable& variable);
  /// Forgets such a reference and what is bound to it.
  void forget(const textureReference* reference);

  /// Makes a texture as the reference's fields say and binds it on the current device. Throws Failure:
  /// InvalidSymbol if no device code has the reference, and as Texture's constructor.
  void bind(const textureReference* reference, const hipResourceDesc& resource, size_t offset);
  /// Returns what is bound on the current device. Throws Failure (InvalidSymbol) for an unknown reference.
  TextureBinding bound(const textureReference* reference);
  void unbind(const textureReference* reference);
  /// Forgets what is bound on a device, which has no work.
  void release(const Device& device);

 private:
  using Key = std::pair<const textureReference*, int>;
  Variable variable_of(const textureReference* reference, Device& device);

  std::mutex mutex_;
  std::map<const textureReference*, Variable> of_modules_;
  std::map<Key, TextureBinding> bindings_;
};

/// How a reference says that it is read.
hipTextureDesc reading_of(const textureReference& reference);

}  // namespace heddle::hip
