// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

namespace heddle::compiler {

/// The equivalence classes (PRM 6.1.4) of the accesses of a kernel. What a kernel reaches through an argument
/// that is noalias in IR, `restrict` in OpenCL C and HIP, is a class of its own, apart from what it reaches
/// through other such arguments.
class Equivalence {
 public:
  explicit Equivalence(const llvm::Function& function);

  /// Returns the class of accesses through a pointer; 0, which may overlap with each other one, if it may
  /// point to anything.
  unsigned class_of(const llvm::Value& pointer) const;

 private:
  llvm::DenseMap<const llvm::Value*, unsigned> classes_;  // of arguments
};

}  // namespace heddle::compiler
