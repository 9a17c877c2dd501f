// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/ptx/places.h"

namespace heddle::finalizer::ptx {

/// Replaces every target operation of the module by code for NVPTX, except those that depend on active lanes,
/// which track_active_lanes() has replaced before. The first argument of each function that contains one is
/// its Context. Adds the lines of those that may trap to `places`.
void lower_target_operations(llvm::Module& module, Places& places);

// The lowerings of other files. They return the value that replaces the call, and leave the call in place.
llvm::Value* lower_arithmetic(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_narrow(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_flush(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_min_max(llvm::IRBuilder<>& ir, llvm::CallInst& call, bool max);
llvm::Value* lower_native(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_f16_to_f32(llvm::IRBuilder<>& ir, llvm::CallInst& call);
llvm::Value* lower_f32_to_f16(llvm::IRBuilder<>& ir, llvm::CallInst& call);
/// `hidden` is the address of ptx_kernel::Hidden.
llvm::Value* lower_atomic(llvm::IRBuilder<>& ir, llvm::CallInst& call, llvm::Value* hidden);
/// Lets operations of the scopes of agents and smaller ones ask the host, too, if the module has any of
/// system scope: in memory of the host, what the host does for the latter is not atomic with what the GPU
/// does.
void let_atomics_ask_host(llvm::Module& module);
/// Reports whether an atomic operation may have to be carried out by the host.
bool may_ask_host(const llvm::CallInst& call);
llvm::Value* lower_memfence(llvm::IRBuilder<>& ir, llvm::CallInst& call);

/// Replaces each llvm.canonicalize, for which the code generator has no instruction.
void lower_canonicalize(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
