// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/interleaved_entry.h"

#include "codeobject/kernel_abi.h"
#include "finalizer/x86/coroutine.h"

namespace heddle::finalizer::x86 {

using kernel_abi::Worker;
using llvm::Value;

InterleavedEntryBuilder::Waves InterleavedEntryBuilder::waves_of(const Dim3& sizes) {
  auto& ir = this->ir();
  const Fields worker(ir, this->worker());
  Waves waves;
  waves.sizes = sizes;
  waves.work_items = ir.CreateNUWMul(sizes[0], ir.CreateNUWMul(sizes[1], sizes[2]));
  Value* rounded = ir.CreateNUWAdd(waves.work_items, ir.getInt32(lanes_ - 1));
  waves.count = ir.CreateUDiv(rounded, ir.getInt32(lanes_));
  waves.frames = unchanging(worker.load_pointer(offsetof(Worker, frames)));
  waves.frame_size = unchanging(worker.load_i64(offsetof(Worker, frame_size)));
  return waves;
}

/// Begins a loop that executes each wave of a group up to its next barrier.
InterleavedEntryBuilder::WaveLoop InterleavedEntryBuilder::begin_loop(const Waves& waves,
                                                                      llvm::StringRef name) {
  auto& ir = this->ir();
  auto* before = ir.GetInsertBlock();
  auto* head = block(name);
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  const WaveLoop loop = {ir.CreatePHI(ir.getInt32Ty(), 2, "first"), ir.CreatePHI(ir.getPtrTy(), 2, "frame"),
                         ir.CreatePHI(ir.getInt32Ty(), 2, "going_on"),
                         ir.CreatePHI(ir.getInt32Ty(), 2, "turning")};
  loop.first->addIncoming(ir.getInt32(0), before);
  loop.frame->addIncoming(waves.frames, before);
  loop.going_on->addIncoming(ir.getInt32(0), before);
  loop.turning->addIncoming(ir.getInt32(0), before);
  return loop;
}

/// Ends the loop.
InterleavedEntryBuilder::Counts InterleavedEntryBuilder::end_loop(const Waves& waves, const WaveLoop& loop) {
  auto& ir = this->ir();
  Value* one_more = ir.CreateZExt(ir.CreateNot(create_is_done(ir, loop.frame)), ir.getInt32Ty());
  Value* count = ir.CreateNUWAdd(loop.going_on, one_more);
  Value* turned = ir.CreateZExt(wave_.create_has_turned(ir, loop.frame), ir.getInt32Ty());
  Value* turning = ir.CreateNUWAdd(loop.turning, turned);
  Value* next = ir.CreateNUWAdd(loop.first, ir.getInt32(lanes_));
  auto *here = ir.GetInsertBlock(), *behind = block("");
  loop.first->addIncoming(next, here);
  loop.frame->addIncoming(ir.CreatePtrAdd(loop.frame, waves.frame_size), here);
  loop.going_on->addIncoming(count, here);
  loop.turning->addIncoming(turning, here);
  keep_simple(ir.CreateCondBr(ir.CreateICmpULT(next, waves.work_items), loop.first->getParent(), behind));
  ir.SetInsertPoint(behind);
  return {count, turning};
}

/// Returns the IDs of the first work-item of the next wave. `step` is ids_of() for the lanes of a wave: the
/// divisions that every wave would otherwise take for its IDs cost as much as a short kernel.
Dim3 InterleavedEntryBuilder::next_ids(const Dim3& ids, const Dim3& step, const Dim3& sizes) {
  auto& ir = this->ir();
  Dim3 next;
  Value* carry = ir.getInt32(0);
  for (size_t d = 0; d < 2; ++d) {
    Value* sum = ir.CreateNUWAdd(ir.CreateNUWAdd(ids[d], step[d]), carry);
    Value* full = ir.CreateICmpUGE(sum, sizes[d]);
    next[d] = ir.CreateSub(sum, ir.CreateSelect(full, sizes[d], ir.getInt32(0)));
    carry = ir.CreateZExt(full, ir.getInt32Ty());
  }
  next[2] = ir.CreateNUWAdd(ir.CreateNUWAdd(ids[2], step[2]), carry);
  return next;
}

InterleavedEntryBuilder::Counts InterleavedEntryBuilder::begin_waves(const Waves& waves) {
  auto& ir = this->ir();
  const Dim3 step = ids_of(ir.getInt32(lanes_), waves.sizes), group = group_id();
  auto* before = ir.GetInsertBlock();
  const WaveLoop loop = begin_loop(waves, "begin");
  Dim3 ids;
  for (Value*& id : ids) {
    id = ir.CreatePHI(ir.getInt32Ty(), 2);
    llvm::cast<llvm::PHINode>(id)->addIncoming(ir.getInt32(0), before);
  }
  ir.CreateCall(&wave_.function(), pass_wave({loop.first, ids, group, waves.sizes}, loop.frame));
  const Dim3 next = next_ids(ids, step, waves.sizes);
  for (size_t d = 0; d < 3; ++d) llvm::cast<llvm::PHINode>(ids[d])->addIncoming(next[d], ir.GetInsertBlock());
  return end_loop(waves, loop);
}

/// Continues all waves that have not ended, or those that wait for their next turn only. Where barriers wait
/// for ended waves, none has ended when all are to go on.
InterleavedEntryBuilder::Counts InterleavedEntryBuilder::continue_waves(const Waves& waves, Value* all) {
  auto& ir = this->ir();
  const WaveLoop loop = begin_loop(waves, "continue");
  auto *wave = block("wave"), *next = block("next_wave");
  if (early_return_) all = ir.CreateAnd(all, ir.CreateNot(create_is_done(ir, loop.frame)));
  ir.CreateCondBr(ir.CreateOr(all, wave_.create_has_turned(ir, loop.frame)), wave, next);
  ir.SetInsertPoint(wave);
  store_work_item(ir, this->worker(), loop.first, 0);
  store_work_item(ir, this->worker(), ir.getInt32(kernel_abi::unknown_workitem), 1);
  wave_.create_resumption(ir, loop.frame);
  ir.CreateBr(next);
  ir.SetInsertPoint(next);
  return end_loop(waves, loop);
}

/// Returns whether the barrier opens that all waves wait at which have not ended.
Value* InterleavedEntryBuilder::is_open(const Waves& waves, Value* going_on) {
  auto& ir = this->ir();
  return early_return_ ? ir.CreateICmpNE(going_on, ir.getInt32(0)) : ir.CreateICmpEQ(going_on, waves.count);
}

void InterleavedEntryBuilder::group_items(const Dim3& sizes) {
  auto& ir = this->ir();
  const Waves waves = waves_of(sizes);
  const Counts begun = begin_waves(waves);
  auto *settle = block("settle"), *again = block("again"), *ended = block("ended"), *trap = block("deadlock"),
       *done = block("done");
  auto* begin_end = ir.GetInsertBlock();
  ir.CreateBr(settle);
  ir.SetInsertPoint(settle);
  auto* going_on = ir.CreatePHI(ir.getInt32Ty(), 2);
  auto* turning = ir.CreatePHI(ir.getInt32Ty(), 2);
  Value* at_barrier = ir.CreateICmpEQ(turning, ir.getInt32(0));
  ir.CreateCondBr(ir.CreateOr(ir.CreateNot(at_barrier), is_open(waves, going_on)), again, ended);
  ir.SetInsertPoint(again);
  const Counts left = continue_waves(waves, at_barrier);
  auto* continue_end = ir.GetInsertBlock();
  ir.CreateBr(settle);
  for (const auto& [counts, from] : {std::pair(begun, begin_end), std::pair(left, continue_end)}) {
    going_on->addIncoming(counts.going_on, from);
    turning->addIncoming(counts.turning, from);
  }
  // A wave that has ended does not open the barrier that others wait at, unless it may return early.
  ir.SetInsertPoint(ended);
  ir.CreateCondBr(ir.CreateICmpEQ(going_on, ir.getInt32(0)), done, trap);
  ir.SetInsertPoint(trap);
  create_trap(kernel_abi::trap_deadlock, going_on);
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

}  // namespace heddle::finalizer::x86
