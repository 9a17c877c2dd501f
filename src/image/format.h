// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables behind formats; for the files of this folder.
#pragma once

#include "image/image.h"

namespace heddle::image {

enum class Encoding : uint8_t { snorm, unorm, packed, signed_integer, unsigned_integer, half, single };

struct ChannelType {
  uint8_t bits;  ///< of one component; of the whole element if packed
  Encoding encoding;
  AccessKind kind;
};

/// What access components are that memory does not have.
enum class Missing : uint8_t {
  zero,         ///< 0
  alpha_one,    ///< colours 0, alpha 1
  all_same,     ///< the stored one, all four
  colour_same,  ///< the stored one, alpha 1
};

struct ChannelOrder {
  uint8_t components;
  uint8_t access[4];  ///< access component (r, g, b, a = 0 to 3) of each memory component
  Missing missing;
  uint32_t types;  ///< bits 1 << hsa_ext_image_channel_type_t
  bool srgb;
  bool opaque_border;
};

/// The format must be one that format_info knows.
const ChannelType& channel_type(const hsa_ext_image_format_t& format);
const ChannelOrder& channel_order(const hsa_ext_image_format_t& format);
bool is_depth_geometry(uint32_t geometry);

}  // namespace heddle::image
