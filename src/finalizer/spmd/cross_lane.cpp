// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/cross_lane.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::CallInst;
using llvm::Value;

/// Sets a result that is the same in all lanes.
void set_uniform(Widening& w, const CallInst& call, Value* result) {
  if (!w.is_varying(call)) return w.set_scalar(call, result);
  w.set_parts(call, Parts(w.wave().parts(), create_splat(w.ir(), result, w.wave())));
}

void laneid(Widening& w, const CallInst& call) {
  if (!w.is_varying(call)) return w.set_scalar(call, w.ir().getInt32(0));  // of lane 0
  Parts parts;
  for (unsigned p = 0; p < w.wave().parts(); ++p)
    parts.push_back(lane_multiples(*w.ir().getInt32Ty(), p * w.wave().part_lanes, 1, w.wave()));
  w.set_parts(call, parts);
}

/// Returns the active lanes in which a condition, an i32, is not 0.
Parts active_with(Widening& w, const CallInst& call, const Value& condition) {
  auto& ir = w.ir();
  Parts mask = w.mask_of(call);
  const Parts numbers = w.parts(condition);
  for (unsigned p = 0; p < mask.size(); ++p) {
    Value* is_true = ir.CreateICmpNE(numbers[p], llvm::Constant::getNullValue(numbers[p]->getType()));
    mask[p] = w.masks().restricted(ir, mask[p], w.masks().from_bits(ir, is_true));
  }
  return mask;
}

void activelanecount(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  Value* word = w.masks().word(ir, active_with(w, call, *call.getArgOperand(0)));
  set_uniform(w, call,
              ir.CreateZExtOrTrunc(ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word), ir.getInt32Ty()));
}

void activelanemask(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  if (constant_argument(call, 1) != 0) return set_uniform(w, call, ir.getInt64(0));  // no such lanes
  Value* word = w.masks().word(ir, active_with(w, call, *call.getArgOperand(0)));
  set_uniform(w, call, ir.CreateZExt(word, ir.getInt64Ty()));
}

/// Returns a vector that has `value(lane)` for each lane of a part.
llvm::Constant* for_lanes(const WaveShape& wave, unsigned part,
                          llvm::function_ref<llvm::Constant*(unsigned)> value) {
  llvm::SmallVector<llvm::Constant*, 16> lanes;
  for (unsigned i = 0; i < wave.part_lanes; ++i) lanes.push_back(value(part * wave.part_lanes + i));
  return llvm::ConstantVector::get(lanes);
}

/// Counts for each lane the active lanes before it.
void activelaneid(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  Value* word = w.masks().word(ir, w.mask_of(call));
  const unsigned bits = word->getType()->getIntegerBitWidth();
  Value* words = create_splat(ir, word, w.wave());
  Parts parts;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    Value* before =
        ir.CreateAnd(words, for_lanes(w.wave(), p, [&](unsigned lane) {
                       return llvm::ConstantInt::get(ir.getContext(), llvm::APInt::getLowBitsSet(bits, lane));
                     }));
    Value* count = ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, before);
    parts.push_back(ir.CreateTrunc(count, llvm::FixedVectorType::get(ir.getInt32Ty(), w.wave().part_lanes)));
  }
  w.set_parts(call, parts);
}

/// Returns for each lane what the lane with the number `from`, which is one of the wave, has. Goes through
/// memory.
Parts load_lanes(Widening& w, const Parts& values, const Parts& from) {
  auto& ir = w.ir();
  const unsigned lanes = w.wave().part_lanes;
  const LaneMemory::Array array(w.memory(), *ir.getInt64Ty());
  array.store(ir, values);
  Parts result(w.wave().parts(), llvm::PoisonValue::get(part_type(*ir.getInt64Ty(), w.wave())));
  for (unsigned lane = 0; lane < w.wave().lanes; ++lane) {
    Value*& part = result[lane / lanes];
    Value* number = ir.CreateExtractElement(from[lane / lanes], lane % lanes);
    part = ir.CreateInsertElement(part, array.load_lane(ir, number), lane % lanes);
  }
  return result;
}

/// Returns a vector that has element `from[i]` of another one for each i. LLVM knows the instructions that do
/// this with elements of 32 bits by this form.
Value* create_permuted(llvm::IRBuilderBase& ir, Value* vector, Value* from) {
  const auto& type = *llvm::cast<llvm::FixedVectorType>(vector->getType());
  Value* result = llvm::PoisonValue::get(vector->getType());
  for (uint64_t i = 0; i < type.getNumElements(); ++i) {
    Value* element = ir.CreateExtractElement(vector, ir.CreateExtractElement(from, i));
    result = ir.CreateInsertElement(result, element, i);
  }
  return result;
}

