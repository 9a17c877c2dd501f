// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/shapes.h"

#include <algorithm>

namespace heddle::finalizer::spmd {

Shape Shape::strided(int64_t stride, uint64_t alignment) {
  return stride == 0 ? uniform(alignment) : Shape{Kind::strided, stride, alignment};
}

Shape join(const Shape& a, const Shape& b) {
  if (a.is_bottom()) return b;
  if (b.is_bottom()) return a;
  if (a.is_varying() || a.kind != b.kind || a.stride != b.stride) return Shape::varying();
  return {a.kind, a.stride, std::min(a.alignment, b.alignment), a.no_wrap && b.no_wrap};
}

/// Returns the largest power of two that divides a constant, as far as it is known.
static uint64_t alignment_of(const llvm::Value& value) {
  if (llvm::isa<llvm::ConstantPointerNull>(value)) return uint64_t{1} << 63;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value);
  if (!number) return 1;
  return uint64_t{1} << (number->isZero() ? 63 : std::min(number->getValue().countr_zero(), 63u));
}

Shape Shapes::of(const llvm::Value& value) const {
  const auto found = shapes_.find(&value);
  return found == shapes_.end() ? Shape::uniform(alignment_of(value)) : found->second;
}

bool Shapes::is_divergent(const llvm::BasicBlock& block) const {
  const llvm::Instruction* end = block.getTerminator();
  if (is_promised(*end)) return false;
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
    return branch->isConditional() && !is_uniform(*branch->getCondition());
  if (const auto* many = llvm::dyn_cast<llvm::SwitchInst>(end)) return !is_uniform(*many->getCondition());
  return false;
}

void Shapes::erase(const llvm::Value& value) {
  shapes_.erase(&value);
  guarded_.erase(&value);
  if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value)) promised_.erase(instruction);
  if (const auto* block = llvm::dyn_cast<llvm::BasicBlock>(&value)) partial_.erase(block);
}

const GuardedShape* Shapes::guarded(const llvm::Value& value) const {
  const auto found = guarded_.find(&value);
  return found == guarded_.end() ? nullptr : &found->second;
}

}  // namespace heddle::finalizer::spmd
