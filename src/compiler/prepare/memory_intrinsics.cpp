// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/memory_intrinsics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace heddle::compiler {

namespace {

// HSAIL accesses memory at any alignment (PRM 6.3), so that units are as long as possible.
constexpr uint64_t unit = 8;
// Up to this many bytes are copied without a loop. All loads come before all stores, so that memmove needs
// nothing else.
constexpr uint64_t inline_limit = 64;

// One end of a copy.
struct Place {
  llvm::Value* pointer;
  llvm::Align align;
  bool is_volatile;

  llvm::Value* at(llvm::IRBuilder<>& builder, llvm::Value* offset) const {
    return builder.CreatePtrAdd(pointer, offset);
  }
};

struct Copy {
  Place to;
  Place from;
  llvm::Value* length;
};

llvm::Value* load(llvm::IRBuilder<>& builder, const Place& from, llvm::Type* type, llvm::Value* offset,
                  llvm::Align align) {
  return builder.CreateAlignedLoad(type, from.at(builder, offset), align, from.is_volatile);
}

void store(llvm::IRBuilder<>& builder, const Place& to, llvm::Value* value, llvm::Value* offset,
           llvm::Align align) {
  builder.CreateAlignedStore(value, to.at(builder, offset), align, to.is_volatile);
}

// Offsets and sizes of the accesses that make up `length` bytes.
llvm::SmallVector<std::pair<uint64_t, uint64_t>, 16> units_of(uint64_t length) {
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 16> units;
  uint64_t offset = 0;
  for (uint64_t size = unit; size != 0; size /= 2) {
    for (; length - offset >= size; offset += size) units.emplace_back(offset, size);
  }
  return units;
}

void copy_inline(llvm::IRBuilder<>& builder, const Copy& copy, uint64_t length) {
  llvm::SmallVector<llvm::Value*, 16> values;
  const auto units = units_of(length);
  llvm::Type* offsets = copy.length->getType();
  for (const auto& [offset, size] : units) {
    values.push_back(load(builder, copy.from, builder.getIntNTy(static_cast<unsigned>(size * 8)),
                          llvm::ConstantInt::get(offsets, offset),
                          llvm::commonAlignment(copy.from.align, offset)));
  }
  for (size_t i = 0; i < units.size(); ++i) {
    store(builder, copy.to, values[i], llvm::ConstantInt::get(offsets, units[i].first),
          llvm::commonAlignment(copy.to.align, units[i].first));
  }
}

// Makes a loop in front of `before`: `body` runs for offsets from `first` in steps, as long as they are below
// `last`. Going down, offsets are counted from `last`, and the body gets the offset of the start of each
// unit.
template <typename Body>
void make_loop(llvm::Instruction& before, llvm::Value* first, llvm::Value* last, uint64_t step, bool down,
               Body body) {
  llvm::BasicBlock* head = before.getParent();
  llvm::BasicBlock* tail = head->splitBasicBlock(before.getIterator());
  llvm::LLVMContext& context = before.getContext();
  auto* loop = llvm::BasicBlock::Create(context, "", head->getParent(), tail);
  head->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> entry(head);
  entry.SetCurrentDebugLocation(before.getDebugLoc());
  entry.CreateCondBr(entry.CreateICmpULT(first, last), loop, tail);
  llvm::IRBuilder<> builder(loop);
  builder.SetCurrentDebugLocation(before.getDebugLoc());
  llvm::PHINode* offset = builder.CreatePHI(first->getType(), 2);
  llvm::Value* amount = llvm::ConstantInt::get(first->getType(), step);
  offset->addIncoming(down ? last : first, head);
  // The offset is not used after it has been counted, so that both can have one register.
  llvm::Value* next = down ? builder.CreateSub(offset, amount) : nullptr;
  body(builder, down ? next : offset);
  if (!down) next = builder.CreateAdd(offset, amount);
  builder.CreateCondBr(down ? builder.CreateICmpUGT(next, first) : builder.CreateICmpULT(next, last), loop,
                       tail);
  offset->addIncoming(next, loop);
}

void copy_by_loop(llvm::Instruction& before, const Copy& copy, llvm::Value* first, llvm::Value* last,
                  uint64_t step, bool down) {
  make_loop(before, first, last, step, down, [&](llvm::IRBuilder<>& builder, llvm::Value* offset) {
    llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(step * 8));
    const llvm::Align from = llvm::commonAlignment(copy.from.align, step);
    const llvm::Align to = llvm::commonAlignment(copy.to.align, step);
    store(builder, copy.to, load(builder, copy.from, type, offset, from), offset, to);
  });
}

// Whole units, then single bytes; the other way round if the copy goes down.
void copy_all(llvm::Instruction& before, const Copy& copy, bool down) {
  llvm::IRBuilder<> builder(&before);
  llvm::Type* type = copy.length->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* whole = builder.CreateAnd(copy.length, llvm::ConstantInt::get(type, ~(unit - 1), false, true));
  if (down) {
    copy_by_loop(before, copy, whole, copy.length, 1, true);
    copy_by_loop(before, copy, zero, whole, unit, true);
  } else {
    copy_by_loop(before, copy, zero, whole, unit, false);
    copy_by_loop(before, copy, whole, copy.length, 1, false);
  }
}

