// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/group_offsets.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <cassert>
#include <optional>

namespace heddle::finalizer::x86 {
namespace {

using llvm::GetElementPtrInst;
using llvm::Value;

/// A constant may be this far from 0: with it, no address inside of a group segment, which has fewer than
/// 2^31 - 2^20 bytes, comes from a number that wraps around when it is extended as a signed one.
constexpr int64_t farthest = int64_t{1} << 20;

/// What a group address adds to the pointer to the segment.
struct Offset {
  Value* variable;
  int64_t constant;
};

/// Returns the parts of the offset of a group address, if it has a part to fold.
std::optional<Offset> offset_of(const GetElementPtrInst& address, unsigned address_space) {
  using namespace llvm::PatternMatch;
  if (address.getPointerAddressSpace() != address_space || address.getNumIndices() != 1 ||
      !address.getSourceElementType()->isIntegerTy(8))
    return std::nullopt;
  Value* variable = nullptr;
  const llvm::APInt* constant = nullptr;
  if (!match(address.getOperand(1), m_ZExt(m_Add(m_Value(variable), m_APInt(constant)))) ||
      !variable->getType()->isIntegerTy(32) || llvm::isa<llvm::Constant>(variable))
    return std::nullopt;
  const int64_t value = constant->getSExtValue();
  if (value < -farthest || value > farthest) return std::nullopt;
  return Offset{variable, value};
}

/// The extended numbers of a function: one for each, where all that use the number can see it.
class Extensions {
 public:
  explicit Extensions(llvm::Function& function) : function_(function) {}

  Value* of(Value* number) {
    Value*& extended = extended_[number];
    if (!extended) {
      llvm::IRBuilder<> builder(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
      if (auto* made = llvm::dyn_cast<llvm::Instruction>(number)) {
        const auto behind = made->getInsertionPointAfterDef();
        assert(behind && "a number is not made by the last instruction of a block");
        builder.SetInsertPoint(*behind);
      }
      extended = builder.CreateSExt(number, builder.getInt64Ty());
    }
    return extended;
  }

 private:
  llvm::Function& function_;
  llvm::DenseMap<Value*, Value*> extended_;
};

}  // namespace

bool fold_group_offsets(llvm::Function& function, unsigned address_space) {
  Extensions extensions(function);
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* address = llvm::dyn_cast<GetElementPtrInst>(&instruction);
    const auto offset = address ? offset_of(*address, address_space) : std::nullopt;
    if (!offset) continue;
    llvm::IRBuilder<> builder(address);
    Value* variable = builder.CreatePtrAdd(address->getPointerOperand(), extensions.of(offset->variable));
    address->replaceAllUsesWith(builder.CreatePtrAdd(variable, builder.getInt64(offset->constant)));
    auto* index = llvm::cast<llvm::Instruction>(address->getOperand(1));
    address->eraseFromParent();
    if (index->use_empty()) index->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace heddle::finalizer::x86
