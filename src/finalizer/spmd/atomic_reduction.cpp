// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/atomic_reduction.h"

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_types.h>
#include <llvm/Analysis/VectorUtils.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::APInt;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

/// How operands are combined into one.
struct Combination {
  Intrinsic::ID reduction;  ///< of the elements of a vector
  APInt neutral;            ///< what changes nothing
};

std::optional<Combination> combination(uint64_t operation, bool is_signed, unsigned bits) {
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return Combination{Intrinsic::vector_reduce_add, APInt::getZero(bits)};
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return Combination{Intrinsic::vector_reduce_and, APInt::getAllOnes(bits)};
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return Combination{Intrinsic::vector_reduce_or, APInt::getZero(bits)};
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return Combination{Intrinsic::vector_reduce_xor, APInt::getZero(bits)};
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      if (is_signed) return Combination{Intrinsic::vector_reduce_smin, APInt::getSignedMaxValue(bits)};
      return Combination{Intrinsic::vector_reduce_umin, APInt::getMaxValue(bits)};
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      if (is_signed) return Combination{Intrinsic::vector_reduce_smax, APInt::getSignedMinValue(bits)};
      return Combination{Intrinsic::vector_reduce_umax, APInt::getZero(bits)};
    default:
      return std::nullopt;
  }
}

/// Returns the operands of the active lanes, and in the other lanes what changes nothing.
Parts active_operands(Widening& w, const llvm::CallInst& call, const Value& operand, const APInt& neutral) {
  auto& ir = w.ir();
  const Parts bits = w.masks().bits(ir, w.mask_of(call));
  Parts parts = w.parts(operand);
  for (unsigned p = 0; p < parts.size(); ++p)
    parts[p] = ir.CreateSelect(bits[p], parts[p], llvm::ConstantInt::get(parts[p]->getType(), neutral));
  return parts;
}

/// Combines all elements of all parts.
Value* combined(llvm::IRBuilder<>& ir, const Parts& parts, Intrinsic::ID reduction) {
  Value* longest = llvm::concatenateVectors(ir, parts);
  return ir.CreateIntrinsic(longest->getType()->getScalarType(), reduction, {longest});
}

/// Returns for each lane the sum of the lanes before it, including itself.
Parts running_sums(llvm::IRBuilder<>& ir, Parts parts, unsigned lanes) {
  Value* before = nullptr;
  for (Value*& part : parts) {
    Value* zero = llvm::Constant::getNullValue(part->getType());
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      llvm::SmallVector<int, 16> places;  // zeros come from the second vector
      for (unsigned lane = 0; lane < lanes; ++lane)
        places.push_back(static_cast<int>(lane < distance ? lanes + lane : lane - distance));
      part = ir.CreateAdd(part, ir.CreateShuffleVector(part, zero, places));
    }
    if (before) part = ir.CreateAdd(part, ir.CreateVectorSplat(lanes, before));
    before = ir.CreateExtractElement(part, uint64_t{lanes - 1});
  }
  return parts;
}

}  // namespace

bool widen_as_reduction(Widening& w, const llvm::CallInst& call) {
  constexpr unsigned address_at = 4, operand_at = 5;
  const uint64_t operation = constant_argument(call, 0);
  const uint64_t type = constant_argument(call, 1);
  const bool is_signed = type >= HSA_BRIG_TYPE_S8 && type <= HSA_BRIG_TYPE_S64;
  const bool is_sum =
      operation == HSA_BRIG_ATOMIC_OPERATION_ADD || operation == HSA_BRIG_ATOMIC_OPERATION_SUB;
  const auto how = combination(operation, is_signed, call.getType()->getIntegerBitWidth());
  if (!how || !w.is_uniform(*call.getArgOperand(address_at)) || (!call.use_empty() && !is_sum)) return false;
  auto& ir = w.ir();
  const Parts operands = active_operands(w, call, *call.getArgOperand(operand_at), how->neutral);
  const unsigned lanes = w.wave().part_lanes;
  const Parts sums = call.use_empty() ? Parts() : running_sums(ir, operands, lanes);
  Value* all = sums.empty() ? combined(ir, operands, how->reduction)
                            : ir.CreateExtractElement(sums.back(), uint64_t{lanes - 1});
  auto* made = llvm::cast<llvm::CallInst>(call.clone());
  made->setArgOperand(address_at, w.scalar(*call.getArgOperand(address_at)));
  made->setArgOperand(operand_at, all);
  made->setArgOperand(operand_at + 1, llvm::Constant::getNullValue(all->getType()));
  ir.Insert(made);
  if (sums.empty()) return true;
  // A lane finds what those before it have left, without its own operand.
  Parts results;
  for (unsigned p = 0; p < sums.size(); ++p) {
    Value* others = ir.CreateSub(sums[p], operands[p]);
    Value* old = ir.CreateVectorSplat(lanes, made);
    results.push_back(operation == HSA_BRIG_ATOMIC_OPERATION_ADD ? ir.CreateAdd(old, others)
                                                                 : ir.CreateSub(old, others));
  }
  w.set_parts(call, results);
  return true;
}

}  // namespace heddle::finalizer::spmd
