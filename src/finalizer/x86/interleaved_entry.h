// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/x86/entry_builder.h"

namespace heddle::finalizer::x86 {

/// Builds an entry for groups whose waves take turns at barriers (EntryKind::interleaved). `wave` is the
/// coroutine of a wave (EntryBuilder::build_coroutine()).
class InterleavedEntryBuilder final : public EntryBuilder {
 public:
  InterleavedEntryBuilder(llvm::Module& module, const EntryRequest& request, unsigned lanes,
                          const Coroutine& wave)
      : EntryBuilder(module, request), lanes_(lanes), wave_(wave), early_return_(request.early_return) {}

 protected:
  void group_items(const Dim3& sizes) override;
  void wave_items(llvm::Value*, const Dim3&, const Dim3&) override {
    llvm_unreachable("this is an entry for groups");
  }

 private:
  /// What the loops over the waves of a group need.
  struct Waves {
    Dim3 sizes;
    llvm::Value* work_items;
    llvm::Value* count;
    llvm::Value* frames;
    llvm::Value* frame_size;
  };
  /// The phis of a loop over the waves of a group.
  struct WaveLoop {
    llvm::PHINode *first, *frame, *going_on, *turning;
  };
  /// How many waves have not ended, and how many of these wait for nothing but their next turn.
  struct Counts {
    llvm::Value *going_on, *turning;
  };
  Waves waves_of(const Dim3& sizes);
  WaveLoop begin_loop(const Waves& waves, llvm::StringRef name);
  Counts end_loop(const Waves& waves, const WaveLoop& loop);
  Counts begin_waves(const Waves& waves);
  Counts continue_waves(const Waves& waves, llvm::Value* all);
  llvm::Value* is_open(const Waves& waves, llvm::Value* going_on);
  Dim3 next_ids(const Dim3& ids, const Dim3& step, const Dim3& sizes);

  const unsigned lanes_;
  const Coroutine& wave_;
  const bool early_return_;
};

}  // namespace heddle::finalizer::x86
