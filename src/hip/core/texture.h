// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures and surfaces: memory, and how kernels read and write it, behind the objects that kernels take.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <memory>
#include <optional>

#include "hip/core/array.h"
#include "hip/core/device.h"

namespace heddle::hip {

/// Memory that kernels read, with the handles of HSA's image and sampler in it. The address of the words is
/// the object that kernels take (include/hip/device/textures.h).
class ImageWords {
 public:
  /// Throws Failure (OutOfMemory).
  explicit ImageWords(Device& device);
  ~ImageWords();
  ImageWords(const ImageWords&) = delete;
  ImageWords& operator=(const ImageWords&) = delete;

  void* address() const { return words_; }
  void set_image(hsa_ext_image_t image);
  void set_sampler(hsa_ext_sampler_t sampler);

 private:
  uint32_t* words_;
};

/// All functions are thread safe, because nothing changes after construction.
class Texture {
 public:
  /// Throws Failure: InvalidValue for descriptions that are wrong or contradict each other, NotSupported for
  /// what HSA's images cannot do, OutOfMemory if the device has no more images or samplers.
  Texture(Device& device, const hipResourceDesc& resource, const hipTextureDesc& reading,
          const hipResourceViewDesc* view);
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  Device& device() const { return device_; }
  void* object() const { return words_.address(); }
  const hipResourceDesc& resource() const { return resource_; }
  const hipTextureDesc& reading() const { return reading_; }
  const std::optional<hipResourceViewDesc>& view() const { return view_; }

 private:
  Device& device_;
  hipResourceDesc resource_;
  hipTextureDesc reading_;
  std::optional<hipResourceViewDesc> view_;
  std::shared_ptr<Array> array_;  // lives as long as the texture
  ImageWords words_;
  hsa_ext_image_t image_{};
  hsa_ext_sampler_t sampler_{};
};

/// An array that kernels read and write by the numbers of elements.
class Surface {
 public:
  /// Throws Failure (OutOfMemory).
  explicit Surface(std::shared_ptr<Array> array);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  Device& device() const { return array_->device(); }
  void* object() const { return words_.address(); }

 private:
  std::shared_ptr<Array> array_;
  ImageWords words_;
  hsa_ext_image_t image_{};
};

}  // namespace heddle::hip
