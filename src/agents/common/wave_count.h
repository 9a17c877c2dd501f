// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>

#include "agents/common/executor.h"

namespace heddle::agents {

/// The number of waves of a dispatch: each work-group has waves of `wave_size` work-items, of which the last
/// may have fewer (PRM 2.6). Work-groups at the far ends of the grid may be smaller, in each dimension.
inline uint64_t wave_count(const KernelDispatch& dispatch, uint32_t wave_size) {
  assert(wave_size != 0);
  uint64_t waves = 0;
  for (unsigned partial = 0; partial < 8; ++partial) {  // bit i: the groups at the far end of dimension i
    uint64_t groups = 1, work_items = 1;
    for (unsigned i = 0; i < 3; ++i) {
      const uint32_t whole = dispatch.group_size[i], rest = dispatch.grid_size[i] % whole;
      const bool is_partial = (partial >> i & 1) != 0;
      groups *= is_partial ? (rest != 0 ? 1 : 0) : dispatch.grid_size[i] / whole;
      work_items *= is_partial ? rest : whole;
    }
    waves += groups * ((work_items + wave_size - 1) / wave_size);
  }
  return waves;
}

}  // namespace heddle::agents
