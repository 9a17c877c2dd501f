// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <unordered_map>

#include "finalizer/llvm.h"
#include "finalizer/target_traits.h"
#include "hsail/link/program.h"

namespace heddle::finalizer {

/// Decides where the private, spill and arg variables of one code block are.
///
/// The address of a variable that is only accessed at constant offsets inside itself cannot be observed. Such
/// a variable becomes one of the LLVM function, and usually ends in registers. All others, and those that the
/// target does not want on its stack, are in the frame: a range of the private segment.
class Variables {
 public:
  struct Slot {
    bool in_frame = false;
    uint32_t offset = 0;             ///< in_frame: from the start of the frame
    llvm::Value* pointer = nullptr;  ///< else: set by the lowering; formals: the parameter
    uint64_t size = 0;
    uint32_t align = 1;
  };

  /// Collects the variables of the executable's whole code block.
  Variables(const brig::Module& module, brig::Offset executable, const TargetTraits& target);

  Slot* find(brig::Offset variable) {
    const auto found = slots_.find(variable);
    return found == slots_.end() ? nullptr : &found->second;
  }
  void add_formal(brig::Offset variable, llvm::Value* pointer);

  uint32_t frame_size() const { return frame_size_; }  ///< a multiple of 16
  uint32_t frame_align() const { return frame_align_; }
  bool has_alloca() const { return has_alloca_; }
  bool frame_too_large() const { return frame_too_large_; }

 private:
  void collect(const brig::Module& module, brig::Offset begin, brig::Offset end, uint64_t largest);
  void mark_observed(const brig::Module& module, brig::Offset instruction);
  void lay_out(uint64_t most_on_stack);

  std::unordered_map<brig::Offset, Slot> slots_;
  std::vector<brig::Offset> order_;
  uint32_t frame_size_ = 0;
  uint32_t frame_align_ = 16;
  bool has_alloca_ = false;
  bool frame_too_large_ = false;
};

}  // namespace heddle::finalizer
