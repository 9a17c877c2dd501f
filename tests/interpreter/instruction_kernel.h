// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hsail/isa/isa.h"

/// Generates kernels that apply instructions to arrays of operands, from the instruction tables.
namespace heddle::testing {

/// 16 bytes, the contents of any register.
struct Cell {
  uint64_t lo = 0;
  uint64_t hi = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// One instruction and the types of its registers, element by element of vector operands.
struct Step {
  std::string text;  ///< mnemonic
  isa::Mnemonic mnemonic;
  std::vector<std::string> constants;  ///< text of the operands that must be constants
  std::vector<isa::Type> sources;
  std::vector<isa::Type> destinations;
  std::vector<std::optional<Cell>>
      held;                     ///< by source: a constant that a mov puts in the register; may be short
  bool has_immediates = false;  ///< constants of type f32 or f64 are operands of the instruction instead
};

/// Returns nothing (with the reason in `why`) if the instruction has operands other than registers and
/// constants, or does not parse.
std::optional<Step> instruction_step(const std::string& mnemonic,
                                     const std::vector<std::string>& constants = {},
                                     std::string* why = nullptr);

/// Returns `prog kernel NAME(kernarg_u64 %out, kernarg_u64 %in0, ...)`. Work-item i loads element i of each
/// input array of Cells, executes all steps on them, and stores the destination registers of all steps one
/// after the other, from out[i * outputs] on. Destinations start with the contents of `out`, which shows the
/// bits that an instruction leaves alone. All steps must have the same source types. With `detect`, the
/// destinations of each step are followed by an output with the exceptions that it raised.
std::string instruction_kernel(std::string_view name, const std::vector<Step>& steps, bool detect = false);
/// Returns the number of destination registers of all steps.
size_t output_count(const std::vector<Step>& steps);

/// The header of modules with such kernels.
inline constexpr std::string_view instruction_module = "module &m:1:2:$full:$large:$default;\n";

}  // namespace heddle::testing
