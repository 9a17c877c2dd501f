// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions between images and memory (Runtime 3.3.1.21 to 3.3.1.25).
#include <algorithm>
#include <cstring>
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

/// An agent's memory that is written and read as the host's would be, but only by moves.
struct Moves {
  size_t count = 0, fails_at = SIZE_MAX;
  Move move = [this](void* to, const void* from, size_t size) {
    if (count++ == fails_at) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memmove(to, from, size);
    return HSA_STATUS_SUCCESS;
  };
};

Owned numbered(hsa_ext_image_geometry_t geometry, size_t height, size_t depth, size_t layers) {
  Owned image(geometry, r, u8, 8, height, depth, layers);
  for (size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::byte(i * 7);
  return image;
}

TEST(ImageTransfer, MovesWhatItWouldCopy) {
  const struct {
    hsa_ext_image_geometry_t geometry;
    size_t height, depth, layers;
    hsa_ext_image_region_t region;
    size_t moves;  // of a copy between images
  } cases[] = {{HSA_EXT_IMAGE_GEOMETRY_3D, 4, 3, 0, {{0, 0, 0}, {8, 4, 3}}, 1},
               {HSA_EXT_IMAGE_GEOMETRY_3D, 4, 3, 0, {{0, 1, 1}, {8, 2, 2}}, 2},
               {HSA_EXT_IMAGE_GEOMETRY_3D, 4, 3, 0, {{1, 1, 0}, {6, 3, 3}}, 9},
               {HSA_EXT_IMAGE_GEOMETRY_2D, 4, 0, 0, {{0, 1, 0}, {8, 3, 0}}, 1},
               {HSA_EXT_IMAGE_GEOMETRY_2DA, 2, 0, 3, {{2, 0, 1}, {3, 2, 2}}, 4},
               {HSA_EXT_IMAGE_GEOMETRY_1DA, 0, 0, 3, {{0, 1, 0}, {8, 2, 0}}, 1},
               {HSA_EXT_IMAGE_GEOMETRY_1DA, 0, 0, 3, {{4, 0, 0}, {4, 3, 1}}, 3}};
  for (const auto& c : cases) {
    Owned image = numbered(c.geometry, c.height, c.depth, c.layers),
          same = numbered(c.geometry, c.height, c.depth, c.layers);
    std::vector<std::byte> one(256), other(256);
    Moves moves;
    EXPECT_EQ(export_region(image.image, one.data(), 9, 40, c.region), HSA_STATUS_SUCCESS);
    EXPECT_EQ(export_region(image.image, other.data(), 9, 40, c.region, moves.move), HSA_STATUS_SUCCESS);
    EXPECT_EQ(one, other);
    std::reverse(one.begin(), one.end());
    EXPECT_EQ(import_region(image.image, one.data(), 0, 33, c.region), HSA_STATUS_SUCCESS);
    EXPECT_EQ(import_region(same.image, one.data(), 0, 33, c.region, moves.move), HSA_STATUS_SUCCESS);
    EXPECT_EQ(image.bytes, same.bytes);
    Owned target = numbered(c.geometry, c.height, c.depth, c.layers);
    Moves copies;
    EXPECT_EQ(copy(image.image, c.region.offset, target.image, c.region.offset, c.region.range, copies.move),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(copies.count, c.moves);
    one = other;
    export_region(image.image, one.data(), 0, 0, c.region);
    export_region(target.image, other.data(), 0, 0, c.region);
    EXPECT_EQ(one, other);
    Moves broken;
    broken.fails_at = c.moves - 1;
    EXPECT_EQ(copy(image.image, c.region.offset, target.image, c.region.offset, c.region.range, broken.move),
              HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
}

/// Rows of an agent that are longer than the buffer, and stencils between the bytes that are stored.
TEST(ImageTransfer, ClearsByMoves) {
  const uint32_t colour[] = {0x3f000000, 0x3e800000, 0, 0x3f800000};
  for (const auto order : {HSA_EXT_IMAGE_CHANNEL_ORDER_RG, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL}) {
    const bool depth = order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL;
    Owned by_host(depth ? HSA_EXT_IMAGE_GEOMETRY_2DDEPTH : HSA_EXT_IMAGE_GEOMETRY_2D, order,
                  HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 300, 300);
    std::fill(by_host.bytes.begin(), by_host.bytes.end(), std::byte{0x5a});
    Owned by_moves = by_host;
    by_moves.image.data = by_moves.bytes.data();
    for (const auto& region :
         {hsa_ext_image_region_t{{7, 5, 0}, {200, 100, 1}}, hsa_ext_image_region_t{{}, {300, 300, 1}}}) {
      Moves moves;
      EXPECT_EQ(clear(by_host.image, colour, region), HSA_STATUS_SUCCESS);
      EXPECT_EQ(clear(by_moves.image, colour, region, moves.move), HSA_STATUS_SUCCESS);
      EXPECT_EQ(by_host.bytes, by_moves.bytes);
      for (size_t at = 0; at < (depth ? 2 : 1); ++at) {
        Moves broken;
        broken.fails_at = at;
        EXPECT_EQ(clear(by_moves.image, colour, region, broken.move), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
      }
    }
  }
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