// Addresses in different segments are compared as flat ones.
llvm::Value* comparable(llvm::IRBuilder<>& builder, llvm::Value* pointer, unsigned space) {
  if (pointer->getType()->getPointerAddressSpace() != space) {
    pointer = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy(space));
  }
  return pointer;
}

void move_all(llvm::Instruction& before, const Copy& copy) {
  llvm::IRBuilder<> builder(&before);
  const unsigned from_space = copy.from.pointer->getType()->getPointerAddressSpace();
  const unsigned to_space = copy.to.pointer->getType()->getPointerAddressSpace();
  const unsigned space = from_space == to_space ? from_space : 0;
  llvm::Value* up = builder.CreateICmpULE(comparable(builder, copy.to.pointer, space),
                                          comparable(builder, copy.from.pointer, space));
  llvm::Instruction* then_end = nullptr;
  llvm::Instruction* else_end = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(up, before.getIterator(), &then_end, &else_end);
  copy_all(*then_end, copy, false);
  copy_all(*else_end, copy, true);
}

// The length, which has no sign, as an integer whose sums with the unit do not wrap and that indices, which
// have a sign, may be.
llvm::Value* length_of(llvm::MemIntrinsic& intrinsic) {
  llvm::IRBuilder<> builder(&intrinsic);
  const bool is_long = intrinsic.getLength()->getType()->getIntegerBitWidth() > 32;
  const bool near = intrinsic.getDestAddressSpace() == 3 || intrinsic.getDestAddressSpace() == 5;
  return builder.CreateZExtOrTrunc(intrinsic.getLength(),
                                   is_long || !near ? builder.getInt64Ty() : builder.getInt32Ty());
}

void expand_transfer(llvm::MemTransferInst& transfer) {
  const Copy copy{{transfer.getRawDest(), transfer.getDestAlign().valueOrOne(), transfer.isVolatile()},
                  {transfer.getRawSource(), transfer.getSourceAlign().valueOrOne(), transfer.isVolatile()},
                  length_of(transfer)};
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.length);
  if (length != nullptr && length->getZExtValue() <= inline_limit) {
    llvm::IRBuilder<> builder(&transfer);
    copy_inline(builder, copy, length->getZExtValue());
  } else if (llvm::isa<llvm::MemMoveInst>(transfer)) {
    move_all(transfer, copy);
  } else {
    copy_all(transfer, copy, false);
  }
  transfer.eraseFromParent();
}

// The byte, `size` times.
llvm::Value* repeated(llvm::IRBuilder<>& builder, llvm::Value* byte, uint64_t size) {
  llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(size * 8));
  const llvm::APInt ones = llvm::APInt::getSplat(static_cast<unsigned>(size * 8), llvm::APInt(8, 1));
  return builder.CreateMul(builder.CreateZExt(byte, type), llvm::ConstantInt::get(type, ones));
}

void expand_set(llvm::MemSetInst& set) {
  const Place to{set.getRawDest(), set.getDestAlign().valueOrOne(), set.isVolatile()};
  llvm::Value* length = length_of(set);
  llvm::Type* type = length->getType();
  llvm::IRBuilder<> builder(&set);
  llvm::Value* wide = repeated(builder, set.getValue(), unit);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length);
  if (constant != nullptr && constant->getZExtValue() <= 2 * inline_limit) {
    for (const auto& [offset, size] : units_of(constant->getZExtValue())) {
      llvm::Value* value = builder.CreateTrunc(wide, builder.getIntNTy(static_cast<unsigned>(size * 8)));
      store(builder, to, value, llvm::ConstantInt::get(type, offset),
            llvm::commonAlignment(to.align, offset));
    }
  } else {
    llvm::Value* whole = builder.CreateAnd(length, llvm::ConstantInt::get(type, ~(unit - 1), false, true));
    auto fill = [&](llvm::Value* first, llvm::Value* last, uint64_t step, llvm::Value* value) {
      make_loop(set, first, last, step, false, [&](llvm::IRBuilder<>& in_loop, llvm::Value* offset) {
        store(in_loop, to, value, offset, llvm::commonAlignment(to.align, step));
      });
    };
    fill(llvm::ConstantInt::get(type, 0), whole, unit, wide);
    fill(whole, length, 1, set.getValue());
  }
  set.eraseFromParent();
}

}  // namespace

void expand_memory_intrinsics(llvm::Function& function) {
  llvm::SmallVector<llvm::MemIntrinsic*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) found.push_back(intrinsic);
  }
  for (llvm::MemIntrinsic* intrinsic : found) {
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(intrinsic)) {
      expand_transfer(*transfer);
    } else {
      expand_set(*llvm::cast<llvm::MemSetInst>(intrinsic));
    }
  }
}

}  // namespace heddle::compiler
