// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/sign_bits.h"

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

/// Whether a user takes a number for what it is, whatever the bits of a NaN.
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
  return id != llvm::Intrinsic::fabs && id != llvm::Intrinsic::copysign;
}

/// Returns the pattern with a bit for the sign of each number in a value of so many bits.
uint64_t sign_bits(unsigned bits, unsigned number_bits) {
  uint64_t signs = 0;
  for (unsigned end = number_bits; end <= bits; end += number_bits) signs |= uint64_t{1} << (end - 1);
  return signs;
}

/// Computes the sign of the operation's operand with an instruction that LLVM does not see, because it would
/// make the operation of it again. Null if there is no such instruction for its type.
llvm::Value* computed_on_bits(Instruction& operation) {
  llvm::Type* const type = operation.getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  const char constraint = bits == 16 ? 'h' : bits == 32 ? 'r' : bits == 64 ? 'l' : 0;
  if (constraint == 0) return nullptr;
  llvm::IRBuilder<> ir(&operation);
  auto* const word = ir.getIntNTy(bits);
  const uint64_t signs = sign_bits(bits, type->getScalarSizeInBits());
  const bool negates = sign_of(operation) == Sign::negated;
  const uint64_t all = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  auto* const code = llvm::InlineAsm::get(
      llvm::FunctionType::get(word, {word}, false),
      fmt::format("{}.b{} $0, $1, 0x{:x};", negates ? "xor" : "and", bits, negates ? signs : all & ~signs),
      fmt::format("={0},{0}", constraint), false);
  return ir.CreateBitCast(ir.CreateCall(code, {ir.CreateBitCast(operation.getOperand(0), word)}), type);
}

/// Returns whether the operation's operand is now used in another way than before.
bool keep_bits(Instruction& operation) {
  const auto sees_bits = [](const llvm::Use& use) { return !is_float_operation(*use.getUser()); };
  if (llvm::none_of(operation.uses(), sees_bits)) return false;
  llvm::Value* const exact = computed_on_bits(operation);
  if (!exact) return false;
  operation.replaceUsesWithIf(exact, [&](llvm::Use& use) { return sees_bits(use); });
  if (operation.use_empty()) operation.eraseFromParent();
  return true;
}

}  // namespace

void keep_bits_of_signs(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // An operation whose result another one gets is seen if that one is, so that users come first.
    bool changed = true;
    while (changed) {
      changed = false;
      for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        if (sign_of(instruction) != Sign::other) changed |= keep_bits(instruction);
    }
  }
}

}  // namespace heddle::finalizer::ptx
