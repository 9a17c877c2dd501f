// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory allocation, registration and copies (Runtime 2.7).
#include <chrono>
#include <cstring>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

TEST_F(Runtime, RegionsKeepTheRules) {
  for (hsa_agent_t agent : agents_) {
    bool has_kernarg = false;
    for (hsa_region_t region : regions(agent)) {
      const auto segment = region_info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT);
      const auto flags = region_info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS);
      const bool allowed = region_info<bool>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED);
      const auto granule = region_info<size_t>(region, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE);
      const auto alignment = region_info<size_t>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT);
      EXPECT_GT(region_info<size_t>(region, HSA_REGION_INFO_SIZE), 0u);
      if (allowed) {
        EXPECT_GT(granule, 0u);
        EXPECT_TRUE(alignment != 0 && (alignment & (alignment - 1)) == 0);
        EXPECT_GE(region_info<size_t>(region, HSA_REGION_INFO_ALLOC_MAX_SIZE), 256u);
      }
      if (segment != HSA_REGION_SEGMENT_GLOBAL) {
        EXPECT_EQ(flags, 0u);
        continue;
      }
      const bool fine = (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED) != 0;
      EXPECT_NE(fine, (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) != 0);
      if ((flags & HSA_REGION_GLOBAL_FLAG_KERNARG) != 0) {
        EXPECT_TRUE(fine && allowed);
        has_kernarg = true;
      }
    }
    EXPECT_TRUE(has_kernarg);
  }
}

TEST_F(Runtime, SharedRegionsHaveOneHandle) {
  EXPECT_EQ(global_region(host_, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED).handle,
            global_region(kernel_agent_, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED).handle);
}

