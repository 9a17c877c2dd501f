// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools: what they are, allocations from them, access to these, and filling them.
#include <cstring>
#include <thread>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

constexpr auto kernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
constexpr auto fine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
constexpr auto coarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;

/// Programs take pools by their order.
TEST_F(Pools, HaveTheOrderThatProgramsExpect) {
  std::vector<uint32_t> flags;
  for (hsa_amd_memory_pool_t pool : pools(host_)) {
    EXPECT_EQ(pool_info<hsa_amd_segment_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT), HSA_AMD_SEGMENT_GLOBAL);
    flags.push_back(pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS));
  }
  EXPECT_EQ(flags, (std::vector<uint32_t>{kernarg | fine, fine, coarse}));
  flags.clear();
  const auto of_agent = pools(kernel_agent_);
  for (hsa_amd_memory_pool_t pool : of_agent)
    flags.push_back(pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS));
  EXPECT_EQ(flags, (std::vector<uint32_t>{coarse, fine, 0}));
  EXPECT_EQ(pool_info<hsa_amd_segment_t>(of_agent.back(), HSA_AMD_MEMORY_POOL_INFO_SEGMENT),
            HSA_AMD_SEGMENT_GROUP);
}

TEST_F(Pools, AttributesKeepTheRules) {
  for (hsa_agent_t agent : agents_)
    for (hsa_amd_memory_pool_t pool : pools(agent)) {
      const bool allowed = pool_info<bool>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED);
      const auto granule = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE);
      const auto alignment = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT);
      const auto wished = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE);
      EXPECT_TRUE(alignment != 0 && (alignment & (alignment - 1)) == 0);
      EXPECT_TRUE(wished >= granule && wished % granule == 0);
      EXPECT_GT(pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE), 0u);
      EXPECT_EQ(pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE) != 0, allowed);
      const bool global =
          pool_info<hsa_amd_segment_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT) == HSA_AMD_SEGMENT_GLOBAL;
      EXPECT_EQ(allowed, global);
      EXPECT_EQ(pool_info<bool>(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL), global);
      EXPECT_EQ(pool_info<hsa_amd_memory_pool_location_t>(pool, HSA_AMD_MEMORY_POOL_INFO_LOCATION),
                HSA_AMD_MEMORY_POOL_LOCATION_CPU);
    }
}

TEST_F(Pools, QueryErrors) {
  uint64_t buffer[8];
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(hsa_amd_memory_pool_get_info({handle}, HSA_AMD_MEMORY_POOL_INFO_SIZE, buffer),
              HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_pool_get_info(host_pool(), HSA_AMD_MEMORY_POOL_INFO_SIZE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_get_info(host_pool(), static_cast<hsa_amd_memory_pool_info_t>(3), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agent_iterate_memory_pools({0}, collect<hsa_amd_memory_pool_t>, buffer),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_agent_iterate_memory_pools(host_, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const auto stop = [](hsa_amd_memory_pool_t, void*) { return HSA_STATUS_INFO_BREAK; };
  EXPECT_EQ(hsa_amd_agent_iterate_memory_pools(host_, stop, nullptr), HSA_STATUS_INFO_BREAK);
}

TEST_F(Pools, AllocationsAreAlignedAndWritable) {
  for (hsa_agent_t agent : agents_)
    for (hsa_amd_memory_pool_t pool : pools(agent)) {
      if (!pool_info<bool>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED)) {
        void* none = nullptr;
        EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, 64, 0, &none), HSA_STATUS_ERROR_INVALID_ALLOCATION);
        continue;
      }
      const auto alignment = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT);
      for (size_t size :
           {size_t{1}, size_t{4095}, size_t{4097}, size_t{40000}, size_t{1} << 20, size_t{9} << 20})
        for (uint32_t flags : {0u, static_cast<uint32_t>(HSA_AMD_MEMORY_POOL_PCIE_FLAG)}) {
          char* memory = allocate(pool, size, flags);
          ASSERT_NE(memory, nullptr);
          EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
          std::memset(memory, 0x77, size);
          EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
        }
    }
}

TEST_F(Pools, AllocationErrors) {
  void* memory = nullptr;
  const auto largest = pool_info<size_t>(host_pool(), HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host_pool(), 0, 0, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host_pool(), 8, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host_pool(), 8, 8, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate({fine_region().handle}, 8, 0, &memory),
            HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host_pool(), largest + 1, 0, &memory),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host_pool(), 4096, HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG, &memory),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(memory, nullptr);
}

TEST_F(Pools, FreeTakesBasesOnly) {
  char* memory = allocate(host_pool(), 8192);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(nullptr));
  EXPECT_EQ(hsa_amd_memory_pool_free(memory + 4096), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_free(&memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

/// Either function frees what the other interface has allocated.
TEST_F(Pools, ShareTheirMemoryWithRegions) {
  void* memory = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 4096, &memory));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_SUCCESS(hsa_memory_free(allocate(host_pool(), 4096)));
}

/// Code that a program writes into executable memory runs; the pages lose the permission when they are freed.
TEST_F(Pools, ExecutableMemoryCanBeExecuted) {
#if defined(__x86_64__)
  const unsigned char code[] = {0xb8, 0x2a, 0x00, 0x00, 0x00, 0xc3};  // mov eax, 42; ret
  char* memory = allocate(host_pool(), sizeof code, HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG);
  std::memcpy(memory, code, sizeof code);
  EXPECT_EQ(reinterpret_cast<int (*)()>(memory)(), 42);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
#else
  GTEST_SKIP() << "the code of this test is for x86-64";
#endif
}

