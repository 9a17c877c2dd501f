// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/cuda/driver_api.h"

namespace heddle::cuda {

/// What the driver says about a GPU.
struct GpuProperties {
  DeviceNumber number = 0;
  std::string name;
  uint32_t capability = 0;       ///< compute capability: 10 * major + minor
  uint64_t memory = 0;           ///< bytes
  uint64_t clock_frequency = 0;  ///< Hz
  uint32_t multiprocessors = 0;
  uint32_t warp_size = 0;
  uint32_t l2_size = 0;  ///< bytes
  uint32_t l1_size =
      0;  ///< bytes of the memory of a multiprocessor that is first level cache and shared memory
  uint32_t group_memory = 0;         ///< bytes of shared memory that a block can have
  uint32_t group_max_size = 0;       ///< threads of a block
  uint32_t group_max_dim[3] = {};    ///< threads of a block
  uint32_t grid_max_blocks[3] = {};  ///< blocks of a launch
  uint32_t registers_of_a_block = 0;
  uint32_t resident_threads = 0;  ///< threads that a multiprocessor holds
  uint32_t pci_bus = 0, pci_device = 0, pci_domain = 0;
  /// The GPUs whose memory this one can access: bit n stands for that with number n; greater numbers have
  /// none.
  uint64_t peers = 0;
  uint64_t atomic_peers = 0;  ///< of these, those with which atomic operations are atomic on both sides

  bool operator==(const GpuProperties&) const = default;
};

/// The least compute capability of GPUs that become agents. Older ones have no independent progress of the
/// threads of a warp.
inline constexpr uint32_t least_capability = 70;

/// Starts the driver and describes the GPUs that can become agents: of compute capability 7.0 and newer, with
/// virtual memory management, with host memory at the same addresses, and not closed to programs. Fails if
/// the driver does not start; that there is no device is no failure.
Driven<std::vector<GpuProperties>> find_gpus(const DriverApi& api);

}  // namespace heddle::cuda
