// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of PRM 7.1.4.1.2, 7.1.4.2 and 7.1.6 for the precision of results. The expected values come from
// arithmetic that is exact (integers) or has 11 bits more than the library's own (long double).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sample.h"

namespace heddle::image::testing {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the reference needs more than double has");

constexpr auto f32 = AccessType::f32;
constexpr auto f16 = AccessType::f16;
constexpr uint32_t origin[] = {0, 0, 0, 0};

/// One element of a format, as an image and as a number.
struct Element {
  Element(hsa_ext_image_channel_order_t order, hsa_ext_image_channel_type_t type)
      : owned(order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH || order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL
                  ? HSA_EXT_IMAGE_GEOMETRY_2DDEPTH
                  : HSA_EXT_IMAGE_GEOMETRY_2D,
              order, type, 1, 1) {}
  void set(uint64_t memory) { std::memcpy(owned.bytes.data(), &memory, owned.bytes.size()); }
  uint64_t get() const {
    uint64_t memory = 0;
    std::memcpy(&memory, owned.bytes.data(), owned.bytes.size());
    return memory;
  }
  Owned owned;
};

long double half_value(uint32_t bits) {
  const auto magnitude = bits & 0x7fff;
  const long double value = magnitude < 0x400
                                ? std::ldexp(static_cast<long double>(magnitude), -24)
                                : std::ldexp(static_cast<long double>(0x400 | (magnitude & 0x3ff)),
                                             static_cast<int>(magnitude >> 10) - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Returns the distance of neighbouring numbers in a format at a value other than 0.
long double ulp(long double value, int digits, int least_exponent) {
  return std::ldexp(1.0L, std::max(std::ilogb(value), least_exponent) - digits + 1);
}

// ---- reads ----

struct NormalizedField {
  const char* name;
  hsa_ext_image_channel_order_t order;
  hsa_ext_image_channel_type_t type;
  unsigned shift, bits;
  bool is_signed;
  unsigned component;
};
const NormalizedField fields[] = {
    {"unorm8", HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 0, 8, false, 0},
    {"snorm8", HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8, 0, 8, true, 0},
    {"unorm16", HSA_EXT_IMAGE_CHANNEL_ORDER_RG, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, 16, 16, false, 1},
    {"snorm16", HSA_EXT_IMAGE_CHANNEL_ORDER_RG, HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16, 16, 16, true, 1},
    {"depth16", HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, 0, 16, false, 0},
    {"depth24", HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24, 0, 24, false, 0},
    {"stencil24", HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24, 0, 24,
     false, 0},
    {"r555", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555, 10, 5, false, 0},
    {"g555", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555, 5, 5, false, 1},
    {"b555", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555, 0, 5, false, 2},
    {"r565", HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, 11, 5, false, 0},
    {"g565", HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, 5, 6, false, 1},
    {"b565", HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, 0, 5, false, 2},
    {"r101010", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010, 20, 10, false,
     0},
    {"g101010", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010, 10, 10, false,
     1},
    {"b101010", HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010, 0, 10, false,
     2},
};
std::ostream& operator<<(std::ostream& out, const NormalizedField& field) { return out << field.name; }

class Normalized : public ::testing::TestWithParam<NormalizedField> {
 protected:
  const NormalizedField& field_ = GetParam();
  Element element_{field_.order, field_.type};
  uint64_t mask_ = ((uint64_t{1} << field_.bits) - 1) << field_.shift;
  /// The representation of 1.0 in memory.
  int64_t one_ = (int64_t{1} << (field_.bits - (field_.is_signed ? 1 : 0))) - 1;

  int64_t number_of(uint64_t memory) const {
    const auto value = static_cast<int64_t>((memory & mask_) >> field_.shift);
    return field_.is_signed && value > one_ ? value - 2 * (one_ + 1) : value;
  }
};
INSTANTIATE_TEST_SUITE_P(Fields, Normalized, ::testing::ValuesIn(fields),
                         [](const auto& info) { return std::string(info.param.name); });

/// Reads every value of up to 16 bits, and every 13th of 24 bits. Results are within 1.5 ULP of the access
/// type, in the closed interval, and exact where the PRM says so. The bits around the field are ignored.
TEST_P(Normalized, ReadsWithinOneAndAHalfUlp) {
  const uint64_t last = (uint64_t{1} << field_.bits) - 1, step = field_.bits > 16 ? 13 : 1;
  for (uint64_t at = 0; at < last + step; at += step) {
    const uint64_t value = std::min(at, last);
    element_.set((value << field_.shift) | (value % 2 != 0 ? ~mask_ : 0));
    const int64_t number_there = number_of(value << field_.shift);
    const long double exact =
        std::max(static_cast<long double>(number_there) / static_cast<long double>(one_), -1.0L);
    const long double single = number(load(element_.owned.image, f32, origin).component[field_.component]);
    const long double half = half_value(load(element_.owned.image, f16, origin).component[field_.component]);
    if (exact == 0 || exact == 1 || exact == -1) {
      ASSERT_EQ(single, exact) << value;
      ASSERT_EQ(half, exact) << value;
      continue;
    }
    ASSERT_LE(std::fabs(single - exact), 1.5L * ulp(exact, 24, -126)) << value;
    ASSERT_LE(std::fabs(half - exact), 1.5L * ulp(exact, 11, -14)) << value;
    ASSERT_LE(std::fabs(single), 1);
    ASSERT_LE(std::fabs(half), 1);
  }
}

TEST(ImagePrecision, HalvesAreReadExactly) {
  Element element(HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    element.set(bits);
    const float single = number(load(element.owned.image, f32, origin).component[0]);
    const uint32_t half = load(element.owned.image, f16, origin).component[0];
    if ((bits & 0x7fff) > 0x7c00) {
      ASSERT_TRUE(std::isnan(single)) << bits;
      ASSERT_GT(half & 0x7fff, 0x7c00u) << bits;
      continue;
    }
    ASSERT_EQ(half, bits);
    ASSERT_EQ(std::signbit(single), (bits & 0x8000) != 0);
    if ((bits & 0x7fff) == 0x7c00) {
      ASSERT_TRUE(std::isinf(single));
    } else {
      ASSERT_EQ(static_cast<long double>(single), half_value(bits)) << bits;
    }
  }
}

TEST(ImagePrecision, FloatsArePreserved) {
  Element element(HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT);
  for (uint32_t high = 0; high < 0x10000; ++high) {
    const uint32_t value = high << 16 | (high * 40503u & 0xffff);
    if (std::isnan(number(value))) continue;
    store(element.owned.image, f32, origin, {{value, 0, 0, 0}});
    ASSERT_EQ(element.get(), value);
    ASSERT_EQ(load(element.owned.image, f32, origin).component[0], value);
  }
}

/// Converts sRGB to linear RGB. `srgb` may lie a little outside of [0, 1].
long double linear(long double srgb) {
  return srgb <= 0.04045L ? srgb / 12.92L : std::pow((srgb + 0.055L) / 1.055L, 2.4L);
}

TEST(ImagePrecision, SrgbReadsStayWithinHalfAStep) {
  Element element(HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8);
  for (uint64_t value = 0; value < 256; ++value) {
    element.set(value * 0x01010101);
    const Texel read = load(element.owned.image, f32, origin);
    for (unsigned i = 0; i < 3; ++i) {
      const long double got = number(read.component[i]), at = static_cast<long double>(value);
      EXPECT_GE(got, std::max(linear((at - 0.5L) / 255), 0.0L)) << value;
      EXPECT_LE(got, std::min(linear((at + 0.5L) / 255), 1.0L)) << value;
      if (value == 0 || value == 255) EXPECT_EQ(got, at / 255);
      EXPECT_LE(std::fabs(got - linear(at / 255)), 0x1p-24L) << "ours is the nearest f32";
    }
  }
}

// ---- writes ----

/// Rounds to nearest, ties to even. This is exact for the products below.
long double to_even(long double value) {
  const long double below = std::floor(value), rest = value - below;
  if (rest != 0.5L) return rest < 0.5L ? below : below + 1;
  return std::fmod(below, 2.0L) == 0 ? below : below + 1;
}

/// Returns values around every boundary between the integers that a field holds, and values out of its range.
std::vector<float> written(const NormalizedField& field, int64_t one) {
  std::vector<float> values = {0.0f,  -0.0f,  1.0f,   -1.0f,   2.0f,     -2.0f,
                               1e30f, -1e30f, 1e-40f, -1e-40f, INFINITY, -INFINITY};
  const int64_t least = field.is_signed ? -one - 2 : -2, step = field.bits > 16   ? 1021
                                                                : field.bits > 10 ? 7
                                                                                  : 1;
  for (int64_t number = least; number <= one + 2; number += step) {
    for (const long double part : {0.0L, 0.5L}) {
      const auto value =
          static_cast<float>((static_cast<long double>(number) + part) / static_cast<long double>(one));
      values.insert(values.end(), {std::nextafter(value, -9.0f), value, std::nextafter(value, 9.0f)});
    }
  }
  return values;
}

/// Writes give intneari_sat(access_component * scale) exactly; the PRM asks only for an error of at most 0.6
/// of a step.
TEST_P(Normalized, WritesTheNearestInteger) {
  const long double least = field_.is_signed ? -static_cast<long double>(one_) - 1 : 0;
  const auto expect = [&](float value, AccessType type, uint32_t bits) {
    Texel texel{};
    texel.component[field_.component] = bits;
    store(element_.owned.image, type, origin, texel);
    const long double product = static_cast<long double>(value) * static_cast<long double>(one_);
    const long double wanted = std::clamp(to_even(product), least, static_cast<long double>(one_));
    ASSERT_EQ(static_cast<long double>(number_of(element_.get())), wanted) << value;
  };
  for (const float value : written(field_, one_)) expect(value, f32, bits(value));
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    expect(static_cast<float>(half_value(half)), f16, half);
    expect(static_cast<float>(half_value(half | 0x8000)), f16, half | 0x8000);
  }
  for (const uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u}) {
    Texel texel{};
    texel.component[field_.component] = nan;
    element_.set(~uint64_t{0});
    store(element_.owned.image, f32, origin, texel);
    EXPECT_EQ(number_of(element_.get()), 0);
  }
}

/// At every boundary between two f16 values, the midpoint becomes the even one and its neighbours the nearer
/// one.
TEST(ImagePrecision, HalvesAreWrittenToTheNearest) {
  Element element(HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT);
  const auto stored = [&](float value) {
    store(element.owned.image, f32, origin, texel(value, 0, 0, 0));
    return static_cast<uint32_t>(element.get());
  };
  for (const uint32_t sign : {0u, 0x8000u}) {
    for (uint32_t half = 0; half < 0x7c00; ++half) {
      const auto value = static_cast<float>(half_value(sign | half));
      const long double next =
          half == 0x7bff ? (sign != 0 ? -65536.0L : 65536.0L) : half_value(sign | (half + 1));
      const auto middle = static_cast<float>((half_value(sign | half) + next) / 2);
      ASSERT_EQ(stored(value), sign | half);
      ASSERT_EQ(stored(middle), sign | (half + half % 2)) << value;
      ASSERT_EQ(stored(std::nextafter(middle, 0.0f)), sign | half) << value;
      ASSERT_EQ(stored(std::nextafter(middle, 2 * static_cast<float>(next))), sign | (half + 1)) << value;
    }
    EXPECT_EQ(stored(sign != 0 ? -INFINITY : INFINITY), sign | 0x7c00);
    EXPECT_EQ(stored(sign != 0 ? -1e30f : 1e30f), sign | 0x7c00);
  }
  EXPECT_GT(stored(NAN) & 0x7fff, 0x7c00u);
}

long double srgb(long double linear_rgb) {
  if (linear_rgb > 1) return 1;
  if (linear_rgb < 0) return 0;
  return linear_rgb < 0.0031308L ? linear_rgb * 12.92L : 1.055L * std::pow(linear_rgb, 1 / 2.4L) - 0.055L;
}

TEST(ImagePrecision, SrgbWritesStayWithinSixTenthsOfAStep) {
  Element element(HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8);
  const auto stored = [&](float value) {
    store(element.owned.image, f32, origin, texel(value, value, value, 0));
    EXPECT_EQ(element.get() & 0xff, element.get() >> 8 & 0xff);
    return static_cast<long double>(element.get() & 0xff);
  };
  for (uint32_t i = 0; i <= 200000; ++i) {
    const float value = static_cast<float>(i) / 200000.0f;
    const long double got = stored(value), middle = srgb(value) * 255;
    ASSERT_GE(got, std::max(std::trunc(middle - 0.6L + 0.5L), 0.0L)) << value;
    ASSERT_LE(got, std::min(std::trunc(middle + 0.6L + 0.5L), 255.0L)) << value;
    ASSERT_LE(std::fabs(got - middle), 0.5L + 1e-9L) << "ours is the nearest";
  }
  EXPECT_EQ(stored(0.0f), 0);
  EXPECT_EQ(stored(1.0f), 255);
  EXPECT_EQ(stored(-1.0f), 0);
  EXPECT_EQ(stored(7.0f), 255);
  EXPECT_EQ(stored(INFINITY), 255);
  EXPECT_EQ(stored(-INFINITY), 0);
  EXPECT_EQ(stored(NAN), 0);
}

TEST(ImagePrecision, IntegersAreClampedAndExtended) {
  const uint32_t values[] = {0,      1,      0x7e,     0x7f,     0x80,       0xff,       0x100,
                             0x7fff, 0x8000, 0xffff,   0x10000,  0x7fffffff, 0x80000000, 0x80000001,
                             ~0x7fu, ~0x80u, ~0x7fffu, ~0x8000u, 0xffffffff, 0x12345678, 0xedcba987};
  const hsa_ext_image_channel_type_t signed_types[] = {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8,
                                                       HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16,
                                                       HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32},
                                     unsigned_types[] = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8,
                                                         HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16,
                                                         HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32};
  for (unsigned size = 0; size < 3; ++size) {
    const unsigned width = 8u << size;
    Element s(HSA_EXT_IMAGE_CHANNEL_ORDER_R, signed_types[size]),
        u(HSA_EXT_IMAGE_CHANNEL_ORDER_R, unsigned_types[size]);
    for (const uint32_t value : values) {
      store(s.owned.image, AccessType::s32, origin, {{value, 0, 0, 0}});
      const int64_t limit = int64_t{1} << (width - 1);
      EXPECT_EQ(static_cast<int32_t>(load(s.owned.image, AccessType::s32, origin).component[0]),
                std::clamp<int64_t>(static_cast<int32_t>(value), -limit, limit - 1));
      store(u.owned.image, AccessType::u32, origin, {{value, 0, 0, 0}});
      EXPECT_EQ(load(u.owned.image, AccessType::u32, origin).component[0],
                std::min<uint64_t>(value, (uint64_t{1} << width) - 1));
    }
  }
}

