// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats, sizes and pitches of images (PRM Table 7-4, Runtime 3.3.1.17).
#include "sample.h"

namespace heddle::image::testing {
namespace {

hsa_ext_image_descriptor_t plain(size_t width) {
  return {HSA_EXT_IMAGE_GEOMETRY_2D,
          width,
          4,
          0,
          0,
          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
}

TEST(ImageFormat, LegalCombinationsAreThoseOfTheTable) {
  unsigned legal = 0;
  for (uint32_t order = 0; order < 24; ++order)
    for (uint32_t type = 0; type < 20; ++type) legal += element_size({type, order}) ? 1 : 0;
  // 7 orders with 12 types, 3 with 4, rgb and rgbx with 3, 4 of sRGB, 2 with 6, depth 3, depth_stencil 2.
  EXPECT_EQ(legal, 7 * 12 + 3 * 4 + 2 * 3 + 4 + 2 * 6 + 3 + 2u);
  EXPECT_EQ(element_size({HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGB}), 3u);
  EXPECT_EQ(element_size({HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL}), 8u);
  EXPECT_FALSE(is_legal(HSA_EXT_IMAGE_GEOMETRY_2D,
                        {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH}));
  EXPECT_TRUE(is_legal(HSA_EXT_IMAGE_GEOMETRY_2DDEPTH,
                       {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH}));
  EXPECT_FALSE(is_legal(8, {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R}));
}

TEST(ImageLayout, PitchesAreCheckedAndDefaulted) {
  Layout layout{};
  EXPECT_EQ(plan_layout(plain(10), 0, 0, layout), HSA_STATUS_SUCCESS);
  EXPECT_EQ(layout.row_pitch, 40u);
  EXPECT_EQ(layout.slice_pitch, 0u);
  EXPECT_EQ(layout.size, 160u);
  EXPECT_EQ(plan_layout(plain(10), 64, 0, layout), HSA_STATUS_SUCCESS);
  EXPECT_EQ(layout.size, 256u);
  EXPECT_EQ(plan_layout(plain(10), 36, 0, layout), HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  EXPECT_EQ(plan_layout(plain(10), 42, 0, layout), HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  EXPECT_EQ(plan_layout(plain(10), 0, 160, layout), HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
}

TEST(ImageLayout, SizesAreChecked) {
  Layout layout{};
  EXPECT_EQ(plan_layout(plain(0), 0, 0, layout), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  EXPECT_EQ(plan_layout(plain(16385), 0, 0, layout), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  auto deep = plain(4);
  deep.depth = 2;
  EXPECT_EQ(plan_layout(deep, 0, 0, layout), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  deep.depth = 1;  // many clients set a size that the geometry does not have to 1
  EXPECT_EQ(plan_layout(deep, 0, 0, layout), HSA_STATUS_SUCCESS);
}

TEST(ImageSampler, RepeatNeedsNormalizedCoordinates) {
  Sampler sampler{};
  EXPECT_EQ(make_sampler({0, 0, HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT}, sampler),
            HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
  EXPECT_EQ(make_sampler({1, 1, HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT}, sampler), HSA_STATUS_SUCCESS);
  EXPECT_EQ(make_sampler({0, 2, 0}, sampler), HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
}

}  // namespace
}  // namespace heddle::image::testing
