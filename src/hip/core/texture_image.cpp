// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/texture_image.h"

#include <algorithm>
#include <array>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// The formats of views, in the order of hipResourceViewFormat: three numbers of channels each.
constexpr hipArray_Format view_formats[] = {HIP_AD_FORMAT_UNSIGNED_INT8,  HIP_AD_FORMAT_SIGNED_INT8,
                                            HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT16,
                                            HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
                                            HIP_AD_FORMAT_HALF,           HIP_AD_FORMAT_FLOAT};

Channels channels_of_view(hipResourceViewFormat format, const Channels& own) {
  if (format == hipResViewFormatNone) return own;
  if (format < hipResViewFormatNone || format > hipResViewFormatUnsignedBlockCompressed7)
    throw Failure(hipErrorInvalidValue, "a view has no such format");
  if (format > hipResViewFormatFloat4) throw Failure(hipErrorNotSupported, "there are no compressed formats");
  const auto index = static_cast<size_t>(format) - 1;
  const Channels channels{view_formats[index / 3], 1U << index % 3};
  if (channels.element_size() != own.element_size())
    throw Failure(hipErrorInvalidValue, "the elements of a view have another size than those of its array");
  return channels;
}

void check_filter(const Channels& channels, const hipTextureDesc& reading) {
  if (reading.readMode != hipReadModeElementType && reading.readMode != hipReadModeNormalizedFloat)
    throw Failure(hipErrorInvalidValue, "there is no such read mode");
  const bool integers = reading.readMode == hipReadModeElementType && !channels.is_floating();
  if (integers && reading.filterMode == hipFilterModeLinear)
    throw Failure(hipErrorInvalidValue, "there is nothing between integers");
}

/// Returns how the elements are read: as they are, normalized, or as colours of sRGB.
hsa_ext_image_format_t format_of(const Channels& channels, const hipTextureDesc& reading) {
  check_filter(channels, reading);
  hsa_ext_image_format_t format = channels.image_format();
  if (reading.readMode == hipReadModeNormalizedFloat) {
    const auto normalized = channels.normalized_image_format();
    if (!normalized) throw Failure(hipErrorInvalidValue, "integers of 32 bits are not normalized");
    format = *normalized;
  }
  if (reading.sRGB == 0) return format;
  if (format.channel_type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 || channels.count != 4)
    throw Failure(hipErrorNotSupported, "only four normalized channels of 8 bits can be sRGB");
  format.channel_order = HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA;
  return format;
}

/// Makes the image that of the layers of a view.
void take_view(ImageData& data, const Array& array, const hipResourceViewDesc& view) {
  const hipExtent& extent = array.shape().extent;
  const bool layered = (array.shape().flags & hipArrayLayered) != 0;
  const bool whole = view.width == extent.width && view.height == extent.height &&
                     view.depth == (layered ? view.depth : extent.depth);
  if (!whole || view.firstMipmapLevel != 0 || view.lastMipmapLevel != 0 || view.firstLayer > view.lastLayer ||
      view.lastLayer >= (layered ? extent.depth : 1))
    throw Failure(hipErrorInvalidValue, "the view is not one of its array");
  if (!layered) return;
  data.memory.address += view.firstLayer * data.memory.slice;
  data.image.array_size = view.lastLayer - view.firstLayer + size_t{1};
}

ImageData image_of_array(const Array& array, const hipTextureDesc& reading, const hipResourceViewDesc* view) {
  const Channels& own = array.shape().channels;
  const Channels channels = view != nullptr ? channels_of_view(view->format, own) : own;
  ImageData data{array.image(format_of(channels, reading)), array.block()};
  if (view != nullptr) take_view(data, array, *view);
  return data;
}

/// Throws Failure (InvalidValue) unless the memory is the program's of a device or host, and large enough.
Block memory_at(void* address, size_t size) {
  const auto allocation = address == nullptr ? std::nullopt : Runtime::get().memory().find(address);
  if (!allocation || size == 0) throw Failure(hipErrorInvalidValue, "a texture needs memory of the device");
  const auto offset = static_cast<size_t>(static_cast<std::byte*>(address) - allocation->base);
  if (size > allocation->size - offset)
    throw Failure(hipErrorInvalidValue, "a texture reaches beyond the end of its memory");
  return {static_cast<std::byte*>(allocation->agent_base) + offset};
}

ImageData image_of_linear(const hipResourceDesc& resource, const hipTextureDesc& reading) {
  const auto& linear = resource.res.linear;
  const Channels channels = channels_of(linear.desc);
  hsa_ext_image_descriptor_t image{};
  image.geometry = HSA_EXT_IMAGE_GEOMETRY_1DB;
  image.width = linear.sizeInBytes / channels.element_size();
  // Elements are read by their numbers alone: no filter can apply.
  hipTextureDesc unfiltered = reading;
  unfiltered.filterMode = hipFilterModePoint;
  image.format = format_of(channels, unfiltered);
  return {image, memory_at(linear.devPtr, linear.sizeInBytes)};
}