// ---- coordinates ----

/// floor(coordinate * factor), computed exactly: its remainder modulo `period`, and whether it is in [0,
/// limit).
struct ExactIndex {
  int64_t rest;  ///< in [0, period)
  bool negative, inside;
};
ExactIndex exact_index(float coordinate, int64_t factor, int64_t period, int64_t limit) {
  int exponent = 0;
  const float fraction = std::frexp(coordinate, &exponent);
  int64_t product = static_cast<int64_t>(std::ldexp(fraction, 24)) * factor;  // below 2^41
  exponent -= 24;
  if (exponent < 0) {
    product >>= std::min(-exponent, 63);  // rounds down
    exponent = 0;
  }
  const auto positive = [&](int64_t value) { return (value % period + period) % period; };
  int64_t rest = positive(product);
  const bool negative = product < 0;
  bool inside = !negative && product < limit;
  for (; exponent > 0; --exponent) {
    rest = positive(rest * 2);
    inside = product == 0 || (inside && (product *= 2) < limit);
  }
  return {rest, negative, inside};
}

std::vector<float> coordinates_around(int64_t size, bool normalized) {
  std::vector<float> values = {0.0f,        -0.0f,         1e-45f,         -1e-45f,
                               1.17e-38f,   -1.17e-38f,    8388609.5f,     -8388609.5f,
                               16777217.0f, 2147483648.0f, -2147483648.0f, 4294967296.0f,
                               1e20f,       -1e20f,        3.4e38f,        -3.4e38f};
  for (int64_t i = -3 * size - 1; i <= 3 * size + 1; ++i) {
    const float scale = normalized ? static_cast<float>(size) : 1.0f;
    for (const float part : {0.0f, 0.25f, 0.5f, 0.999f}) {
      const float value = (static_cast<float>(i) + part) / scale;
      values.insert(values.end(), {std::nextafter(value, -1e9f), value, std::nextafter(value, 1e9f)});
    }
  }
  return values;
}

