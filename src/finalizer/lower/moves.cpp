// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and conditional moves (PRM 5.9, 5.11).
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

void lower_mov(F& f, const Instruction& i) { f.set(i, f.source(i, 1)); }

/// Element 0 of the list is the least significant.
void lower_combine(F& f, const Instruction& i) {
  auto& ir = f.ir();
  auto* type = f.bits_type(i.type());
  const unsigned element = isa::bit_size(i.source_type());
  llvm::Value* all = llvm::ConstantInt::get(type, 0);
  unsigned at = 0;
  for (const brig::Offset operand : brig::elements(f.module(), i.operands[1])) {
    llvm::Value* bits = ir.CreateZExt(f.source(operand, i.source_type()), type);
    all = ir.CreateOr(all, ir.CreateShl(bits, at));
    at += element;
  }
  f.set(i, all);
}

void lower_expand(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* all = f.source(i, 1, i.source_type());
  const unsigned element = isa::bit_size(i.type());
  unsigned at = 0;
  for (const brig::Offset destination : brig::elements(f.module(), i.operands[0])) {
    f.set(destination, ir.CreateTrunc(ir.CreateLShr(all, at), f.bits_type(i.type())), i.type());
    at += element;
  }
}

/// The condition of a packed cmov is an unsigned packed value; an element that is not 0 is true.
void lower_cmov(F& f, const Instruction& i) {
  llvm::Value* condition = i.packed ? i.packed->sources[1] : f.source(i, 1, HSA_BRIG_TYPE_B1);
  condition = f.ir().CreateICmpNE(condition, llvm::ConstantInt::get(condition->getType(), 0));
  f.set(i, f.ir().CreateSelect(condition, f.as_bits(f.source(i, 2)), f.as_bits(f.source(i, 3))));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_MOV, lower_mov},
    {HSA_BRIG_OPCODE_COMBINE, lower_combine},
    {HSA_BRIG_OPCODE_EXPAND, lower_expand},
    {HSA_BRIG_OPCODE_CMOV, lower_cmov},
};

}  // namespace

std::span<const LoweringEntry> move_lowerings() { return entries; }

}  // namespace heddle::finalizer
