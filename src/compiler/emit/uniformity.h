// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace heddle::compiler {

/// Which values are the same in all work-items of a work-group, whenever these compute them: what follows
/// from constants, the arguments of the kernel and the work-group alone, without phis. Such values are the
/// same however the work-items branch, so that what this says is certain; it finds less than an analysis of
/// control flow would, which finalizers have anyway.
class Uniformity {
 public:
  bool is_uniform(const llvm::Value& value);

 private:
  bool compute(const llvm::Instruction& instruction);

  llvm::DenseMap<const llvm::Value*, bool> known_;
};

/// Whether nothing writes what the load reads during a dispatch.
bool reads_constant_memory(const llvm::LoadInst& load);

}  // namespace heddle::compiler
