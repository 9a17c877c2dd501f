// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions between images and memory (Runtime 3.3.1.21 to 3.3.1.25).
#include <numeric>

#include "sample.h"

namespace heddle::image::testing {
namespace {

constexpr auto u8 = HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8;
constexpr auto r = HSA_EXT_IMAGE_CHANNEL_ORDER_R;

TEST(ImageTransfer, ImportsAndExportsARegionOfAVolume) {
  Owned volume(HSA_EXT_IMAGE_GEOMETRY_3D, r, u8, 4, 4, 4);
  uint8_t memory[2 * 8];
  std::iota(std::begin(memory), std::end(memory), uint8_t{1});
  const hsa_ext_image_region_t region{{1, 1, 1}, {2, 2, 2}};
  import_region(volume.image, memory, 3, 8, region);  // rows 3 apart, slices 8
  EXPECT_EQ(std::to_integer<int>(volume.bytes[16 + 4 + 1]), 1);
  EXPECT_EQ(std::to_integer<int>(volume.bytes[16 + 8 + 2]), 5);
  EXPECT_EQ(std::to_integer<int>(volume.bytes[32 + 4 + 1]), 9);
  uint8_t packed[8] = {};
  export_region(volume.image, packed, 0, 0, region);
  const uint8_t wanted[8] = {1, 2, 4, 5, 9, 10, 12, 13};
  EXPECT_TRUE(std::equal(std::begin(wanted), std::end(wanted), packed));
}

TEST(ImageTransfer, CopiesBetweenGeometries) {
  Owned volume(HSA_EXT_IMAGE_GEOMETRY_3D, r, u8, 2, 2, 2),
      layers(HSA_EXT_IMAGE_GEOMETRY_1DA, r, u8, 2, 0, 0, 2);
  for (size_t i = 0; i < 4; ++i) layers.bytes[i] = std::byte(i + 1);
  copy(layers.image, {0, 0, 0}, volume.image, {0, 0, 1}, {2, 2, 1});
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(std::to_integer<size_t>(volume.bytes[4 + i]), i + 1);
}

TEST(ImageTransfer, ClearsWithConversion) {
  Owned image(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA,
              HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 2, 2);
  const float colour[] = {1, 0.5f, 0, 1};
  clear(image.image, colour, {{1, 0, 0}, {1, 2, 1}});
  EXPECT_EQ(std::to_integer<int>(image.bytes[0]), 0);
  EXPECT_EQ(std::to_integer<int>(image.bytes[4]), 0);
  EXPECT_EQ(std::to_integer<int>(image.bytes[5]), 128);
  EXPECT_EQ(std::to_integer<int>(image.bytes[6]), 255);
}

/// As if each element were stored: pitches that leave gaps, sizes that are no power of two, the stencil
/// stays.
TEST(ImageTransfer, ClearsWhatStoresWouldWrite) {
  struct Case {
    hsa_ext_image_geometry_t geometry;
    hsa_ext_image_channel_order_t order;
    hsa_ext_image_channel_type_t type;
  };
  const Case cases[] = {
      {HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8},
      {HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT},
      {HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB,
       HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565},
      {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH,
       HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24},
      {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL,
       HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24},
      {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL,
       HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT}};
  const float colour[] = {0.3f, 0.6f, 0.9f, 0.1f};
  for (const Case& c : cases) {
    Owned cleared(c.geometry, c.order, c.type, 13, 5), stored(c.geometry, c.order, c.type, 13, 5);
    std::fill(cleared.bytes.begin(), cleared.bytes.end(), std::byte{0xa5});
    stored.bytes.assign(stored.bytes.size(), std::byte{0xa5});
    stored.image.data = stored.bytes.data();
    clear(cleared.image, colour, {{1, 2, 0}, {11, 2, 1}});
    for (uint32_t y = 2; y < 4; ++y) {
      for (uint32_t x = 1; x < 12; ++x) {
        const uint32_t at[] = {x, y};
        store(stored.image, AccessType::f32, at, texel(colour[0], colour[1], colour[2], colour[3]));
      }
    }
    EXPECT_EQ(cleared.bytes, stored.bytes) << c.order << ' ' << c.type;
  }
}

TEST(ImageTransfer, RegionsMustLieInside) {
  Owned image(HSA_EXT_IMAGE_GEOMETRY_2DA, r, u8, 4, 3, 0, 2);
  EXPECT_TRUE(contains(image.image, {0, 0, 0}, {4, 3, 2}));
  EXPECT_TRUE(contains(image.image, {3, 2, 1}, {1, 0, 0}));
  EXPECT_FALSE(contains(image.image, {1, 0, 0}, {4, 1, 1}));
  EXPECT_FALSE(contains(image.image, {0, 0, 2}, {1, 1, 1}));
  EXPECT_FALSE(contains(image.image, {UINT32_MAX, 0, 0}, {2, 1, 1}));
}

TEST(ImageTransfer, FormatsMustMatchButForSForms) {
  constexpr uint32_t unorm = HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8;
  EXPECT_TRUE(
      are_copyable({unorm, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA}, {unorm, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}));
  EXPECT_FALSE(
      are_copyable({unorm, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA}, {unorm, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}));
  EXPECT_FALSE(are_copyable({u8, r}, {unorm, r}));
}

}  // namespace
}  // namespace heddle::image::testing
