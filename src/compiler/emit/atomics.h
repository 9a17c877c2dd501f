// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/emit/function_emitter.h"

namespace heddle::compiler {

/// Whether a volatile access is one that HSAIL can do as a relaxed atomic operation, which keeps it as it is.
bool volatile_is_atomic(FunctionEmitter& emitter, llvm::Type& type, const Address& address,
                        llvm::Align align);

/// Atomic or volatile accesses. Volatile ones are relaxed and have system scope.
void emit_atomic_load(FunctionEmitter& emitter, const llvm::LoadInst& load, const Address& address);
void emit_atomic_store(FunctionEmitter& emitter, const llvm::StoreInst& store, const Address& address);

}  // namespace heddle::compiler
