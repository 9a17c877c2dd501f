// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools in tests.
#pragma once

#include <hsa/hsa_ext_amd.h>

#include <vector>

#include "../fixture.h"

namespace heddle::runtime::test {

template <typename T>
T pool_info(hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_amd_memory_pool_get_info(pool, attribute, &value));
  return value;
}

inline std::vector<hsa_amd_memory_pool_t> pools(hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> found;
  EXPECT_SUCCESS(hsa_amd_agent_iterate_memory_pools(agent, collect<hsa_amd_memory_pool_t>, &found));
  return found;
}

/// A runtime whose agents have pools.
class Pools : public Runtime {
 protected:
  /// Returns the first pool of the agent that has exactly these flags; handle 0 if there is none.
  static hsa_amd_memory_pool_t pool(hsa_agent_t agent, uint32_t flags) {
    for (hsa_amd_memory_pool_t found : pools(agent))
      if (pool_info<uint32_t>(found, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS) == flags) return found;
    return {0};
  }
  hsa_amd_memory_pool_t host_pool() const {
    return pool(host_, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  }
  hsa_amd_memory_pool_t agent_pool() const {
    return pool(kernel_agent_, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  }
  static char* allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags = 0) {
    void* memory = nullptr;
    EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(pool, size, flags, &memory));
    return static_cast<char*>(memory);
  }
};

}  // namespace heddle::runtime::test
