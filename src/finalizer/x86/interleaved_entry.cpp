// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/interleaved_entry.h"

#include "codeobject/kernel_abi.h"
#include "finalizer/x86/coroutine.h"

namespace heddle::finalizer::x86 {

using kernel_abi::Worker;
using llvm::Value;

/// Runs each wave of a group up to its next barrier. Returns how many have not ended.
Value* InterleavedEntryBuilder::each_wave(const Waves& waves, llvm::StringRef name,
                                          llvm::function_ref<void(Value*, Value*)> run) {
  auto& ir = this->ir();
  auto* before = ir.GetInsertBlock();
  auto *loop = block(name), *behind = block("");
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  auto* first = ir.CreatePHI(ir.getInt32Ty(), 2, "first");
  auto* frame = ir.CreatePHI(ir.getPtrTy(), 2, "frame");
  auto* going_on = ir.CreatePHI(ir.getInt32Ty(), 2, "going_on");
  first->addIncoming(ir.getInt32(0), before);
  frame->addIncoming(waves.frames, before);
  going_on->addIncoming(ir.getInt32(0), before);
  run(first, frame);
  Value* one_more = ir.CreateZExt(ir.CreateNot(create_is_done(ir, frame)), ir.getInt32Ty());
  Value* count = ir.CreateNUWAdd(going_on, one_more);
  Value* next = ir.CreateNUWAdd(first, ir.getInt32(lanes_));
  first->addIncoming(next, ir.GetInsertBlock());
  frame->addIncoming(ir.CreatePtrAdd(frame, waves.frame_size), ir.GetInsertBlock());
  going_on->addIncoming(count, ir.GetInsertBlock());
  keep_simple(ir.CreateCondBr(ir.CreateICmpULT(next, waves.work_items), loop, behind));
  ir.SetInsertPoint(behind);
  return count;
}

void InterleavedEntryBuilder::group_items(const Dim3& sizes) {
  auto& ir = this->ir();
  const Fields worker(ir, this->worker());
  Waves waves;
  waves.work_items = ir.CreateNUWMul(sizes[0], ir.CreateNUWMul(sizes[1], sizes[2]));
  Value* rounded = ir.CreateNUWAdd(waves.work_items, ir.getInt32(lanes_ - 1));
  waves.count = ir.CreateUDiv(rounded, ir.getInt32(lanes_));
  waves.frames = worker.load_pointer(offsetof(Worker, frames));
  waves.frame_size = worker.load_i64(offsetof(Worker, frame_size));
  Value* begun = each_wave(waves, "begin", [&](Value* first, Value* frame) {
    ir.CreateCall(&wave_, {this->worker(), first, frame});
  });
  auto *again = block("barrier"), *ended = block("ended"), *trap = block("deadlock"), *done = block("done");
  auto* begin_end = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateICmpEQ(begun, waves.count), again, ended);
  ir.SetInsertPoint(again);
  Value* left = each_wave(waves, "continue", [&](Value* first, Value* frame) {
    store_work_item(ir, this->worker(), first, 0);
    store_work_item(ir, this->worker(), ir.getInt32(kernel_abi::unknown_workitem), 1);
    create_resumption(ir, frame);
  });
  auto* continue_end = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateICmpEQ(left, waves.count), again, ended);
  // A wave that has ended does not open the barrier that others wait at.
  ir.SetInsertPoint(ended);
  auto* waiting = ir.CreatePHI(ir.getInt32Ty(), 2);
  waiting->addIncoming(begun, begin_end);
  waiting->addIncoming(left, continue_end);
  ir.CreateCondBr(ir.CreateICmpEQ(waiting, ir.getInt32(0)), done, trap);
  ir.SetInsertPoint(trap);
  create_trap(kernel_abi::trap_deadlock, waiting);
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

}  // namespace heddle::finalizer::x86
