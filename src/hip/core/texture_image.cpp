// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/texture_image.h"

#include <algorithm>
#include <array>
#include <span>

#include "hip/core/failure.h"
#include "hip/core/mipmapped_array.h"
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
  const bool normalized =
      reading.readMode == hipReadModeNormalizedFloat && channels.normalized_image_format();
  if (!normalized && !channels.is_floating() && reading.filterMode == hipFilterModeLinear)
    throw Failure(hipErrorInvalidValue, "there is nothing between integers");
}

/// Returns how the elements are read: as they are, normalized, or as colours of sRGB. Integers of 32 bits are
/// never normalized.
hsa_ext_image_format_t format_of(const Channels& channels, const hipTextureDesc& reading) {
  check_filter(channels, reading);
  const auto normalized = channels.normalized_image_format();
  hsa_ext_image_format_t format = channels.image_format();
  if (reading.readMode == hipReadModeNormalizedFloat && normalized) format = *normalized;
  if (reading.sRGB == 0) return format;
  if (format.channel_type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 || channels.count != 4)
    throw Failure(hipErrorNotSupported, "only four normalized channels of 8 bits can be sRGB");
  format.channel_order = HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA;
  return format;
}

/// Throws Failure (InvalidValue) unless a view is one of an array with a number of levels.
void check_view(const ArrayShape& shape, size_t levels, const hipResourceViewDesc& view) {
  const hipExtent& extent = shape.extent;
  const bool layered = is_layered(shape);
  const bool whole = view.width == extent.width && view.height == extent.height &&
                     view.depth == (layered ? view.depth : extent.depth);
  if (!whole || view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= levels ||
      view.firstLayer > view.lastLayer || view.lastLayer >= (layered ? extent.depth : 1))
    throw Failure(hipErrorInvalidValue, "the view is not one of its array");
}

ImageData image_of_array(const Array& array, const hipTextureDesc& reading, const hipResourceViewDesc* view) {
  const Channels& own = array.shape().channels;
  const Channels channels = view != nullptr ? channels_of_view(view->format, own) : own;
  ImageData data{array.image(format_of(channels, reading)), array.block()};
  if (view != nullptr && is_layered(array.shape())) {
    data.memory.address += view->firstLayer * data.memory.slice;
    data.image.array_size = view->lastLayer - view->firstLayer + size_t{1};
  }
  return data;
}

TextureLevels levels_of_arrays(std::vector<std::shared_ptr<Array>> arrays, const hipTextureDesc& reading,
                               const hipResourceViewDesc* view) {
  TextureLevels levels;
  const ArrayShape& shape = arrays.front()->shape();
  levels.is_cube = (shape.flags & hipArrayCubemap) != 0;
  if (view != nullptr) {
    check_view(shape, arrays.size(), *view);
    arrays.resize(view->lastMipmapLevel + size_t{1});
    arrays.erase(arrays.begin(), arrays.begin() + view->firstMipmapLevel);
  }
  for (const auto& array : arrays) levels.images.push_back(image_of_array(*array, reading, view));
  levels.arrays = std::move(arrays);
  return levels;
}

TextureLevels levels_of_mipmaps(const hipResourceDesc& resource, const hipTextureDesc& reading,
                                const hipResourceViewDesc* view) {
  const auto mipmaps = find_mipmapped_array(resource.res.mipmap.mipmap, hipErrorInvalidValue);
  std::vector<std::shared_ptr<Array>> arrays;
  arrays.reserve(mipmaps->levels());
  for (size_t i = 0; i < mipmaps->levels(); ++i) arrays.push_back(mipmaps->level(i));
  TextureLevels levels = levels_of_arrays(std::move(arrays), reading, view);
  levels.is_mipmapped = true;
  return levels;
}

