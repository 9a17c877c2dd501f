// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of numbers of 8 bits, against a table of all of them.
#include "fp8.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// The functions of fp8.hip return the last error, which a test before may have left.
class Fp8 : public testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

struct Format {
  int fraction_bits, bias, largest;
  bool has_infinity, fnuz;
};
constexpr Format formats[] = {{3, 7, 0x7e, false, false},
                              {2, 15, 0x7b, true, false},
                              {3, 8, 0x7f, false, true},
                              {2, 16, 0x7f, false, true}};

/// The value of a magnitude up to the largest; also of the one behind it, as if the exponent went on.
double value_of(const Format& format, int magnitude) {
  const int exponent = magnitude >> format.fraction_bits,
            fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const int one = 1 << format.fraction_bits;
  return std::ldexp(exponent == 0 ? fraction : one + fraction,
                    std::max(exponent, 1) - format.bias - format.fraction_bits);
}

/// Finds the nearest number of the table, the even one of two.
int expected_bits(const Format& format, double x, bool saturates) {
  const int sign = std::signbit(x) ? 0x80 : 0, nan = format.fnuz ? 0x80 : sign | 0x7f;
  if (std::isnan(x) || (std::isinf(x) && format.fnuz)) return nan;
  const double wanted = std::min(std::fabs(x), 1e6);  // which is too large for all, and far from infinite
  int best = 0;
  for (int magnitude = 1; magnitude <= format.largest + 1; ++magnitude) {
    const double distance = std::fabs(value_of(format, magnitude) - wanted);
    const double least = std::fabs(value_of(format, best) - wanted);
    if (distance < least || (distance == least && magnitude % 2 == 0)) best = magnitude;
  }
  if (best > format.largest)
    return saturates ? sign | format.largest : format.has_infinity ? sign | 0x7c : nan;
  return best == 0 && format.fnuz ? 0 : sign | best;
}

/// All numbers of all formats, those half way between them, and what is next to both.
std::vector<double> inputs() {
  std::vector<double> result{0, std::numeric_limits<double>::infinity(), std::nan(""), 1e300, 5e-324, 1e-300};
  for (const Format& format : formats)
    for (int magnitude = 0; magnitude <= format.largest + 1; ++magnitude) {
      const double low = value_of(format, magnitude), middle = (low + value_of(format, magnitude + 1)) / 2;
      for (const double x : {low, middle})
        result.insert(result.end(), {x, std::nextafter(x, 1e308), std::nextafter(x, 0)});
    }
  const size_t count = result.size();
  for (size_t i = 0; i < count; ++i) result.push_back(-result[i]);
  return result;
}

TEST_F(Fp8, RoundsToTheNearest) {
  const std::vector<double> from = inputs();
  const DeviceMemory<double> input(from);
  const DeviceMemory<uint8_t> output(8 * from.size());
  HIP_OK(run_to_fp8(output.data(), input.data(), static_cast<int>(from.size())));
  const auto bits = output.values();
  for (size_t i = 0; i < from.size(); ++i)
    for (size_t format = 0; format < 4; ++format)
      for (const bool saturates : {false, true})
        EXPECT_EQ(bits[8 * i + (saturates ? 4 : 0) + format],
                  expected_bits(formats[format], from[i], saturates))
            << from[i] << " in format " << format;
}

TEST_F(Fp8, BecomesFloat) {
  const DeviceMemory<float> output(1024);
  HIP_OK(run_from_fp8(output.data()));
  const auto values = output.values();
  for (size_t i = 0; i < values.size(); ++i) {
    const Format& format = formats[i / 256];
    const int bits = static_cast<int>(i % 256), magnitude = bits & 0x7f;
    const double sign = bits < 0x80 ? 1 : -1;
    if (format.fnuz ? bits == 0x80
                    : magnitude > format.largest && !(format.has_infinity && magnitude == 0x7c))
      EXPECT_TRUE(std::isnan(values[i])) << i;
    else if (magnitude > format.largest)
      EXPECT_EQ(values[i], sign * std::numeric_limits<float>::infinity()) << i;
    else
      EXPECT_EQ(values[i], sign * value_of(format, magnitude)) << i;
  }
}

TEST_F(Fp8, ComesInPairsAndQuadruples) {
  const DeviceMemory<float> output(6);
  HIP_OK(run_fp8_vectors(output.data()));
  EXPECT_EQ(output.values(), (std::vector<float>{1, 2, 240, 0.001953125F, 0.25F, -57344}));
}

}  // namespace
}  // namespace heddle::hip_tests
