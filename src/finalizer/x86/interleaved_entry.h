// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/x86/entry_builder.h"

namespace heddle::finalizer::x86 {

/// Builds an entry for groups whose waves take turns at barriers (EntryKind::interleaved). `wave` is the
/// coroutine of a wave: ptr(Worker*, u32 first_workitem, ptr frame).
class InterleavedEntryBuilder final : public EntryBuilder {
 public:
  InterleavedEntryBuilder(llvm::Module& module, const EntryRequest& request, unsigned lanes,
                          llvm::Function& wave)
      : EntryBuilder(module, request), lanes_(lanes), wave_(wave) {}

 protected:
  void group_items(const Dim3& sizes) override;
  void wave_items(llvm::Value*, const Dim3&) override { llvm_unreachable("this is an entry for groups"); }

 private:
  /// What the loops over the waves of a group need.
  struct Waves {
    llvm::Value* work_items;
    llvm::Value* count;
    llvm::Value* frames;
    llvm::Value* frame_size;
  };
  llvm::Value* each_wave(const Waves& waves, llvm::StringRef name,
                         llvm::function_ref<void(llvm::Value* first, llvm::Value* frame)> run);

  const unsigned lanes_;
  llvm::Function& wave_;
};

}  // namespace heddle::finalizer::x86
