// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widening.h"

#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/lane_by_lane.h"
#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {

using llvm::Instruction;
using llvm::Value;

Widening::Widening(const SpmdFunction& state, const WidenRequest& request, WideFunction& result)
    : state_(state),
      wave_(request.wave),
      request_(request),
      masks_(request.wave, request.machine.has_mask_registers),
      result_(result),
      ir_(state.function.getContext()),
      memory_(*result.function, request.wave),
      guarded_(state, request.wave.lanes) {
  assert(wave_.is_valid());
}

void Widening::refuse(const Instruction& instruction, const llvm::Twine& why) {
  if (refusal_) return;
  refusal_.emplace();
  llvm::raw_string_ostream out(refusal_->message);
  out << why << ":" << instruction;
}

void Widening::note_costly(const Instruction& instruction, CostlyOperation::Kind kind) {
  switch (kind) {
    case CostlyOperation::Kind::gather:
      ++result_.gathers;
      break;
    case CostlyOperation::Kind::scatter:
      ++result_.scatters;
      break;
    case CostlyOperation::Kind::lane_by_lane:
      ++result_.lane_loops;
      break;
  }
  if (request_.explains) result_.costly.push_back(describe(*this, instruction, kind));
}

// ---- operands

Value* Widening::scalar(const Value& value) const {
  assert(!is_varying(value) && "each lane has a value of its own");
  const auto found = values_.find(&value);
  if (found != values_.end()) return found->second.scalar;
  assert((llvm::isa<llvm::Constant, llvm::MetadataAsValue, llvm::InlineAsm>(value)) &&
         "a value is used before it is computed");
  return const_cast<Value*>(&value);
}

Value* Widening::agreed(const Value& value, const Instruction& user) {
  if (!is_varying(value) && shape(value).is_uniform()) return scalar(value);
  return extract_lane(ir_, memory_, parts(value), masks_.first(ir_, mask_of(user)), *value.getType());
}

/// Creates the parts of a value that is kept as a scalar right behind the scalar, so that they are computed
/// once, and outside of loops in which the scalar does not change.
void Widening::materialise(Wide& wide, const Value& value) {
  const Shape shape = this->shape(value);
  Value* scalar = this->scalar(value);
  const llvm::IRBuilderBase::InsertPointGuard guard(ir_);
  if (auto* made = llvm::dyn_cast<Instruction>(scalar)) {
    const bool is_phi = llvm::isa<llvm::PHINode>(made);
    ir_.SetInsertPoint(made->getParent(),
                       is_phi ? made->getParent()->getFirstInsertionPt() : std::next(made->getIterator()));
  } else {
    llvm::BasicBlock& entry = result_.function->getEntryBlock();
    ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  }
  if (value.getType()->isIntegerTy(1)) {
    wide.parts.assign(wave_.parts(), masks_.splat(ir_, scalar));
    return;
  }
  Value* splat = create_splat(ir_, scalar, wave_);
  for (unsigned p = 0; p < wave_.parts(); ++p) {
    const auto offsets = [&](llvm::Type* type) {
      return lane_multiples(*llvm::cast<llvm::IntegerType>(type), p * wave_.part_lanes, shape.stride, wave_);
    };
    if (shape.is_uniform())
      wide.parts.push_back(splat);
    else if (value.getType()->isPointerTy())
      wide.parts.push_back(
          ir_.CreateGEP(ir_.getInt8Ty(), scalar, offsets(layout().getIndexType(value.getType()))));
    else
      wide.parts.push_back(ir_.CreateAdd(splat, offsets(value.getType())));
  }
}

/// Returns the parts of a value; masks for an i1.
Parts& Widening::materialised(const Value& value) {
  Wide& wide = values_[&value];
  if (llvm::isa<llvm::Constant>(value)) wide.scalar = const_cast<Value*>(&value);
  if (wide.parts.empty()) materialise(wide, value);
  return wide.parts;
}

Parts Widening::mask(const Value& value) {
  assert(value.getType()->isIntegerTy(1));
  return materialised(value);
}

Parts Widening::parts(const Value& value) {
  if (!value.getType()->isIntegerTy(1)) return materialised(value);
  if (is_uniform(value)) return Parts(wave_.parts(), create_splat(ir_, scalar(value), wave_));
  const Parts mask = materialised(value);
  Wide& wide = values_[&value];
  if (wide.bits_block != ir_.GetInsertBlock()) {
    wide.bits = masks_.bits(ir_, mask);
    wide.bits_block = ir_.GetInsertBlock();
  }
  return wide.bits;
}

Parts Widening::mask_of(const Instruction& instruction) {
  const Value* mask = state_.masks.of(instruction);
  assert(mask && "each block of a linearised function has a mask");
  return this->mask(*mask);
}

/// A mask that is uniform has all lanes or none, and none do not execute what is not speculatable.
bool Widening::has_all_lanes(const Instruction& instruction) const {
  assert(!is_speculatable(instruction));
  return is_uniform(*state_.masks.of(instruction));
}

Value* Widening::test(const GuardedShape& guarded) {
  Value* all = nullptr;
  for (const Instruction* guard : guarded.guards) {
    const Assumption assumption = assumption_about_guard(*guard, state_.shapes, wave_.lanes);
    Value* strided = value_of_lane(*assumption.strided, nullptr);
    Value* uniform = assumption.uniform ? value_of_lane(*assumption.uniform, nullptr) : nullptr;
    Value* one = create_test(ir_, *guard, assumption, strided, uniform, wave_.lanes);
    all = all ? ir_.CreateAnd(all, one) : one;
  }
  return all;
}

