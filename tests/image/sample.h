// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "image/image.h"

namespace heddle::image::testing {

/// An image with memory of its own, whose bytes are initially 0.
struct Owned {
  Owned(hsa_ext_image_geometry_t geometry, hsa_ext_image_channel_order_t order,
        hsa_ext_image_channel_type_t type, size_t width, size_t height = 0, size_t depth = 0,
        size_t layers = 0) {
    const hsa_ext_image_descriptor_t descriptor{
        geometry, width, height, depth, layers, {static_cast<uint32_t>(type), static_cast<uint32_t>(order)}};
    EXPECT_EQ(plan_layout(descriptor, 0, 0, layout), HSA_STATUS_SUCCESS);
    bytes.resize(layout.size);
    image = make_image(descriptor, HSA_ACCESS_PERMISSION_RW, layout, bytes.data());
  }
  Layout layout{};
  std::vector<std::byte> bytes;
  Image image{};
};

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
inline float number(uint32_t bits) { return std::bit_cast<float>(bits); }
inline Texel texel(float r, float g, float b, float a) { return {{bits(r), bits(g), bits(b), bits(a)}}; }

}  // namespace heddle::image::testing
