// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of GPUs and the host compute in the same way, against the processor and the C library of the
// host.
#include <cmath>
#include <cstring>
#include <random>

#include "image/half.h"
#include "image/srgb.h"
#include "sample.h"

namespace heddle::image::testing {
namespace {

constexpr uint32_t edges[] = {0,          0x80000000, 1,          0x00800000, 0x3f800000,
                              0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001,
                              0x7fc00000, 0xffc12345, 0x7fffffff, 0xffbfffff};

/// Numbers and NaNs become what the processor makes of them.
TEST(ImagePortable, FloatsAreWidenedAsByTheProcessor) {
  std::mt19937 random(7);
  for (size_t i = 0; i < 100000; ++i) {
    const uint32_t value = i < std::size(edges) ? edges[i] : static_cast<uint32_t>(random());
    const volatile float narrow = bits_as<float>(value);  // no compiler knows it
    const volatile double wide = narrow;
    const double expected = wide, got = widened(bits_as<float>(value));
    ASSERT_EQ(std::memcmp(&expected, &got, sizeof got), 0) << std::hex << value;
    const volatile float back = static_cast<float>(wide);
    ASSERT_EQ(bits_as<uint32_t>(narrowed(got)), bits_as<uint32_t>(static_cast<float>(back)))
        << std::hex << value;
  }
}

TEST(ImagePortable, DoublesAreNarrowedAsByTheProcessor) {
  std::mt19937_64 random(8);
  for (size_t i = 0; i < 200000; ++i) {
    // Half of the exponents are those near the limits of f32.
    const uint64_t exponent = i % 2 == 0 ? random() % 2048 : 1023 - 150 + random() % 280;
    const uint64_t any = (random() & ~(uint64_t{0x7ff} << 52)) | exponent << 52;
    const volatile double wide = bits_as<double>(any);
    const volatile float narrow = static_cast<float>(wide);
    ASSERT_EQ(bits_as<uint32_t>(narrowed(bits_as<double>(any))),
              bits_as<uint32_t>(static_cast<float>(narrow)))
        << std::hex << any;
  }
}

/// The nearest f16 is the one from which no other has a smaller distance.
TEST(ImagePortable, DoublesBecomeTheNearestHalves) {
  std::mt19937_64 random(9);
  for (size_t i = 0; i < 200000; ++i) {
    const uint64_t any = (random() & ~(uint64_t{0x7ff} << 52)) | (1023 - 30 + random() % 50) << 52;
    const auto value = bits_as<double>(any);
    const uint16_t half = double_to_half(value);
    ASSERT_EQ((half & 0x8000) != 0, std::signbit(value));
    const auto size = static_cast<uint16_t>(half & 0x7fff);
    if (size == 0x7c00) {
      ASSERT_GE(std::fabs(value), 65520);
      continue;
    }
    const double got = half_to_float(size), magnitude = std::fabs(value);
    const double above = size == 0x7bff ? 65536 : half_to_float(static_cast<uint16_t>(size + 1));
    ASSERT_LE(std::fabs(got - magnitude), above - magnitude) << value;
    const double below = size == 0 ? -1 : half_to_float(static_cast<uint16_t>(size - 1));
    ASSERT_LE(std::fabs(got - magnitude), magnitude - below) << value;
  }
}

long double exact_linear(long double srgb) {
  return srgb <= 0.04045L ? srgb / 12.92L : std::pow((srgb + 0.055L) / 1.055L, 2.4L);
}
long double exact_srgb(long double linear) {
  return linear < 0.0031308L ? linear * 12.92L : 1.055L * std::pow(linear, 1 / 2.4L) - 0.055L;
}

TEST(ImageSrgb, TableHasTheNearestDoubles) {
  for (unsigned i = 0; i < 256; ++i) {
    const double got = srgb_to_linear(static_cast<uint8_t>(i));
    const long double error = std::fabs(got - exact_linear(i / 255.0L));
    // The references are good to some units of the last of their 11 additional bits.
    const long double half_step = (std::nextafter(got, 2.0) - got) / 2.0L;
    EXPECT_LE(error, half_step * 1.01L) << i;
  }
}

/// At both sides of every boundary the nearest integer is taken.
TEST(ImageSrgb, BoundariesAreThoseOfTheExactFunction) {
  for (unsigned stored = 1; stored < 256; ++stored) {
    const long double middle = (stored - 0.5L) / 255;
    auto value = static_cast<float>(exact_linear(middle));
    while (exact_srgb(value) < middle) value = std::nextafter(value, 2.0F);
    while (exact_srgb(std::nextafter(value, 0.0F)) >= middle) value = std::nextafter(value, 0.0F);
    EXPECT_EQ(linear_to_srgb(value), stored);
    EXPECT_EQ(linear_to_srgb(std::nextafter(value, 0.0F)), stored - 1);
  }
  EXPECT_EQ(linear_to_srgb(NAN), 0);
}

/// Repeated coordinates are reduced exactly, however far away they are.
TEST(ImagePortable, FarCoordinatesAreReducedExactly) {
  constexpr uint32_t width = 12345;
  Owned row(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_R,
            HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, width);
  for (size_t i = 0; i < width; ++i) std::memcpy(row.bytes.data() + 2 * i, &i, 2);
  std::mt19937 random(10);
  for (const uint32_t mode :
       {HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT}) {
    const hsa_ext_sampler_descriptor_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                  HSA_EXT_SAMPLER_FILTER_MODE_NEAREST, mode};
    Sampler sampler{};
    ASSERT_EQ(make_sampler(descriptor, sampler), HSA_STATUS_SUCCESS);
    for (unsigned i = 0; i < 20000; ++i) {
      const uint32_t coordinate = static_cast<uint32_t>(random()) & 0xff7fffff;  // finite
      const double period = mode == HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT ? width : 2.0 * width;
      double wanted = std::fmod(std::floor(static_cast<double>(number(coordinate)) * width), period);
      if (wanted < 0) wanted += period;
      if (wanted >= width) wanted = period - 1 - wanted;
      const Texel got = read(row.image, sampler, AccessType::u32, CoordinateType::f32, &coordinate);
      ASSERT_EQ(got.component[0], wanted) << number(coordinate);
    }
  }
}

/// Infinities of both signs make a NaN of the filter's, whose bits are always the same.
TEST(ImagePortable, FiltersHaveOneNan) {
  Owned row(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 3);
  const uint32_t texels[] = {bits(INFINITY), bits(-INFINITY), 0xffc00123};
  std::memcpy(row.bytes.data(), texels, sizeof texels);
  Sampler sampler{};
  ASSERT_EQ(make_sampler({HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                          HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE},
                         sampler),
            HSA_STATUS_SUCCESS);
  for (const float at : {1.0F, 2.0F, 2.5F}) {
    const uint32_t coordinate = bits(at);
    EXPECT_EQ(read(row.image, sampler, AccessType::f32, CoordinateType::f32, &coordinate).component[0],
              0x7fc00000)
        << at;
  }
}

}  // namespace
}  // namespace heddle::image::testing
