// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures and surfaces: memory, and how kernels read and write it, behind the objects that kernels take.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hip/core/array.h"
#include "hip/core/device.h"
#include "hip/core/texture_image.h"
#include "hip/core/texture_record.h"

namespace heddle::hip {

/// Memory that kernels read, with the handles of HSA's image and sampler in it, and behind them a record for
/// textures that need one (texture_record.h). The address of the words is the object that kernels take
/// (include/hip/device/textures.h).
class ImageWords {
 public:
  /// `levels` is the number of levels for which the record has handles; 0 for no record. Throws Failure
  /// (OutOfMemory).
  explicit ImageWords(Device& device, size_t levels = 0);
  ~ImageWords();
  ImageWords(const ImageWords&) = delete;
  ImageWords& operator=(const ImageWords&) = delete;

  void* address() const { return words_; }
  /// Sets the image for all reads.
  void set_image(hsa_ext_image_t image);
  /// Sets another image for reads of one dimension.
  void set_image_1d(hsa_ext_image_t image);
  void set_record(const TextureRecord& record, std::span<const hsa_ext_image_t> levels,
                  std::span<const hsa_ext_image_t> levels_1d);
  void set_sampler(hsa_ext_sampler_t sampler);

 private:
  void set_handle(unsigned word, uint64_t handle);

  uint32_t* words_;
};

/// Images of a device, which are destroyed with this.
class Images {
 public:
  explicit Images(Device& device) : device_(device) {}
  ~Images();
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  /// Throws Failure (InvalidValue, NotSupported, OutOfMemory).
  hsa_ext_image_t create(const ImageData& data, hsa_access_permission_t permission);
  std::span<const hsa_ext_image_t> all() const { return images_; }

 private:
  Device& device_;
  std::vector<hsa_ext_image_t> images_;
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
  void add_sampler(const hsa_ext_sampler_descriptor_t& sampler);
  void add_images();

  Device& device_;
  hipResourceDesc resource_;
  hipTextureDesc reading_;
  std::optional<hipResourceViewDesc> view_;
  TextureLevels levels_;  // which live as long as the texture
  TextureRules rules_;
  ImageWords words_;
  Images images_;
  hsa_ext_sampler_t sampler_{};
};

/// An array that kernels read and write by the numbers of elements.
class Surface {
 public:
  /// Throws Failure (OutOfMemory).
  explicit Surface(std::shared_ptr<Array> array);
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  Device& device() const { return array_->device(); }
  void* object() const { return words_.address(); }

 private:
  std::shared_ptr<Array> array_;
  ImageWords words_;
  Images images_;
};

}  // namespace heddle::hip
