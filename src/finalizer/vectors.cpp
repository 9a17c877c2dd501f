// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/vectors.h"

#include <algorithm>
#include <cassert>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Support/MathExtras.h>

namespace heddle::finalizer {
namespace {

using llvm::Value;
using Values = llvm::SmallVector<Value*, 4>;

/// Returns `count` elements of a vector from `first` on. Those beyond its end are poison.
Value* slice(llvm::IRBuilder<>& ir, Value* vector, unsigned first, unsigned count) {
  const unsigned length = element_count(*vector);
  if (first == 0 && count == length) return vector;
  const unsigned there = std::min(count, length - first);
  return ir.CreateShuffleVector(vector, llvm::createSequentialMask(first, there, count - there));
}

}  // namespace

unsigned element_count(const Value& value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  return vector ? vector->getNumElements() : 1;
}

Value* in_pieces(llvm::IRBuilder<>& ir, llvm::ArrayRef<Value*> operands, PieceLengths lengths,
                 OnValues on_piece) {
  assert(llvm::isPowerOf2_32(lengths.least) && llvm::isPowerOf2_32(lengths.most));
  const unsigned length = element_count(*operands.front());
  const auto next_power = static_cast<unsigned>(llvm::PowerOf2Ceil(length));
  const unsigned of_piece = std::clamp(next_power, lengths.least, lengths.most);
  Values results;
  for (unsigned first = 0; first < length; first += of_piece) {
    Values piece;
    for (Value* operand : operands) {
      assert(element_count(*operand) == length);
      piece.push_back(slice(ir, operand, first, of_piece));
    }
    results.push_back(on_piece(piece));
  }
  return slice(ir, llvm::concatenateVectors(ir, results), 0, length);
}

Value* in_elements(llvm::IRBuilder<>& ir, llvm::ArrayRef<Value*> operands, OnValues on_element) {
  if (!operands.front()->getType()->isVectorTy()) return on_element(operands);
  const unsigned length = element_count(*operands.front());
  Value* result = nullptr;
  for (unsigned n = 0; n < length; ++n) {
    Values element;
    for (Value* operand : operands) element.push_back(ir.CreateExtractElement(operand, n));
    Value* computed = on_element(element);
    if (!result) result = llvm::PoisonValue::get(llvm::FixedVectorType::get(computed->getType(), length));
    result = ir.CreateInsertElement(result, computed, n);
  }
  return result;
}

}  // namespace heddle::finalizer
