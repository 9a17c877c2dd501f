// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "codeobject/kernel_abi.h"

namespace heddle::cpu {

/// The ID of a work-group and its size, which is smaller than the dispatch's at the far ends of the grid (PRM
/// 2.1).
struct GroupPosition {
  uint32_t id[3];
  uint32_t size[3];
};

inline GroupPosition position_of(const kernel_abi::Dispatch& dispatch, uint64_t flattened) {
  GroupPosition position;
  for (int i = 0; i < 3; ++i) {
    const uint32_t groups = dispatch.grid_groups[i];
    position.id[i] = i < 2 ? static_cast<uint32_t>(flattened % groups) : static_cast<uint32_t>(flattened);
    flattened /= groups;
    const uint64_t first = uint64_t{position.id[i]} * dispatch.group_size[i];
    position.size[i] =
        static_cast<uint32_t>(std::min<uint64_t>(dispatch.group_size[i], dispatch.grid_size[i] - first));
  }
  return position;
}

}  // namespace heddle::cpu