TEST_F(Runtime, RegionErrors) {
  uint64_t buffer[8];
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(hsa_region_get_info({handle}, HSA_REGION_INFO_SIZE, buffer), HSA_STATUS_ERROR_INVALID_REGION);
  const hsa_region_t region = fine_region();
  EXPECT_EQ(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_region_get_info(region, static_cast<hsa_region_info_t>(3), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_iterate_regions(host_, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const auto stop = [](hsa_region_t, void*) { return HSA_STATUS_ERROR_FATAL; };
  EXPECT_EQ(hsa_agent_iterate_regions(host_, stop, nullptr), HSA_STATUS_ERROR_FATAL);
}

TEST_F(Runtime, AllocationsAreAlignedAndWritable) {
  for (hsa_agent_t agent : agents_)
    for (hsa_region_t region : regions(agent)) {
      if (!region_info<bool>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED)) {
        void* none = nullptr;
        EXPECT_EQ(hsa_memory_allocate(region, 64, &none), HSA_STATUS_ERROR_INVALID_ALLOCATION);
        continue;
      }
      const auto alignment = region_info<size_t>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT);
      for (size_t size : {size_t{1}, size_t{255}, size_t{4096}, size_t{1} << 20}) {
        void* memory = nullptr;
        ASSERT_SUCCESS(hsa_memory_allocate(region, size, &memory));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
        std::memset(memory, 0x77, size);
        EXPECT_SUCCESS(hsa_memory_free(memory));
      }
    }
}

TEST_F(Runtime, AllocationErrors) {
  void* memory = nullptr;
  const hsa_region_t region = fine_region();
  const auto largest = region_info<size_t>(region, HSA_REGION_INFO_ALLOC_MAX_SIZE);
  EXPECT_EQ(hsa_memory_allocate(region, 0, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_allocate(region, 8, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_allocate({0}, 8, &memory), HSA_STATUS_ERROR_INVALID_REGION);
  EXPECT_EQ(hsa_memory_allocate(region, largest + 1, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_memory_allocate(region, SIZE_MAX, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_memory_free(nullptr));
}

TEST_F(Runtime, CopiesBetweenAllKindsOfMemory) {
  constexpr size_t size = 70000;
  std::vector<char> source(size), heap(size);
  for (size_t i = 0; i < size; ++i) source[i] = static_cast<char>(i * 31 >> 3);
  void *fine = nullptr, *coarse = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), size, &fine));
  ASSERT_SUCCESS(hsa_memory_allocate(coarse_region(), size, &coarse));
  ASSERT_SUCCESS(hsa_memory_assign_agent(coarse, kernel_agent_, HSA_ACCESS_PERMISSION_RW));
  EXPECT_SUCCESS(hsa_memory_copy(fine, source.data(), size));
  EXPECT_SUCCESS(hsa_memory_copy(coarse, fine, size));
  EXPECT_SUCCESS(hsa_memory_copy(heap.data(), coarse, size));
  EXPECT_EQ(heap, source);
  EXPECT_SUCCESS(hsa_memory_copy(heap.data(), source.data(), 0));
  EXPECT_EQ(hsa_memory_copy(nullptr, source.data(), 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy(heap.data(), nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_free(fine));
  EXPECT_SUCCESS(hsa_memory_free(coarse));
}

TEST_F(Runtime, Ownership) {
  void *fine = nullptr, *coarse = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 4096, &fine));
  ASSERT_SUCCESS(hsa_memory_allocate(coarse_region(), 4096, &coarse));
  for (auto access : {HSA_ACCESS_PERMISSION_RO, HSA_ACCESS_PERMISSION_WO, HSA_ACCESS_PERMISSION_RW}) {
    EXPECT_SUCCESS(hsa_memory_assign_agent(coarse, host_, access));
    EXPECT_SUCCESS(hsa_memory_assign_agent(coarse, kernel_agent_, access));
    EXPECT_SUCCESS(hsa_memory_assign_agent(fine, host_, access));
  }
  EXPECT_EQ(hsa_memory_assign_agent(nullptr, host_, HSA_ACCESS_PERMISSION_RW),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_assign_agent(coarse, {0}, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_memory_assign_agent(coarse, host_, static_cast<hsa_access_permission_t>(0)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_free(fine));
  EXPECT_SUCCESS(hsa_memory_free(coarse));
}

TEST_F(Runtime, Registration) {
  std::vector<char> memory(10000);
  EXPECT_SUCCESS(hsa_memory_register(memory.data(), memory.size()));
  EXPECT_SUCCESS(hsa_memory_register(memory.data(), memory.size()));
  EXPECT_SUCCESS(hsa_memory_deregister(memory.data(), memory.size()));
  EXPECT_SUCCESS(hsa_memory_register(nullptr, 0));
  EXPECT_SUCCESS(hsa_memory_register(nullptr, 10));
  EXPECT_SUCCESS(hsa_memory_deregister(nullptr, 10));
  EXPECT_EQ(hsa_memory_register(memory.data(), 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Whoever walks over what is registered would come back to where it began.
TEST_F(Runtime, NoRegistrationGoesBeyondTheAddressSpace) {
  std::vector<char> memory(10000);
  const auto rest = UINTPTR_MAX - reinterpret_cast<uintptr_t>(memory.data());
  for (const size_t size : {size_t{SIZE_MAX}, size_t{SIZE_MAX - 64}, size_t{rest + 1}})
    EXPECT_EQ(hsa_memory_register(memory.data(), size), HSA_STATUS_ERROR_INVALID_ARGUMENT) << size;
  EXPECT_SUCCESS(hsa_memory_register(memory.data(), rest));
  EXPECT_SUCCESS(hsa_memory_deregister(memory.data(), rest));
}

TEST_F(Runtime, CopyMultipleWaitsForItsSignal) {
  const hsa_signal_t start = signal(2), completion = signal(2);
  std::vector<int> source(5000, 17), first(5000), second(5000);
  hsa_location_t destinations[] = {{host_, first.data()}, {{0}, second.data()}};
  const hsa_location_t from{{0}, source.data()};
  const size_t size = source.size() * sizeof(int);
  ASSERT_SUCCESS(hsa_memory_copy_multiple(2, size, destinations, from, &kernel_agent_, start, completion));
  destinations[0].address = nullptr;  // the call need not keep the list
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(hsa_signal_load_relaxed(completion), 2);
  hsa_signal_subtract_screlease(start, 2);
  EXPECT_EQ(
      hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      1);
  EXPECT_EQ(first, source);
  EXPECT_EQ(second, source);
  // Without a start signal the copy starts at once. A copy of 0 bytes completes, too.
  hsa_location_t one[] = {{{0}, first.data()}};
  ASSERT_SUCCESS(hsa_memory_copy_multiple(1, 0, one, from, nullptr, {0}, completion));
  EXPECT_EQ(
      hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      0);
  EXPECT_EQ(hsa_memory_copy_multiple(1, 8, nullptr, from, nullptr, {0}, {0}),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy_multiple(2, 8, destinations, from, nullptr, {0}, {0}),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy_multiple(1, 8, one, {{0}, nullptr}, nullptr, {0}, {0}),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy_multiple(1, 8, one, from, nullptr, {24}, {0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_signal_destroy(start));
  EXPECT_SUCCESS(hsa_signal_destroy(completion));
}

TEST_F(Runtime, ManyCopiesWaitForTheirSignalsAtOnce) {
  constexpr int count = 50;
  std::vector<hsa_signal_t> starts;
  const hsa_signal_t completion = signal(count);
  std::vector<int> source(count), target(count);
  for (int i = 0; i < count; ++i) {
    source[i] = i + 1;
    starts.push_back(signal(1));
    hsa_location_t to{{0}, &target[i]};
    ASSERT_SUCCESS(
        hsa_memory_copy_multiple(1, sizeof(int), &to, {{0}, &source[i]}, nullptr, starts[i], completion));
  }
  for (int i = count - 1; i >= 0; --i) hsa_signal_store_screlease(starts[i], 0);
  EXPECT_EQ(
      hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      0);
  EXPECT_EQ(source, target);
  // Copies that never start do not keep the runtime from shutting down.
  hsa_location_t to{{0}, &target[0]};
  hsa_signal_store_screlease(starts[0], 1);
  ASSERT_SUCCESS(
      hsa_memory_copy_multiple(1, sizeof(int), &to, {{0}, &source[1]}, nullptr, starts[0], completion));
}

}  // namespace
}  // namespace heddle::runtime::test
