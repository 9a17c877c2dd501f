// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/lane_masks.h"

#include <algorithm>

namespace heddle::finalizer::spmd {

using llvm::Value;

llvm::FixedVectorType* LaneMasks::type(llvm::LLVMContext& context) const {
  return llvm::FixedVectorType::get(llvm::IntegerType::get(context, has_mask_registers_ ? 1 : 32),
                                    wave_.part_lanes);
}

llvm::FixedVectorType* LaneMasks::kept_type(llvm::Type& kept) const {
  return kept.isIntegerTy(1) ? type(kept.getContext()) : part_type(kept, wave_);
}

Value* LaneMasks::from_bits(llvm::IRBuilderBase& ir, Value* bits) const {
  return has_mask_registers_ ? bits : ir.CreateSExt(bits, type(ir.getContext()));
}

/// Only the sign is looked at, because that is what the instructions take that get the bits.
Value* LaneMasks::bits(llvm::IRBuilderBase& ir, Value* mask) const {
  if (has_mask_registers_) return mask;
  return ir.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
}

Parts LaneMasks::bits(llvm::IRBuilderBase& ir, const Parts& mask) const {
  Parts all;
  for (Value* part : mask) all.push_back(bits(ir, part));
  return all;
}

Value* LaneMasks::splat(llvm::IRBuilderBase& ir, Value* condition) const {
  if (!has_mask_registers_) condition = ir.CreateSExt(condition, ir.getInt32Ty());
  return ir.CreateVectorSplat(wave_.part_lanes, condition);
}

Value* LaneMasks::restricted(llvm::IRBuilderBase& ir, Value* mask, Value* condition) const {
  if (has_mask_registers_)
    return ir.CreateSelect(mask, condition, llvm::Constant::getNullValue(mask->getType()));
  return ir.CreateAnd(mask, ir.CreateFreeze(condition));
}

Value* LaneMasks::any(llvm::IRBuilderBase& ir, const Parts& mask) const {
  Value* joined = mask.front();
  for (Value* part : llvm::drop_begin(mask)) joined = ir.CreateOr(joined, part);
  Value* number = ir.CreateBitCast(bits(ir, joined), ir.getIntNTy(wave_.part_lanes));
  return ir.CreateICmpNE(number, llvm::Constant::getNullValue(number->getType()));
}

Value* LaneMasks::all(llvm::IRBuilderBase& ir, const Parts& mask) const {
  Value* joined = mask.front();
  for (Value* part : llvm::drop_begin(mask)) joined = ir.CreateAnd(joined, part);
  Value* number = ir.CreateBitCast(bits(ir, joined), ir.getIntNTy(wave_.part_lanes));
  return ir.CreateICmpEQ(number, llvm::Constant::getAllOnesValue(number->getType()));
}

Value* LaneMasks::word(llvm::IRBuilderBase& ir, const Parts& mask) const {
  const auto lanes = static_cast<unsigned>(mask.size()) * wave_.part_lanes;
  llvm::Type* type = ir.getIntNTy(std::max(lanes, 32u));
  Value* all = nullptr;
  unsigned shift = 0;
  for (Value* part : mask) {
    Value* number = ir.CreateZExt(ir.CreateBitCast(bits(ir, part), ir.getIntNTy(wave_.part_lanes)), type);
    all = all ? ir.CreateOr(all, ir.CreateShl(number, shift)) : number;
    shift += wave_.part_lanes;
  }
  return all;
}

Value* LaneMasks::first(llvm::IRBuilderBase& ir, const Parts& mask) const {
  Value* number = word(ir, mask);
  return ir.CreateZExtOrTrunc(ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, number, ir.getTrue()),
                              ir.getInt32Ty());
}

Value* LaneMasks::last(llvm::IRBuilderBase& ir, const Parts& mask) const {
  Value* number = word(ir, mask);
  Value* zeros = ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, number, ir.getTrue());
  return ir.CreateSub(ir.getInt32(number->getType()->getIntegerBitWidth() - 1),
                      ir.CreateZExtOrTrunc(zeros, ir.getInt32Ty()));
}

bool is_constant_true(const Parts& mask) {
  return llvm::all_of(mask, [](const Value* part) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(part);
    return constant && constant->isAllOnesValue();
  });
}

}  // namespace heddle::finalizer::spmd
