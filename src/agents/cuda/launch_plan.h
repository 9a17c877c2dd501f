// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "agents/common/executor.h"

namespace heddle::cuda {

/// How a dispatch becomes launches of the driver (codeobject/ptx_kernel.h). A dispatch through the native
/// entry is one launch; one through the linear entry may be several.
class LaunchPlan {
 public:
  /// `has_native` says whether the kernel has the native entry.
  LaunchPlan(const agents::KernelDispatch& dispatch, bool has_native);

  bool is_native() const { return native_; }
  /// Whether the dispatch is one work-group, and a native one.
  bool is_single() const { return native_ && groups_ == 1; }
  uint64_t launches() const { return launches_; }
  uint32_t block(int dimension) const { return block_[dimension]; }
  /// Threads of a block.
  uint32_t block_size() const { return block_[0] * block_[1] * block_[2]; }

  struct Launch {
    uint32_t grid[3];      ///< blocks
    uint64_t first_group;  ///< flattened ID of the work-group of block 0
  };
  Launch launch(uint64_t number) const;

 private:
  bool native_;
  uint64_t groups_;
  uint64_t launches_;
  uint32_t grid_[3];
  uint32_t block_[3];
};

}  // namespace heddle::cuda
