// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsamath with one argument of f32, and the judgement of their results.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "../functions.h"

namespace heddle::testing {

/// What the kernel of a function writes for each argument.
enum class Output : uint8_t { f32, s32, s64 };

/// One output of a function of libhsamath that has one argument of f32.
struct UnaryFunction {
  const char*
      name;  ///< as in C for f64; what a function stores has the name of the function, a dot, and its own
  const char* function;   ///< in the module
  const char* signature;  ///< result and arguments: d f32, i s32, l s64, p an address, - nothing
  unsigned address;       ///< 0 for what is returned, n for what is stored at the nth address
  Output output;
  /// The value in f64 with a relative error below 2^-44, or null if `exact` is there.
  double (*approximate)(double);
  uint64_t (*exact)(float);  ///< the bits of the output
};

std::span<const UnaryFunction> unary_functions();

/// What was found out about the results of a function.
struct Tally {
  uint64_t arguments = 0;
  uint64_t asked = 0;       ///< results that f64 could not judge and MPFR did
  uint64_t misrounded = 0;  ///< results that are not correctly rounded
  double worst =
      0;  ///< largest error in ulp of a result that is not correctly rounded; infinite for wrong kinds
  uint32_t worst_argument = 0;

  Tally& operator+=(const Tally& other);
};

/// `results` are those of arguments whose bits are first, first + step, first + 2 step and so on. The sizes
/// of elements are those of the function's output.
void judge(const UnaryFunction& function, uint32_t first, uint32_t step, std::span<const uint32_t> results,
           Tally& tally);
void judge(const UnaryFunction& function, uint32_t first, uint32_t step, std::span<const uint64_t> results,
           Tally& tally);

}  // namespace heddle::testing
