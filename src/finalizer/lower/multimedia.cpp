// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multimedia instructions on bytes and halves of 32-bit registers (PRM 5.15).
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// The pair src1:src0 shifted right by 0..31 bits; its low half.
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

llvm::Value* element(F& f, llvm::Value* packed, unsigned index, unsigned bits) {
  llvm::Value* shifted = f.ir().CreateLShr(packed, index * bits);
  return bits == 32 ? shifted : f.ir().CreateAnd(shifted, f.i32((1u << bits) - 1));
}

/// (a + b + (c & 1)) >> 1 for each byte, in nine bits.
void lower_lerp(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* sources[3];
  for (unsigned n = 0; n < 3; ++n) sources[n] = f.source(i, n + 1);
  llvm::Value* result = f.i32(0);
  for (unsigned n = 0; n < 4; ++n) {
    llvm::Value* round = ir.CreateAnd(ir.CreateLShr(sources[2], 8 * n), f.i32(1));
    llvm::Value* sum =
        ir.CreateAdd(ir.CreateAdd(element(f, sources[0], n, 8), element(f, sources[1], n, 8)), round);
    result = ir.CreateOr(result, ir.CreateShl(ir.CreateLShr(sum, 1), 8 * n));
  }
  f.set(i, result);
}

/// Sum of the absolute differences of the unsigned elements.
llvm::Value* differences(F& f, llvm::Value* a, llvm::Value* b, unsigned bits) {
  auto& ir = f.ir();
  llvm::Value* sum = f.i32(0);
  for (unsigned n = 0; n < 32 / bits; ++n) {
    llvm::Value *x = element(f, a, n, bits), *y = element(f, b, n, bits);
    llvm::Value* larger = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
    llvm::Value* smaller = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
    sum = ir.CreateAdd(sum, ir.CreateSub(larger, smaller));
  }
  return sum;
}

llvm::Value* source_differences(F& f, const Instruction& i) {
  const unsigned bits = 32 / isa::packed_dimension(i.source_type());
  return differences(f, f.source(i, 1, i.source_type()), f.source(i, 2, i.source_type()), bits);
}

void lower_sad(F& f, const Instruction& i) {
  f.set(i, f.ir().CreateAdd(source_differences(f, i), f.source(i, 3, HSA_BRIG_TYPE_U32)));
}

void lower_sadhi(F& f, const Instruction& i) {
  llvm::Value* high = f.ir().CreateShl(source_differences(f, i), 16);
  f.set(i, f.ir().CreateAdd(high, f.source(i, 3, HSA_BRIG_TYPE_U16X2)));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_BITALIGN, lower_bitalign}, {HSA_BRIG_OPCODE_BYTEALIGN, lower_bytealign},
    {HSA_BRIG_OPCODE_LERP, lower_lerp},         {HSA_BRIG_OPCODE_SAD, lower_sad},
    {HSA_BRIG_OPCODE_SADHI, lower_sadhi},
};

}  // namespace

std::span<const LoweringEntry> multimedia_lowerings() { return entries; }

}  // namespace heddle::finalizer
