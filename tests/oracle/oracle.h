// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point results of HSAIL, computed with MPFR. The code shares nothing with the interpreter or the
// finalizer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hsail/isa/isa.h"
#include "instruction_kernel.h"

namespace heddle::testing {

/// Reports whether the oracle knows the instruction: one that computes with f16, f32 or f64, scalar or
/// packed, except abs, neg, copysign and class (which are bit operations) and native instructions (whose
/// precision is open).
bool has_oracle(const isa::Fields& fields);

/// One of the scalar operations that an instruction performs.
struct Element {
  isa::Fields fields;
  std::vector<Cell> sources;
  unsigned number;  ///< of the destination's element
};
/// Returns the scalar operations of an instruction. A packed instruction has one for each element that its
/// packing control selects (PRM tables 4-5, 4-6); a scalar instruction has one.
std::vector<Element> elements(const isa::Fields& fields, std::span<const Cell> sources);

/// The allowed values of one element of the result.
struct Expected {
  enum class Kind : uint8_t {
    exact,      ///< these bits
    nan,        ///< any quiet NaN that comes from a NaN source, or any at all if there is no such source
                ///< (PRM 4.19.4)
    any_nan,    ///< any quiet NaN
    any_zero,   ///< either zero
    undefined,  ///< any bits, because the PRM leaves the result open
  };
  Kind kind = Kind::exact;
  uint64_t bits = 0;
};

/// Returns the result of a scalar instruction for these sources, whose bit patterns are in the low bits;
/// higher bits are ignored.
Expected expected_result(const isa::Fields& fields, std::span<const Cell> sources);

/// The exceptions that an instruction raises for its sources (PRM 4.19, 12.2). A packed instruction raises
/// the union of the exceptions of its elements.
struct Raised {
  uint32_t flags = 0;  ///< exceptions that must be raised: a union of hsa_brig_exceptions_t
  uint32_t open = 0;   ///< exceptions that the PRM leaves to the implementation here
};
Raised expected_exceptions(const isa::Fields& fields, std::span<const Cell> sources);

/// Reports whether `expected` allows `bits`, the low bits of the destination.
bool accepts(const Expected& expected, const isa::Fields& fields, std::span<const Cell> sources,
             uint64_t bits);

}  // namespace heddle::testing