TEST_F(Pools, AccessOfAgents) {
  for (hsa_agent_t agent : agents_)
    for (hsa_agent_t owner : agents_)
      for (hsa_amd_memory_pool_t pool : pools(owner)) {
        hsa_amd_memory_pool_access_t access{};
        uint32_t hops = 99;
        EXPECT_SUCCESS(
            hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
        EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(
            agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops));
        EXPECT_SUCCESS(
            hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, &hops));
        EXPECT_EQ(hops, 0u);
        const bool global =
            pool_info<hsa_amd_segment_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT) == HSA_AMD_SEGMENT_GLOBAL;
        EXPECT_EQ(access, global || agent.handle == owner.handle
                              ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                              : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
      }
  uint64_t buffer[8];
  EXPECT_EQ(
      hsa_amd_agent_memory_pool_get_info({0}, host_pool(), HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, buffer),
      HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(host_, {0}, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, buffer),
            HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(
      hsa_amd_agent_memory_pool_get_info(host_, host_pool(), HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, nullptr),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(host_, host_pool(),
                                               static_cast<hsa_amd_agent_memory_pool_info_t>(3), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Pools, AllowAccess) {
  char* memory = allocate(agent_pool(), 4096);
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &kernel_agent_, nullptr, memory));
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, memory));
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, memory));
  const uint32_t flags[2] = {};
  const hsa_agent_t none{0};
  EXPECT_EQ(hsa_amd_agents_allow_access(0, agents_.data(), nullptr, memory),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(2, nullptr, nullptr, memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(2, agents_.data(), flags, memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, memory + 64),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, &memory),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &none, nullptr, memory), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pools, Migration) {
  bool possible = true;
  EXPECT_SUCCESS(hsa_amd_memory_pool_can_migrate(host_pool(), agent_pool(), &possible));
  EXPECT_FALSE(possible);
  EXPECT_SUCCESS(hsa_amd_memory_pool_can_migrate(host_pool(), host_pool(), &possible));
  EXPECT_TRUE(possible);
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate({0}, host_pool(), &possible),
            HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate(host_pool(), {0}, &possible),
            HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate(host_pool(), host_pool(), nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  char* memory = allocate(host_pool(), 4096);
  EXPECT_SUCCESS(hsa_amd_memory_migrate(memory, host_pool(), 0));
  EXPECT_EQ(hsa_amd_memory_migrate(memory, agent_pool(), 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_migrate(memory, host_pool(), 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_migrate(memory, {0}, 0), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_migrate(memory + 1, host_pool(), 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pools, Fill) {
  for (size_t words : {size_t{1}, size_t{5}, size_t{3} << 20}) {
    auto* memory = reinterpret_cast<uint32_t*>(allocate(agent_pool(), (words + 2) * sizeof(uint32_t)));
    memory[0] = memory[words + 1] = 7;
    EXPECT_SUCCESS(hsa_amd_memory_fill(memory + 1, 0xcafef00d, words));
    for (size_t i = 1; i <= words; ++i) ASSERT_EQ(memory[i], 0xcafef00d) << i;
    EXPECT_EQ(memory[0], 7u);
    EXPECT_EQ(memory[words + 1], 7u);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  }
}

TEST_F(Pools, FillErrors) {
  auto* memory = reinterpret_cast<uint32_t*>(allocate(agent_pool(), 4096));
  uint32_t elsewhere[4] = {};
  EXPECT_SUCCESS(hsa_amd_memory_fill(memory, 1, 0));
  EXPECT_EQ(hsa_amd_memory_fill(nullptr, 1, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_fill(reinterpret_cast<char*>(memory) + 2, 1, 1),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_fill(elsewhere, 1, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_fill(memory, 1, 1025), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_fill(memory + 1, 1, SIZE_MAX / 2), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pools, ThreadsAllocateAndFreeAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (size_t i = 0; i < 200; ++i) {
        char* memory = allocate(i % 2 == 0 ? host_pool() : agent_pool(), 1000 * (i + 1));
        std::memset(memory, t, 1000);
        EXPECT_SUCCESS(hsa_amd_agents_allow_access(2, agents_.data(), nullptr, memory));
        EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(PoolsWithoutRuntime, NotInitialized) {
  void* memory = nullptr;
  bool result = false;
  hsa_amd_coherency_type_t type{};
  const hsa_status_t statuses[] = {
      hsa_amd_memory_pool_get_info({0}, HSA_AMD_MEMORY_POOL_INFO_SIZE, &memory),
      hsa_amd_agent_iterate_memory_pools({0}, collect<hsa_amd_memory_pool_t>, nullptr),
      hsa_amd_memory_pool_allocate({0}, 1, 0, &memory),
      hsa_amd_memory_pool_free(nullptr),
      hsa_amd_agent_memory_pool_get_info({0}, {0}, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &memory),
      hsa_amd_agents_allow_access(0, nullptr, nullptr, nullptr),
      hsa_amd_memory_pool_can_migrate({0}, {0}, &result),
      hsa_amd_memory_migrate(nullptr, {0}, 0),
      hsa_amd_memory_fill(nullptr, 0, 0),
      hsa_amd_coherency_get_type({0}, &type),
      hsa_amd_coherency_set_type({0}, type),
  };
  for (hsa_status_t status : statuses) EXPECT_EQ(status, HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