TextureLevels only_level(const ImageData& data) {
  TextureLevels levels;
  levels.images.push_back(data);
  return levels;
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

using AddressModes = std::array<hsa_ext_sampler_addressing_mode32_t, 3>;

/// Only normalized coordinates repeat; others are clamped.
hsa_ext_sampler_addressing_mode32_t addressing_of(hipTextureAddressMode mode, bool normalized) {
  constexpr std::array<hsa_ext_sampler_addressing_mode32_t, 4> modes = {
      HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
      HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER};
  if (mode < hipAddressModeWrap || mode > hipAddressModeBorder)
    throw Failure(hipErrorInvalidValue, "there is no such address mode");
  const bool repeats = mode == hipAddressModeWrap || mode == hipAddressModeMirror;
  return repeats && !normalized ? HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE
                                : modes[static_cast<size_t>(mode)];
}

/// The modes of the dimensions that there are. Those of a cube's faces are clamped.
AddressModes modes_of(const hipTextureDesc& reading, size_t dimensions, bool is_cube) {
  AddressModes modes;
  modes.fill(HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE);
  for (size_t i = 0; i < dimensions && !is_cube; ++i)
    modes[i] = addressing_of(reading.addressMode[i], reading.normalizedCoords != 0);
  return modes;
}

/// Whether no sampler of HSA does the same: it has one mode for all dimensions, and borders are black.
bool need_rules(const AddressModes& modes, size_t dimensions, const hipTextureDesc& reading) {
  const auto used = std::span(modes).first(dimensions);
  const bool has_border =
      std::ranges::find(used, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER) != used.end();
  const bool coloured = std::ranges::any_of(reading.borderColor, [](float channel) { return channel != 0; });
  return (has_border && coloured) || std::ranges::any_of(used, [&](auto mode) { return mode != modes[0]; });
}

void check_filter_mode(hipTextureFilterMode filter) {
  if (filter != hipFilterModePoint && filter != hipFilterModeLinear)
    throw Failure(hipErrorInvalidValue, "there is no such filter mode");
}

TextureRecord record_of(const TextureLevels& levels, const hipTextureDesc& reading, const AddressModes& modes,
                        bool has_rules) {
  TextureRecord record{};
  record.is_linear = reading.filterMode == hipFilterModeLinear ? 1 : 0;
  record.is_normalized = reading.normalizedCoords != 0 || levels.is_cube ? 1 : 0;
  record.levels = static_cast<uint32_t>(levels.images.size());
  record.levels_are_linear = reading.mipmapFilterMode == hipFilterModeLinear ? 1 : 0;
  std::ranges::copy(modes, record.address_modes);
  record.has_rules = has_rules ? 1 : 0;
  record.level_bias = reading.mipmapLevelBias;
  record.least_level = reading.minMipmapLevelClamp;
  record.greatest_level = reading.maxMipmapLevelClamp;
  std::ranges::copy(reading.borderColor, record.border);
  return record;
}

hsa_ext_sampler_descriptor_t sampler_of(const hipTextureDesc& reading, bool is_normalized,
                                        hsa_ext_sampler_addressing_mode32_t mode) {
  return {
      static_cast<uint32_t>(is_normalized ? HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED
                                          : HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED),
      static_cast<uint32_t>(reading.filterMode == hipFilterModeLinear ? HSA_EXT_SAMPLER_FILTER_MODE_LINEAR
                                                                      : HSA_EXT_SAMPLER_FILTER_MODE_NEAREST),
      mode};
}

}  // namespace

TextureLevels levels_of(const hipResourceDesc& resource, const hipTextureDesc& reading,
                        const hipResourceViewDesc* view) {
  if (view != nullptr && resource.resType != hipResourceTypeArray &&
      resource.resType != hipResourceTypeMipmappedArray)
    throw Failure(hipErrorInvalidValue, "only arrays have views");
  switch (resource.resType) {
    case hipResourceTypeArray:
      return levels_of_arrays({find_array(resource.res.array.array, hipErrorInvalidValue)}, reading, view);
    case hipResourceTypeLinear:
      return only_level(image_of_linear(resource, reading));
    case hipResourceTypePitch2D:
      return only_level(image_of_rows(resource, reading));
    case hipResourceTypeMipmappedArray:
      return levels_of_mipmaps(resource, reading, view);
  }
  throw Failure(hipErrorInvalidValue, "there is no such type of resource");
}

TextureRules rules_of(const TextureLevels& levels, const hipTextureDesc& reading) {
  const hsa_ext_image_geometry_t geometry = levels.images.front().image.geometry;
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) return {};
  check_filter_mode(reading.filterMode);
  if (levels.is_mipmapped) check_filter_mode(reading.mipmapFilterMode);
  const size_t dimensions = dimensions_of(geometry);
  const AddressModes modes = modes_of(reading, dimensions, levels.is_cube);
  const bool has_rules = need_rules(modes, dimensions, reading);
  TextureRules rules;
  if (!has_rules)
    rules.sampler = sampler_of(reading, reading.normalizedCoords != 0 || levels.is_cube, modes[0]);
  if (has_rules || levels.is_mipmapped) rules.record = record_of(levels, reading, modes, has_rules);
  return rules;
}

}  // namespace heddle::hip
