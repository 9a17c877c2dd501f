// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserved addresses, memory without addresses, and mappings.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

constexpr size_t page = 4096;

class VirtualMemory : public Pools {
 protected:
  static char* reserve(size_t size) {
    void* base = nullptr;
    EXPECT_SUCCESS(hsa_amd_vmem_address_reserve(&base, size, 0, 0));
    return static_cast<char*>(base);
  }
  hsa_amd_vmem_alloc_handle_t memory(size_t size, hsa_amd_memory_type_t type = MEMORY_TYPE_NONE) const {
    hsa_amd_vmem_alloc_handle_t handle{};
    EXPECT_SUCCESS(hsa_amd_vmem_handle_create(agent_pool(), size, type, 0, &handle));
    return handle;
  }
  void allow(void* base, size_t size, hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_RW) const {
    const hsa_amd_memory_access_desc_t access{permission, kernel_agent_};
    EXPECT_SUCCESS(hsa_amd_vmem_set_access(base, size, &access, 1));
  }
};

TEST_F(VirtualMemory, IsSupported) {
  bool supported = false;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED, &supported));
  EXPECT_TRUE(supported);
}

TEST_F(VirtualMemory, ShowsTheSameMemoryTwice) {
  char* base = reserve(8 * page);
  const auto handle = memory(2 * page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, 2 * page, 0, handle, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_map(base + 4 * page, page, page, handle, 0));
  allow(base, 2 * page);
  allow(base + 4 * page, page);
  base[page + 7] = 42;
  EXPECT_EQ(base[4 * page + 7], 42);
  // The memory lives on without references as long as it is mapped.
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_EQ(hsa_amd_vmem_handle_release(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(base[page + 7], 42);
  hsa_amd_vmem_alloc_handle_t again{};
  ASSERT_SUCCESS(hsa_amd_vmem_retain_alloc_handle(&again, base + 4 * page + 1));
  EXPECT_EQ(again.handle, handle.handle);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base, 2 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base + 4 * page, page));
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, 2 * page, 0, again, 0));
  allow(base, 2 * page, HSA_ACCESS_PERMISSION_RO);
  EXPECT_EQ(base[page + 7], 42);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base, 2 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(again));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 8 * page));
}

TEST_F(VirtualMemory, ReservesAtAddressesAndAlignments) {
  void* base = nullptr;
  for (uint64_t alignment : {uint64_t{0}, uint64_t{page}, uint64_t{1} << 24}) {
    ASSERT_SUCCESS(hsa_amd_vmem_address_reserve_align(&base, 3 * page, 0, alignment, 0));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % std::max<uint64_t>(alignment, page), 0u);
    EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 3 * page));
  }
  // The addresses are free again, so that they can be had by name; taken ones are replaced.
  const auto wanted = reinterpret_cast<uint64_t>(base);
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&base, page, wanted, 0));
  EXPECT_EQ(reinterpret_cast<uint64_t>(base), wanted);
  void* other = nullptr;
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&other, page, wanted, 0));
  EXPECT_NE(other, base);
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, page));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(other, page));
}

TEST_F(VirtualMemory, AccessIsAsAllowed) {
  char* base = reserve(2 * page);
  const auto handle = memory(page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, page, 0, handle, 0));
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_RW;
  EXPECT_SUCCESS(hsa_amd_vmem_get_access(base, &permission, host_));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_NONE);
  // The system refuses what nobody is allowed to do, which a system call shows without a fault.
  const auto readable = [&] {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const bool yes = write(ends[1], base, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return yes;
  };
  EXPECT_FALSE(readable());
  const hsa_amd_memory_access_desc_t both[] = {{HSA_ACCESS_PERMISSION_RO, host_},
                                               {HSA_ACCESS_PERMISSION_RW, kernel_agent_}};
  EXPECT_SUCCESS(hsa_amd_vmem_set_access(base, page, both, 2));
  EXPECT_TRUE(readable());
  EXPECT_SUCCESS(hsa_amd_memory_fill(base, 7, page / 4));
  EXPECT_SUCCESS(hsa_amd_vmem_set_access(base, page, both, 1));  // the other one's stays as it is
  EXPECT_SUCCESS(hsa_amd_vmem_get_access(base + 5, &permission, kernel_agent_));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_RW);
  EXPECT_SUCCESS(hsa_amd_vmem_get_access(base, &permission, host_));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_RO);
  allow(base, page, HSA_ACCESS_PERMISSION_NONE);
  EXPECT_EQ(hsa_amd_memory_fill(base, 7, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base, page));
  EXPECT_FALSE(readable());
  EXPECT_EQ(hsa_amd_vmem_get_access(base, &permission, host_), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 2 * page));
}

