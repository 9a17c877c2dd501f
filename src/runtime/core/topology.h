// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as clients see it: agents with their regions, pools, caches, ISAs and wavefronts
// (Runtime 2.3, 2.7, 2.8.1). It is built when the first client starts. Afterwards only ISAs that no agent
// executes are added, when a client names them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <hsa/amd/memory.h>
#include <hsa/hsa.h>
#include <hsam/hsam.h>

#include "driver/driver.h"
#include "runtime/core/handles.h"

namespace heddle::runtime {

struct Region {
  const driver::Region* driver = nullptr;
  hsa_region_t handle{};

  const hsam_region_description& description() const { return driver->description; }
};

struct Agent;

/// A region as one of its agents owns it: a memory pool of the AMD extension.
struct Pool {
  const Region* region = nullptr;
  const Agent* owner = nullptr;
  hsa_amd_memory_pool_t handle{};

  const hsam_region_description& description() const { return region->description(); }
};

struct Cache {
  std::string name;
  uint8_t level = 0;
  uint32_t size = 0;
  uint32_t line_size = 0;
  hsa_cache_t handle{};
};

struct Wavefront {
  uint32_t size = 1;
  hsa_wavefront_t handle{};
};

struct Isa {
  std::string name;
  hsam_isa_description description{};
  std::vector<const Wavefront*> wavefronts;
  hsa_isa_t handle{};
};

struct Agent {
  const driver::Agent* driver = nullptr;
  std::vector<const Region*> regions;
  std::vector<const Pool*> pools;      ///< in the order in which programs for ROCm expect them
  std::vector<const Cache*> caches;    ///< ascending level
  std::vector<const Isa*> isas;        ///< that it executes, best first; empty if it dispatches no kernels
  std::vector<const Isa*> shown_isas;  ///< those that clients see: mostly the same (HEDDLE_CPU_AS_GPU)
  hsa_agent_t handle{};

  const hsa_agent_driver_config& config() const { return driver->config(); }
  /// Returns the ISA that the deprecated attributes of an agent describe; null if it has none.
  const Isa* first_isa() const { return isas.empty() ? nullptr : isas.front(); }
  bool has_images() const { return config().host_images != 0; }
  /// Returns the agent's ISA of this name, or null.
  const Isa* find_isa(std::string_view name) const;
  /// Returns the first region for which the predicate holds, or null.
  template <typename Predicate>
  const Region* find_region(Predicate predicate) const {
    for (const Region* region : regions)
      if (predicate(*region)) return region;
    return nullptr;
  }
};

class Topology {
 public:
  /// Builds the agents once; calls after the first successful one do nothing, since agents are the same for
  /// all clients.
  void build(const driver::Client& client);

  const Agent* agent(hsa_agent_t handle) const { return agents_.get(handle.handle); }
  const Region* region(hsa_region_t handle) const { return regions_.get(handle.handle); }
  const Pool* pool(hsa_amd_memory_pool_t handle) const { return pools_.get(handle.handle); }
  const Cache* cache(hsa_cache_t handle) const { return caches_.get(handle.handle); }
  const Isa* isa(hsa_isa_t handle) const { return isas_.get(handle.handle); }
  const Wavefront* wavefront(hsa_wavefront_t handle) const { return wavefronts_.get(handle.handle); }

  size_t agent_count() const { return agents_.size(); }
  const Agent& agent_at(size_t index) const { return *agents_.at(index); }
  const Agent* host() const { return agents_.size() == 0 ? nullptr : agents_.at(0); }

  /// Returns the ISA of this name if an agent executes or shows it, otherwise null.
  const Isa* find_agent_isa(std::string_view name) const;
  /// Returns the ISA of this name and creates it if necessary. An ISA that no agent describes gets the
  /// smallest limits that HSA allows. Returns null when there are too many ISAs.
  const Isa* intern_isa(std::string_view name, uint32_t wavefront_size);

 private:
  class Draft;

  const Isa* add_isa(std::string_view name, const hsam_isa_description& description);
  const Isa* find_isa(std::string_view name) const;

  std::mutex mutex_;
  PermanentTable<Agent, tag_agent> agents_;
  PermanentTable<Region, tag_region> regions_;
  PermanentTable<Pool, tag_pool> pools_;
  PermanentTable<Cache, tag_cache> caches_;
  PermanentTable<Isa, tag_isa> isas_;
  PermanentTable<Wavefront, tag_wavefront> wavefronts_;
};

}  // namespace heddle::runtime
