// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "hsail/isa/isa.h"
#include "instruction_kernel.h"

namespace heddle::testing {

/// Decides whether the PRM allows both results of one instruction. They must be equal bit by bit, except
/// where the PRM leaves the result open: results it calls undefined, which NaN source is propagated and its
/// sign (4.19.4), the sign of the zero that max and min choose (5.11.2), bits above an f16 in an s register
/// (4.19.1), the precision of native functions (5.14).
class Judge {
 public:
  explicit Judge(const Step& step) : step_(step), fields_(step.mnemonic.fields) {}

  /// Returns false for instructions whose results cannot be compared, because they read the time or their
  /// caller's memory.
  static bool is_comparable(unsigned opcode);

  bool accepts(std::span<const Cell> sources, std::span<const Cell> a, std::span<const Cell> b) const;

 private:
  bool undefined_result(std::span<const Cell> sources, unsigned element) const;
  bool accepts_element(std::span<const Cell> sources, unsigned element, uint64_t a, uint64_t b) const;
  bool accepts_nans(std::span<const Cell> sources, unsigned element, uint64_t a, uint64_t b) const;
  bool accepts_approximation(std::span<const Cell> sources, uint64_t a, uint64_t b) const;
  /// Returns the source that the operation uses for this element of the destination: packing controls may
  /// take the low element for all elements.
  uint64_t effective_source(std::span<const Cell> sources, unsigned index, unsigned element) const;
  uint64_t source(std::span<const Cell> sources, unsigned index, unsigned element) const;

  const Step& step_;
  const isa::Fields& fields_;
};

}  // namespace heddle::testing
