// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsamath whose results are rounded, against MPFR, and compiled code against the
// interpreter. HEDDLE_MATH_VALUES in the environment multiplies the number of random arguments.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "arguments.h"
#include "functions.h"
#include "kernel_library.h"
#include "mpfr_error.h"

namespace heddle::testing {
namespace {

constexpr size_t most_failures = 5;  // that a test prints

template <typename T>
double error_at(const RealFunction& function, T x, T y, T result) {
  Exact a, b, exact;
  mpfr_set_d(a.get(), x, MPFR_RNDN);
  mpfr_set_d(b.get(), y, MPFR_RNDN);
  if (function.one != nullptr)
    function.one(exact.get(), a.get(), MPFR_RNDN);
  else
    function.two(exact.get(), a.get(), b.get(), MPFR_RNDN);
  return error_of(result, exact.get());
}

/// A kernel that applies a function of one or two numbers to the elements of buffers.
std::string kernel_text(const std::string& function, const char* type, unsigned shift, unsigned arguments) {
  const char reg = shift == 3 ? 'd' : 's';
  std::string formals, kernargs, loads, names;
  for (unsigned i = 0; i < arguments; ++i) {
    formals += fmt::format("{}arg_{} %x{}", i == 0 ? "" : ", ", type, i);
    kernargs += fmt::format(", kernarg_u64 %in{}", i);
    loads += fmt::format(
        "ld_kernarg_u64 $d1, [%in{0}]; add_u64 $d1, $d1, $d0; ld_{1} ${2}3, [$d1]; st_arg_{1} ${2}3, "
        "[%x{0}];\n",
        i, type, reg);
    names += fmt::format("{}%x{}", i == 0 ? "" : ", ", i);
  }
  std::string declared;
  for (unsigned i = 0; i < arguments; ++i) declared += fmt::format("arg_{} %x{}; ", type, i);
  return fmt::format(
      "decl prog function &{0}(arg_{1} %r)({2});\n"
      "prog kernel &k_{0}(kernarg_u64 %out{3}) {{\n"
      "workitemabsid_u32 $s0, 0; cvt_u64_u32 $d0, $s0; shl_u64 $d0, $d0, {4};\n"
      "{{ arg_{1} %r; {5}\n{6}call &{0}(%r)({7}); ld_arg_{1} ${8}4, [%r]; }}\n"
      "ld_kernarg_u64 $d1, [%out]; add_u64 $d1, $d1, $d0; st_{1} ${8}4, [$d1]; }};\n",
      function, type, formals, kernargs, shift, declared, loads, names, reg);
}

/// Pairs of special values first, then random ones.
template <typename T>
void make_arguments(const RealFunction& function, size_t count, std::vector<T>& x, std::vector<T>& y) {
  std::mt19937_64 random(1);
  const std::vector<T> special = special_values<T>();
  for (T a : special)
    for (T b : special) {
      x.push_back(a);
      y.push_back(b);
      if (function.one != nullptr) break;
    }
  while (x.size() < count) {
    x.push_back(random_argument<T>(function.low, function.high, random));
    y.push_back(random_argument<T>(function.low, function.high, random));
  }
}

size_t values_per_function() {
  const char* const factor = std::getenv("HEDDLE_MATH_VALUES");
  return 4096 * (factor == nullptr ? 1 : std::strtoul(factor, nullptr, 10));
}

/// Compares the results for these arguments with MPFR, and those of the agents with each other.
template <typename T>
void check_at(const RealFunction& function, const std::string& name, double ulps, const std::vector<T>& x,
              const std::vector<T>& y) {
  const char* const type = sizeof(T) == 8 ? "f64" : "f32";
  const std::string text = "module &test:1:0:$full:$large:$default;\n" +
                           kernel_text(name, type, sizeof(T) == 8 ? 3 : 2, function.one != nullptr ? 1 : 2);
  std::vector<std::vector<T>> results;
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<T>& out = results.emplace_back(x.size());
    LinkedKernels kernels(agent, text);
    std::vector<const void*> arguments{out.data(), x.data()};
    if (function.two != nullptr) arguments.push_back(y.data());
    ASSERT_TRUE(kernels.run("&k_" + name, arguments, static_cast<uint32_t>(x.size()))) << agent.name;
  }
  double worst = 0;
  size_t failures = 0;
  for (size_t i = 0; i < x.size() && failures < most_failures; ++i) {
    const T compiled = results[0][i], interpreted = results[1][i];
    const double error = error_at(function, x[i], y[i], compiled);
    worst = std::max(worst, error);
    // The sign of the default NaN is that of the machine.
    const bool same = std::memcmp(&compiled, &interpreted, sizeof(T)) == 0 ||
                      (std::isnan(compiled) && std::isnan(interpreted));
    if (error <= ulps && same) continue;
    ++failures;
    ADD_FAILURE() << fmt::format(
        "{}({:a}, {:a}) is {:a} in compiled code and {:a} in the interpreter, with an error of {} ulp", name,
        x[i], y[i], compiled, interpreted, error);
  }
  ::testing::Test::RecordProperty(std::string("worst_") + type, fmt::format("{:.4f}", worst));
  fmt::print("{}: at most {:.4f} ulp\n", name, worst);
}

template <typename T>
void check(const RealFunction& function, const std::string& name, double ulps) {
  std::vector<T> x, y;
  make_arguments(function, values_per_function(), x, y);
  check_at(function, name, ulps, x, y);
}

class Rounded : public ::testing::TestWithParam<RealFunction> {};

TEST_P(Rounded, F64) { check<double>(GetParam(), GetParam().name, GetParam().ulps); }
/// Computed in f64, so that only rounding that result once more is in error.
TEST_P(Rounded, F32) { check<float>(GetParam(), std::string(GetParam().name) + "f", 0.501); }
INSTANTIATE_TEST_SUITE_P(Functions, Rounded, ::testing::ValuesIn(real_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

const RealFunction& function_named(std::string_view name) {
  return *std::ranges::find_if(real_functions(),
                               [name](const RealFunction& function) { return function.name == name; });
}

/// Returns the number next to the zero of ln |gamma| between two numbers, at the first of which it is
/// positive.
double zero_of_log_of_gamma(double positive, double negative) {
  Exact x, value;
  while (std::nextafter(positive, negative) != negative) {
    const double middle = positive + (negative - positive) / 2;
    mpfr_set_d(x.get(), middle, MPFR_RNDN);
    int sign = 0;
    mpfr_lgamma(value.get(), &sign, x.get(), MPFR_RNDN);
    (mpfr_sgn(value.get()) > 0 ? positive : negative) = middle;
  }
  return positive;
}

/// The numbers next to the zeros below -2, and others at all distances from them.
TEST(LogGamma, IsExactNearItsZeros) {
  std::mt19937_64 random(2);
  std::vector<double> x;
  double factorial = 1;
  for (int n = 2; n < 20; ++n) {
    factorial *= n;
    for (const int side : {1, -1}) {
      if (n == 2 && side == 1) continue;
      const double far = n < 4 ? 0.5 : 4 / factorial;
      const double pole = std::nextafter(-double(n), side * 100.0);
      const double end = -n + side * far;
      const double zero = end == -n ? pole : zero_of_log_of_gamma(pole, end);
      double next = std::nextafter(std::nextafter(zero, -100.0), -100.0);
      for (int i = 0; i < 5; ++i) {
        x.push_back(next);
        next = std::nextafter(next, 0.0);
      }
      for (int i = 0; i < 60; ++i)
        x.push_back(zero + std::ldexp(std::uniform_real_distribution(-far, far)(random), -i));
    }
  }
  check_at(function_named("lgamma"), "lgamma", 0.75, x, x);
}

/// Where the polynomials for the zeros next to -2.46 and -2.75 end, and where what takes their place loses
/// most digits.
TEST(LogGamma, IsExactBetweenItsZeros) {
  std::mt19937_64 random(5);
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(std::uniform_real_distribution(-2.5, -2.49)(random));
    x.push_back(std::uniform_real_distribution(-2.72, -2.7)(random));
  }
  check_at(function_named("lgamma"), "lgamma", 0.75, x, x);
}

/// Where results are subnormal: the range of arguments, and that of second arguments.
struct SubnormalRange {
  const char* name;
  double low, high, other_low, other_high;
};
void PrintTo(const SubnormalRange& range, std::ostream* out) { *out << range.name; }

class Subnormal : public ::testing::TestWithParam<SubnormalRange> {};

/// If the result were rounded to 53 bits before it becomes subnormal, the error would be up to 0.75.
TEST_P(Subnormal, IsRoundedOnce) {
  const SubnormalRange& range = GetParam();
  std::mt19937_64 random(3);
  std::uniform_real_distribution first(range.low, range.high), second(range.other_low, range.other_high);
  std::vector<double> x, y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(first(random));
    y.push_back(second(random));
  }
  check_at(function_named(range.name), range.name, 0.501, x, y);
}

constexpr SubnormalRange subnormal_ranges[] = {
    {"exp", -745, -708.5, 0, 1},
    {"exp2", -1074, -1022, 0, 1},
    {"exp10", -323, -308, 0, 1},
    {"pow", 0x1p-520, 0x1p-511, 2, 2.05},
    {"sinpi", -0x1p-1024, 0x1p-1024, 0, 1},
    {"erf", -0x1p-1023, 0x1p-1023, 0, 1},
    {"erfc", 26.6, 27.2, 0, 1},
    {"tgamma", -183, -171, 0, 1},
    {"hypot", -0x1p-1023, 0x1p-1023, -0x1p-1023, 0x1p-1023},
    {"atan2", -0x1p-1023, 0x1p-1023, 1, 8},
};
INSTANTIATE_TEST_SUITE_P(Functions, Subnormal, ::testing::ValuesIn(subnormal_ranges),
                         [](const auto& info) { return std::string(info.param.name); });

/// The first argument has all sizes from 2^-70 to 1, so that it is on both sides of where the function is
/// replaced by the first term of its series.
void check_small(const char* name, double ulps) {
  std::mt19937_64 random(4);
  std::vector<double> x, y;
  for (int i = 0; i < 7000; ++i) {
    const double magnitude = std::ldexp(std::uniform_real_distribution(1.0, 2.0)(random), -i % 70 - 1);
    x.push_back(i % 2 == 0 ? magnitude : -magnitude);
    y.push_back(std::uniform_real_distribution(1.0, 2.0)(random));
  }
  check_at(function_named(name), name, ulps, x, y);
}

TEST(Small, ArcTangentOfQuotients) { check_small("atan2", 0.6); }
TEST(Small, Gamma) { check_small("tgamma", 0.6); }

/// sincos stores what sin and cos return.
TEST(SinCos, EqualsSinAndCos) {
  const std::string text = "module &test:1:0:$full:$large:$default;\n" + kernel_text("sin", "f64", 3, 1) +
                           kernel_text("cos", "f64", 3, 1) + R"(
decl prog function &sincos()(arg_f64 %x, arg_u64 %s, arg_u64 %c);
prog kernel &k_both(kernarg_u64 %sines, kernarg_u64 %cosines, kernarg_u64 %in)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 3;
  ld_kernarg_u64 $d1, [%in];
  add_u64 $d1, $d1, $d0;
  ld_f64 $d2, [$d1];
  ld_kernarg_u64 $d3, [%sines];
  add_u64 $d3, $d3, $d0;
  ld_kernarg_u64 $d4, [%cosines];
  add_u64 $d4, $d4, $d0;
  {
    arg_f64 %x;
    arg_u64 %s;
    arg_u64 %c;
    st_arg_f64 $d2, [%x];
    st_arg_u64 $d3, [%s];
    st_arg_u64 $d4, [%c];
    call &sincos()(%x, %s, %c);
  }
};
)";
  std::vector<double> x;
  for (int i = 0; i < 100; ++i) x.push_back(std::ldexp(i - 50.5, i));
  const auto items = static_cast<uint32_t>(x.size());
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<double> sine(items), cosine(items), sines(items), cosines(items);
    LinkedKernels kernels(agent, text);
    ASSERT_TRUE(kernels.run("&k_sin", {sine.data(), x.data()}, items));
    ASSERT_TRUE(kernels.run("&k_cos", {cosine.data(), x.data()}, items));
    ASSERT_TRUE(kernels.run("&k_both", {sines.data(), cosines.data(), x.data()}, items));
    EXPECT_EQ(sines, sine) << agent.name;
    EXPECT_EQ(cosines, cosine) << agent.name;
  }
}

}  // namespace
}  // namespace heddle::testing