/// Returns the element that each mode reads, or -1 for the border. PRM 7.1.6.3 requires exact indices for
/// unnormalized coordinates; the library's indices are always exact.
int64_t wanted_index(uint32_t mode, const ExactIndex& at, const ExactIndex& doubled, int64_t size) {
  if (at.inside) return at.rest;
  switch (mode) {
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
      return -1;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT:
      return at.rest;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
      return doubled.rest < size ? doubled.rest : 2 * size - 1 - doubled.rest;
    default:
      return at.negative ? 0 : size - 1;
  }
}

void expect_exact_indices(int64_t size, uint32_t mode, bool normalized) {
  Owned row(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_RX,
            HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const auto mark = static_cast<uint16_t>(i + 1);
    std::memcpy(&row.bytes[static_cast<size_t>(2 * i)], &mark, 2);
  }
  const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), normalized ? 1u : 0u,
                        HSA_EXT_SAMPLER_FILTER_MODE_NEAREST, mode};
  for (const float coordinate : coordinates_around(size, normalized)) {
    const int64_t factor = normalized ? size : 1;
    const uint32_t at[] = {bits(coordinate)};
    const Texel got = read(row.image, sampler, AccessType::u32, CoordinateType::f32, at);
    ASSERT_EQ(static_cast<int64_t>(got.component[0]) - 1,
              wanted_index(mode, exact_index(coordinate, factor, size, size),
                           exact_index(coordinate, factor, 2 * size, size), size))
        << "size " << size << " mode " << mode << " normalized " << normalized << " coordinate "
        << coordinate;
  }
}

