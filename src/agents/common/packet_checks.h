// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/common/executor.h"

namespace heddle::agents {

/// What an agent's hsam_isa_description promises about the sizes of dispatches.
struct DispatchLimits {
  uint32_t group_max_dim[3] = {1024, 1024, 1024};
  uint32_t group_max_size = 1024;
  uint64_t grid_max_dim[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint64_t grid_max_size = UINT64_MAX;
};

inline uint32_t packet_type(uint16_t header) { return header & 0xffu; }
inline bool packet_barrier(uint16_t header) { return (header >> HSA_PACKET_HEADER_BARRIER & 1u) != 0; }
inline uint32_t packet_acquire_scope(uint16_t header) {
  return header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3u;
}
inline uint32_t packet_release_scope(uint16_t header) {
  return header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3u;
}

/// The checks of a kernel dispatch packet that need no kernel (Runtime 2.6.5.7), and the sizes that follow. A
/// grid smaller than the work-group is accepted: existing programs submit it, and it is one partial group.
/// Fails with INCOMPATIBLE_ARGUMENTS.
Result<KernelDispatch, Failure> check_dispatch(const hsa_kernel_dispatch_packet_t& packet,
                                               const DispatchLimits& limits);

}  // namespace heddle::agents
