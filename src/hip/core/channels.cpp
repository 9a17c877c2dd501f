// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/channels.h"

#include <algorithm>
#include <iterator>

#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

constexpr uint32_t no_type = UINT32_MAX;

struct FormatRow {
  hipArray_Format format;
  hipChannelFormatKind kind;
  int bits;
  uint32_t type, normalized_type;  // hsa_ext_image_channel_type_t
};

constexpr FormatRow rows[] = {
    {HIP_AD_FORMAT_UNSIGNED_INT8, hipChannelFormatKindUnsigned, 8, HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8,
     HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8},
    {HIP_AD_FORMAT_UNSIGNED_INT16, hipChannelFormatKindUnsigned, 16,
     HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16},
    {HIP_AD_FORMAT_UNSIGNED_INT32, hipChannelFormatKindUnsigned, 32,
     HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, no_type},
    {HIP_AD_FORMAT_SIGNED_INT8, hipChannelFormatKindSigned, 8, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8,
     HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8},
    {HIP_AD_FORMAT_SIGNED_INT16, hipChannelFormatKindSigned, 16, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16,
     HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16},
    {HIP_AD_FORMAT_SIGNED_INT32, hipChannelFormatKindSigned, 32, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32,
     no_type},
    {HIP_AD_FORMAT_HALF, hipChannelFormatKindFloat, 16, HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT,
     HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT},
    {HIP_AD_FORMAT_FLOAT, hipChannelFormatKindFloat, 32, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
     HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT}};

/// Channels exist only with a format of the table (channels_of).
const FormatRow& row_of(hipArray_Format format) {
  return *std::ranges::find(rows, format, &FormatRow::format);
}

uint32_t order_of(unsigned count) {
  return count == 1   ? HSA_EXT_IMAGE_CHANNEL_ORDER_R
         : count == 2 ? HSA_EXT_IMAGE_CHANNEL_ORDER_RG
                      : HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA;
}

}  // namespace

size_t Channels::element_size() const { return static_cast<size_t>(row_of(format).bits) / 8 * count; }

hipChannelFormatDesc Channels::descriptor() const {
  const FormatRow& row = row_of(format);
  return {row.bits, count > 1 ? row.bits : 0, count > 2 ? row.bits : 0, count > 3 ? row.bits : 0, row.kind};
}

hsa_ext_image_format_t Channels::image_format() const { return {row_of(format).type, order_of(count)}; }

std::optional<hsa_ext_image_format_t> Channels::normalized_image_format() const {
  const uint32_t type = row_of(format).normalized_type;
  if (type == no_type) return std::nullopt;
  return hsa_ext_image_format_t{type, order_of(count)};
}

Channels channels_of(const hipChannelFormatDesc& d) {
  const auto* const row = std::ranges::find_if(
      rows, [&](const FormatRow& candidate) { return candidate.bits == d.x && candidate.kind == d.f; });
  const unsigned count = 1U + (d.y != 0 ? 1 : 0) + (d.z != 0 ? 1 : 0) + (d.w != 0 ? 1 : 0);
  if (row == std::end(rows) || count == 3)
    throw Failure(hipErrorInvalidValue, "no array has elements with such channels");
  const Channels channels{row->format, count};
  const hipChannelFormatDesc whole = channels.descriptor();
  if (whole.y != d.y || whole.z != d.z || whole.w != d.w)
    throw Failure(hipErrorInvalidValue, "the channels of an element differ");
  return channels;
}

Channels channels_of(hipArray_Format format, unsigned count) {
  const bool known = std::ranges::find(rows, format, &FormatRow::format) != std::end(rows);
  if (!known || (count != 1 && count != 2 && count != 4))
    throw Failure(hipErrorInvalidValue, "no array has elements with such channels");
  return {format, count};
}

}  // namespace heddle::hip
