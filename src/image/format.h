// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of image formats, from tables. For the files of this folder only.
#pragma once

#include "image/operations.h"

namespace heddle::image {

/// The kind of type as which instructions see a component (PRM Table 7-3).
enum class AccessKind : uint8_t { floating, signed_integer, unsigned_integer };

enum class Encoding : uint8_t { snorm, unorm, packed, signed_integer, unsigned_integer, half, single };

struct ChannelType {
  uint8_t bits;  ///< of one component; of the whole element if packed
  Encoding encoding;
  AccessKind kind;
};

/// The values of access components that memory does not have.
enum class Missing : uint8_t {
  zero,         ///< 0
  alpha_one,    ///< colours 0, alpha 1
  all_same,     ///< all four are the stored one
  colour_same,  ///< colours are the stored one, alpha 1
};

struct ChannelOrder {
  uint8_t components;  ///< in memory
  uint8_t access[4];   ///< access component (r, g, b, a = 0 to 3) of each memory component
  Missing missing;
  uint32_t types;      ///< bits 1 << hsa_ext_image_channel_type_t
  bool srgb;           ///< r, g and b are stored as sRGB
  bool opaque_border;  ///< the border colour has alpha 1 (PRM Table 7-2)
};

/// The numbers of geometries, channel types and channel orders, which count from 0.
inline constexpr uint32_t geometries = 8, channel_types = 16, channel_orders = 20;

/// The geometry must be one that exists.
const GeometryShape& shape_at(uint32_t geometry);
/// The format must be one that element_size() knows.
const ChannelType& channel_type(const hsa_ext_image_format_t& format);
const ChannelOrder& channel_order(const hsa_ext_image_format_t& format);
inline AccessKind access_kind(const Image& image) { return channel_type(image.format).kind; }

}  // namespace heddle::image
