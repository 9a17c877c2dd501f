// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/array.h"

#include <limits>

#include "hip/core/allocate.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// Rows begin at multiples of this (hipDeviceProp_t::texturePitchAlignment).
constexpr size_t pitch_alignment = 256;

hsa_ext_image_geometry_t geometry_of(const ArrayShape& shape) {
  if (is_layered(shape))
    return shape.extent.height == 0 ? HSA_EXT_IMAGE_GEOMETRY_1DA : HSA_EXT_IMAGE_GEOMETRY_2DA;
  if (shape.extent.depth != 0) return HSA_EXT_IMAGE_GEOMETRY_3D;
  return shape.extent.height == 0 ? HSA_EXT_IMAGE_GEOMETRY_1D : HSA_EXT_IMAGE_GEOMETRY_2D;
}

void check_cube(const ArrayShape& shape) {
  constexpr size_t faces = 6;
  const hipExtent& extent = shape.extent;
  const bool several = (shape.flags & hipArrayLayered) != 0;
  if (extent.width != extent.height || (several ? extent.depth % faces != 0 : extent.depth != faces))
    throw Failure(hipErrorInvalidValue, "a cube has six faces, which are squares");
}

void check_shape(const ArrayShape& shape) {
  constexpr unsigned known =
      hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;
  const hipExtent& extent = shape.extent;
  const bool layered = is_layered(shape);
  if ((shape.flags & ~known) != 0 || extent.width == 0) throw Failure(hipErrorInvalidValue);
  if ((shape.flags & hipArrayCubemap) != 0) check_cube(shape);
  if (layered ? extent.depth == 0 : extent.depth != 0 && extent.height == 0)
    throw Failure(hipErrorInvalidValue, "no array has such an extent");
  // Only arrays of two dimensions can be read so (hipArrayTextureGather).
  if ((shape.flags & hipArrayTextureGather) != 0 && (extent.height == 0 || extent.depth != 0))
    throw Failure(hipErrorInvalidValue, "only arrays of two dimensions can be gathered");
}

size_t size_of_image(Device& device, const hsa_ext_image_descriptor_t& image, const Block& block) {
  uint32_t capability = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
  check(hsa_ext_image_get_capability_with_layout(device.agent(), image.geometry, &image.format,
                                                 HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, &capability),
        "hsa_ext_image_get_capability_with_layout", hipErrorNotSupported);
  if (capability == HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED)
    throw Failure(hipErrorNotSupported, "the device has no images of this kind");
  hsa_ext_image_data_info_t info{};
  const hsa_status_t status = hsa_ext_image_data_get_info_with_layout(
      &image, HSA_ACCESS_PERMISSION_RW, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, block.pitch, block.slice, &info);
  const auto code = static_cast<uint32_t>(status);
  if (code == HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED)
    throw Failure(hipErrorInvalidValue, "the device has no images of this size");
  check(status, "hsa_ext_image_data_get_info_with_layout", hipErrorNotSupported);
  return info.size;
}

}  // namespace

Array::Array(Device& device, const ArrayShape& shape) : device_(device), shape_(shape) {
  check_shape(shape);
  // Sizes that are too large for any image are refused before they are multiplied.
  constexpr size_t most = std::numeric_limits<uint32_t>::max();
  if (shape.extent.width > most || shape.extent.height > most || shape.extent.depth > most)
    throw Failure(hipErrorInvalidValue, "the device has no images of this size");
  block_.pitch = (row_size() + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  if (shape.extent.depth != 0 && __builtin_mul_overflow(block_.pitch, rows(), &block_.slice))
    throw Failure(hipErrorInvalidValue, "the device has no images of this size");
  const size_t size = size_of_image(device, image(shape.channels.image_format()), block_);
  block_.address = allocate_device_memory(device, size, device.pool(), shape.flags, MemoryKind::array);
}

Array::~Array() {
  Runtime::get().memory().take(block_.address);
  hsa_amd_memory_pool_free(block_.address);
}

hsa_ext_image_descriptor_t Array::image(const hsa_ext_image_format_t& format) const {
  const hipExtent& extent = shape_.extent;
  const bool layered = is_layered(shape_);
  return {geometry_of(shape_),        extent.width, extent.height, layered ? 0 : extent.depth,
          layered ? extent.depth : 0, format};
}

Block Array::part(size_t x, size_t y, size_t z, const BlockSize& size) const {
  const bool inside = x <= row_size() && size.width <= row_size() - x && y <= rows() &&
                      size.height <= rows() - y && z <= layers() && size.depth <= layers() - z;
  if (!inside) throw Failure(hipErrorInvalidValue, "the part is not inside of the array");
  return {block_.address + z * block_.slice + y * block_.pitch + x, block_.pitch, block_.slice};
}

std::shared_ptr<Array> find_array(hipArray_const_t handle, hipError_t otherwise) {
  auto array = handle == nullptr ? nullptr : Runtime::get().arrays().find(const_cast<hipArray_t>(handle));
  if (array == nullptr) throw Failure(otherwise, "there is no such array");
  return array;
}

}  // namespace heddle::hip