/// Returns what a lane has in a value that is not varying.
Value* Widening::lane_of(const Value& value, Value* lane) {
  Value* base = scalar(value);
  if (is_uniform(value)) return base;
  llvm::Type* type =
      base->getType()->isPointerTy() ? layout().getIndexType(base->getType()) : base->getType();
  const llvm::APInt stride(64, static_cast<uint64_t>(shape(value).stride));
  Value* offset = ir_.CreateMul(ir_.CreateZExtOrTrunc(lane, type),
                                llvm::ConstantInt::get(type, stride.sextOrTrunc(type->getIntegerBitWidth())));
  return base->getType()->isPointerTy() ? ir_.CreatePtrAdd(base, offset) : ir_.CreateAdd(base, offset);
}

Value* Widening::value_of_lane(const Value& value, Value* lane) {
  if (!is_varying(value)) return lane ? lane_of(value, lane) : scalar(value);
  Instruction* copy = llvm::cast<Instruction>(value).clone();
  copy->dropPoisonGeneratingAnnotations();
  for (llvm::Use& use : copy->operands()) use.set(value_of_lane(*use.get(), lane));
  return ir_.Insert(copy);
}

// ---- results

void Widening::set_parts(const Instruction& instruction, const Parts& parts) {
  const Shape shape = this->shape(instruction);
  if (shape.is_uniform()) {
    Value* lane = masks_.first(ir_, mask_of(instruction));
    return set_scalar(instruction, extract_lane(ir_, memory_, parts, lane, *instruction.getType()));
  }
  if (shape.is_strided())
    return set_scalar(instruction, extract_lane(ir_, parts.front(), 0, *instruction.getType()));
  if (!instruction.getType()->isIntegerTy(1)) return set_vectors(instruction, parts);
  Parts mask;
  for (Value* part : parts) mask.push_back(masks_.from_bits(ir_, part));
  Wide& wide = values_[&instruction];
  wide = {nullptr, mask, parts, ir_.GetInsertBlock()};
}

void Widening::set_mask(const Value& value, Parts mask) {
  assert(is_varying(value) && value.getType()->isIntegerTy(1));
  values_[&value] = {nullptr, std::move(mask), {}, nullptr};
}

// ---- instructions

/// The promises of an instruction's flags hold for the lanes that execute it. Lane 0, for which strided
/// values are computed, need not be one of them.
Instruction* Widening::create_scalar(const Instruction& instruction) {
  Instruction* copy = instruction.clone();
  const bool is_of_wave = is_uniform(instruction) || instruction.getType()->isVoidTy();
  bool is_of_active = is_of_wave;
  for (llvm::Use& use : copy->operands()) {
    const Value& value = *use.get();
    if (llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue>(value)) continue;
    is_of_active &= is_uniform(value);
    if (!is_varying(value))
      use.set(scalar(value));
    else
      use.set(is_of_wave ? agreed(value, instruction)
                         : extract_lane(ir_, parts(value).front(), 0, *value.getType()));
  }
  if (!is_of_active) copy->dropPoisonGeneratingAnnotations();
  ir_.Insert(copy);
  if (!copy->getType()->isVoidTy()) set_scalar(instruction, copy);
  return copy;
}

void Widening::create_for_all_lanes(const Instruction& instruction) {
  assert(is_speculatable(instruction) && "inactive lanes execute it, too");
  llvm::SmallVector<Parts, 4> operands;
  for (const Value* value : instruction.operands())
    operands.push_back(is_uniform(*value) ? Parts() : parts(*value));
  Parts results(wave_.parts(), llvm::PoisonValue::get(part_type(*instruction.getType(), wave_)));
  for (unsigned lane = 0; lane < wave_.lanes; ++lane) {
    Instruction* copy = instruction.clone();
    for (unsigned i = 0; i < operands.size(); ++i) {
      const Value& value = *instruction.getOperand(i);
      copy->setOperand(i, operands[i].empty() ? scalar(value)
                                              : extract_lane(ir_, operands[i][lane / wave_.part_lanes],
                                                             lane % wave_.part_lanes, *value.getType()));
    }
    Value*& part = results[lane / wave_.part_lanes];
    part = insert_lane(ir_, part, lane % wave_.part_lanes, ir_.Insert(copy));
  }
  set_parts(instruction, results);
}

bool Widening::create_for_lanes(const Instruction& instruction, CreateForLane create) {
  LaneByLane lanes(*this, instruction, create);
  if (!lanes.is_possible()) return false;
  const Parts results = lanes.run();
  if (!results.empty()) set_parts(instruction, results);
  note_costly(instruction, CostlyOperation::Kind::lane_by_lane);
  return true;
}

bool Widening::create_for_active_lanes(const Instruction& instruction) {
  return create_for_lanes(instruction, [&](Value*, llvm::ArrayRef<Value*> operands) {
    Instruction* copy = instruction.clone();
    copy->setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);  // for so few bytes it would not pay
    for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
    return ir_.Insert(copy);
  });
}

}  // namespace heddle::finalizer::spmd
