// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels can know of their launch: a record in front of their arguments.
#pragma once

#include <cstdint>

namespace heddle::hip {

/// A barrier that kernels wait at. It is closed if nobody has arrived.
struct GridBarrier {
  uint32_t arrived = 0;
  uint32_t opened = 0;  ///< how often
};

/// A barrier that grids of several devices wait at. If it is broken, somebody will not arrive, and the
/// kernels that wait end with an error.
struct SharedGridBarrier {
  GridBarrier barrier;
  uint32_t broken = 0;
};

/// All zero for launches that are not cooperative. The device library has the same structure
/// (src/devlib/opencl/hip_grids.cl), and looks for it if the variable launch_records_variable of the module
/// is not 0.
struct LaunchRecord {
  GridBarrier grid;  ///< of the work-groups
  uint32_t is_cooperative = 0;
  uint32_t grids = 0;  ///< that were launched together; 0 if the launch was on one device only
  uint32_t grid_rank = 0;
  uint32_t reserved = 0;
  SharedGridBarrier* all_grids = nullptr;
  uint64_t items_before = 0;  ///< work-items of the grids of lower rank
  uint64_t items = 0;         ///< of all grids
  uint64_t unused[2] = {};
};
static_assert(sizeof(LaunchRecord) == 64, "arguments behind a record stay aligned to 64 bytes");

inline constexpr const char* launch_records_variable = "__heddle_launch_records";

/// Tells clock64() how many of its ticks, at the rate of hipDeviceAttributeClockRate, are 65536 of the
/// device's clock (src/devlib/opencl/hip.cl).
inline constexpr const char* clock_ratio_variable = "__heddle_clock_ratio";

}  // namespace heddle::hip
