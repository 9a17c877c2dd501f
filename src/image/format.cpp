// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which combinations of geometries, channel types and channel orders there are (PRM Tables 7-1 to 7-4).
#include "image/format.h"

#include "image/image.h"

namespace heddle::image {
namespace {

bool is_depth_order(uint32_t order) {
  return order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH || order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL;
}

}  // namespace

std::optional<GeometryShape> shape_of(uint32_t geometry) {
  if (geometry >= geometries) return std::nullopt;
  return shape_at(geometry);
}

std::optional<uint32_t> element_size(const hsa_ext_image_format_t& format) {
  if (format.channel_type >= channel_types || format.channel_order >= channel_orders) return std::nullopt;
  const ChannelType& type = channel_type(format);
  const ChannelOrder& order = channel_order(format);
  if ((order.types & 1u << format.channel_type) == 0) return std::nullopt;
  if (type.encoding == Encoding::packed) return type.bits / 8;
  if (format.channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL) return type.bits == 24 ? 4 : 8;
  return type.bits / 8 * order.components;
}

bool is_legal(uint32_t geometry, const hsa_ext_image_format_t& format) {
  return shape_of(geometry) && element_size(format) &&
         shape_at(geometry).holds_depth == is_depth_order(format.channel_order);
}

}  // namespace heddle::image
