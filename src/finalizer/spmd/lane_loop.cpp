// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/lane_loop.h"

#include <algorithm>

#include <llvm/IR/DataLayout.h>

#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

ActiveLanes active_lanes(const llvm::Instruction& instruction) {
  return is_speculatable(instruction) ? ActiveLanes::perhaps_none : ActiveLanes::at_least_one;
}

Value* fold_active_lanes(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask,
                         ActiveLanes how_many, Value* initial,
                         llvm::function_ref<Value*(Value*, Value*)> body) {
  Value* word = masks.word(ir, mask);
  Value* none = llvm::Constant::getNullValue(word->getType());
  BasicBlock* before = ir.GetInsertBlock();
  auto* end = BasicBlock::Create(ir.getContext(), "lanes.end", before->getParent(), before->getNextNode());
  auto* loop = BasicBlock::Create(ir.getContext(), "lanes", before->getParent(), end);
  const bool perhaps_none = how_many == ActiveLanes::perhaps_none;
  if (perhaps_none)
    ir.CreateCondBr(ir.CreateICmpNE(word, none), loop, end);
  else
    ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  auto* left = ir.CreatePHI(word->getType(), 2);
  auto* folded = initial ? ir.CreatePHI(initial->getType(), 2) : nullptr;
  Value* lane = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, ir.getTrue());
  Value* next = body(ir.CreateZExtOrTrunc(lane, ir.getInt32Ty()), folded);
  Value* rest = ir.CreateAnd(left, ir.CreateSub(left, llvm::ConstantInt::get(word->getType(), 1)));
  BasicBlock* latch = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateICmpNE(rest, none), loop, end);
  ir.SetInsertPoint(end);
  left->addIncoming(word, before);
  left->addIncoming(rest, latch);
  if (!initial) return nullptr;
  folded->addIncoming(initial, before);
  folded->addIncoming(next, latch);
  auto* last = ir.CreatePHI(initial->getType(), 2);
  if (perhaps_none) last->addIncoming(initial, before);
  last->addIncoming(next, latch);
  return last;
}

void for_each_active_lane(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask,
                          ActiveLanes how_many, llvm::function_ref<void(Value*)> body) {
  fold_active_lanes(ir, masks, mask, how_many, nullptr, [&](Value* lane, Value*) {
    body(lane);
    return nullptr;
  });
}

/// Chooses by comparing lane numbers. To insert at an index that is not constant, LLVM writes the vector to
/// memory, stores the element and loads the vector again, which waits for the store.
Value* insert_lane(llvm::IRBuilderBase& ir, Value* part, Value* lane, Value* value) {
  auto* type = llvm::cast<llvm::FixedVectorType>(part->getType());
  const unsigned lanes = type->getNumElements();
  const llvm::DataLayout& layout = ir.GetInsertBlock()->getModule()->getDataLayout();
  llvm::Type* number = ir.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(type->getElementType())));
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned i = 0; i < lanes; ++i) numbers.push_back(llvm::ConstantInt::get(number, i));
  Value* is_lane = ir.CreateICmpEQ(llvm::ConstantVector::get(numbers),
                                   ir.CreateVectorSplat(lanes, ir.CreateZExtOrTrunc(lane, number)));
  return ir.CreateSelect(is_lane, ir.CreateVectorSplat(lanes, value), part);
}

// ---- memory

bool LaneMemory::can_keep(const Type& type) {
  const Type& element = *type.getScalarType();
  if (element.isPointerTy()) return true;
  const unsigned bits = element.getPrimitiveSizeInBits();
  return bits == 1 || (bits % 8 == 0 && llvm::isPowerOf2_32(bits));
}

AllocaInst* LaneMemory::take(uint64_t bytes) {
  Type* byte = Type::getInt8Ty(function_.getContext());
  if (unused_.empty()) {
    const unsigned space = function_.getDataLayout().getAllocaAddrSpace();
    auto* made = new AllocaInst(llvm::ArrayType::get(byte, 0), space, nullptr, llvm::Align(64),
                                "lanes.memory", function_.getEntryBlock().begin());
    variables_.push_back(made);
    unused_.push_back(made);
  }
  AllocaInst* storage = unused_.pop_back_val();
  const uint64_t size = llvm::cast<llvm::ArrayType>(storage->getAllocatedType())->getNumElements();
  storage->setAllocatedType(llvm::ArrayType::get(byte, std::max(size, bytes)));
  return storage;
}

using Array = LaneMemory::Array;

Array::Array(LaneMemory& memory, Type& type) : memory_(memory), type_(type) {
  assert(can_keep(type) && "values of this type have no place in memory");
  storage_ = memory_.take(lane_size() * memory_.wave_.lanes);
}

Array::~Array() { memory_.unused_.push_back(storage_); }

/// Truth values have a byte each.
Type* Array::stored_type() const {
  return type_.getScalarType()->isIntegerTy(1) ? type_.getWithNewBitWidth(8) : &type_;
}

uint64_t Array::lane_size() const {
  const llvm::DataLayout& layout = memory_.function_.getDataLayout();
  return layout.getTypeStoreSize(stored_type()->getScalarType()) * elements_of(type_);
}

Value* Array::place(llvm::IRBuilderBase& ir, Value* lane) const {
  Value* offset = ir.CreateMul(ir.CreateZExt(lane, ir.getInt64Ty()), ir.getInt64(lane_size()));
  return ir.CreatePtrAdd(storage_, offset);
}

Value* Array::place_of_part(llvm::IRBuilderBase& ir, unsigned part) const {
  return ir.CreateConstGEP1_64(ir.getInt8Ty(), storage_, part * memory_.wave_.part_lanes * lane_size());
}

void Array::store(llvm::IRBuilderBase& ir, const Parts& parts) const {
  Type* type = part_type(*stored_type(), memory_.wave_);
  for (unsigned p = 0; p < parts.size(); ++p) {
    Value* part = parts[p]->getType() == type ? parts[p] : ir.CreateZExt(parts[p], type);
    ir.CreateAlignedStore(part, place_of_part(ir, p), llvm::Align(1));
  }
}

Parts Array::load(llvm::IRBuilderBase& ir) const {
  Parts parts;
  for (unsigned p = 0; p < memory_.wave_.parts(); ++p) {
    Value* part =
        ir.CreateAlignedLoad(part_type(*stored_type(), memory_.wave_), place_of_part(ir, p), llvm::Align(1));
    parts.push_back(stored_type() == &type_ ? part : ir.CreateTrunc(part, part_type(type_, memory_.wave_)));
  }
  return parts;
}

void Array::store_lane(llvm::IRBuilderBase& ir, Value* lane, Value* value) const {
  if (stored_type() != &type_) value = ir.CreateZExt(value, stored_type());
  ir.CreateAlignedStore(value, place(ir, lane), llvm::Align(1));
}

Value* Array::load_lane(llvm::IRBuilderBase& ir, Value* lane) const {
  Value* value = ir.CreateAlignedLoad(stored_type(), place(ir, lane), llvm::Align(1));
  return stored_type() == &type_ ? value : ir.CreateTrunc(value, &type_);
}

Value* extract_lane(llvm::IRBuilderBase& ir, LaneMemory& memory, const Parts& parts, Value* lane,
                    Type& type) {
  if (parts.size() == 1 && !type.isVectorTy()) return ir.CreateExtractElement(parts.front(), lane);
  const Array array(memory, type);
  array.store(ir, parts);
  return array.load_lane(ir, lane);
}

}  // namespace heddle::finalizer::spmd