TEST(ImagePrecision, IndicesMatchTheInfinitelyAccurateResult) {
  for (const int64_t size : {1, 2, 3, 7, 100, 4096, 16384}) {
    for (uint32_t mode = 0; mode <= HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT; ++mode) {
      if (mode < HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT) expect_exact_indices(size, mode, false);
      expect_exact_indices(size, mode, true);
    }
  }
}

TEST(ImagePrecision, SignedCoordinatesAreExact) {
  Owned row(HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_CHANNEL_ORDER_RX,
            HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 5);
  for (size_t i = 0; i < 5; ++i) row.bytes[i] = std::byte(i + 1);
  for (const int32_t at :
       {INT32_MIN, INT32_MIN + 1, -16777217, -1, 0, 4, 5, 16777217, INT32_MAX - 1, INT32_MAX}) {
    for (const uint32_t mode :
         {HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER}) {
      const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), 0, 0, mode};
      const auto coordinate = static_cast<uint32_t>(at);
      const bool inside = at >= 0 && at < 5;
      const uint32_t wanted = inside ? static_cast<uint32_t>(at) + 1
                              : mode == HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER ? 0
                              : at < 0                                                  ? 1
                                                                                        : 5;
      EXPECT_EQ(read(row.image, sampler, AccessType::u32, CoordinateType::s32, &coordinate).component[0],
                wanted)
          << at;
    }
  }
}

