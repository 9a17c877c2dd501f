// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>

#include <string>
#include <vector>

#include "agents/cuda/gpu.h"

namespace heddle::cuda {

/// The numbers of an agent's own regions (hsam_region_description::memory_id). Agents of several GPUs share
/// no device memory, so each GPU has its own number for it.
constexpr uint64_t device_memory_id(uint32_t agent) { return HSAM_MEMORY_AGENT_FIRST + agent; }
inline constexpr uint64_t group_memory_id = HSAM_MEMORY_AGENT_FIRST + 0x10000;
inline constexpr uint64_t private_memory_id = group_memory_id + 1;
inline constexpr uint64_t readonly_memory_id = group_memory_id + 2;

/// The most private memory of a work-item, in bytes: what the hardware has for a thread, less what the driver
/// keeps.
inline constexpr uint32_t private_memory_max = 511 * 1024;
/// Memory of a device is mapped in units of this size, in bytes.
inline constexpr uint64_t device_memory_granule = uint64_t{2} << 20;

/// How the generic driver sees a GPU. What registration keeps pointers to lives here, so it must never be
/// destroyed once the agent is registered.
class Description {
 public:
  /// `agent` is the number of the agent within the driver, counted from 0. `needs_files` says that another
  /// process has the driver, or may come to have it, and maps memory of the host then.
  Description(const GpuProperties& gpu, uint32_t agent, bool needs_files = false);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  const hsa_agent_driver_config& config() const { return config_; }
  /// Whether the GPU executes code for an ISA of this name.
  bool executes(const std::string& isa) const;

 private:
  void add_regions(const GpuProperties& gpu, uint32_t agent);
  void add_isas(const GpuProperties& gpu);
  void add_caches(const GpuProperties& gpu);
  void fill_config(const GpuProperties& gpu, uint32_t agent);

  std::string name_;
  std::vector<std::vector<const char*>> also_executes_;  ///< for each ISA, null-terminated
  std::vector<hsam_isa_description> isas_;
  std::vector<hsam_region_description> regions_;
  std::vector<hsam_cache_description> caches_;
  hsa_agent_driver_config config_ = {};
};

}  // namespace heddle::cuda
