// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "compiler/emit/function_emitter.h"

namespace heddle::compiler {

/// What a handler of intrinsics gets: the call, and what its row in the table says.
struct IntrinsicRow;
using IntrinsicHandler = void (*)(FunctionEmitter&, const llvm::CallInst&, const IntrinsicRow&);

struct IntrinsicRow {
  llvm::Intrinsic::ID id;
  IntrinsicHandler handler;
  std::string_view stem = {};  // of an instruction
  uint64_t number = 0;         // a predicate, a dimension, a property: what the handler takes
};

/// The tables of the families, one file each.
llvm::ArrayRef<IntrinsicRow> integer_intrinsics();
llvm::ArrayRef<IntrinsicRow> real_intrinsics();
llvm::ArrayRef<IntrinsicRow> amdgcn_intrinsics();
llvm::ArrayRef<IntrinsicRow> other_intrinsics();

}  // namespace heddle::compiler
