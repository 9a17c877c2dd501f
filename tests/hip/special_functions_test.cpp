// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of HIP that neither C nor OpenCL C has, against MPFR.
#include "special_functions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "hip_test.h"
#include "hsalib/mpfr_error.h"

namespace heddle::hip_tests {
namespace {

using testing::Exact;
constexpr auto nearest = MPFR_RNDN;

void exact_erfcx(mpfr_ptr result, mpfr_srcptr x) {
  Exact tail;
  mpfr_erfc(tail.get(), x, nearest);
  mpfr_sqr(result, x, nearest);
  mpfr_exp(result, result, nearest);
  mpfr_mul(result, result, tail.get(), nearest);
}

/// e^(-y^2) 2 / sqrt(pi).
void derivative_of_erf(mpfr_ptr result, mpfr_srcptr y) {
  Exact root;
  mpfr_const_pi(root.get(), nearest);
  mpfr_sqrt(root.get(), root.get(), nearest);
  mpfr_sqr(result, y, nearest);
  mpfr_neg(result, result, nearest);
  mpfr_exp(result, result, nearest);
  mpfr_mul_ui(result, result, 2, nearest);
  mpfr_div(result, result, root.get(), nearest);
}

/// The inverse of erfc for c from 0 to 1: Newton's method for the logarithm, from sqrt(-ln(c)).
void exact_erfcinv_to_one(mpfr_ptr y, mpfr_srcptr c) {
  Exact wanted, of_y, step, slope;
  mpfr_log(wanted.get(), c, nearest);
  mpfr_neg(y, wanted.get(), nearest);
  mpfr_sqrt(y, y, nearest);
  for (int i = 0; i < 60; ++i) {
    mpfr_erfc(of_y.get(), y, nearest);
    derivative_of_erf(slope.get(), y);
    mpfr_log(step.get(), of_y.get(), nearest);
    mpfr_sub(step.get(), step.get(), wanted.get(), nearest);
    mpfr_mul(step.get(), step.get(), of_y.get(), nearest);
    mpfr_div(step.get(), step.get(), slope.get(), nearest);
    mpfr_add(y, y, step.get(), nearest);
    if (mpfr_zero_p(step.get()) || mpfr_get_exp(step.get()) < mpfr_get_exp(y) - 100) return;
  }
}

void exact_erfcinv(mpfr_ptr result, mpfr_srcptr x) {
  Exact c;
  const bool small = mpfr_cmp_ui(x, 1) <= 0;
  mpfr_set(c.get(), x, nearest);
  if (!small) mpfr_ui_sub(c.get(), 2, x, nearest);
  exact_erfcinv_to_one(result, c.get());
  if (!small) mpfr_neg(result, result, nearest);
}

void exact_erfinv(mpfr_ptr result, mpfr_srcptr x) {
  Exact c;
  mpfr_ui_sub(c.get(), 1, x, nearest);
  exact_erfcinv(result, c.get());
}

void exact_normcdf(mpfr_ptr result, mpfr_srcptr x) {
  Exact root;
  mpfr_sqrt_ui(root.get(), 2, nearest);
  mpfr_div(result, x, root.get(), nearest);
  mpfr_neg(result, result, nearest);
  mpfr_erfc(result, result, nearest);
  mpfr_div_ui(result, result, 2, nearest);
}

void exact_normcdfinv(mpfr_ptr result, mpfr_srcptr p) {
  Exact root;
  mpfr_sqrt_ui(root.get(), 2, nearest);
  Exact twice;
  mpfr_mul_ui(twice.get(), p, 2, nearest);
  exact_erfcinv(result, twice.get());
  mpfr_mul(result, result, root.get(), nearest);
  mpfr_neg(result, result, nearest);
}

/// The power series: (x / 2)^order times the sum of (x^2 / 4)^k / (k! (k + order)!).
void exact_modified(mpfr_ptr result, mpfr_srcptr x, unsigned order) {
  Exact t, term;
  mpfr_sqr(t.get(), x, nearest);
  mpfr_div_ui(t.get(), t.get(), 4, nearest);
  mpfr_set_ui(term.get(), 1, nearest);
  mpfr_set_ui(result, 1, nearest);
  for (unsigned k = 1; k < 3000; ++k) {
    mpfr_mul(term.get(), term.get(), t.get(), nearest);
    mpfr_div_ui(term.get(), term.get(), k, nearest);
    mpfr_div_ui(term.get(), term.get(), k + order, nearest);
    mpfr_add(result, result, term.get(), nearest);
    if (mpfr_get_exp(term.get()) < mpfr_get_exp(result) - 100) break;
  }
  if (order == 0) return;
  mpfr_mul(result, result, x, nearest);
  mpfr_div_ui(result, result, 2, nearest);
}

struct Case {
  const char* name;
  SpecialFunction function;
  std::function<void(mpfr_ptr, mpfr_srcptr)> exact;
  double low, high;        ///< of arguments
  double least_magnitude;  ///< of arguments that are spread over all orders of magnitude; 0 for none
  double ulps;             ///< that are allowed
  double absolute;         ///< errors below this are allowed in any case: of functions with zeros, in f64
};

std::vector<Case> cases() {
  const auto plain = [](int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)) {
    return [function](mpfr_ptr result, mpfr_srcptr x) { function(result, x, nearest); };
  };
  const auto modified = [](unsigned order) {
    return [order](mpfr_ptr result, mpfr_srcptr x) { exact_modified(result, x, order); };
  };
  return {{"erfcx", special_erfcx, exact_erfcx, -9, 60, 1e-30, 4, 0},
          {"erfinv", special_erfinv, exact_erfinv, -1, 1, 1e-30, 4, 0},
          {"erfcinv", special_erfcinv, exact_erfcinv, 0, 2, 1e-37, 4, 0},
          {"normcdf", special_normcdf, exact_normcdf, -37, 10, 1e-30, 5, 0},
          {"normcdfinv", special_normcdfinv, exact_normcdfinv, 0, 1, 1e-37, 4, 0},
          {"j0", special_j0, plain(mpfr_j0), -60, 60, 1e-30, 4, 5e-16},
          {"j1", special_j1, plain(mpfr_j1), -60, 60, 1e-30, 4, 5e-16},
          {"y0", special_y0, plain(mpfr_y0), 0, 60, 1e-30, 4, 5e-16},
          {"y1", special_y1, plain(mpfr_y1), 0, 60, 1e-30, 4, 5e-16},
          {"cyl_bessel_i0", special_i0, modified(0), -80, 80, 1e-30, 6, 0},
          {"cyl_bessel_i1", special_i1, modified(1), -80, 80, 1e-30, 6, 0}};
}

template <typename T>
std::vector<T> arguments_of(const Case& c, size_t count) {
  std::mt19937_64 random(42);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  std::uniform_real_distribution<double> even(c.low, c.high),
      order(std::log(c.least_magnitude), std::log(c.high));
  std::vector<T> x;
  while (x.size() < count) {
    x.push_back(static_cast<T>(even(random)));
    x.push_back(static_cast<T>(std::exp(order(random))));
  }
  std::erase_if(x,
                [&](T value) { return value <= static_cast<T>(c.low) || value >= static_cast<T>(c.high); });
  return x;
}

template <typename T>
std::vector<T> results_of(SpecialFunction function, const std::vector<T>& x) {
  static_cast<void>(hipGetLastError());
  const DeviceMemory<T> from(x), to(x.size());
  const int count = static_cast<int>(x.size());
  hipError_t done = hipErrorUnknown;
  if constexpr (sizeof(T) == 4)
    done = run_special_float(function, to.data(), from.data(), count);
  else
    done = run_special_double(function, to.data(), from.data(), count);
  EXPECT_EQ(done, hipSuccess);
  return to.values();
}

template <typename T>
void check_accuracy(size_t count) {
  for (const Case& c : cases()) {
    const std::vector<T> x = arguments_of<T>(c, count), results = results_of(c.function, x);
    double worst = 0, at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      Exact argument, exact, difference;
      mpfr_set_d(argument.get(), static_cast<double>(x[i]), nearest);
      c.exact(exact.get(), argument.get());
      mpfr_sub_d(difference.get(), exact.get(), static_cast<double>(results[i]), nearest);
      if (std::fabs(mpfr_get_d(difference.get(), nearest)) < c.absolute) continue;
      const double error = testing::error_of(results[i], exact.get());
      if (error <= worst) continue;
      worst = error;
      at = static_cast<double>(x[i]);
    }
    EXPECT_LE(worst, c.ulps) << c.name << " at " << at;
    ::testing::Test::RecordProperty(c.name, std::to_string(worst));
  }
}

