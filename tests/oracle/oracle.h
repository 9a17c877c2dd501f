// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point results of HSAIL, computed with MPFR: nothing is shared with the interpreter or the
// finalizer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hsail/isa/isa.h"
#include "instruction_kernel.h"

namespace heddle::testing {

/// True if the oracle knows the instruction: one that computes with f16, f32 or f64, scalar or packed, except
/// abs, neg, copysign, class (which are bit operations) and native ones (whose precision is open).
bool has_oracle(const isa::Fields& fields);

/// One of the scalar operations that an instruction performs.
struct Element {
  isa::Fields fields;
  std::vector<Cell> sources;
  unsigned number;  ///< of the element of the destination
};
/// Those of a packed instruction are the elements that its packing control selects (PRM tables 4-5, 4-6); a
/// scalar instruction is one itself.
std::vector<Element> elements(const isa::Fields& fields, std::span<const Cell> sources);

/// What one element of the result may be.
struct Expected {
  enum class Kind : uint8_t {
    exact,      ///< these bits
    nan,        ///< any quiet NaN that comes from a NaN source, or any at all if there is no such source
                ///< (PRM 4.19.4)
    any_nan,    ///< any quiet NaN
    any_zero,   ///< either zero
    undefined,  ///< the PRM leaves it open
  };
  Kind kind = Kind::exact;
  uint64_t bits = 0;
};

/// Result of a scalar instruction for these sources (bit patterns in the low bits; what is above is ignored).
Expected expected_result(const isa::Fields& fields, std::span<const Cell> sources);

/// What the instruction raises for these sources (PRM 4.19, 12.2). A packed one raises the union of what its
/// elements raise.
struct Raised {
  uint32_t flags = 0;  ///< of hsa_brig_exceptions_t, or-ed
  uint32_t open = 0;   ///< those that the PRM leaves to the implementation here
};
Raised expected_exceptions(const isa::Fields& fields, std::span<const Cell> sources);

/// Whether `bits`, the low bits of the destination, are such a result.
bool accepts(const Expected& expected, const isa::Fields& fields, std::span<const Cell> sources,
             uint64_t bits);

}  // namespace heddle::testing
