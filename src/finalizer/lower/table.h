// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function lowers which instruction. Each family of instructions is a file that fills its part of the
// table.
#pragma once

#include <array>

#include <hsa/hsa_brig_opcodes.h>

#include "finalizer/lower/function_lowering.h"

namespace heddle::finalizer {

using Lowering = void (*)(FunctionLowering&, const Instruction&);

struct LoweringEntry {
  unsigned opcode;
  Lowering lower;
};

std::span<const LoweringEntry> integer_lowerings();
std::span<const LoweringEntry> bit_lowerings();
std::span<const LoweringEntry> packed_lowerings();
std::span<const LoweringEntry> cross_lane_lowerings();
std::span<const LoweringEntry> move_lowerings();
std::span<const LoweringEntry> floating_lowerings();
std::span<const LoweringEntry> native_lowerings();
std::span<const LoweringEntry> multimedia_lowerings();
std::span<const LoweringEntry> compare_lowerings();
std::span<const LoweringEntry> convert_lowerings();
std::span<const LoweringEntry> memory_lowerings();
std::span<const LoweringEntry> atomic_lowerings();
std::span<const LoweringEntry> exception_lowerings();
std::span<const LoweringEntry> fbarrier_lowerings();
std::span<const LoweringEntry> signal_lowerings();
std::span<const LoweringEntry> image_lowerings();
std::span<const LoweringEntry> address_lowerings();
std::span<const LoweringEntry> control_lowerings();
std::span<const LoweringEntry> function_lowerings();
std::span<const LoweringEntry> special_lowerings();

/// An instruction on packed values that does the same to each element (PRM 4.14). The lowering of the scalar
/// form lowers it too: it is given vectors and types of elements.
bool is_elementwise(const Instruction& instruction);
void lower_packed(FunctionLowering& f, const Instruction& instruction, Lowering scalar);

/// Null for an instruction that the finalizer does not compile.
Lowering lowering_of(unsigned opcode);

}  // namespace heddle::finalizer
