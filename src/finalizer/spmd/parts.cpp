// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>

namespace heddle::finalizer::spmd {

using llvm::FixedVectorType;
using llvm::Type;
using llvm::Value;

unsigned elements_of(const Type& type) {
  const auto* vector = llvm::dyn_cast<FixedVectorType>(&type);
  return vector ? vector->getNumElements() : 1;
}

FixedVectorType* part_type(Type& type, const WaveShape& wave) {
  return FixedVectorType::get(type.getScalarType(), wave.part_lanes * elements_of(type));
}

Value* create_splat(llvm::IRBuilderBase& ir, Value* value, const WaveShape& wave) {
  const unsigned elements = elements_of(*value->getType());
  if (!value->getType()->isVectorTy()) return ir.CreateVectorSplat(wave.part_lanes, value);
  llvm::SmallVector<int, 64> places;
  for (unsigned i = 0; i < wave.part_lanes * elements; ++i) places.push_back(static_cast<int>(i % elements));
  return ir.CreateShuffleVector(value, places);
}

llvm::Constant* lane_multiples(llvm::IntegerType& type, unsigned first_lane, int64_t factor,
                               const WaveShape& wave) {
  llvm::SmallVector<llvm::Constant*, 16> lanes;
  for (unsigned lane = first_lane; lane < first_lane + wave.part_lanes; ++lane) {
    const llvm::APInt product = llvm::APInt(64, lane) * llvm::APInt(64, static_cast<uint64_t>(factor));
    lanes.push_back(llvm::ConstantInt::get(type.getContext(), product.sextOrTrunc(type.getBitWidth())));
  }
  return llvm::ConstantVector::get(lanes);
}

Value* create_repeated(llvm::IRBuilderBase& ir, Value* vector, unsigned count) {
  if (count == 1) return vector;
  return ir.CreateShuffleVector(vector, llvm::createReplicatedMask(count, elements_of(*vector->getType())));
}

Value* create_slice(llvm::IRBuilderBase& ir, Value* vector, unsigned first, unsigned count) {
  if (first == 0 && count == elements_of(*vector->getType())) return vector;
  return ir.CreateShuffleVector(vector, llvm::createSequentialMask(first, count, 0));
}

Value* extract_lane(llvm::IRBuilderBase& ir, Value* part, unsigned lane, Type& type) {
  if (!type.isVectorTy()) return ir.CreateExtractElement(part, lane);
  const unsigned elements = elements_of(type);
  // A vector of one element is a type of its own.
  return ir.CreateShuffleVector(part, llvm::createSequentialMask(lane * elements, elements, 0));
}

Value* insert_lane(llvm::IRBuilderBase& ir, Value* part, unsigned lane, Value* value) {
  if (!value->getType()->isVectorTy()) return ir.CreateInsertElement(part, value, lane);
  const unsigned elements = elements_of(*value->getType());
  for (unsigned i = 0; i < elements; ++i)
    part = ir.CreateInsertElement(part, ir.CreateExtractElement(value, i), lane * elements + i);
  return part;
}

}  // namespace heddle::finalizer::spmd