/// A volume with varied values, for the sum over the corners of PRM 7.1.6.3. Its border is 0.
struct Volume {
  static constexpr int64_t width = 5, height = 4, depth = 3;
  Owned owned{HSA_EXT_IMAGE_GEOMETRY_3D,
              HSA_EXT_IMAGE_CHANNEL_ORDER_A,
              HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
              width,
              height,
              depth};
  Volume() {
    for (size_t i = 0; i < width * height * depth; ++i) {
      const float value = static_cast<float>(i * 37 % 61) / 7 - 3;
      std::memcpy(&owned.bytes[4 * i], &value, 4);
    }
  }
  long double at(int64_t x, int64_t y, int64_t z) const {
    if (x < 0 || y < 0 || z < 0) return 0;
    float value = 0;
    std::memcpy(&value, &owned.bytes[static_cast<size_t>(4 * ((z * height + y) * width + x))], 4);
    return value;
  }
};

/// Returns the index that the mode makes of an integer coordinate, or -1 for the border.
int64_t wrapped(uint32_t mode, int64_t index, int64_t size) {
  const int64_t doubled = ((index % (2 * size)) + 2 * size) % (2 * size);
  return wanted_index(mode, {doubled % size, index < 0, index >= 0 && index < size}, {doubled, false, false},
                      size);
}

