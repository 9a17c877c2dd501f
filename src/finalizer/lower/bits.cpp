// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Individual bits and bit strings (PRM 5.7, 5.8).
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

void lower_and(F& f, const Instruction& i) { f.set(i, f.ir().CreateAnd(f.source(i, 1), f.source(i, 2))); }
void lower_or(F& f, const Instruction& i) { f.set(i, f.ir().CreateOr(f.source(i, 1), f.source(i, 2))); }
void lower_xor(F& f, const Instruction& i) { f.set(i, f.ir().CreateXor(f.source(i, 1), f.source(i, 2))); }
void lower_not(F& f, const Instruction& i) { f.set(i, f.ir().CreateNot(f.source(i, 1))); }

void lower_popcount(F& f, const Instruction& i) {
  llvm::Value* count = f.call(llvm::Intrinsic::ctpop, f.source(i, 1, i.source_type()));
  f.set(i, f.ir().CreateTrunc(count, f.ir().getInt32Ty()));
}

/// Returns the offset or width of a bit field, which counts modulo the size of the type.
llvm::Value* field_operand(F& f, const Instruction& i, unsigned index) {
  auto* type = f.bits_type(i.type());
  llvm::Value* value = f.ir().CreateZExt(f.source(i, index, HSA_BRIG_TYPE_U32), type);
  return f.ir().CreateAnd(value, llvm::ConstantInt::get(type, type->getBitWidth() - 1));
}

/// Returns a mask of the lowest `width` bits.
llvm::Value* ones(F& f, llvm::Value* width) {
  auto& ir = f.ir();
  auto* one = llvm::ConstantInt::get(width->getType(), 1);
  return ir.CreateSub(ir.CreateShl(one, width), one);
}

void lower_bitextract(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* value = f.source(i, 1);
  llvm::Value *offset = field_operand(f, i, 2), *width = field_operand(f, i, 3);
  auto* type = llvm::cast<llvm::IntegerType>(value->getType());
  llvm::Value* field = ir.CreateLShr(value, offset);
  if (!isa::is_signed(i.type())) return f.set(i, ir.CreateAnd(field, ones(f, width)));
  // Moves the field to the top and back to extend its sign; an empty field gives 0.
  auto* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* up =
      ir.CreateAnd(ir.CreateSub(zero, width), llvm::ConstantInt::get(type, type->getBitWidth() - 1));
  field = ir.CreateAShr(ir.CreateShl(field, up), up);
  f.set(i, ir.CreateSelect(ir.CreateICmpEQ(width, zero), zero, field));
}

void lower_bitinsert(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value *offset = field_operand(f, i, 3), *width = field_operand(f, i, 4);
  llvm::Value* mask = ones(f, width);
  llvm::Value* kept = ir.CreateAnd(f.source(i, 1), ir.CreateNot(ir.CreateShl(mask, offset)));
  f.set(i, ir.CreateOr(kept, ir.CreateShl(ir.CreateAnd(f.source(i, 2), mask), offset)));
}

void lower_bitmask(F& f, const Instruction& i) {
  llvm::Value *offset = field_operand(f, i, 1), *width = field_operand(f, i, 2);
  f.set(i, f.ir().CreateShl(ones(f, width), offset));
}

void lower_bitrev(F& f, const Instruction& i) {
  f.set(i, f.call(llvm::Intrinsic::bitreverse, f.source(i, 1)));
}

void lower_bitselect(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* mask = f.source(i, 1);
  f.set(i, ir.CreateOr(ir.CreateAnd(f.source(i, 2), mask), ir.CreateAnd(f.source(i, 3), ir.CreateNot(mask))));
}

/// Gives the position, counted from the top, of the first one or, for signed types, of the first bit that
/// differs from the sign; -1 if there is none.
void lower_firstbit(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* value = f.source(i, 1, i.source_type());
  auto* type = llvm::cast<llvm::IntegerType>(value->getType());
  if (isa::is_signed(i.source_type()))
    value = ir.CreateXor(value, ir.CreateAShr(value, llvm::ConstantInt::get(type, type->getBitWidth() - 1)));
  llvm::Value* zeros = ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, ir.getFalse());
  zeros = ir.CreateTrunc(zeros, ir.getInt32Ty());
  f.set(i,
        ir.CreateSelect(ir.CreateICmpEQ(value, llvm::ConstantInt::get(type, 0)), f.i32(UINT32_MAX), zeros));
}

void lower_lastbit(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* value = f.source(i, 1, i.source_type());
  llvm::Value* zeros = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, value, ir.getFalse());
  zeros = ir.CreateTrunc(zeros, ir.getInt32Ty());
  auto* none = ir.CreateICmpEQ(value, llvm::ConstantInt::get(value->getType(), 0));
  f.set(i, ir.CreateSelect(none, f.i32(UINT32_MAX), zeros));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_AND, lower_and},
    {HSA_BRIG_OPCODE_OR, lower_or},
    {HSA_BRIG_OPCODE_XOR, lower_xor},
    {HSA_BRIG_OPCODE_NOT, lower_not},
    {HSA_BRIG_OPCODE_POPCOUNT, lower_popcount},
    {HSA_BRIG_OPCODE_BITEXTRACT, lower_bitextract},
    {HSA_BRIG_OPCODE_BITINSERT, lower_bitinsert},
    {HSA_BRIG_OPCODE_BITMASK, lower_bitmask},
    {HSA_BRIG_OPCODE_BITREV, lower_bitrev},
    {HSA_BRIG_OPCODE_BITSELECT, lower_bitselect},
    {HSA_BRIG_OPCODE_FIRSTBIT, lower_firstbit},
    {HSA_BRIG_OPCODE_LASTBIT, lower_lastbit},
};

}  // namespace

std::span<const LoweringEntry> bit_lowerings() { return entries; }

}  // namespace heddle::finalizer
