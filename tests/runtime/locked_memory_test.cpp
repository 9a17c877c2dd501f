// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for an agent that needs all of it locked and is told of it. The program registers this agent before
// it starts the runtime; so it cannot be part of another test.
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>

#include <cstdio>
#include <map>
#include <mutex>

#include "fixture.h"
#include "scripted_agent.h"

namespace heddle::runtime::test {
namespace {

/// What the agent has been told of: sizes by address.
struct Told {
  std::mutex mutex;
  std::map<uintptr_t, size_t> ranges;
  int accepted = -1;  ///< how many more it accepts; negative: all
} told;

HSAM_Error take(int64_t, void* address, int32_t size, hsam_segment, int32_t, void*) {
  const std::lock_guard lock(told.mutex);
  if (told.accepted == 0) return HSAM_OutOfResources;
  if (told.accepted > 0) --told.accepted;
  told.ranges[reinterpret_cast<uintptr_t>(address)] = static_cast<size_t>(size);
  return HSAM_Done;
}

HSAM_Error forget(int64_t, void* address, void*) {
  const std::lock_guard lock(told.mutex);
  return told.ranges.erase(reinterpret_cast<uintptr_t>(address)) == 1 ? HSAM_Done : HSAM_Invalid;
}

bool register_agent() {
  static ScriptedAgent agent("needs locked memory");
  agent.config.wants_memory_messages = 1;
  agent.config.safe_all_memory = 1;
  agent.interface.memory_allocation = take;
  agent.interface.memory_free = forget;
  return agent.enlist();
}

constexpr size_t page = 4096;

hsa_agent_t scripted_agent() {
  hsa_agent_t found{};
  EXPECT_EQ(hsa_iterate_agents(
                [](hsa_agent_t agent, void* out) {
                  hsa_device_type_t type{};
                  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
                  if (type != HSA_DEVICE_TYPE_DSP) return HSA_STATUS_SUCCESS;
                  *static_cast<hsa_agent_t*>(out) = agent;
                  return HSA_STATUS_INFO_BREAK;
                },
                &found),
            HSA_STATUS_INFO_BREAK);
  return found;
}

class LockedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool registered = register_agent();
    ASSERT_TRUE(registered);
    ASSERT_SUCCESS(hsa_init());
    void* mapped = mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    memory_ = static_cast<char*>(mapped);
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_shut_down());
    munmap(memory_, 16 * page);
    EXPECT_TRUE(told.ranges.empty()) << "the agent keeps memory that nobody has";
  }
  void lock(size_t first, size_t pages) {
    void* at_agent = nullptr;
    EXPECT_SUCCESS(hsa_amd_memory_lock(memory_ + first * page, pages * page, nullptr, 0, &at_agent));
    EXPECT_EQ(at_agent, memory_ + first * page);
  }
  void unlock(size_t first) { EXPECT_SUCCESS(hsa_amd_memory_unlock(memory_ + first * page)); }
  /// Returns the pages of the memory that the agent knows, a letter for each; those that it has been told of
  /// more than once are marked.
  std::string known() const {
    std::string pages(16, '.');
    const std::lock_guard lock(told.mutex);
    for (const auto& [begin, size] : told.ranges)
      for (size_t i = 0; i < 16; ++i) {
        const auto at = reinterpret_cast<uintptr_t>(memory_) + i * page;
        if (at >= begin && at < begin + size) pages[i] = pages[i] == '.' ? 'x' : '?';
      }
    return pages;
  }
  /// Returns the pages that the system has locked.
  std::string locked() const { return locked(memory_, 16); }
  static std::string locked(const char* memory, size_t count) {
    std::string pages(count, '.');
    std::FILE* smaps = std::fopen("/proc/self/smaps", "re");
    uintptr_t begin = 0, end = 0;
    char line[512];
    while (smaps != nullptr && std::fgets(line, sizeof line, smaps) != nullptr) {
      unsigned long from = 0, to = 0;
      unsigned size = 0;
      if (std::sscanf(line, "%lx-%lx ", &from, &to) == 2) {
        begin = from;
        end = to;
      } else if (std::sscanf(line, "Locked: %u kB", &size) == 1 && size != 0) {
        for (size_t i = 0; i < count; ++i) {
          const auto at = reinterpret_cast<uintptr_t>(memory) + i * page;
          if (at >= begin && at < end) pages[i] = 'x';
        }
      }
    }
    if (smaps != nullptr) std::fclose(smaps);
    return pages;
  }
  char* memory_ = nullptr;
};

TEST_F(LockedMemory, TheTailOfAnOverlappingRangeIsLockedToo) {
  lock(0, 4);
  lock(2, 6);
  EXPECT_EQ(known(), "xxxxxxxx........");
  EXPECT_EQ(locked(), "xxxxxxxx........");
  unlock(0);
  EXPECT_EQ(known().substr(2), "xxxxxx........") << "the other range is still locked";
  EXPECT_EQ(locked().substr(2), "xxxxxx........");
  unlock(2);
  EXPECT_EQ(known(), "................");
  EXPECT_EQ(locked(), "................");
}

TEST_F(LockedMemory, ALongerRangeFromTheSameAddress) {
  lock(3, 1);
  lock(3, 5);
  EXPECT_EQ(known(), "...xxxxx........");
  unlock(3);
  EXPECT_EQ(known(), "...x............");
  unlock(3);
  EXPECT_EQ(known(), "................");
}