TEST(SpecialFunctions, OfSinglePrecisionAreAccurate) { check_accuracy<float>(128); }

TEST(SpecialFunctions, OfDoublePrecisionAreAccurate) { check_accuracy<double>(128); }

TEST(SpecialFunctions, HaveLimits) {
  const double infinity = HUGE_VAL;
  const auto of = [](SpecialFunction function, double x) {
    return results_of<double>(function, {x}).front();
  };
  EXPECT_EQ(of(special_erfinv, 1), infinity);
  EXPECT_EQ(of(special_erfinv, -1), -infinity);
  EXPECT_TRUE(std::isnan(of(special_erfinv, 1.5)));
  EXPECT_TRUE(std::signbit(of(special_erfinv, -0.0)));
  EXPECT_EQ(of(special_erfcinv, 0), infinity);
  EXPECT_EQ(of(special_erfcinv, 2), -infinity);
  EXPECT_EQ(of(special_erfcinv, 1), 0);
  EXPECT_TRUE(std::isnan(of(special_erfcinv, -1)));
  EXPECT_EQ(of(special_normcdf, -infinity), 0);
  EXPECT_EQ(of(special_normcdf, infinity), 1);
  EXPECT_EQ(of(special_normcdfinv, 0), -infinity);
  EXPECT_EQ(of(special_normcdfinv, 1), infinity);
  EXPECT_EQ(of(special_erfcx, infinity), 0);
  EXPECT_EQ(of(special_erfcx, -infinity), infinity);
  EXPECT_EQ(of(special_y0, 0), -infinity);
  EXPECT_EQ(of(special_y1, 0), -infinity);
  EXPECT_TRUE(std::isnan(of(special_y0, -1)));
  EXPECT_EQ(of(special_y1, infinity), 0);
  EXPECT_EQ(of(special_j0, -infinity), 0);
  EXPECT_EQ(of(special_j0, 0), 1);
  EXPECT_EQ(of(special_i0, -infinity), infinity);
  EXPECT_EQ(of(special_i1, -infinity), -infinity);
  for (int function = 0; function < special_functions; ++function)
    EXPECT_TRUE(std::isnan(of(static_cast<SpecialFunction>(function), NAN))) << function;
  // The power alone would be infinite.
  EXPECT_NEAR(of(special_i0, 712) / 2.46841105776e307, 1, 1e-10);
}

