// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that says which function lowers which instruction. Each family of instructions is a file that
// fills its part of the table.
#pragma once

#include <array>

#include <hsa/hsa_brig_opcodes.h>

#include "finalizer/lower/function_lowering.h"
#include "hsail/brig/event_trigger.h"

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

/// Reports whether the instruction does the same to each element of packed values (PRM 4.14). lower_packed()
/// then lowers it by the lowering of its scalar form, to which it gives vectors and the types of elements.
bool is_elementwise(const Instruction& instruction);
void lower_packed(FunctionLowering& f, const Instruction& instruction, Lowering scalar);

/// Returns the work-item flattened absolute ID (PRM 11.1), an i64.
llvm::Value* flat_absolute_id(FunctionLowering& f);

/// Lowers a pragma that triggers a profile event (PRM 13.4.2.1.1).
void lower_event_trigger(FunctionLowering& f, const brig::EventTrigger& trigger);

/// Returns null for an instruction that the finalizer does not compile.
Lowering lowering_of(unsigned opcode);

}  // namespace heddle::finalizer
