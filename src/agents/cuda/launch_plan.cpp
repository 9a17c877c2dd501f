// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/launch_plan.h"

#include <algorithm>

#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {
namespace {

using ptx_kernel::max_linear_groups;

/// Whether the grid can be one of the GPU's, with work-items and work-groups where the packet has them.
bool fits_natively(const agents::KernelDispatch& d) {
  bool whole = true;
  for (int i = 0; i < 3; ++i) whole = whole && d.grid_size[i] % d.group_size[i] == 0;
  return whole && d.group_size[2] <= ptx_kernel::max_native_group_z &&
         d.grid_groups[0] <= max_linear_groups && d.grid_groups[1] <= ptx_kernel::max_native_groups_yz &&
         d.grid_groups[2] <= ptx_kernel::max_native_groups_yz;
}

}  // namespace

LaunchPlan::LaunchPlan(const agents::KernelDispatch& d, bool has_native)
    : native_(has_native && fits_natively(d)),
      groups_(d.group_count),
      launches_(native_ ? 1 : (d.group_count + max_linear_groups - 1) / max_linear_groups),
      grid_{d.grid_groups[0], d.grid_groups[1], d.grid_groups[2]},
      block_{d.group_size[0], d.group_size[1], d.group_size[2]} {
  if (native_) return;
  block_[0] = block_size();
  block_[1] = block_[2] = 1;
}

LaunchPlan::Launch LaunchPlan::launch(uint64_t number) const {
  if (native_) return {{grid_[0], grid_[1], grid_[2]}, 0};
  const uint64_t first = number * max_linear_groups;
  return {{static_cast<uint32_t>(std::min<uint64_t>(groups_ - first, max_linear_groups)), 1, 1}, first};
}

}  // namespace heddle::cuda
