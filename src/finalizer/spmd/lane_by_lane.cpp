// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/lane_by_lane.h"

#include <deque>

#include <llvm/IR/MDBuilder.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/access_places.h"
#include "finalizer/spmd/lane_loop.h"

namespace heddle::finalizer::spmd {

using llvm::BasicBlock;
using llvm::Value;

/// Waves with more lanes than this always get a loop: straight code has a few instructions for each lane.
constexpr unsigned most_lanes_in_a_row = 32;
/// Only this many operations of a function get straight code. Each is many instructions and a branch on the
/// same mask, and LLVM looks at all branches on a value (LLVM 22) each time it asks what is known of it.
constexpr unsigned most_straight_operations = 64;

static bool fits(const llvm::Type& type) { return !type.isAggregateType() && LaneMemory::can_keep(type); }

bool LaneByLane::is_possible() const {
  const llvm::Type& type = *instruction_.getType();
  return (type.isVoidTy() || fits(type)) && llvm::all_of(instruction_.operands(), [&](const Value* value) {
           return !w_.is_varying(*value) || fits(*value->getType());
         });
}

/// Reports whether a loop over the lanes would cost more than the instruction itself.
bool LaneByLane::is_short() const {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction_)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction_);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  return operation == TargetOperation::atomic32 || operation == TargetOperation::atomic64;
}

Parts LaneByLane::run() {
  if (!is_short() || w_.wave().lanes > most_lanes_in_a_row ||
      w_.result().lane_loops > most_straight_operations)
    return loop(w_.mask_of(instruction_));
  return w_.has_all_lanes(instruction_) ? straight() : straight_or_loop(w_.mask_of(instruction_));
}

/// Returns the narrow value from which a wide one follows by extensions, shifts, sums and computations of
/// addresses, or null. It costs less to take the narrow element from its vector and to compute the rest for
/// one lane, because the processor's addresses contain most of that.
const Value* LaneByLane::narrow_source(const Value& value) const {
  constexpr unsigned longest_chain = 6;
  const Value* source = &value;
  for (unsigned length = 0; length < longest_chain; ++length) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(source);
    if (!made || made->getType()->isVectorTy()) break;
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::GetElementPtrInst>(made) &&
        made->getOpcode() != llvm::Instruction::Shl && made->getOpcode() != llvm::Instruction::Add)
      break;
    const auto is_varying = [&](const llvm::Use& operand) { return w_.is_varying(*operand); };
    if (llvm::count_if(made->operands(), is_varying) != 1) break;
    source = *llvm::find_if(made->operands(), is_varying);
  }
  const llvm::DataLayout& layout = w_.layout();
  return layout.getTypeSizeInBits(source->getType()) < layout.getTypeSizeInBits(value.getType()) ? source
                                                                                                 : nullptr;
}

/// Computes a value from a narrow source (narrow_source()) in one lane.
Value* LaneByLane::from_source(const Value& value, const Value& source, unsigned lane) {
  if (&value == &source || !w_.is_varying(value)) return operand(value, lane);
  llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value).clone();
  copy->dropPoisonGeneratingAnnotations();
  for (llvm::Use& use : copy->operands()) use.set(from_source(*use.get(), source, lane));
  return ir_.Insert(copy);
}

Value* LaneByLane::operand(const Value& value, unsigned lane) {
  if (!w_.is_varying(value)) return w_.value_of_lane(value, ir_.getInt32(lane));
  if (const Value* source = narrow_source(value)) return from_source(value, *source, lane);
  const unsigned lanes = w_.wave().part_lanes;
  return extract_lane(ir_, w_.parts(value)[lane / lanes], lane % lanes, *value.getType());
}

