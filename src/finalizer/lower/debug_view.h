// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/debug/debug_info.h"

namespace heddle::finalizer {

class FunctionLowering;

/// The view that debug information has of a function that is being lowered.
class DebugView final : public DebuggedFunction {
 public:
  explicit DebugView(FunctionLowering& lowering) : lowering_(lowering) {}

  link::Reference executable() const override;
  llvm::IRBuilder<>& ir() override;
  llvm::BasicBlock& entry() override;
  llvm::AllocaInst* register_variable(brig::Register reg) override;
  Place place_of(brig::Offset variable) override;
  llvm::Value* id(Id id, uint32_t dimension) override;

 private:
  Place place_on_stack_or_frame(brig::Offset variable);

  FunctionLowering& lowering_;
};

}  // namespace heddle::finalizer
