// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image accesses of instructions: conversions, channel orders, sampling (PRM 7.1.4 to 7.1.6).
#include <cmath>
#include <cstring>

#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_opcodes.h>
#include <hsa/hsa_brig_types.h>

#include "image/instruction.h"
#include "sample.h"

namespace heddle::image::testing {
namespace {

constexpr auto f32 = AccessType::f32;

/// Reads every value that `size` bits can hold through a 1d image of one r component, and compares it with
/// `exact`.
void expect_reads(hsa_ext_image_channel_type_t type, unsigned size, long double (*exact)(uint32_t)) {
  Owned r(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, type, 1);
  for (uint32_t value = 0; value < 1u << size; ++value) {
    std::memcpy(r.bytes.data(), &value, size / 8);
    const uint32_t at[] = {0};
    const float got = number(load(r.image, f32, at).component[0]);
    const long double wanted = exact(value);
    const float ulp = std::nextafter(std::fabs(got), 2.0f) - std::fabs(got);
    ASSERT_LE(std::fabs(static_cast<double>(got - wanted)), 1.5 * ulp) << value;
  }
}

TEST(ImageRead, NormalizesWithinTheManualsUlps) {
  expect_reads(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 8, [](uint32_t v) { return v / 255.0L; });
  expect_reads(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, 16, [](uint32_t v) { return v / 65535.0L; });
  expect_reads(HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8, 8,
               [](uint32_t v) { return std::max(static_cast<int8_t>(v) / 127.0L, -1.0L); });
  expect_reads(HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16, 16,
               [](uint32_t v) { return std::max(static_cast<int16_t>(v) / 32767.0L, -1.0L); });
}

TEST(ImageStore, RoundsAndClamps) {
  Owned r(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 1);
  const uint32_t at[] = {0};
  const std::pair<float, int> cases[] = {{0.0f, 0},       {1.0f, 255},     {2.0f, 255},
                                         {-1.0f, 0},      {0.5f, 128},     {NAN, 0},
                                         {INFINITY, 255}, {1.0f / 255, 1}, {0.4f / 255, 0}};
  for (const auto& [value, byte] : cases) {
    store(r.image, f32, at, texel(value, 0, 0, 0));
    EXPECT_EQ(std::to_integer<int>(r.bytes[0]), byte) << value;
  }
}

TEST(ImageStore, EveryByteSurvivesSrgb) {
  Owned s(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
          1);
  const uint32_t at[] = {0};
  for (unsigned value = 0; value < 256; ++value) {
    std::fill(s.bytes.begin(), s.bytes.end(), std::byte(value));
    const Texel read = load(s.image, f32, at);
    const double c = value / 255.0;
    const double linear = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    EXPECT_NEAR(number(read.component[0]), linear, 1e-6);
    EXPECT_NEAR(number(read.component[3]), c, 1e-6) << "alpha is linear";
    store(s.image, f32, at, read);
    for (std::byte byte : s.bytes) EXPECT_EQ(std::to_integer<unsigned>(byte), value);
  }
}

TEST(ImageStore, ChannelOrdersPlaceComponentsInMemory) {
  struct Case {
    hsa_ext_image_channel_order_t order;
    std::vector<int> memory;
  };
  const Case cases[] = {{HSA_EXT_IMAGE_CHANNEL_ORDER_A, {4}},
                        {HSA_EXT_IMAGE_CHANNEL_ORDER_RA, {1, 4}},
                        {HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, {1, 2, 3, 4}},
                        {HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, {3, 2, 1, 4}},
                        {HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB, {4, 1, 2, 3}},
                        {HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR, {4, 3, 2, 1}}};
  const uint32_t at[] = {0};
  for (const Case& c : cases) {
    Owned image(HSA_EXT_IMAGE_GEOMETRY_1D, c.order, HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 1);
    store(image.image, AccessType::u32, at, {{1, 2, 3, 4}});
    ASSERT_EQ(image.bytes.size(), c.memory.size());
    for (size_t i = 0; i < c.memory.size(); ++i) EXPECT_EQ(std::to_integer<int>(image.bytes[i]), c.memory[i]);
  }
}

TEST(ImageRead, MissingComponentsAndBordersFollowTheOrder) {
  const uint32_t inside[] = {0}, outside[] = {9};
  Owned r(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32,
          1);
  store(r.image, AccessType::s32, inside, {{7, 7, 7, 7}});
  EXPECT_EQ(load(r.image, AccessType::s32, inside).component[3], 1u);
  EXPECT_EQ(load(r.image, AccessType::s32, inside).component[1], 0u);
  EXPECT_EQ(load(r.image, AccessType::s32, outside).component[0], 0u);
  EXPECT_EQ(load(r.image, AccessType::s32, outside).component[3], 1u);
  Owned l(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
          1);
  store(l.image, f32, inside, texel(0.25f, 9, 9, 9));
  const Texel grey = load(l.image, f32, inside);
  EXPECT_EQ(number(grey.component[2]), 0.25f);
  EXPECT_EQ(number(grey.component[3]), 1.0f);
}

TEST(ImageStore, OutsideIsIgnored) {
  Owned image(HSA_EXT_IMAGE_GEOMETRY_2DA, HSA_EXT_IMAGE_CHANNEL_ORDER_R,
              HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, 2, 2, 0, 2);
  for (const auto& at : {std::array<uint32_t, 3>{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {UINT32_MAX, 0, 0}})
    store(image.image, AccessType::u32, at.data(), {{1, 1, 1, 1}});
  for (std::byte byte : image.bytes) EXPECT_EQ(byte, std::byte{0});
}

/// Returns the index that a coordinate reads in a row of four elements, or -1 for the border.
int sampled(uint32_t mode, uint32_t normalized, float coordinate) {
  Owned row(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_RX,
            HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 4);
  for (int i = 0; i < 4; ++i) row.bytes[static_cast<size_t>(i)] = std::byte(i + 1);
  const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), normalized, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                        mode};
  const uint32_t at[] = {bits(coordinate)};
  return static_cast<int>(read(row.image, sampler, AccessType::u32, CoordinateType::f32, at).component[0]) -
         1;
}

TEST(ImageSample, AddressingModes) {
  constexpr uint32_t edge = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
  constexpr uint32_t outside = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER;
  constexpr uint32_t repeat = HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT;
  constexpr uint32_t mirror = HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT;
  EXPECT_EQ(sampled(edge, 0, -0.5f), 0);
  EXPECT_EQ(sampled(edge, 0, 3.999f), 3);
  EXPECT_EQ(sampled(edge, 0, 1e30f), 3);
  EXPECT_EQ(sampled(outside, 0, -0.001f), -1);
  EXPECT_EQ(sampled(outside, 0, 4.0f), -1);
  EXPECT_EQ(sampled(repeat, 1, 1.25f), 1);
  EXPECT_EQ(sampled(repeat, 1, -0.25f), 3);
  EXPECT_EQ(sampled(mirror, 1, 1.0f), 3);
  EXPECT_EQ(sampled(mirror, 1, -0.25f), 0);
  EXPECT_EQ(sampled(mirror, 1, -0.375f), 1);
  EXPECT_EQ(sampled(mirror, 1, 2.25f), 1);
}

TEST(ImageSample, LinearFilterWeighsNeighbours) {
  Owned square(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 2,
               2);
  const float values[] = {0, 1, 2, 4};
  std::memcpy(square.bytes.data(), values, sizeof values);
  const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                        HSA_EXT_SAMPLER_FILTER_MODE_LINEAR, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  const auto at = [&](float x, float y) {
    const uint32_t coordinates[] = {bits(x), bits(y)};
    return number(read(square.image, sampler, f32, CoordinateType::f32, coordinates).component[0]);
  };
  EXPECT_EQ(at(0.5f, 0.5f), 0.0f);
  EXPECT_EQ(at(1.0f, 0.5f), 0.5f);
  EXPECT_EQ(at(1.0f, 1.0f), 1.75f);
  EXPECT_EQ(at(9.0f, 9.0f), 4.0f);
}

TEST(ImageSample, LayersAreRoundedAndClamped) {
  Owned layers(HSA_EXT_IMAGE_GEOMETRY_1DA, HSA_EXT_IMAGE_CHANNEL_ORDER_R,
               HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 1, 0, 0, 3);
  for (size_t i = 0; i < 3; ++i) layers.bytes[i] = std::byte(i);
  const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), 0, 0, HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED};
  const std::pair<float, uint32_t> cases[] = {{0.4f, 0}, {0.5f, 0}, {1.5f, 2}, {-3, 0}, {99, 2}, {NAN, 0}};
  for (const auto& [layer, index] : cases) {
    const uint32_t at[] = {bits(0.0f), bits(layer)};
    EXPECT_EQ(read(layers.image, sampler, AccessType::u32, CoordinateType::f32, at).component[0], index)
        << layer;
  }
}

