// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multimedia instructions on bytes and halves of 32-bit registers (PRM 5.15).
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// Returns the low half of the pair src1:src0 shifted right by 0 to 31 bits.
llvm::Value* align_pair(F& f, const Instruction& i, llvm::Value* amount) {
  return f.ir().CreateIntrinsic(llvm::Intrinsic::fshr, {f.ir().getInt32Ty()},
                                {f.source(i, 2), f.source(i, 1), amount});
}

void lower_bitalign(F& f, const Instruction& i) {
  f.set(i, align_pair(f, i, f.ir().CreateAnd(f.source(i, 3, HSA_BRIG_TYPE_U32), f.i32(31))));
}

void lower_bytealign(F& f, const Instruction& i) {
  llvm::Value* bytes = f.ir().CreateAnd(f.source(i, 3, HSA_BRIG_TYPE_U32), f.i32(3));
  f.set(i, align_pair(f, i, f.ir().CreateShl(bytes, 3)));
}

llvm::Value* extend_elements(F& f, llvm::Value* value, unsigned bits) {
  return f.ir().CreateZExt(value, value->getType()->getWithNewBitWidth(bits));
}

/// Computes (a + b + (c & 1)) >> 1 for each byte. The sum needs nine bits.
void lower_lerp(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* third = f.source(i, 3);
  llvm::Value* round = ir.CreateAnd(third, llvm::ConstantInt::get(third->getType(), 1));
  llvm::Value* sum =
      ir.CreateAdd(extend_elements(f, f.source(i, 1), 16), extend_elements(f, f.source(i, 2), 16));
  sum = ir.CreateAdd(sum, extend_elements(f, round, 16));
  f.set(i, ir.CreateTrunc(ir.CreateLShr(sum, 1), third->getType()));
}

/// Returns the sum of the absolute differences of the unsigned elements.
llvm::Value* source_differences(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value *a = f.source(i, 1, i.source_type()), *b = f.source(i, 2, i.source_type());
  llvm::Value* larger = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
  llvm::Value* smaller = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  llvm::Value* differences = extend_elements(f, ir.CreateSub(larger, smaller), 32);
  return isa::is_packed(i.source_type()) ? ir.CreateAddReduce(differences) : differences;
}

void lower_sad(F& f, const Instruction& i) {
  f.set(i, f.ir().CreateAdd(source_differences(f, i), f.source(i, 3, HSA_BRIG_TYPE_U32)));
}

void lower_sadhi(F& f, const Instruction& i) {
  llvm::Value* high = f.ir().CreateShl(source_differences(f, i), 16);
  f.set(i, f.ir().CreateAdd(high, f.source(i, 3, HSA_BRIG_TYPE_B32)));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_BITALIGN, lower_bitalign}, {HSA_BRIG_OPCODE_BYTEALIGN, lower_bytealign},
    {HSA_BRIG_OPCODE_LERP, lower_lerp},         {HSA_BRIG_OPCODE_SAD, lower_sad},
    {HSA_BRIG_OPCODE_SADHI, lower_sadhi},
};

}  // namespace

std::span<const LoweringEntry> multimedia_lowerings() { return entries; }

}  // namespace heddle::finalizer
