// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes/explicit_addresses.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace heddle::compiler {

namespace {

using Terms = llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4>;

llvm::Value* product(llvm::IRBuilder<>& builder, llvm::Value* index, const llvm::APInt& size) {
  llvm::Value* wide = builder.CreateSExtOrTrunc(index, builder.getIntNTy(size.getBitWidth()));
  if (size.isOne()) return wide;
  return size.isPowerOf2() ? builder.CreateShl(wide, size.logBase2())
                           : builder.CreateMul(wide, builder.getInt(size));
}

// Whether the address is a sum of bytes already, or has no place for one.
bool is_done(const llvm::GetElementPtrInst& address) {
  return address.getType()->isVectorTy() || address.hasAllConstantIndices() ||
         (address.getSourceElementType()->isIntegerTy(8) && address.getNumIndices() == 1 &&
          address.getOperand(1)->getType()->getIntegerBitWidth() ==
              address.getDataLayout().getIndexTypeSizeInBits(address.getType()));
}

bool make_explicit(llvm::GetElementPtrInst& address) {
  const llvm::DataLayout& data = address.getDataLayout();
  const unsigned bits = data.getIndexTypeSizeInBits(address.getType());
  Terms terms;
  llvm::APInt constant(bits, 0);
  if (!llvm::cast<llvm::GEPOperator>(address).collectOffset(data, bits, terms, constant)) return false;
  llvm::IRBuilder<> builder(&address);
  llvm::Value* sum = address.getPointerOperand();
  for (const auto& [index, size] : terms) sum = builder.CreatePtrAdd(sum, product(builder, index, size));
  if (!constant.isZero()) sum = builder.CreatePtrAdd(sum, builder.getInt(constant));
  address.replaceAllUsesWith(sum);
  address.eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses ExplicitAddresses::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::GetElementPtrInst*, 32> addresses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (address != nullptr && !is_done(*address)) addresses.push_back(address);
  }
  bool changed = false;
  for (llvm::GetElementPtrInst* address : addresses) changed |= make_explicit(*address);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace heddle::compiler
