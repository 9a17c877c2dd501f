// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/bounds.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <llvm/Support/MathExtras.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Operands are looked at up to this depth. Indices of arrays are rarely computed in more steps.
constexpr unsigned deepest = 6;

uint64_t bound(const Value& value, unsigned depth);

/// Returns the largest number with as many bits as `number` has.
uint64_t all_bits(uint64_t number) {
  return llvm::maskTrailingOnes<uint64_t>(static_cast<unsigned>(std::bit_width(number)));
}

uint64_t bound_of_operator(const llvm::BinaryOperator& operation, uint64_t limit, unsigned depth) {
  const uint64_t a = bound(*operation.getOperand(0), depth), b = bound(*operation.getOperand(1), depth);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  const uint64_t amount = constant ? constant->getZExtValue() : 0;
  bool overflow = false;
  uint64_t result = limit;
  switch (operation.getOpcode()) {
    case Instruction::Add:
      result = llvm::SaturatingAdd(a, b, &overflow);
      break;
    case Instruction::Mul:
      result = llvm::SaturatingMultiply(a, b, &overflow);
      break;
    case Instruction::Shl:
      overflow = !constant || amount >= 64 || a > UINT64_MAX >> amount;
      result = overflow ? limit : a << amount;
      break;
    case Instruction::And:
      return std::min(a, b);
    case Instruction::Or:
    case Instruction::Xor:
      return all_bits(a | b);
    case Instruction::LShr:
      return amount < 64 ? a >> amount : a;
    case Instruction::UDiv:
      return amount != 0 ? a / amount : a;
    case Instruction::URem:
      return amount != 0 ? std::min(a, amount - 1) : std::min(a, b);
    default:
      break;
  }
  return overflow || result > limit ? limit : result;
}

uint64_t bound_of_call(const llvm::CallInst& call, uint64_t limit, unsigned depth) {
  constexpr uint64_t largest_group_side = UINT16_MAX;  // fields of the dispatch packet (hsa.h)
  constexpr uint64_t largest_lane = 255;               // waves have at most 256 lanes (PRM 2.6.2)
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->getIntrinsicID() != llvm::Intrinsic::umin) return limit;
    return std::min(bound(*call.getArgOperand(0), depth), bound(*call.getArgOperand(1), depth));
  }
  const llvm::Function* callee = call.getCalledFunction();
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  if (!operation) return limit;
  switch (*operation) {
    case TargetOperation::workitemid:
      return largest_group_side - 1;
    case TargetOperation::workgroupsize:
    case TargetOperation::currentworkgroupsize:
      return largest_group_side;
    case TargetOperation::laneid:
      return largest_lane;
    case TargetOperation::wavesize:
    case TargetOperation::activelanecount:
      return largest_lane + 1;
    default:
      return limit;
  }
}

uint64_t bound(const Value& value, unsigned depth) {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  if (bits > 64) return UINT64_MAX;
  const uint64_t limit = llvm::maxUIntN(bits);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) return number->getZExtValue();
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || depth == deepest) return limit;
  const auto of = [&](unsigned operand) { return bound(*instruction->getOperand(operand), depth + 1); };
  switch (instruction->getOpcode()) {
    case Instruction::ZExt:
      return of(0);
    case Instruction::Trunc:
      return std::min(of(0), limit);
    case Instruction::Select:
      return std::max(of(1), of(2));
    case Instruction::Call:
      return bound_of_call(llvm::cast<llvm::CallInst>(*instruction), limit, depth + 1);
    default:
      break;
  }
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
    return bound_of_operator(*operation, limit, depth + 1);
  return limit;
}

}  // namespace

uint64_t upper_bound(const Value& value) {
  assert(value.getType()->isIntegerTy() && value.getType()->getIntegerBitWidth() <= 64);
  return bound(value, 0);
}

}  // namespace heddle::finalizer::spmd