/// Executes the instruction for all lanes without a loop.
Parts LaneByLane::straight() {
  const WaveShape& wave = w_.wave();
  const bool has_result = !instruction_.getType()->isVoidTy();
  Parts results;
  if (has_result)
    results.assign(wave.parts(), llvm::PoisonValue::get(part_type(*instruction_.getType(), wave)));
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    llvm::SmallVector<Value*, 8> operands;
    for (const Value* value : instruction_.operands()) operands.push_back(operand(*value, lane));
    const llvm::DebugLoc place = ir_.getCurrentDebugLocation();
    codeobject::AccessedLanes only;
    only.form = codeobject::AccessedLanes::Form::consecutive;
    only.first = static_cast<uint8_t>(lane);
    ir_.SetCurrentDebugLocation(place_with_lanes(place, only));
    Value* made = create_(ir_.getInt32(lane), operands);
    ir_.SetCurrentDebugLocation(place);
    if (!has_result) continue;
    Value*& part = results[lane / wave.part_lanes];
    part = insert_lane(ir_, part, lane % wave.part_lanes, made);
  }
  return results;
}

Parts LaneByLane::loop(const Parts& mask) {
  std::deque<LaneMemory::Array> arrays;
  llvm::SmallVector<const LaneMemory::Array*, 8> array_of;
  for (const Value* value : instruction_.operands()) {
    array_of.push_back(nullptr);
    if (!w_.is_varying(*value)) continue;
    arrays.emplace_back(w_.memory(), *value->getType()).store(ir_, w_.parts(*value));
    array_of.back() = &arrays.back();
  }
  const auto create = [&](Value* lane) {
    llvm::SmallVector<Value*, 8> operands;
    for (unsigned i = 0; i < array_of.size(); ++i)
      operands.push_back(array_of[i] ? array_of[i]->load_lane(ir_, lane)
                                     : w_.value_of_lane(*instruction_.getOperand(i), lane));
    return create_(lane, operands);
  };
  const ActiveLanes how_many = active_lanes(instruction_);
  llvm::Type& type = *instruction_.getType();
  if (w_.wave().parts() == 1 && !type.isVoidTy() && !type.isVectorTy() && !type.isIntegerTy(1)) {
    Value* none = llvm::PoisonValue::get(part_type(type, w_.wave()));
    return {fold_active_lanes(ir_, w_.masks(), mask, how_many, none, [&](Value* lane, Value* before) {
      return insert_lane(ir_, before, lane, create(lane));
    })};
  }
  std::optional<LaneMemory::Array> results;
  if (!type.isVoidTy()) results.emplace(w_.memory(), type);
  for_each_active_lane(ir_, w_.masks(), mask, how_many, [&](Value* lane) {
    Value* made = create(lane);
    if (results) results->store_lane(ir_, lane, made);
  });
  return results ? results->load(ir_) : Parts();
}

/// Branches to straight code if all lanes are active, and to a loop otherwise. Nearly all waves have all
/// lanes, or few.
Parts LaneByLane::straight_or_loop(const Parts& mask) {
  // Varying operands that have no parts yet, such as guarded addresses, get them before the code branches, so
  // that both ways find them.
  for (const Value* value : instruction_.operands()) {
    if (!w_.is_varying(*value)) continue;
    (void)w_.parts(*value);
    if (const Value* source = narrow_source(*value)) (void)w_.parts(*source);
  }
  BasicBlock* before = ir_.GetInsertBlock();
  const auto block = [&](const char* name, BasicBlock* next) {
    return BasicBlock::Create(ir_.getContext(), name, before->getParent(), next);
  };
  auto* end = block("lanes.joined", before->getNextNode());
  auto *some = block("lanes.some", end), *all = block("lanes.all", some);
  ir_.CreateCondBr(w_.masks().all(ir_, mask), all, some);
  ir_.SetInsertPoint(some);
  const Parts from_some = loop(mask);
  BasicBlock* some_end = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(all);
  const Parts from_all = straight();
  BasicBlock* all_end = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(end);
  Parts joined;
  for (unsigned p = 0; p < from_all.size(); ++p) {
    auto* phi = ir_.CreatePHI(from_all[p]->getType(), 2);
    phi->addIncoming(from_some[p], some_end);
    phi->addIncoming(from_all[p], all_end);
    joined.push_back(phi);
  }
  return joined;
}

}  // namespace heddle::finalizer::spmd