TEST(ImageInstruction, RefusesHandlesOfSomethingElse) {
  const uint64_t nothing[16] = {};
  const uint64_t garbage = reinterpret_cast<uint64_t>(nothing);
  uint32_t words[8] = {};
  const Operation rd{HSA_BRIG_OPCODE_RDIMAGE, HSA_EXT_BRIG_IMAGE_GEOMETRY_1D, HSA_BRIG_TYPE_F32,
                     HSA_BRIG_TYPE_F32};
  const auto run = [&](const Operation& operation, uint64_t image, uint64_t sampler) {
    return execute(operation, {image, sampler, words, words + 4});
  };
  EXPECT_EQ(run(rd, garbage, garbage), Misuse::sampler);
  EXPECT_EQ(run(rd, 0, 0), Misuse::sampler);
  const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), 0, 0, 0, 0};
  EXPECT_EQ(run(rd, garbage, reinterpret_cast<uint64_t>(&sampler)), Misuse::image);
  Owned image(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 2,
              2);
  const Operation wrong{HSA_BRIG_OPCODE_LDIMAGE, HSA_EXT_BRIG_IMAGE_GEOMETRY_1D, HSA_BRIG_TYPE_F32,
                        HSA_BRIG_TYPE_U32};
  const auto handle = reinterpret_cast<uint64_t>(&image.image);
  EXPECT_EQ(run(wrong, handle, 0), Misuse::image) << "geometry";
  const Operation right{HSA_BRIG_OPCODE_QUERYIMAGE, HSA_EXT_BRIG_IMAGE_GEOMETRY_2D, HSA_BRIG_TYPE_U32,
                        HSA_EXT_BRIG_IMAGE_QUERY_HEIGHT};
  EXPECT_EQ(run(right, handle, 0), Misuse::none);
  EXPECT_EQ(words[4], 2u);
  EXPECT_EQ(text_of(Misuse::none), nullptr);
  EXPECT_STRNE(text_of(Misuse::image), text_of(Misuse::sampler));
}

}  // namespace
}  // namespace heddle::image::testing
