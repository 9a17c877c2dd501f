// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/gather.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "finalizer/spmd/access_places.h"
#include "finalizer/spmd/bounds.h"

namespace heddle::finalizer::spmd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Gather::Gather(Widening& widening, const Value& address, llvm::Type& element, llvm::Align align)
    : w_(widening), ir_(widening.ir()), element_(element), align_(align) {
  if (w_.has_mask_registers())
    pointers_ = w_.parts(address);
  else
    addresses_ = split(address);
}

/// Returns the indices with as few bits as they need: gathers take twice as many indices of 32 bits at a
/// time, which they extend with their sign.
Parts Gather::indices_of(const Value& index) {
  const auto* extension = llvm::dyn_cast<llvm::SExtInst>(&index);
  const bool is_extended = extension && extension->getSrcTy()->getScalarSizeInBits() <= 32;
  Parts parts = w_.parts(index);
  if (!is_extended && upper_bound(index) > INT32_MAX) return parts;
  for (Value*& part : parts)
    part = ir_.CreateTrunc(part, llvm::FixedVectorType::get(ir_.getInt32Ty(), w_.wave().part_lanes));
  return parts;
}

/// Splits an address with a stride into that of lane 0 and constant distances, which have 32 bits unless the
/// stride is so long that they might not fit.
Gather::Addresses Gather::split_strided(const Value& address, int64_t stride) {
  Addresses result = {w_.scalar(address), {}, 1};
  const bool is_short = llvm::isInt<24>(stride);
  for (unsigned p = 0; p < w_.wave().parts(); ++p)
    result.indices.push_back(
        lane_multiples(*ir_.getIntNTy(is_short ? 32 : 64), p * w_.wave().part_lanes, stride, w_.wave()));
  return result;
}

Gather::Addresses Gather::split(const Value& address) {
  if (const Shape shape = w_.shape(address); shape.is_strided()) return split_strided(address, shape.stride);
  const auto* offset = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
  if (offset && offset->getNumIndices() == 1 && w_.is_uniform(*offset->getPointerOperand())) {
    const Value& index = *offset->getOperand(1);
    const auto size = w_.layout().getTypeAllocSize(offset->getSourceElementType()).getFixedValue();
    const bool is_scale = size == 1 || size == 2 || size == 4 || size == 8;
    if (is_scale && index.getType()->isIntegerTy(64))
      return {w_.scalar(*offset->getPointerOperand()), indices_of(index), static_cast<unsigned>(size)};
  }
  Addresses result = {llvm::ConstantPointerNull::get(ir_.getPtrTy()), {}, 1};
  auto* type = llvm::FixedVectorType::get(ir_.getInt64Ty(), w_.wave().part_lanes);
  for (Value* part : w_.parts(address)) result.indices.push_back(ir_.CreatePtrToInt(part, type));
  return result;
}

Value* Gather::load(unsigned part, Value* mask, unsigned offset,
                    llvm::function_ref<void(llvm::Instruction&)> note) {
  if (!w_.has_mask_registers()) {
    Value* base = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), addresses_.base, offset);
    // The instruction takes an address in memory as the machine has it, not one of a segment.
    base = ir_.CreateAddrSpaceCast(base, ir_.getPtrTy());
    return avx2(base, part, mask, note);
  }
  const unsigned lanes = w_.wave().part_lanes;
  Value* pointers = pointers_[part];
  if (offset != 0) pointers = ir_.CreateGEP(ir_.getInt8Ty(), pointers, ir_.getInt64(offset));
  auto* made = ir_.CreateMaskedGather(llvm::FixedVectorType::get(&element_, lanes), pointers,
                                      llvm::commonAlignment(align_, offset), w_.masks().bits(ir_, mask));
  note(*made);
  note_elements(*made, part * lanes, lanes);
  return made;
}

/// Chooses the instruction by the bits of an element and of an index.
static Intrinsic::ID avx2_gather(bool has_long_elements, bool has_long_indices) {
  if (has_long_elements)
    return has_long_indices ? Intrinsic::x86_avx2_gather_q_q_256 : Intrinsic::x86_avx2_gather_d_q_256;
  return has_long_indices ? Intrinsic::x86_avx2_gather_q_d_256 : Intrinsic::x86_avx2_gather_d_d_256;
}

/// Gathers as many lanes at a time as a register has elements, or indices. A part with fewer lanes than that
/// is made longer with lanes that are not active.
Value* Gather::avx2(Value* base, unsigned part, Value* mask,
                    llvm::function_ref<void(llvm::Instruction&)> note) {
  const auto bits = static_cast<unsigned>(w_.layout().getTypeSizeInBits(&element_).getFixedValue());
  Value* indices = addresses_.indices[part];
  const bool long_elements = bits == 64;
  const bool long_indices = indices->getType()->getScalarSizeInBits() == 64;
  const unsigned lanes = w_.wave().part_lanes, step = long_elements || long_indices ? 4 : 8;
  auto* type = llvm::FixedVectorType::get(ir_.getIntNTy(bits), step);
  Value* none = llvm::Constant::getNullValue(type);
  mask = ir_.CreateSExt(w_.masks().bits(ir_, mask), llvm::FixedVectorType::get(ir_.getIntNTy(bits), lanes));
  const auto run = [&](Value* vector, unsigned first) {
    const unsigned count = std::min(step, lanes - first);
    vector = create_slice(ir_, vector, first, count);
    if (count == step) return vector;
    llvm::SmallVector<int, 8> places = llvm::createSequentialMask(0, step, 0);
    for (unsigned i = count; i < step; ++i) places[i] = static_cast<int>(count);
    return ir_.CreateShuffleVector(vector, llvm::Constant::getNullValue(vector->getType()), places);
  };
  llvm::SmallVector<Value*, 4> pieces;
  for (unsigned first = 0; first < lanes; first += step) {
    auto* made = ir_.CreateIntrinsic(avx2_gather(long_elements, long_indices), {},
                                     {none, base, run(indices, first), run(mask, first),
                                      ir_.getInt8(static_cast<uint8_t>(addresses_.scale))});
    note(*made);
    note_elements(*made, part * lanes + first, std::min(step, lanes - first));
    pieces.push_back(create_slice(ir_, made, 0, std::min(step, lanes - first)));
  }
  Value* all = llvm::concatenateVectors(ir_, pieces);
  auto* result = llvm::FixedVectorType::get(&element_, lanes);
  return element_.isPointerTy() ? ir_.CreateIntToPtr(all, result) : ir_.CreateBitCast(all, result);
}

}  // namespace heddle::finalizer::spmd
