// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

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

/// Makes the checks of a kernel dispatch packet that need no kernel (Runtime 2.6.5.7) and computes the sizes
/// of the dispatch. A grid smaller than the work-group is accepted as one partial group, because existing
/// programs submit such grids. Fails with INCOMPATIBLE_ARGUMENTS.
Result<KernelDispatch, Failure> check_dispatch(const hsa_kernel_dispatch_packet_t& packet,
                                               const DispatchLimits& limits);

/// What the control directives of a kernel demand of its dispatches (PRM 13.5).
struct KernelDirectives {
  std::string_view kernel;                      ///< its name, for messages
  uint32_t static_group_size = 0;               ///< bytes; what a packet asks for beyond this is dynamic
  uint32_t required_group_size[3] = {0, 0, 0};  ///< 0 = not required, also in the next two
  uint64_t required_grid_size[3] = {0, 0, 0};
  uint8_t required_dim = 0;
  uint32_t max_dynamic_group_size = UINT32_MAX;  ///< bytes; 0 allows no dynamic group memory
  uint64_t max_flat_grid_size = 0;
  uint32_t max_flat_group_size = 0;
  bool no_partial_groups = false;  ///< each size of the grid is a multiple of the work-group's
  bool no_partial_waves = false;   ///< each work-group, partial ones included, is a multiple of the wave
  uint32_t wave_size = 1;
};

/// What an agent holds at the same time of a dispatch.
struct ResidencyLimits {
  uint32_t compute_units = 1;
  uint32_t unit_group_memory = 0;   ///< bytes
  uint32_t unit_work_items = 1024;  ///< those of the largest work-group, in whole waves
};

/// Returns how many work-groups of the dispatch's size an agent holds at the same time, each with so many
/// bytes of group memory. Clients can calculate it of attributes.
uint64_t resident_groups(const KernelDispatch& dispatch, uint32_t wave_size, uint32_t group_memory,
                         const ResidencyLimits& limits);

/// Checks that all work-groups of a dispatch can be in progress at the same time, each with so many bytes of
/// group memory, if the dispatch is cooperative. Fails with OUT_OF_RESOURCES.
Result<void, Failure> check_resident(const KernelDispatch& dispatch, std::string_view kernel,
                                     uint32_t wave_size, uint32_t group_memory,
                                     const ResidencyLimits& limits);

/// Takes the directives from a code object's description of a kernel. A template, because this folder does
/// not depend on code objects. The result refers to the name in `kernel`, which must outlive it.
template <typename Kernel>
KernelDirectives directives_of(const Kernel& kernel, uint32_t wave_size) {
  KernelDirectives out;
  out.kernel = kernel.name;
  out.static_group_size = kernel.group_size;
  for (int i = 0; i < 3; ++i) {
    out.required_group_size[i] = kernel.required_group_size[i];
    out.required_grid_size[i] = kernel.required_grid_size[i];
  }
  out.required_dim = kernel.required_dim;
  out.max_dynamic_group_size = kernel.max_dynamic_group_size;
  out.max_flat_grid_size = kernel.max_flat_grid_size;
  out.max_flat_group_size = kernel.max_flat_group_size;
  out.no_partial_groups = kernel.no_partial_groups();
  out.no_partial_waves = kernel.no_partial_waves();
  out.wave_size = wave_size;
  return out;
}

/// Checks that a dispatch made by check_dispatch() obeys the directives of its kernel. Fails with
/// INCOMPATIBLE_ARGUMENTS.
Result<void, Failure> check_directives(const KernelDirectives& directives, const KernelDispatch& dispatch);

}  // namespace heddle::agents