/// Does the same as load_lanes() with permutations of the parts. The values have 32 bits.
Parts permute_lanes(Widening& w, const Parts& values, const Parts& from) {
  auto& ir = w.ir();
  const auto number = [&](unsigned n) { return llvm::ConstantInt::get(from.front()->getType(), n); };
  const unsigned lanes = w.wave().part_lanes;
  Parts results;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    Value* element = ir.CreateAnd(from[p], number(lanes - 1));
    Value* part = ir.CreateLShr(from[p], number(llvm::Log2_32(lanes)));
    Value* result = create_permuted(ir, values[0], element);
    for (unsigned other = 1; other < w.wave().parts(); ++other)
      result = ir.CreateSelect(ir.CreateICmpEQ(part, number(other)),
                               create_permuted(ir, values[other], element), result);
    results.push_back(result);
  }
  return results;
}

/// Reports whether permutations of the parts, each with each, are fewer instructions than loads.
bool has_fast_permutations(const WaveShape& wave, unsigned words) {
  return wave.part_lanes >= 4 && words * wave.parts() * wave.parts() <= wave.lanes / 2;
}

/// Returns for each lane what `value`, a number of 64 bits, is in the lane with the number `from`.
Parts read_lanes(Widening& w, const Value& value, const Parts& from) {
  auto& ir = w.ir();
  llvm::Type* wide = part_type(*ir.getInt64Ty(), w.wave());
  llvm::Type* narrow = part_type(*ir.getInt32Ty(), w.wave());
  const auto* extended = llvm::dyn_cast<llvm::ZExtInst>(&value);
  const bool is_word = extended && extended->getSrcTy()->isIntegerTy(32);
  if (!has_fast_permutations(w.wave(), is_word ? 1 : 2)) return load_lanes(w, w.parts(value), from);
  const Parts parts = w.parts(is_word ? *extended->getOperand(0) : value);
  Parts low, high, results;
  for (Value* part : parts) {
    low.push_back(ir.CreateTrunc(part, narrow));
    if (!is_word) high.push_back(ir.CreateTrunc(ir.CreateLShr(part, 32), narrow));
  }
  for (Value* part : permute_lanes(w, low, from)) results.push_back(ir.CreateZExt(part, wide));
  if (is_word) return results;
  const Parts upper = permute_lanes(w, high, from);
  for (unsigned p = 0; p < upper.size(); ++p)
    results[p] = ir.CreateOr(results[p], ir.CreateShl(ir.CreateZExt(upper[p], wide), 32));
  return results;
}

/// Gives each lane the value of another lane: its identity if that lane is not active, or if it asks for
/// that.
void activelanepermute(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  const Parts mask = w.mask_of(call), active = w.masks().bits(ir, mask);
  const Parts numbers = w.parts(*call.getArgOperand(1)), identities = w.parts(*call.getArgOperand(2));
  const Parts choices = w.parts(*call.getArgOperand(3));
  Value* word = w.masks().word(ir, mask);
  Parts from;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    Value* none = llvm::Constant::getNullValue(numbers[p]->getType());
    Value* number =
        ir.CreateAnd(numbers[p], llvm::ConstantInt::get(numbers[p]->getType(), w.wave().lanes - 1));
    from.push_back(ir.CreateSelect(active[p], number, none));
  }
  Parts results = read_lanes(w, *call.getArgOperand(0), from);
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    Value* words = create_splat(ir, word, w.wave());
    Value* bit = ir.CreateTrunc(ir.CreateLShr(words, ir.CreateZExt(from[p], words->getType())),
                                llvm::FixedVectorType::get(ir.getInt1Ty(), w.wave().part_lanes));
    Value* is_asked = ir.CreateICmpNE(choices[p], llvm::Constant::getNullValue(choices[p]->getType()));
    Value* is_identity = ir.CreateOr(ir.CreateNot(bit), is_asked);
    results[p] = ir.CreateSelect(is_identity, identities[p], results[p]);
  }
  w.set_parts(call, results);
}

}  // namespace

void widen_cross_lane(Widening& w, const CallInst& call, TargetOperation operation) {
  switch (operation) {
    case TargetOperation::laneid:
      return laneid(w, call);
    case TargetOperation::activelanecount:
      return activelanecount(w, call);
    case TargetOperation::activelaneid:
      return activelaneid(w, call);
    case TargetOperation::activelanemask:
      return activelanemask(w, call);
    case TargetOperation::activelanepermute:
      return activelanepermute(w, call);
    default:
      llvm_unreachable("no operation on lanes");
  }
}

}  // namespace heddle::finalizer::spmd
