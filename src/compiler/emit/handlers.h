// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The translations of the families of instructions, one file each.
#pragma once

#include "compiler/emit/function_emitter.h"

namespace heddle::compiler {

void emit_binary(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_fneg(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_icmp(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_fcmp(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_cast(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_bitcast(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_address_space_cast(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_gep(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_alloca(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_load(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_store(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_atomic_rmw(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_cmpxchg(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_fence(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_select(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_freeze(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_extract_element(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_insert_element(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_shuffle(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_extract_value(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_insert_value(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_branch(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_switch(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_return(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_unreachable(FunctionEmitter& emitter, const llvm::Instruction& instruction);
void emit_call(FunctionEmitter& emitter, const llvm::Instruction& instruction);

/// Translates a call of an intrinsic of LLVM.
void emit_intrinsic(FunctionEmitter& emitter, const llvm::CallInst& call);
/// Translates a call of "__hsail_MNEMONIC".
void emit_hsail_call(FunctionEmitter& emitter, const llvm::CallInst& call);
/// Reports whether the function gives the samplers that a kernel declares, and translates a call of it.
bool is_sampler_function(const llvm::Function& function);
void emit_sampler(FunctionEmitter& emitter, const llvm::CallInst& call);
/// The beginning of the names of functions that stand for instructions.
inline constexpr llvm::StringLiteral hsail_prefix = "__hsail_";

}  // namespace heddle::compiler
