// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cross-lane instructions (PRM 9.4) become opaque calls, because they depend on which lanes are active.
#include "finalizer/lower/facts.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// Calls an operation that depends on the active lanes and marks the call with the instruction's width.
llvm::Value* call_lanes(F& f, const Instruction& i, TargetOperation call,
                        llvm::ArrayRef<llvm::Value*> arguments = {}) {
  llvm::CallInst* value = f.single_call(call, arguments);
  set_width(*value, i[isa::Field::width]);
  return value;
}

llvm::Value* condition(F& f, const Instruction& i) {
  return f.ir().CreateZExt(f.source(i, 1, HSA_BRIG_TYPE_B1), f.ir().getInt32Ty());
}

void lower_activelanecount(F& f, const Instruction& i) {
  f.set(i, call_lanes(f, i, TargetOperation::activelanecount, condition(f, i)));
}
void lower_activelaneid(F& f, const Instruction& i) {
  f.set(i, call_lanes(f, i, TargetOperation::activelaneid));
}

/// Writes the mask of 256 lanes to four registers.
void lower_activelanemask(F& f, const Instruction& i) {
  llvm::Value* truth = condition(f, i);
  uint32_t word = 0;
  for (const brig::Offset destination : brig::elements(f.module(), i.operands[0]))
    f.set(destination, call_lanes(f, i, TargetOperation::activelanemask, {truth, f.i32(word++)}), i.type());
}

/// Permutes words of 64 bits one by one; all of them are read from the same lane.
void lower_activelanepermute(F& f, const Instruction& i) {
  auto& ir = f.ir();
  auto* type = f.bits_type(i.type());
  llvm::Value *value = f.as_bits(f.source(i, 1)), *identity = f.as_bits(f.source(i, 3));
  llvm::Value* lane = f.source(i, 2, HSA_BRIG_TYPE_U32);
  llvm::Value* use_identity = ir.CreateZExt(f.source(i, 4, HSA_BRIG_TYPE_B1), ir.getInt32Ty());
  llvm::Value* result = llvm::ConstantInt::get(type, 0);
  for (unsigned at = 0; at < type->getBitWidth(); at += 64) {
    const auto word = [&](llvm::Value* all) {
      return ir.CreateZExtOrTrunc(ir.CreateLShr(all, at), ir.getInt64Ty());
    };
    llvm::Value* read = call_lanes(f, i, TargetOperation::activelanepermute,
                                   {word(value), lane, word(identity), use_identity});
    result = ir.CreateOr(result, ir.CreateShl(ir.CreateZExtOrTrunc(read, type), at));
  }
  f.set(i, result);
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_ACTIVELANECOUNT, lower_activelanecount},
    {HSA_BRIG_OPCODE_ACTIVELANEID, lower_activelaneid},
    {HSA_BRIG_OPCODE_ACTIVELANEMASK, lower_activelanemask},
    {HSA_BRIG_OPCODE_ACTIVELANEPERMUTE, lower_activelanepermute},
};

}  // namespace

std::span<const LoweringEntry> cross_lane_lowerings() { return entries; }

}  // namespace heddle::finalizer
