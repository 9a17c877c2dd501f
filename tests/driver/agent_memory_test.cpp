// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address ranges and physical memory for agents (MVA 2.10), through the interface that agents use.
#include <gtest/gtest.h>

#include <cstring>

#include "driver/registry.h"

namespace heddle::driver {
namespace {

const hsa_generic_driver_interface& driver = generic_interface;

TEST(AgentMemory, allocations_are_usable_and_freed_once) {
  for (auto allocate : {driver.agent_memory_allocate, driver.agent_memory_allocate_safe_to_access}) {
    void* address = nullptr;
    ASSERT_EQ(allocate(1, 10000, &address), HSAM_Done);
    std::memset(address, 1, 10000);
    EXPECT_EQ(driver.agent_memory_free(1, static_cast<char*>(address) + 4096), HSAM_Invalid);
    EXPECT_EQ(driver.agent_memory_free(1, address), HSAM_Done);
    EXPECT_EQ(driver.agent_memory_free(1, address), HSAM_Invalid);
  }
}

TEST(AgentMemory, bad_sizes_are_refused) {
  void* address = nullptr;
  EXPECT_EQ(driver.agent_memory_allocate(1, 0, &address), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_allocate(1, -4096, &address), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_reserve(1, 4096, nullptr), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_allocate_physical(1, INT32_MIN, &address), HSAM_Invalid);
}

TEST(AgentMemory, reservations_end_with_their_own_size_only) {
  void* address = nullptr;
  ASSERT_EQ(driver.agent_memory_reserve(1, 1 << 20, &address), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free(1, address), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_unreserve(1, address, 4096), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_unreserve(1, address, 1 << 20), HSAM_Done);
}

TEST(AgentMemory, physical_memory_can_be_mapped_twice) {
  void* physical = nullptr;
  ASSERT_EQ(driver.agent_memory_allocate_physical(1, 8192, &physical), HSAM_Done);
  void* one = nullptr;
  void* two = nullptr;
  ASSERT_EQ(driver.agent_memory_map(1, 8192, physical, &one), HSAM_Done);
  ASSERT_EQ(driver.agent_memory_map(1, 4096, static_cast<char*>(physical) + 4096, &two), HSAM_Done);
  static_cast<char*>(one)[4096] = 42;
  EXPECT_EQ(*static_cast<char*>(two), 42);
  EXPECT_EQ(driver.agent_memory_map(1, 16384, physical, &one), HSAM_OutOfResources);
  EXPECT_EQ(driver.agent_memory_unmap(1, two, 4096), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_unmap(1, one, 8192), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free_physical(1, physical, 4096), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_free_physical(1, physical, 8192), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free_physical(1, physical, 8192), HSAM_Invalid);
}

// Sizes that an int32_t cannot hold.
constexpr uint64_t large = (uint64_t{3} << 30) + 4096;

TEST(AgentMemory, large_areas_are_contiguous_and_given_back_as_a_whole) {
  for (auto allocate : {driver.agent_memory_allocate_large, driver.agent_memory_reserve_large}) {
    void* address = nullptr;
    ASSERT_EQ(allocate(1, large, &address), HSAM_Done);
    const bool reserved = allocate == driver.agent_memory_reserve_large;
    if (!reserved) static_cast<char*>(address)[large - 1] = 1;
    EXPECT_EQ(driver.agent_memory_unreserve_large(1, address, large - 4096), HSAM_Invalid);
    EXPECT_EQ(reserved ? driver.agent_memory_unreserve_large(1, address, large)
                       : driver.agent_memory_free(1, address),
              HSAM_Done);
  }
}

TEST(AgentMemory, large_physical_memory_is_mapped_as_a_whole_or_in_parts) {
  void* physical = nullptr;
  ASSERT_EQ(driver.agent_memory_allocate_physical_large(1, large, &physical), HSAM_Done);
  void* whole = nullptr;
  void* end = nullptr;
  ASSERT_EQ(driver.agent_memory_map_large(1, large, physical, &whole), HSAM_Done);
  ASSERT_EQ(driver.agent_memory_map(1, 4096, static_cast<char*>(physical) + large - 4096, &end), HSAM_Done);
  static_cast<char*>(whole)[large - 1] = 42;
  EXPECT_EQ(static_cast<char*>(end)[4095], 42);
  EXPECT_EQ(driver.agent_memory_unmap_large(1, end, 4096), HSAM_Done);  // either kind of function takes back
  EXPECT_EQ(driver.agent_memory_unmap_large(1, whole, large), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free_physical_large(1, physical, large), HSAM_Done);
}

TEST(AgentMemory, sizes_that_no_address_space_has_are_out_of_resources) {
  void* address = nullptr;
  for (uint64_t size : {UINT64_MAX, UINT64_MAX - 4095, uint64_t{1} << 60, uint64_t{1} << 50}) {
    EXPECT_EQ(driver.agent_memory_reserve_large(1, size, &address), HSAM_OutOfResources);
    EXPECT_EQ(driver.agent_memory_allocate_safe_to_access_large(1, size, &address), HSAM_OutOfResources);
    EXPECT_EQ(driver.agent_memory_map_large(1, size, &address, &address), HSAM_OutOfResources);
    EXPECT_EQ(driver.agent_memory_free_physical_large(1, address, size), HSAM_Invalid);
  }
  EXPECT_EQ(driver.agent_memory_allocate_physical_large(1, UINT64_MAX, &address), HSAM_OutOfResources);
  EXPECT_EQ(driver.agent_memory_reserve_large(1, 0, &address), HSAM_Invalid);
  EXPECT_EQ(driver.agent_memory_unreserve_large(1, address, 0), HSAM_Invalid);
}

}  // namespace
}  // namespace heddle::driver
