// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/parts.h"
#include "finalizer/x86/floating.h"

namespace heddle::finalizer::x86 {

/// Replaces every target operation of the module by code for x86-64. The first argument of each function that
/// contains one is its Context. `wave_of` says for which waves a function is.
void lower_target_operations(llvm::Module& module, const FloatTarget& target,
                             llvm::function_ref<spmd::WaveShape(const llvm::Function&)> wave_of);

/// The attribute of functions that become part of a coroutine, which is suspended at barriers (coroutine.h).
inline constexpr llvm::StringLiteral suspends_at_barriers = "hsail-suspends-at-barriers";

/// Returns the word of the data section with this name and adds it if it does not exist. The loader fills the
/// word by a relocation. Its name is one of the prefixes below and the number of the symbol whose address it
/// holds.
llvm::GlobalVariable& data_word(llvm::Module& module, llvm::StringRef name);

inline constexpr llvm::StringLiteral variable_word = "hsail.variable.";
inline constexpr llvm::StringLiteral kernel_word = "hsail.kernel.";
inline constexpr llvm::StringLiteral function_word = "hsail.function.";

// The lowerings of other files. They return the value that replaces the call, and leave the call in place.
llvm::Value* lower_atomic(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_memfence(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_f16_to_f32(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level);
llvm::Value* lower_f32_to_f16(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level);
llvm::Value* lower_native(llvm::IRBuilder<>& ir, llvm::CallInst& call);

}  // namespace heddle::finalizer::x86
