// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsamath whose results are exact or rounded by one instruction, against the C library.
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

#include "kernel_library.h"

namespace heddle::testing {
namespace {

/// The arguments of one call, of which functions take the first ones that have their types.
template <typename T>
struct Arguments {
  T x, y, z;
  int32_t n;
};

/// What a call returns, and what it stores at the address that it is given.
struct Results {
  uint64_t returned = 0, stored = 0;
};

template <typename V>
uint64_t slot(V value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The letters of a signature: d is T, i an s32, l an s64, p an address; the result comes first.
template <typename T>
struct ExactFunction {
  const char* name;
  const char* signature;
  Results (*expected)(const Arguments<T>&);
};

template <typename T>
const std::vector<ExactFunction<T>>& functions() {
  using A = const Arguments<T>&;
  static const std::vector<ExactFunction<T>> table = {
      {"floor", "d d", [](A a) -> Results { return {slot(std::floor(a.x))}; }},
      {"ceil", "d d", [](A a) -> Results { return {slot(std::ceil(a.x))}; }},
      {"trunc", "d d", [](A a) -> Results { return {slot(std::trunc(a.x))}; }},
      {"rint", "d d", [](A a) -> Results { return {slot(std::rint(a.x))}; }},
      {"nearbyint", "d d", [](A a) -> Results { return {slot(std::nearbyint(a.x))}; }},
      {"roundeven", "d d", [](A a) -> Results { return {slot(std::rint(a.x))}; }},
      {"round", "d d", [](A a) -> Results { return {slot(std::round(a.x))}; }},
      {"fabs", "d d", [](A a) -> Results { return {slot(std::fabs(a.x))}; }},
      {"sqrt", "d d", [](A a) -> Results { return {slot(std::sqrt(a.x))}; }},
      {"logb", "d d", [](A a) -> Results { return {slot(std::logb(a.x))}; }},
      {"copysign", "d dd", [](A a) -> Results { return {slot(std::copysign(a.x, a.y))}; }},
      {"fmin", "d dd", [](A a) -> Results { return {slot(std::fmin(a.x, a.y))}; }},
      {"fmax", "d dd", [](A a) -> Results { return {slot(std::fmax(a.x, a.y))}; }},
      {"fdim", "d dd", [](A a) -> Results { return {slot(std::fdim(a.x, a.y))}; }},
      {"nextafter", "d dd", [](A a) -> Results { return {slot(std::nextafter(a.x, a.y))}; }},
      {"fmod", "d dd", [](A a) -> Results { return {slot(std::fmod(a.x, a.y))}; }},
      {"remainder", "d dd", [](A a) -> Results { return {slot(std::remainder(a.x, a.y))}; }},
      {"fma", "d ddd", [](A a) -> Results { return {slot(std::fma(a.x, a.y, a.z))}; }},
      {"ldexp", "d di", [](A a) -> Results { return {slot(std::ldexp(a.x, a.n))}; }},
      {"scalbn", "d di", [](A a) -> Results { return {slot(std::scalbn(a.x, a.n))}; }},
      {"scalbln", "d dl", [](A a) -> Results { return {slot(std::scalbln(a.x, long{a.n}))}; }},
      {"ilogb", "i d", [](A a) -> Results { return {slot(std::ilogb(a.x))}; }},
      {"frexp", "d dp",
       [](A a) -> Results {
         int exponent = 0;
         const T rest = std::frexp(a.x, &exponent);
         return {slot(rest), std::isfinite(a.x) ? slot(exponent) : 0};
       }},
      {"modf", "d dp",
       [](A a) -> Results {
         T whole = 0;
         const T rest = std::modf(a.x, &whole);
         return {slot(rest), slot(whole)};
       }},
      {"remquo", "d ddp",
       [](A a) -> Results {  // the C library keeps 3 bits of the quotient, as C requires
         int quotient = 0;
         const T rest = std::remquo(a.x, a.y, &quotient);
         return {slot(rest), slot(std::isnan(rest) ? 0 : quotient)};
       }},
  };
  return table;
}

/// The functions that round to integers, for arguments in their range.
template <typename T>
const std::vector<ExactFunction<T>>& to_integers() {
  using A = const Arguments<T>&;
  static const std::vector<ExactFunction<T>> table = {
      {"lround", "l d", [](A a) -> Results { return {slot(std::lround(a.x))}; }},
      {"llround", "l d", [](A a) -> Results { return {slot(std::llround(a.x))}; }},
      {"lrint", "l d", [](A a) -> Results { return {slot(std::lrint(a.x))}; }},
      {"llrint", "l d", [](A a) -> Results { return {slot(std::llrint(a.x))}; }},
  };
  return table;
}

struct Type {
  const char* name;
  char reg;
};
Type type_of(char letter, bool is_f32) {
  if (letter == 'd') return is_f32 ? Type{"f32", 's'} : Type{"f64", 'd'};
  return letter == 'i' ? Type{"s32", 's'} : letter == 'l' ? Type{"s64", 'd'} : Type{"u64", 'd'};
}

/// A kernel that calls the function for each element of a buffer of {x, y, z, n}, with 8 bytes for each of
/// them, and stores 16 bytes of results.
std::string kernel_text(const std::string& function, std::string_view signature, bool is_f32) {
  const std::string_view arguments = signature.substr(2);
  std::string formals, declared, loads, names;
  unsigned numbers = 0;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const Type type = type_of(arguments[i], is_f32);
    const char* const comma = i == 0 ? "" : ", ";
    formals += fmt::format("{}arg_{} %x{}", comma, type.name, i);
    declared += fmt::format("arg_{} %x{}; ", type.name, i);
    names += fmt::format("{}%x{}", comma, i);
    if (arguments[i] == 'p') {
      loads += fmt::format("add_u64 $d3, $d1, 8; st_arg_u64 $d3, [%x{}];\n", i);
      continue;
    }
    const unsigned offset = arguments[i] == 'd' ? 8 * numbers++ : 24;
    loads +=
        fmt::format("ld_{0} ${1}4, [$d0+{2}]; st_arg_{0} ${1}4, [%x{3}];\n", type.name, type.reg, offset, i);
  }
  const Type result = type_of(signature[0], is_f32);
  return fmt::format(
      "module &test:1:0:$full:$large:$default;\n"
      "decl prog function &{0}(arg_{1} %r)({2});\n"
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out) {{\n"
      "workitemabsid_u32 $s0, 0; cvt_u64_u32 $d2, $s0;\n"
      "ld_kernarg_u64 $d0, [%in]; shl_u64 $d3, $d2, 5; add_u64 $d0, $d0, $d3;\n"
      "ld_kernarg_u64 $d1, [%out]; shl_u64 $d3, $d2, 4; add_u64 $d1, $d1, $d3;\n"
      "{{ arg_{1} %r; {3}\n{4}call &{0}(%r)({5}); ld_arg_{1} ${6}4, [%r]; }}\n"
      "st_{1} ${6}4, [$d1]; }};\n",
      function, result.name, formals, declared, loads, names, result.reg);
}

template <typename T>
T random_number(std::mt19937_64& random) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  switch (random() % 3) {
    case 0: {
      const T value = std::bit_cast<T>(static_cast<Bits>(random()));
      return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN()
                               : value;  // C leaves open what signaling ones do
    }
    case 1:
      return static_cast<T>(static_cast<double>(static_cast<int64_t>(random() % 4001) - 2000) / 8);
    default:
      return static_cast<T>(std::uniform_real_distribution(-1e4, 1e4)(random));
  }
}

template <typename T>
std::vector<Arguments<T>> random_arguments() {
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       T(0.5),
                       T(-0.5),
                       T(2.5),
                       3,
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::max(),
                       -Limits::max(),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       -Limits::denorm_min()};
  std::mt19937_64 random(3);
  std::vector<Arguments<T>> out;
  const auto exponent = [&] {
    return static_cast<int32_t>(random() % 4) == 0 ? std::bit_cast<int32_t>(uint32_t(random()))
                                                   : static_cast<int32_t>(random() % 4400) - 2200;
  };
  for (T x : special)
    for (T y : special) out.push_back({x, y, special[random() % std::size(special)], exponent()});
  while (out.size() < 4000)
    out.push_back({random_number<T>(random), random_number<T>(random), random_number<T>(random), exponent()});
  return out;
}

struct Element {
  uint64_t words[4];
};

template <typename T>
std::vector<Results> call(const tools::KernelAgent& agent, const ExactFunction<T>& function,
                          const std::vector<Arguments<T>>& arguments) {
  constexpr bool is_f32 = sizeof(T) == 4;
  const std::string name = std::string(function.name) + (is_f32 ? "f" : "");
  std::vector<Element> in;
  for (const Arguments<T>& a : arguments)
    in.push_back({{slot(a.x), slot(a.y), slot(a.z), slot(int64_t{a.n})}});
  std::vector<Results> out(in.size());
  LinkedKernels kernels(agent, kernel_text(name, function.signature, is_f32));
  EXPECT_TRUE(kernels.run("&k", {in.data(), out.data()}, static_cast<uint32_t>(in.size()))) << name;
  return out;
}

template <typename T>
bool is_nan(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return std::isnan(value);
}

/// Only the low 3 bits of a quotient count, with its sign.
uint64_t stored_for_comparison(const std::string& name, uint64_t stored) {
  if (name != "remquo") return stored;
  const auto quotient = static_cast<int32_t>(stored);
  const auto low = static_cast<uint64_t>(std::abs(int64_t{quotient}) & 7);
  return quotient < 0 && low != 0 ? 8 + low : low;
}

/// Whether fmin and fmax of zeros are negative is open in C.
template <typename T>
bool both_zero(const ExactFunction<T>& function, uint64_t a, uint64_t b) {
  const std::string_view name = function.name;
  return (name == "fmin" || name == "fmax") && (a | b) == slot(T(-0.0));
}

/// Signs and payloads of NaNs do not count: the sign of the default NaN is that of the machine.
template <typename T>
bool equal(const ExactFunction<T>& function, const Results& result, const Results& expected) {
  const bool both_nan =
      function.signature[0] == 'd' && is_nan<T>(expected.returned) && is_nan<T>(result.returned);
  const bool stored = stored_for_comparison(function.name, result.stored) ==
                          stored_for_comparison(function.name, expected.stored) ||
                      (is_nan<T>(expected.stored) && is_nan<T>(result.stored));
  return stored && (both_nan || result.returned == expected.returned ||
                    both_zero(function, result.returned, expected.returned));
}

template <typename T>
void check(const ExactFunction<T>& function, const std::vector<Arguments<T>>& arguments) {
  const std::vector<Results> compiled = call(kernel_agents()[0], function, arguments);
  const std::vector<Results> interpreted = call(kernel_agents()[1], function, arguments);
  unsigned failures = 0;
  for (size_t i = 0; i < arguments.size() && failures < 5; ++i) {
    const Results expected = function.expected(arguments[i]);
    if (equal<T>(function, compiled[i], expected) && equal<T>(function, interpreted[i], expected) &&
        (compiled[i].stored == interpreted[i].stored || is_nan<T>(expected.stored)))
      continue;
    ++failures;
    const Arguments<T>& a = arguments[i];
    ADD_FAILURE() << fmt::format(
        "{}({:a}, {:a}, {:a}, {}): {:x} {:x} compiled, {:x} {:x} interpreted, expected {:x} {:x}",
        function.name, a.x, a.y, a.z, a.n, compiled[i].returned, compiled[i].stored, interpreted[i].returned,
        interpreted[i].stored, expected.returned, expected.stored);
  }
}

template <typename T>
void check_all() {
  for (const ExactFunction<T>& function : functions<T>()) check(function, random_arguments<T>());
  std::vector<Arguments<T>> in_range;
  for (Arguments<T> a : random_arguments<T>())
    if (std::fabs(a.x) < T(9e18)) in_range.push_back(a);
  for (const ExactFunction<T>& function : to_integers<T>()) check(function, in_range);
}

TEST(Exact, F64) { check_all<double>(); }
TEST(Exact, F32) { check_all<float>(); }

}  // namespace
}  // namespace heddle::testing