template <typename T>
std::vector<Lengths<T>> lengths_of(const std::vector<T>& vectors) {
  static_cast<void>(hipGetLastError());
  const DeviceMemory<T> from(vectors);
  const int count = static_cast<int>(vectors.size() / 4);
  const DeviceMemory<Lengths<T>> to(vectors.size() / 4);
  hipError_t done = hipErrorUnknown;
  if constexpr (sizeof(T) == 4)
    done = run_lengths_float(to.data(), from.data(), count);
  else
    done = run_lengths_double(to.data(), from.data(), count);
  EXPECT_EQ(done, hipSuccess);
  return to.values();
}

/// The error of a length of the first elements of a vector, or of its inverse, in units of the last place.
template <typename T>
double error_of_length(T result, const T* vector, unsigned elements, bool inverse) {
  Exact sum, square;
  mpfr_set_zero(sum.get(), 1);
  for (unsigned i = 0; i < elements; ++i) {
    mpfr_set_d(square.get(), static_cast<double>(vector[i]), nearest);
    mpfr_sqr(square.get(), square.get(), nearest);
    mpfr_add(sum.get(), sum.get(), square.get(), nearest);
  }
  mpfr_sqrt(sum.get(), sum.get(), nearest);
  if (inverse) mpfr_ui_div(sum.get(), 1, sum.get(), nearest);
  return testing::error_of(result, sum.get());
}

/// Elements of all orders of magnitude, so that squares overflow and vanish, and inverses are subnormal.
template <typename T>
void check_lengths() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(43);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  std::uniform_real_distribution<double> order(std::log2(Limits::denorm_min()),
                                               std::log2(Limits::max()) - 1.1),
      fraction(-1, 1);
  std::vector<T> vectors(4096);
  for (size_t i = 0; i < vectors.size(); i += 4) {
    const double common = std::exp2(order(random));
    for (size_t k = 0; k < 4; ++k)
      vectors[i + k] = static_cast<T>(fraction(random) * (i % 8 == 0 ? common : std::exp2(order(random))));
  }
  const auto results = lengths_of(vectors);
  double worst = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const T* v = &vectors[4 * i];
    const Lengths<T>& r = results[i];
    for (const double error : {error_of_length(r.rhypot, v, 2, true), error_of_length(r.norm3d, v, 3, false),
                               error_of_length(r.norm4d, v, 4, false), error_of_length(r.rnorm3d, v, 3, true),
                               error_of_length(r.rnorm4d, v, 4, true)})
      worst = std::max(worst, error);
  }
  EXPECT_LE(worst, 1);
}

TEST(SpecialFunctions, LengthsAreAccurate) {
  check_lengths<float>();
  check_lengths<double>();
}

template <typename T>
void check_limits_of_lengths() {
  const T most = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto r = lengths_of<T>(
      {most, most, nan, 1, nan, infinity, 1, nan, 0, 0, 0, 0, 1, most, most, most, nan, nan, 0, 0});
  EXPECT_TRUE(std::isnan(r[0].norm3d) && std::isnan(r[0].norm4d) && std::isnan(r[0].rnorm3d));
  EXPECT_GT(r[0].rhypot, 0);
  EXPECT_EQ(r[1].norm3d, infinity);
  EXPECT_EQ(r[1].norm4d, infinity);
  EXPECT_EQ(r[1].rhypot, 0);
  EXPECT_EQ(r[1].rnorm4d, 0);
  EXPECT_EQ(r[2].norm4d, 0);
  EXPECT_EQ(r[2].rhypot, infinity);
  EXPECT_EQ(r[2].rnorm3d, infinity);
  EXPECT_EQ(r[3].norm3d, infinity) << "the length is too large";
  EXPECT_GT(r[3].rnorm4d, 0) << "its inverse is not too small";
  EXPECT_TRUE(std::isnan(r[4].norm3d) && std::isnan(r[4].rnorm4d) && std::isnan(r[4].rhypot));
}

TEST(SpecialFunctions, LengthsHaveLimits) {
  check_limits_of_lengths<float>();
  check_limits_of_lengths<double>();
}

}  // namespace
}  // namespace heddle::hip_tests
