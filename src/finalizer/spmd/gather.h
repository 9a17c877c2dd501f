// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads from an address of each lane.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Loads elements of 32 or 64 bits from the addresses of all lanes. LLVM has gathers for machines with mask
/// registers only; for AVX2 it makes branches of them, and so this creates the instructions of the machine.
class Gather {
 public:
  Gather(Widening& widening, const llvm::Value& address, llvm::Type& element, llvm::Align align);

  /// Loads from the addresses of a part, plus an offset in bytes, in the lanes of a mask. `note` gets each
  /// instruction that accesses memory.
  llvm::Value* load(unsigned part, llvm::Value* mask, unsigned offset,
                    llvm::function_ref<void(llvm::Instruction&)> note);

 private:
  /// Addresses as the machine takes them: a base, and for each lane an index, with a factor.
  struct Addresses {
    llvm::Value* base = nullptr;
    Parts indices;  ///< i32 (with a sign) or i64
    unsigned scale = 1;
  };
  Addresses split(const llvm::Value& address);
  Parts indices_of(const llvm::Value& index);
  Addresses split_strided(const llvm::Value& address, int64_t stride);
  llvm::Value* avx2(llvm::Value* base, unsigned part, llvm::Value* mask,
                    llvm::function_ref<void(llvm::Instruction&)> note);

  Widening& w_;
  llvm::IRBuilder<>& ir_;
  llvm::Type& element_;
  const llvm::Align align_;
  Addresses addresses_;  ///< for AVX2
  Parts pointers_;       ///< otherwise
};

}  // namespace heddle::finalizer::spmd