TEST_F(LockedMemory, ARangeAroundOthers) {
  lock(4, 2);
  lock(9, 1);
  lock(2, 10);
  EXPECT_EQ(known(), "..xxxxxxxxxx....");
  unlock(4);
  unlock(9);
  EXPECT_EQ(known(), "..xxxxxxxxxx....");
  unlock(2);
  EXPECT_EQ(known(), "................");
}

TEST_F(LockedMemory, OverlappingRangesAreFilledToTheEndOfTheLongest) {
  lock(0, 8);
  lock(2, 1);
  EXPECT_SUCCESS(hsa_amd_memory_fill(memory_ + 2 * page, 0x01020304, 6 * page / 4));
  EXPECT_EQ(memory_[8 * page - 1], 1);
  EXPECT_EQ(hsa_amd_memory_fill(memory_ + 2 * page, 5, 6 * page / 4 + 1),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  unlock(0);
  EXPECT_EQ(hsa_amd_memory_fill(memory_ + 2 * page, 5, page / 4 + 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  unlock(2);
}

TEST_F(LockedMemory, ARefusedPartLeavesNothing) {
  lock(4, 2);
  void* at_agent = nullptr;
  told.accepted = 1;  // pages 2 and 3, but not those behind page 5
  EXPECT_EQ(hsa_amd_memory_lock(memory_ + 2 * page, 8 * page, nullptr, 0, &at_agent),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(known(), "....xx..........");
  EXPECT_EQ(locked(), "....xx..........");
  told.accepted = -1;
  unlock(2);
  EXPECT_EQ(known(), "....xx..........") << "that range is not locked";
  unlock(4);
}

/// The pages of mappings cannot be accessed before access is set, and are locked nevertheless.
TEST_F(LockedMemory, VirtualMemoryCanBeMapped) {
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  const hsa_agent_t host = agents.front();
  std::vector<hsa_amd_memory_pool_t> pools;
  ASSERT_SUCCESS(hsa_amd_agent_iterate_memory_pools(host, collect<hsa_amd_memory_pool_t>, &pools));
  hsa_amd_vmem_alloc_handle_t handle{};
  hsa_status_t status = HSA_STATUS_ERROR;
  for (const hsa_amd_memory_pool_t pool : pools)
    if (status != HSA_STATUS_SUCCESS)
      status = hsa_amd_vmem_handle_create(pool, 4 * page, MEMORY_TYPE_NONE, 0, &handle);
  ASSERT_SUCCESS(status);
  void* address = nullptr;
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&address, 4 * page, 0, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_map(address, 4 * page, 0, handle, 0));
  EXPECT_EQ(told.ranges.count(reinterpret_cast<uintptr_t>(address)), 1u);
  const hsa_amd_memory_access_desc_t access = {HSA_ACCESS_PERMISSION_RW, host};
  EXPECT_SUCCESS(hsa_amd_vmem_set_access(address, 4 * page, &access, 1));
  static_cast<char*>(address)[4 * page - 1] = 1;
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(address, 4 * page));
  EXPECT_EQ(told.ranges.count(reinterpret_cast<uintptr_t>(address)), 0u);
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(address, 4 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

/// Before access is set, nobody has any.
TEST_F(LockedMemory, MappedVirtualMemoryIsClosedAtFirst) {
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  std::vector<hsa_amd_memory_pool_t> pools;
  ASSERT_SUCCESS(hsa_amd_agent_iterate_memory_pools(agents.front(), collect<hsa_amd_memory_pool_t>, &pools));
  hsa_amd_vmem_alloc_handle_t handle{};
  hsa_status_t status = HSA_STATUS_ERROR;
  for (const hsa_amd_memory_pool_t pool : pools)
    if (status != HSA_STATUS_SUCCESS)
      status = hsa_amd_vmem_handle_create(pool, page, MEMORY_TYPE_NONE, 0, &handle);
  ASSERT_SUCCESS(status);
  void* address = nullptr;
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&address, page, 0, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_map(address, page, 0, handle, 0));
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(write(pipes[1], address, 1), -1) << "the system reads the byte for us, and may not";
  EXPECT_EQ(errno, EFAULT);
  close(pipes[0]);
  close(pipes[1]);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(address, page));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(address, page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

TEST_F(LockedMemory, QueuesAreToldAndLocked) {
  hsa_queue_t* queue = nullptr;
  ASSERT_SUCCESS(
      hsa_queue_create(scripted_agent(), 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, 0, 0, &queue));
  const auto begin = reinterpret_cast<uintptr_t>(queue) / page * page;
  {
    const std::lock_guard lock(told.mutex);
    ASSERT_EQ(told.ranges.size(), 1u);
    EXPECT_LE(told.ranges.begin()->first, begin);
    EXPECT_GE(told.ranges.begin()->first + told.ranges.begin()->second,
              reinterpret_cast<uintptr_t>(queue->base_address) + size_t{64} * 64);
  }
  EXPECT_EQ(locked(reinterpret_cast<const char*>(begin), 2), "xx");
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
  EXPECT_EQ(locked(reinterpret_cast<const char*>(begin), 2), "..");
  EXPECT_TRUE(told.ranges.empty());
}

}  // namespace
}  // namespace heddle::runtime::test
