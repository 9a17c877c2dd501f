// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a part of a wave keeps one truth value for each lane.
#pragma once

#include "finalizer/spmd/parts.h"

namespace heddle::finalizer::spmd {

/// A mask, and any truth value that differs between lanes, is kept as a vector with one element for each
/// lane. On machines with registers for masks the elements are i1. On others they are i32 that are 0 or -1,
/// because there LLVM keeps a vector of i1 that lives across blocks in a form that each use has to convert.
///
/// `bits` are vectors of i1, which is what LLVM's instructions make and take. They do not leave a block.
class LaneMasks {
 public:
  LaneMasks(const WaveShape& wave, bool has_mask_registers)
      : wave_(wave), has_mask_registers_(has_mask_registers) {}

  /// Returns the type of a part of a mask.
  llvm::FixedVectorType* type(llvm::LLVMContext& context) const;
  /// Returns the type of a part of a value that differs between lanes, as it is kept across blocks: that of a
  /// mask for an i1, and otherwise part_type().
  llvm::FixedVectorType* kept_type(llvm::Type& type) const;

  llvm::Value* from_bits(llvm::IRBuilderBase& ir, llvm::Value* bits) const;
  llvm::Value* bits(llvm::IRBuilderBase& ir, llvm::Value* mask) const;
  Parts bits(llvm::IRBuilderBase& ir, const Parts& mask) const;
  /// Returns a part of a mask that has the same value in all lanes.
  llvm::Value* splat(llvm::IRBuilderBase& ir, llvm::Value* condition) const;

  /// Returns the lanes of `mask` for which `condition`, which may be poison in the others, is true.
  llvm::Value* restricted(llvm::IRBuilderBase& ir, llvm::Value* mask, llvm::Value* condition) const;

  /// Returns an i1: whether any lane, or all of them, are in the mask.
  llvm::Value* any(llvm::IRBuilderBase& ir, const Parts& mask) const;
  llvm::Value* all(llvm::IRBuilderBase& ir, const Parts& mask) const;

  /// Returns an integer in which bit i tells of lane i. It has 32 bits, or 64 if the parts have more lanes.
  llvm::Value* word(llvm::IRBuilderBase& ir, const Parts& mask) const;
  /// Returns the number, as i32, of the first or last lane in a mask that is not empty.
  llvm::Value* first(llvm::IRBuilderBase& ir, const Parts& mask) const;
  llvm::Value* last(llvm::IRBuilderBase& ir, const Parts& mask) const;

 private:
  const WaveShape wave_;
  const bool has_mask_registers_;
};

/// Reports whether a mask is the constant that has all lanes.
bool is_constant_true(const Parts& mask);

}  // namespace heddle::finalizer::spmd
