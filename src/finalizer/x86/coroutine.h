// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of waves that stop at barriers and go on later, as coroutines of LLVM. What a wave needs behind a
// barrier is in its frame. Where the parts of a coroutine are inlined, a switch from one wave to another is a
// jump, which costs much less than a switch between the stacks of fibers.
#pragma once

#include <llvm/IR/PassManager.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// The alignment in bytes of the memory for frames.
inline constexpr unsigned frame_alignment = 64;

/// Creates a call of `void hsail.suspend()`, which stands for a barrier in a function that becomes part of a
/// coroutine.
llvm::CallInst* create_suspension(llvm::IRBuilder<>& ir);

/// A function that is a coroutine.
class Coroutine {
 public:
  /// Begins the coroutine in a function that returns a pointer. `frame` is where its frame shall be. The
  /// coroutine is then a function that runs until the first suspension or the end, and returns the handle,
  /// which is the address of the frame.
  Coroutine(llvm::IRBuilder<>& ir, llvm::Value* frame);
  /// Ends the coroutine and the function.
  void end(llvm::IRBuilder<>& ir);

  /// Replaces the calls of hsail.suspend in the function, after all functions with such calls have been
  /// inlined.
  void make_suspensions();
  /// Replaces phis with one operand behind loops, which LLVM's lcssa pass must have made before, by `freeze`.
  /// The frame then gets such a value when the loop is left, not in each iteration. To be called when the
  /// function will not be simplified any more, before it is split.
  void keep_stores_out_of_loops();
  llvm::Function& function() const { return *function_; }
  /// Reports whether a wave waits anywhere. If it does nowhere, it has no turns either.
  bool has_waits() const;
  /// Ends the turn of a wave that waits for nothing but lets the others go on, too. Afterwards the builder is
  /// where the wave goes on. To be called when the function will not be simplified any more.
  void create_turn(llvm::IRBuilder<>& ir);
  /// Settles whether the coroutine has turns, after the last one has been created, or could have been.
  void settle_turns();
  /// Returns an i1, whether the coroutine with this handle has ended its turn without waiting for a barrier.
  /// A coroutine of which settle_turns() says that it has no turns never has.
  llvm::Value* create_has_turned(llvm::IRBuilder<>& ir, llvm::Value* handle) const;
  /// Continues the coroutine with this handle, which has not ended, in another function.
  void create_resumption(llvm::IRBuilder<>& ir, llvm::Value* handle) const;
  /// Lets the functions before and behind suspensions be inlined where they are called, after the coroutine
  /// has been split.
  void inline_parts();
  /// Returns the size of the frame in bytes, after the coroutine has been split. To be called once.
  uint64_t take_frame_size();

 private:
  void set_turned(llvm::IRBuilder<>& ir, bool turned);

  llvm::Function* function_;
  llvm::Value* id_;
  llvm::Value* handle_;
  llvm::AllocaInst* turned_;  ///< i8 at a fixed place of the frame: whether a turn has ended
  llvm::BasicBlock *cleanup_, *suspended_;
  llvm::GlobalVariable* size_;  ///< the size is stored here, for take_frame_size() to find
  llvm::Function* resume_;      ///< void(ptr handle): stands for the function behind suspensions
  llvm::Function* has_turns_;   ///< i1(): stands for whether there are turns
};

/// Adds a pass that splits coroutines into the functions before and behind suspensions.
void add_coroutine_split(llvm::ModulePassManager& passes);
/// Returns an i1, whether a coroutine has ended.
llvm::Value* create_is_done(llvm::IRBuilder<>& ir, llvm::Value* handle);

}  // namespace heddle::finalizer::x86