TEST_F(VirtualMemory, PointerInfo) {
  char* base = reserve(page);
  const auto handle = memory(page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, page, 0, handle, 0));
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(base + 9, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(info.agentBaseAddress, base);
  EXPECT_EQ(info.sizeInBytes, page);
  EXPECT_EQ(info.agentOwner.handle, kernel_agent_.handle);
  // Nobody has been given access yet, so that there is nothing to allocate an array for.
  const auto no_memory = [](size_t) -> void* { return nullptr; };
  uint32_t count = 77;
  hsa_agent_t* agents = &kernel_agent_;
  EXPECT_SUCCESS(hsa_amd_pointer_info(base, &info, no_memory, &count, &agents));
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(agents, nullptr);
  allow(base, page);
  EXPECT_EQ(hsa_amd_pointer_info(base, &info, no_memory, &count, &agents), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base, page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, page));
}

TEST_F(VirtualMemory, SharesByFileDescriptor) {
  const auto handle = memory(2 * page, MEMORY_TYPE_PINNED);
  int file = -1;
  ASSERT_SUCCESS(hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
  hsa_amd_vmem_alloc_handle_t imported{};
  ASSERT_SUCCESS(hsa_amd_vmem_import_shareable_handle(file, &imported));
  close(file);
  char* base = reserve(4 * page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, 2 * page, 0, handle, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_map(base + 2 * page, 2 * page, 0, imported, 0));
  allow(base, 2 * page);
  allow(base + 2 * page, 2 * page);
  base[3] = 9;
  EXPECT_EQ(base[2 * page + 3], 9);
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type{};
  EXPECT_SUCCESS(hsa_amd_vmem_get_alloc_properties_from_handle(handle, &pool, &type));
  EXPECT_EQ(pool.handle, agent_pool().handle);
  EXPECT_EQ(type, MEMORY_TYPE_PINNED);
  EXPECT_SUCCESS(hsa_amd_vmem_get_alloc_properties_from_handle(imported, &pool, &type));
  EXPECT_EQ(pool.handle, pools(host_).back().handle);
  EXPECT_EQ(type, MEMORY_TYPE_NONE);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base, 2 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(base + 2 * page, 2 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 4 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(imported));
}

TEST_F(VirtualMemory, AddressErrors) {
  void* base = nullptr;
  EXPECT_EQ(hsa_amd_vmem_address_reserve(nullptr, page, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (size_t size : {size_t{0}, size_t{1}, page + 1})
    EXPECT_EQ(hsa_amd_vmem_address_reserve(&base, size, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&base, page, 5, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&base, page, 0, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t alignment : {uint64_t{64}, uint64_t{3 * page}})
    EXPECT_EQ(hsa_amd_vmem_address_reserve_align(&base, page, 0, alignment, 0),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&base, size_t{1} << 60, 0, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&base, SIZE_MAX / page * page, 0, 0),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  char* reserved = reserve(2 * page);
  EXPECT_EQ(hsa_amd_vmem_address_free(reserved + page, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_address_free(nullptr, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_address_free(reserved, page), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const auto handle = memory(page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(reserved + page, page, 0, handle, 0));
  EXPECT_EQ(hsa_amd_vmem_address_free(reserved, 2 * page), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(reserved + page, page));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(reserved, 2 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

TEST_F(VirtualMemory, HandleErrors) {
  hsa_amd_vmem_alloc_handle_t handle{};
  const auto create = [&](hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags) {
    return hsa_amd_vmem_handle_create(pool, size, static_cast<hsa_amd_memory_type_t>(type), flags, &handle);
  };
  const auto largest = pool_info<size_t>(agent_pool(), HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE);
  EXPECT_EQ(create({0}, page, 0, 0), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(create(pools(kernel_agent_).back(), page, 0, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(create(agent_pool(), (largest / page + 1) * page, 0, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(create(agent_pool(), 0, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agent_pool(), page / 2, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agent_pool(), page, 2, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agent_pool(), page, 0, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(agent_pool(), page, MEMORY_TYPE_NONE, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type{};
  int file = -1;
  for (uint64_t garbage : garbage_handles) {
    EXPECT_EQ(hsa_amd_vmem_handle_release({garbage}), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(&file, {garbage}, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle({garbage}, &pool, &type),
              HSA_STATUS_ERROR_INVALID_ALLOCATION);
  }
  const auto good = memory(page);
  EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(nullptr, good, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(&file, good, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle(good, nullptr, &type),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle(good, &pool, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(-1, &handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(empty, &handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  close(empty);
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(&handle, &pool), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(nullptr, &pool), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(good));
}

TEST_F(VirtualMemory, MappingErrors) {
  char* base = reserve(15 * page);
  const auto handle = memory(8 * page);
  ASSERT_SUCCESS(hsa_amd_vmem_map(base + 2 * page, 6 * page, 0, handle, 0));
  const auto map = [&](size_t at, size_t count, size_t offset, hsa_amd_vmem_alloc_handle_t of,
                       uint64_t flags) {
    return hsa_amd_vmem_map(base + at * page, count * page, offset, of, flags);
  };
  EXPECT_EQ(map(14, 2, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);  // beyond the reserved addresses
  EXPECT_EQ(map(1, 2, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);   // something is mapped there
  EXPECT_EQ(map(7, 2, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(0, 2, 7 * page, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);  // beyond the memory
  EXPECT_EQ(map(0, 1, 8 * page, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(0, 1, 5, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(0, 0, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(0, 1, 0, {1}, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(0, 1, 0, handle, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(base + 1, page, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(nullptr, page, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(map(0, 2, 6 * page, handle, 0));
  EXPECT_SUCCESS(map(8, 7, 0, handle, 0));

  const hsa_amd_memory_access_desc_t good{HSA_ACCESS_PERMISSION_RW, host_};
  const hsa_amd_memory_access_desc_t no_agent{HSA_ACCESS_PERMISSION_RW, {0}};
  const hsa_amd_memory_access_desc_t no_permission{static_cast<hsa_access_permission_t>(4), host_};
  EXPECT_EQ(hsa_amd_vmem_set_access(base + page, page, &good, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_set_access(base, page, &good, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_set_access(base, 2 * page, &good, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_set_access(base, 2 * page, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_set_access(base, 2 * page, &no_agent, 1), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_vmem_set_access(base, 2 * page, &no_permission, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_access_permission_t permission{};
  EXPECT_EQ(hsa_amd_vmem_get_access(base, nullptr, host_), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_get_access(base, &permission, {0}), HSA_STATUS_ERROR_INVALID_AGENT);

  EXPECT_EQ(hsa_amd_vmem_unmap(base + page, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_unmap(base, page), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const auto& [at, count] : {std::pair{0, 2}, std::pair{2, 6}, std::pair{8, 7}})
    EXPECT_SUCCESS(hsa_amd_vmem_unmap(base + at * page, count * page));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 15 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

TEST_F(VirtualMemory, ThreadsMapAtOnce) {
  char* base = reserve(8 * page);
  const auto handle = memory(page);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t, base, handle] {
      char* mine = base + 2 * t * page;
      for (int i = 0; i < 100; ++i) {
        EXPECT_SUCCESS(hsa_amd_vmem_map(mine, page, 0, handle, 0));
        allow(mine, page);
        hsa_amd_vmem_alloc_handle_t again{};
        EXPECT_SUCCESS(hsa_amd_vmem_retain_alloc_handle(&again, mine));
        EXPECT_SUCCESS(hsa_amd_vmem_handle_release(again));
        mine[t] = static_cast<char>(i);
        EXPECT_SUCCESS(hsa_amd_vmem_unmap(mine, page));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(base, 8 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

/// What a program leaves behind is gone after the last hsa_shut_down; old handles do not become valid again.
TEST(VirtualMemoryWithoutRuntime, NothingSurvivesTheRuntime) {
  std::vector<hsa_agent_t> agents;
  void* base = nullptr;
  hsa_amd_vmem_alloc_handle_t handle{};
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&base, page, 0, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_handle_create(pools(agents[1]).front(), page, MEMORY_TYPE_NONE, 0, &handle));
  ASSERT_SUCCESS(hsa_amd_vmem_map(base, page, 0, handle, 0));
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(hsa_amd_vmem_handle_release(handle), HSA_STATUS_ERROR_NOT_INITIALIZED);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(hsa_amd_vmem_handle_release(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_unmap(base, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_address_free(base, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ASSERT_SUCCESS(hsa_shut_down());
}

TEST(VirtualMemoryWithoutRuntime, NotInitialized) {
  void* base = nullptr;
  int file = -1;
  hsa_amd_vmem_alloc_handle_t handle{};
  hsa_amd_memory_access_desc_t access{};
  hsa_access_permission_t permission{};
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type{};
  const hsa_status_t statuses[] = {
      hsa_amd_vmem_address_reserve(&base, page, 0, 0),
      hsa_amd_vmem_address_reserve_align(&base, page, 0, 0, 0),
      hsa_amd_vmem_address_free(base, page),
      hsa_amd_vmem_handle_create(pool, page, type, 0, &handle),
      hsa_amd_vmem_map(base, page, 0, handle, 0),
      hsa_amd_vmem_unmap(base, page),
      hsa_amd_vmem_set_access(base, page, &access, 1),
      hsa_amd_vmem_get_access(base, &permission, {0}),
      hsa_amd_vmem_export_shareable_handle(&file, handle, 0),
      hsa_amd_vmem_import_shareable_handle(file, &handle),
      hsa_amd_vmem_retain_alloc_handle(&handle, base),
      hsa_amd_vmem_get_alloc_properties_from_handle(handle, &pool, &type),
      hsa_amd_vmem_handle_release(handle),
  };
  for (hsa_status_t status : statuses) EXPECT_EQ(status, HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
