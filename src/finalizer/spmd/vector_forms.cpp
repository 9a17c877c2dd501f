// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/vector_forms.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Type;
using llvm::Value;

/// Computes the result with twice as many bits, too: if that is another number, the operation overflows.
void expand(llvm::WithOverflowInst& operation) {
  llvm::IRBuilder<> ir(&operation);
  Type* narrow = operation.getLHS()->getType();
  Type* wide = narrow->getExtendedType();
  const auto extend = [&](Value* value) {
    return operation.isSigned() ? ir.CreateSExt(value, wide) : ir.CreateZExt(value, wide);
  };
  Value* exact =
      ir.CreateBinOp(operation.getBinaryOp(), extend(operation.getLHS()), extend(operation.getRHS()));
  Value* result = ir.CreateTrunc(exact, narrow);
  Value* overflows = ir.CreateICmpNE(extend(result), exact);
  for (llvm::User* user : llvm::make_early_inc_range(operation.users())) {
    auto* element = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (!element) continue;
    element->replaceAllUsesWith(element->getIndices().front() == 0 ? result : overflows);
    element->eraseFromParent();
  }
  if (operation.use_empty()) operation.eraseFromParent();
}

bool is_vector_of_bits(const Type& type) { return type.isVectorTy() && type.getScalarType()->isIntegerTy(1); }

Type* integer_like(const Type& bits) {
  return Type::getIntNTy(bits.getContext(),
                         static_cast<unsigned>(bits.getPrimitiveSizeInBits().getFixedValue()));
}

void make_integer(llvm::LoadInst& load) {
  llvm::IRBuilder<> ir(&load);
  auto* integer = ir.CreateAlignedLoad(integer_like(*load.getType()), load.getPointerOperand(),
                                       load.getAlign(), load.isVolatile());
  integer->copyMetadata(load);
  load.replaceAllUsesWith(ir.CreateBitCast(integer, load.getType()));
  load.eraseFromParent();
}

void make_integer(llvm::StoreInst& store) {
  llvm::IRBuilder<> ir(&store);
  Value* bits = store.getValueOperand();
  auto* integer = ir.CreateAlignedStore(ir.CreateBitCast(bits, integer_like(*bits->getType())),
                                        store.getPointerOperand(), store.getAlign(), store.isVolatile());
  integer->copyMetadata(store);
  store.eraseFromParent();
}

}  // namespace

void restore_vector_forms(llvm::Function& function) {
  llvm::SmallVector<llvm::WithOverflowInst*, 4> operations;
  llvm::SmallVector<llvm::LoadInst*, 4> loads;
  llvm::SmallVector<llvm::StoreInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (auto* operation = llvm::dyn_cast<llvm::WithOverflowInst>(&instruction))
      operations.push_back(operation);
    if (load && is_vector_of_bits(*load->getType())) loads.push_back(load);
    if (store && is_vector_of_bits(*store->getValueOperand()->getType())) stores.push_back(store);
  }
  for (llvm::WithOverflowInst* operation : operations) expand(*operation);
  for (llvm::LoadInst* load : loads) make_integer(*load);
  for (llvm::StoreInst* store : stores) make_integer(*store);
}

}  // namespace heddle::finalizer::spmd
