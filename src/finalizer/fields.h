// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Accesses fields of a struct in memory by their offsets.
class Fields {
 public:
  Fields(llvm::IRBuilder<>& ir, llvm::Value* base) : ir_(ir), base_(base) {}

  llvm::Value* pointer(uint64_t offset) const {
    return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base_, offset);
  }
  llvm::LoadInst* load(llvm::Type* type, uint64_t offset) const {
    return ir_.CreateLoad(type, pointer(offset));
  }
  llvm::LoadInst* load_i32(uint64_t offset) const { return load(ir_.getInt32Ty(), offset); }
  llvm::LoadInst* load_i64(uint64_t offset) const { return load(ir_.getInt64Ty(), offset); }
  llvm::LoadInst* load_pointer(uint64_t offset) const { return load(ir_.getPtrTy(), offset); }
  void store(llvm::Value* value, uint64_t offset) const { ir_.CreateStore(value, pointer(offset)); }

 private:
  llvm::IRBuilder<>& ir_;
  llvm::Value* base_;
};

/// Marks a load from memory that nobody writes while the code runs.
inline llvm::LoadInst* unchanging(llvm::LoadInst* load) {
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
  return load;
}

}  // namespace heddle::finalizer
