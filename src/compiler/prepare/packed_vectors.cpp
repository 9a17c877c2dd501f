// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/packed_vectors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace heddle::compiler {

namespace {

bool is_packed(const llvm::Type& type, const llvm::DataLayout& data) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector != nullptr && data.getTypeSizeInBits(vector->getElementType()).getFixedValue() % 8 != 0;
}

// The integers with as many bits as the vector has, and as its bytes in memory have.
struct Integers {
  llvm::Type* bits;
  llvm::Type* bytes;
};

Integers integers_for(llvm::Type* vector, const llvm::DataLayout& data) {
  llvm::LLVMContext& context = vector->getContext();
  const auto bits = static_cast<unsigned>(data.getTypeSizeInBits(vector).getFixedValue());
  const auto bytes = static_cast<unsigned>(data.getTypeStoreSizeInBits(vector).getFixedValue());
  return {llvm::IntegerType::get(context, bits), llvm::IntegerType::get(context, bytes)};
}

void expand(llvm::LoadInst& load) {
  llvm::IRBuilder<> builder(&load);
  const Integers integers = integers_for(load.getType(), load.getDataLayout());
  llvm::LoadInst* whole =
      builder.CreateAlignedLoad(integers.bytes, load.getPointerOperand(), load.getAlign(), load.isVolatile());
  whole->copyMetadata(load, {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal});
  load.replaceAllUsesWith(builder.CreateBitCast(builder.CreateTrunc(whole, integers.bits), load.getType()));
  load.eraseFromParent();
}

void expand(llvm::StoreInst& store) {
  llvm::IRBuilder<> builder(&store);
  llvm::Value* vector = store.getValueOperand();
  const Integers integers = integers_for(vector->getType(), store.getDataLayout());
  llvm::Value* whole = builder.CreateZExt(builder.CreateBitCast(vector, integers.bits), integers.bytes);
  llvm::StoreInst* made =
      builder.CreateAlignedStore(whole, store.getPointerOperand(), store.getAlign(), store.isVolatile());
  made->copyMetadata(store, {llvm::LLVMContext::MD_nontemporal});
  store.eraseFromParent();
}

}  // namespace

void expand_packed_accesses(llvm::Function& function) {
  const llvm::DataLayout& data = function.getDataLayout();
  llvm::SmallVector<llvm::LoadInst*, 4> loads;
  llvm::SmallVector<llvm::StoreInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (is_packed(*load->getType(), data)) loads.push_back(load);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (is_packed(*store->getValueOperand()->getType(), data)) stores.push_back(store);
    }
  }
  for (llvm::LoadInst* load : loads) expand(*load);
  for (llvm::StoreInst* store : stores) expand(*store);
}

}  // namespace heddle::compiler
