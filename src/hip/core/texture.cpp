// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/texture.h"

#include <cstring>

#include "hip/core/failure.h"

namespace heddle::hip {
ImageWords::ImageWords(Device& device, size_t levels) {
  size_t size = HIP_TEXTURE_OBJECT_SIZE_DWORD * sizeof(uint32_t);
  if (levels != 0) size += sizeof(TextureRecord) + 2 * levels * sizeof(uint64_t);
  words_ = static_cast<uint32_t*>(device.allocate_arguments(size));
  std::memset(words_, 0, size);
}

ImageWords::~ImageWords() { hsa_amd_memory_pool_free(words_); }

void ImageWords::set_handle(unsigned word, uint64_t handle) {
  std::memcpy(words_ + word, &handle, sizeof handle);
}

void ImageWords::set_image(hsa_ext_image_t image) {
  set_handle(image_word, image.handle);
  set_handle(image_1d_word, image.handle);
}

void ImageWords::set_image_1d(hsa_ext_image_t image) { set_handle(image_1d_word, image.handle); }

void ImageWords::set_record(const TextureRecord& record, std::span<const hsa_ext_image_t> levels,
                            std::span<const hsa_ext_image_t> levels_1d) {
  uint32_t* const at = words_ + HIP_TEXTURE_OBJECT_SIZE_DWORD;
  std::memcpy(at, &record, sizeof record);
  uint32_t* const handles = at + sizeof record / sizeof *at;
  std::memcpy(handles, levels.data(), levels.size_bytes());
  std::memcpy(handles + levels.size_bytes() / sizeof *at, levels_1d.data(), levels_1d.size_bytes());
  set_handle(record_word, reinterpret_cast<uintptr_t>(at));
}

void ImageWords::set_sampler(hsa_ext_sampler_t sampler) {
  set_handle(HIP_SAMPLER_OBJECT_OFFSET_DWORD, sampler.handle);
}

Images::~Images() {
  for (const hsa_ext_image_t image : images_) hsa_ext_image_destroy(device_.agent(), image);
}

hsa_ext_image_t Images::create(const ImageData& data, hsa_access_permission_t permission) {
  images_.reserve(images_.size() + 1);
  hsa_ext_image_t image{};
  const hsa_status_t status = hsa_ext_image_create_with_layout(
      device_.agent(), &data.image, data.memory.address, permission, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
      data.memory.pitch, data.memory.slice, &image);
  const auto code = static_cast<uint32_t>(status);
  const bool format = code == HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  check(status, "hsa_ext_image_create_with_layout", format ? hipErrorNotSupported : hipErrorInvalidValue);
  images_.push_back(image);
  return image;
}

Texture::Texture(Device& device, const hipResourceDesc& resource, const hipTextureDesc& reading,
                 const hipResourceViewDesc* view)
    : device_(device),
      resource_(resource),
      reading_(reading),
      levels_(levels_of(resource, reading, view)),
      rules_(rules_of(levels_, reading)),
      words_(device, rules_.record ? levels_.images.size() : 0),
      images_(device) {
  if (view != nullptr) view_ = *view;
  add_images();
  if (rules_.sampler) add_sampler(*rules_.sampler);
}

Texture::~Texture() {
  if (sampler_.handle != 0) hsa_ext_sampler_destroy(device_.agent(), sampler_);
}

/// Makes an image of each level. If the array has a single row, there is another one for each, for reads of
/// one dimension.
void Texture::add_images() {
  const auto& levels = levels_.images;
  for (const ImageData& data : levels) images_.create(data, HSA_ACCESS_PERMISSION_RO);
  const hsa_ext_image_descriptor_t& first = levels.front().image;
  if (first.geometry == HSA_EXT_IMAGE_GEOMETRY_2D && first.height == 1)
    for (ImageData row : levels) {
      row.image.geometry = HSA_EXT_IMAGE_GEOMETRY_1D;
      row.image.height = 0;
      images_.create(row, HSA_ACCESS_PERMISSION_RO);
    }
  const auto images = images_.all().first(levels.size());
  const auto images_1d = images_.all().last(levels.size());
  words_.set_image(images.front());
  words_.set_image_1d(images_1d.front());
  if (rules_.record) words_.set_record(*rules_.record, images, images_1d);
}

void Texture::add_sampler(const hsa_ext_sampler_descriptor_t& sampler) {
  check(hsa_ext_sampler_create(device_.agent(), &sampler, &sampler_), "hsa_ext_sampler_create",
        hipErrorNotSupported);
  words_.set_sampler(sampler_);
}

Surface::Surface(std::shared_ptr<Array> array)
    : array_(std::move(array)), words_(array_->device()), images_(array_->device()) {
  const ImageData data{array_->image(array_->shape().channels.image_format()), array_->block()};
  words_.set_image(images_.create(data, HSA_ACCESS_PERMISSION_RW));
}

}  // namespace heddle::hip
