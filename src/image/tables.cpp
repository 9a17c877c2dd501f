// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of geometries, channel types and channel orders, and of their legal combinations (PRM Tables 7-1
// to 7-4).
#include "image/format.h"

namespace heddle::image {
namespace {

/// By hsa_ext_image_geometry_t, whose values are those of BRIG.
constexpr GeometryShape shapes[] = {
#include "image/shapes.inc"
};

constexpr AccessKind floating = AccessKind::floating;
constexpr ChannelType types[] = {
    {8, Encoding::snorm, floating},
    {16, Encoding::snorm, floating},
    {8, Encoding::unorm, floating},
    {16, Encoding::unorm, floating},
    {24, Encoding::unorm, floating},
    {16, Encoding::packed, floating},  // 555
    {16, Encoding::packed, floating},  // 565
    {32, Encoding::packed, floating},  // 101010
    {8, Encoding::signed_integer, AccessKind::signed_integer},
    {16, Encoding::signed_integer, AccessKind::signed_integer},
    {32, Encoding::signed_integer, AccessKind::signed_integer},
    {8, Encoding::unsigned_integer, AccessKind::unsigned_integer},
    {16, Encoding::unsigned_integer, AccessKind::unsigned_integer},
    {32, Encoding::unsigned_integer, AccessKind::unsigned_integer},
    {16, Encoding::half, floating},
    {32, Encoding::single, floating},
};

/// Sets of channel types are masks of the bits 1 << hsa_ext_image_channel_type_t.
constexpr uint32_t type_bit(uint32_t type) { return 1u << type; }
constexpr uint32_t bytes =
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8) |
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8);
constexpr uint32_t packed = type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555) |
                            type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565) |
                            type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010);
constexpr uint32_t all = 0xffff & ~packed & ~type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24);
constexpr uint32_t unorm8 = type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8);
constexpr uint32_t grey =
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16) |
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16) |
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT);
constexpr uint32_t depths = type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16) |
                            type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24) |
                            type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT);
constexpr uint32_t stencils =
    type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24) | type_bit(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT);

constexpr ChannelOrder orders[] = {
    {1, {3}, Missing::zero, all, false, false},                // a
    {1, {0}, Missing::alpha_one, all, false, true},            // r
    {1, {0}, Missing::alpha_one, all, false, false},           // rx
    {2, {0, 1}, Missing::alpha_one, all, false, true},         // rg
    {2, {0, 1}, Missing::alpha_one, all, false, false},        // rgx
    {2, {0, 3}, Missing::zero, all, false, false},             // ra
    {3, {0, 1, 2}, Missing::alpha_one, packed, false, true},   // rgb
    {3, {0, 1, 2}, Missing::alpha_one, packed, false, false},  // rgbx
    {4, {0, 1, 2, 3}, Missing::zero, all, false, false},       // rgba
    {4, {2, 1, 0, 3}, Missing::zero, bytes, false, false},     // bgra
    {4, {3, 0, 1, 2}, Missing::zero, bytes, false, false},     // argb
    {4, {3, 2, 1, 0}, Missing::zero, bytes, false, false},     // abgr
    {3, {0, 1, 2}, Missing::alpha_one, unorm8, true, true},    // srgb
    {3, {0, 1, 2}, Missing::alpha_one, unorm8, true, false},   // srgbx
    {4, {0, 1, 2, 3}, Missing::zero, unorm8, true, false},     // srgba
    {4, {2, 1, 0, 3}, Missing::zero, unorm8, true, false},     // sbgra
    {1, {0}, Missing::all_same, grey, false, false},           // intensity
    {1, {0}, Missing::colour_same, grey, false, true},         // luminance
    {1, {0}, Missing::zero, depths, false, false},             // depth
    {1, {0}, Missing::zero, stencils, false, false},           // depth_stencil
};

template <typename T, size_t size>
constexpr size_t length(const T (&)[size]) {
  return size;
}
static_assert(length(shapes) == geometries && length(types) == channel_types &&
              length(orders) == channel_orders);

}  // namespace

const GeometryShape& shape_at(uint32_t geometry) { return shapes[geometry]; }
const ChannelType& channel_type(const hsa_ext_image_format_t& format) { return types[format.channel_type]; }
const ChannelOrder& channel_order(const hsa_ext_image_format_t& format) {
  return orders[format.channel_order];
}

}  // namespace heddle::image
