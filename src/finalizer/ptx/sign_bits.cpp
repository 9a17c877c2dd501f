// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/sign_bits.h"

#include <cassert>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::Instruction;

enum class Sign { other, negated, absolute };

Sign sign_of(const Instruction& operation) {
  if (operation.getOpcode() == Instruction::FNeg) return Sign::negated;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&operation);
  return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::fabs ? Sign::absolute : Sign::other;
}

/// Whether the result of a user does not depend on the bits of a NaN.
bool is_float_operation(const llvm::User& user) {
  switch (llvm::Operator::getOpcode(&user)) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FCmp:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return true;
    default:
      break;
  }
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  if (!intrinsic) return false;
  const auto id = intrinsic->getIntrinsicID();
  // These hand the bits of a NaN on, or look at them.
  return id != llvm::Intrinsic::fabs && id != llvm::Intrinsic::copysign && id != llvm::Intrinsic::is_fpclass;
}

/// Returns the pattern with a bit for the sign of each number in a value of so many bits.
uint64_t sign_bits(unsigned bits, unsigned number_bits) {
  uint64_t signs = 0;
  for (unsigned end = number_bits; end <= bits; end += number_bits) signs |= uint64_t{1} << (end - 1);
  return signs;
}

/// Computes the sign of a value of 16, 32 or 64 bits with a bitwise instruction in inline assembly, because
/// LLVM would turn IR for it back into the operation.
llvm::Value* computed_on_word(llvm::IRBuilder<>& ir, llvm::Value* value, Sign sign) {
  llvm::Type* const type = value->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  auto* const word = ir.getIntNTy(bits);
  const uint64_t signs = sign_bits(bits, type->getScalarSizeInBits());
  const bool negates = sign == Sign::negated;
  const uint64_t all = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  auto* const code = llvm::InlineAsm::get(
      llvm::FunctionType::get(word, {word}, false),
      fmt::format("{}.b{} $0, $1, 0x{:x};", negates ? "xor" : "and", bits, negates ? signs : all & ~signs),
      fmt::format("={0},{0}", bits == 16   ? 'h'
                              : bits == 32 ? 'r'
                                           : 'l'),
      false);
  return ir.CreateBitCast(ir.CreateCall(code, {ir.CreateBitCast(value, word)}), type);
}

/// The same for a value of any type.
llvm::Value* computed_on_bits(Instruction& operation) {
  llvm::IRBuilder<> ir(&operation);
  llvm::Value* const value = operation.getOperand(0);
  const Sign sign = sign_of(operation);
  const uint64_t bits = value->getType()->getPrimitiveSizeInBits().getFixedValue();
  if (bits == 16 || bits == 32 || bits == 64) return computed_on_word(ir, value, sign);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  assert(vector && "HSAIL has no other floating-point types");
  llvm::Value* result = llvm::PoisonValue::get(value->getType());
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    result = ir.CreateInsertElement(result, computed_on_word(ir, ir.CreateExtractElement(value, i), sign), i);
  return result;
}

/// Replaces the uses of the operation that see the bits of its result. Returns whether there were any,
/// because another operation on a sign whose result this one takes is then seen, too.
bool keep_bits(Instruction& operation) {
  const auto sees_bits = [](const llvm::Use& use) { return !is_float_operation(*use.getUser()); };
  if (llvm::none_of(operation.uses(), sees_bits)) return false;
  llvm::Value* const exact = computed_on_bits(operation);
  operation.replaceUsesWithIf(exact, [&](llvm::Use& use) { return sees_bits(use); });
  if (operation.use_empty()) operation.eraseFromParent();
  return true;
}

}  // namespace

void keep_bits_of_signs(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // Replacing an operation makes the bits of its operand visible, so this repeats until nothing changes.
    bool changed = true;
    while (changed) {
      changed = false;
      for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        if (sign_of(instruction) != Sign::other) changed |= keep_bits(instruction);
    }
  }
}

}  // namespace heddle::finalizer::ptx
