// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/texture.h"

#include <cstring>

#include "hip/core/failure.h"
#include "hip/core/texture_image.h"

namespace heddle::hip {
namespace {

hsa_ext_image_t create_image(Device& device, const ImageData& data, hsa_access_permission_t permission) {
  hsa_ext_image_t image{};
  const hsa_status_t status = hsa_ext_image_create_with_layout(
      device.agent(), &data.image, data.memory.address, permission, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
      data.memory.pitch, data.memory.slice, &image);
  const auto code = static_cast<uint32_t>(status);
  const bool format = code == HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  check(status, "hsa_ext_image_create_with_layout", format ? hipErrorNotSupported : hipErrorInvalidValue);
  return image;
}

}  // namespace

ImageWords::ImageWords(Device& device)
    : words_(static_cast<uint32_t*>(
          device.allocate_arguments(HIP_TEXTURE_OBJECT_SIZE_DWORD * sizeof(uint32_t)))) {
  std::memset(words_, 0, HIP_TEXTURE_OBJECT_SIZE_DWORD * sizeof(uint32_t));
}

ImageWords::~ImageWords() { hsa_amd_memory_pool_free(words_); }

void ImageWords::set_image(hsa_ext_image_t image) { std::memcpy(words_, &image.handle, sizeof image.handle); }

void ImageWords::set_sampler(hsa_ext_sampler_t sampler) {
  std::memcpy(words_ + HIP_SAMPLER_OBJECT_OFFSET_DWORD, &sampler.handle, sizeof sampler.handle);
}

Texture::Texture(Device& device, const hipResourceDesc& resource, const hipTextureDesc& reading,
                 const hipResourceViewDesc* view)
    : device_(device), resource_(resource), reading_(reading), words_(device) {
  if (view != nullptr) view_ = *view;
  if (resource.resType == hipResourceTypeArray)
    array_ = find_array(resource.res.array.array, hipErrorInvalidValue);
  const ImageData data = image_of(resource, array_.get(), reading, view);
  const auto sampler = sampler_of(data.image.geometry, reading);
  image_ = create_image(device, data, HSA_ACCESS_PERMISSION_RO);
  words_.set_image(image_);
  if (!sampler) return;
  const hsa_status_t status = hsa_ext_sampler_create(device.agent(), &*sampler, &sampler_);
  if (status != HSA_STATUS_SUCCESS) {
    hsa_ext_image_destroy(device.agent(), image_);
    check(status, "hsa_ext_sampler_create", hipErrorNotSupported);
  }
  words_.set_sampler(sampler_);
}

Texture::~Texture() {
  hsa_ext_image_destroy(device_.agent(), image_);
  if (sampler_.handle != 0) hsa_ext_sampler_destroy(device_.agent(), sampler_);
}

Surface::Surface(std::shared_ptr<Array> array)
    : array_(std::move(array)),
      words_(array_->device()),
      image_(create_image(array_->device(),
                          {array_->image(array_->shape().channels.image_format()), array_->block()},
                          HSA_ACCESS_PERMISSION_RW)) {
  words_.set_image(image_);
}

Surface::~Surface() { hsa_ext_image_destroy(device().agent(), image_); }

}  // namespace heddle::hip
