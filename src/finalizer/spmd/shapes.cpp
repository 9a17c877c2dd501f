// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

Shape Shape::strided(int64_t stride, uint64_t alignment) {
  return stride == 0 ? uniform(alignment) : Shape{Kind::strided, stride, alignment};
}

Shape Shapes::of(const llvm::Value& value) const {
  const auto found = shapes_.find(&value);
  return found == shapes_.end() ? Shape::uniform() : found->second;
}

bool Shapes::is_divergent(const llvm::BasicBlock& block) const {
  const llvm::Instruction* end = block.getTerminator();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
    return branch->isConditional() && !is_uniform(*branch->getCondition());
  if (const auto* many = llvm::dyn_cast<llvm::SwitchInst>(end)) return !is_uniform(*many->getCondition());
  return false;
}

}  // namespace heddle::finalizer::spmd
