// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hsail/isa/isa.h"

/// A kernel that applies one instruction to arrays of operands, generated from the instruction tables.
namespace heddle::testing {

/// 16 bytes: what any register holds.
struct Cell {
  uint64_t lo = 0;
  uint64_t hi = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// `prog kernel NAME(kernarg_u64 %out, kernarg_u64 %in0, ...)`: work-item i loads element i of each input array of
/// Cells, executes the instruction, and stores its destination registers to out[i * outputs + k]. Destinations start with
/// what `out` holds, so that bits an instruction leaves alone can be seen.
struct InstructionKernel {
  std::string text;  ///< without module header; the kernel has the name that was asked for
  /// Registers that are sources, in order; elements of vector operands one by one.
  struct Source {
    isa::Type type;
  };
  std::vector<Source> sources;
  std::vector<isa::Type> destinations;
  isa::Mnemonic mnemonic;
};

/// `constants`: text for the operands that must be constants, in order. None (with the reason in `why`) if the instruction
/// has operands other than registers and constants, or does not parse.
std::optional<InstructionKernel> instruction_kernel(std::string_view mnemonic,
                                                    const std::vector<std::string>& constants = {},
                                                    std::string* why = nullptr, std::string_view name = "&test");
/// Header for modules of such kernels.
inline constexpr std::string_view instruction_module = "module &m:1:2:$full:$large:$default;\n";

}  // namespace heddle::testing