ImageData image_of_rows(const hipResourceDesc& resource, const hipTextureDesc& reading) {
  const auto& rows = resource.res.pitch2D;
  const Channels channels = channels_of(rows.desc);
  size_t row = 0, before = 0, size = 0;
  const bool overflows = rows.width == 0 || rows.height == 0 ||
                         __builtin_mul_overflow(rows.width, channels.element_size(), &row) ||
                         __builtin_mul_overflow(rows.height - 1, rows.pitchInBytes, &before) ||
                         __builtin_add_overflow(before, row, &size);
  if (overflows || row > rows.pitchInBytes)
    throw Failure(hipErrorInvalidValue, "the rows of a texture do not fit their pitch");
  hsa_ext_image_descriptor_t image{};
  image.geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
  image.width = rows.width;
  image.height = rows.height;
  image.format = format_of(channels, reading);
  Block memory = memory_at(rows.devPtr, size);
  memory.pitch = rows.pitchInBytes;
  return {image, memory};
}

size_t dimensions_of(hsa_ext_image_geometry_t geometry) {
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_3D) return 3;
  return geometry == HSA_EXT_IMAGE_GEOMETRY_1D || geometry == HSA_EXT_IMAGE_GEOMETRY_1DA ? 1 : 2;
}

hsa_ext_sampler_addressing_mode32_t addressing_of(const hipTextureDesc& reading, size_t dimensions) {
  const hipTextureAddressMode mode = reading.addressMode[0];
  const bool same = std::all_of(reading.addressMode, reading.addressMode + dimensions,
                                [&](hipTextureAddressMode other) { return other == mode; });
  if (!same) throw Failure(hipErrorNotSupported, "a sampler has one address mode for all dimensions");
  constexpr std::array<hsa_ext_sampler_addressing_mode32_t, 4> modes = {
      HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
      HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER};
  if (mode < hipAddressModeWrap || mode > hipAddressModeBorder)
    throw Failure(hipErrorInvalidValue, "there is no such address mode");
  const bool repeats = mode == hipAddressModeWrap || mode == hipAddressModeMirror;
  // Only normalized coordinates repeat; others are clamped.
  return repeats && reading.normalizedCoords == 0 ? HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE
                                                  : modes[static_cast<size_t>(mode)];
}

/// Throws Failure (NotSupported) for what needs mipmaps or a colour of the program's.
void check_extras(const hipTextureDesc& reading, hsa_ext_sampler_addressing_mode32_t addressing) {
  const bool coloured = std::ranges::any_of(reading.borderColor, [](float channel) { return channel != 0; });
  if (coloured && addressing == HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER)
    throw Failure(hipErrorNotSupported, "the colour of borders is black");
  if (reading.maxAnisotropy > 1 || reading.mipmapLevelBias != 0 || reading.minMipmapLevelClamp != 0 ||
      reading.maxMipmapLevelClamp != 0)
    throw Failure(hipErrorNotSupported, "there are no mipmaps");
}

}  // namespace

ImageData image_of(const hipResourceDesc& resource, const Array* array, const hipTextureDesc& reading,
                   const hipResourceViewDesc* view) {
  if (view != nullptr && resource.resType != hipResourceTypeArray &&
      resource.resType != hipResourceTypeMipmappedArray)
    throw Failure(hipErrorInvalidValue, "only arrays have views");
  switch (resource.resType) {
    case hipResourceTypeArray:
      return image_of_array(*array, reading, view);
    case hipResourceTypeLinear:
      return image_of_linear(resource, reading);
    case hipResourceTypePitch2D:
      return image_of_rows(resource, reading);
    case hipResourceTypeMipmappedArray:
      throw Failure(hipErrorNotSupported, "there are no mipmaps");
  }
  throw Failure(hipErrorInvalidValue, "there is no such type of resource");
}

std::optional<hsa_ext_sampler_descriptor_t> sampler_of(hsa_ext_image_geometry_t geometry,
                                                       const hipTextureDesc& reading) {
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) return std::nullopt;
  if (reading.filterMode != hipFilterModePoint && reading.filterMode != hipFilterModeLinear)
    throw Failure(hipErrorInvalidValue, "there is no such filter mode");
  const auto addressing = addressing_of(reading, dimensions_of(geometry));
  check_extras(reading, addressing);
  return hsa_ext_sampler_descriptor_t{
      static_cast<uint32_t>(reading.normalizedCoords != 0 ? HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED
                                                          : HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED),
      static_cast<uint32_t>(reading.filterMode == hipFilterModeLinear ? HSA_EXT_SAMPLER_FILTER_MODE_LINEAR
                                                                      : HSA_EXT_SAMPLER_FILTER_MODE_NEAREST),
      addressing};
}

}  // namespace heddle::hip
