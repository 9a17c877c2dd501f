// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that the program has loaded.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "hip/core/image.h"

namespace heddle::hip {

/// Device code on the device that was current when it was loaded.
class Module {
 public:
  /// Finalizes and loads the code. Throws Failure.
  Module(Device& device, std::span<const std::byte> bytes);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Device& device() const { return device_; }
  /// Returns the kernel, or null. It lives as long as the module.
  const Function* function(const std::string& name) { return image_.function(device_, name); }
  Program& program() { return image_.program(device_); }
  /// Returns the reference for a texture of the code, always the same one, which lives as long as the module;
  /// null if there is no such texture.
  textureReference* texture_reference(const std::string& name);

 private:
  Device& device_;
  Image image_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<textureReference>> texture_references_;
};

}  // namespace heddle::hip
