// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure that the first argument of every compiled function points to: one work-item.
#pragma once

#include <cstddef>
#include <cstdint>

#include "finalizer/fields.h"

namespace heddle::finalizer::ptx {

/// The entries make it. LLVM splits it into values wherever the kernel's body is inlined.
struct Context {
  uint64_t kernarg;
  uint64_t hidden;  ///< const ptx_kernel::Hidden*
  uint64_t private_base;
  uint64_t waves;  ///< GroupWaves* of the device library, if counts_waves
  // WorkItem of the device library:
  uint32_t workgroupid[3];
  uint32_t workitemid[3];
  uint32_t currentworkgroupsize[3];

  uint32_t workgroupsize[3];
  uint32_t gridsize[3];
  uint32_t private_size;
  uint32_t active;  ///< lanes that are active together with this one (active_lanes.h), wherever a function is
                    ///< called
  uint32_t counts_waves;  ///< whether barriers do (wave_barriers.h)
  uint32_t spins;         ///< iterations of waiting loops since the last yield
};

/// Where the part of the context is that the device library knows as WorkItem.
inline constexpr uint64_t work_item_offset = offsetof(Context, workgroupid);
static_assert(offsetof(Context, workitemid) == work_item_offset + 12 &&
              offsetof(Context, currentworkgroupsize) == work_item_offset + 24);

}  // namespace heddle::finalizer::ptx