long double filtered(const Volume& volume, uint32_t mode, bool normalized, const float (&coordinates)[3]) {
  const int64_t sizes[3] = {Volume::width, Volume::height, Volume::depth};
  int64_t first[3];
  long double weight[3];
  for (unsigned d = 0; d < 3; ++d) {
    const long double at =
        static_cast<long double>(coordinates[d]) * (normalized ? static_cast<long double>(sizes[d]) : 1) -
        0.5L;
    first[d] = static_cast<int64_t>(std::floor(at));
    weight[d] = at - std::floor(at);
  }
  long double sum = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    int64_t index[3];
    long double part = 1;
    for (unsigned d = 0; d < 3; ++d) {
      const unsigned side = corner >> d & 1;
      index[d] = wrapped(mode, first[d] + side, sizes[d]);
      part *= side != 0 ? weight[d] : 1 - weight[d];
    }
    sum += part * volume.at(index[0], index[1], index[2]);
  }
  return sum;
}

/// The PRM leaves the precision of filters open. The library's results are correctly rounded sums, except for
/// ties.
TEST(ImagePrecision, LinearFiltersAreTheNearestFloat) {
  const Volume volume;
  const float steps[] = {-7.3f, -1.0f, -0.51f, 0.0f,   0.125f, 0.5f, 1.0f / 3,
                         1.0f,  1.75f, 2.5f,   3.999f, 4.6f,   11.1f};
  for (uint32_t mode = 0; mode <= HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT; ++mode) {
    for (const bool normalized : {false, true}) {
      if (!normalized && mode >= HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT) continue;
      const Sampler sampler{HSAM_SAMPLER_MAGIC, sizeof(Sampler), normalized ? 1u : 0u,
                            HSA_EXT_SAMPLER_FILTER_MODE_LINEAR, mode};
      for (const float x : steps) {
        for (const float y : steps) {
          for (const float z : steps) {
            const float at[3] = {normalized ? x / 5 : x, y, z};
            const uint32_t words[3] = {bits(at[0]), bits(at[1]), bits(at[2])};
            const long double got =
                number(read(volume.owned.image, sampler, f32, CoordinateType::f32, words).component[3]);
            ASSERT_LE(std::fabs(got - filtered(volume, mode, normalized, at)), 0x1p-24L * 6)
                << mode << ' ' << normalized << ' ' << at[0] << ' ' << y << ' ' << z;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::image::testing
