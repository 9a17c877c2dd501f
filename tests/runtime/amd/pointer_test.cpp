// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an address belongs to, locked memory, and callbacks when memory is freed.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

class Pointers : public Pools {
 protected:
  static hsa_amd_pointer_info_t describe(const void* address) {
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    EXPECT_SUCCESS(hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr));
    EXPECT_EQ(info.size, sizeof info);
    return info;
  }
  static std::vector<uint64_t> accessible(const void* address) {
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    uint32_t count = 0;
    hsa_agent_t* agents = nullptr;
    EXPECT_SUCCESS(hsa_amd_pointer_info(address, &info, std::malloc, &count, &agents));
    std::vector<uint64_t> handles;
    for (uint32_t i = 0; i < count; ++i) handles.push_back(agents[i].handle);
    std::free(agents);
    std::ranges::sort(handles);
    return handles;
  }
};

TEST_F(Pointers, AllocationsOfPools) {
  char* memory = allocate(agent_pool(), 10000);
  for (size_t offset : {size_t{0}, size_t{1}, size_t{9999}}) {
    const hsa_amd_pointer_info_t info = describe(memory + offset);
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
    EXPECT_EQ(info.agentBaseAddress, memory);
    EXPECT_EQ(info.hostBaseAddress, memory);
    EXPECT_EQ(info.sizeInBytes, 10000u);
    EXPECT_EQ(info.userData, nullptr);
    EXPECT_EQ(info.agentOwner.handle, kernel_agent_.handle);
    EXPECT_EQ(info.global_flags, static_cast<uint32_t>(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED));
  }
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(describe(memory).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(Pointers, AllocationsOfRegions) {
  void* memory = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 4096, &memory));
  const hsa_amd_pointer_info_t info = describe(memory);
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(info.sizeInBytes, 4096u);
  EXPECT_EQ(info.agentOwner.handle, host_.handle);
  EXPECT_EQ(info.global_flags, static_cast<uint32_t>(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED));
  EXPECT_SUCCESS(hsa_memory_free(memory));
}

TEST_F(Pointers, UnknownMemory) {
  int local = 0;
  hsa_amd_pointer_info_t info;
  std::memset(&info, 0x5a, sizeof info);
  info.size = sizeof info;
  uint32_t count = 77;
  hsa_agent_t* agents = nullptr;
  EXPECT_SUCCESS(hsa_amd_pointer_info(&local, &info, std::malloc, &count, &agents));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_EQ(info.sizeInBytes, 0x5a5a5a5a5a5a5a5au);  // nothing else is written
  EXPECT_EQ(count, 77u);
  EXPECT_EQ(agents, nullptr);
}

/// Programs that were built against an earlier version know a smaller structure.
TEST_F(Pointers, OnlyTheKnownPartIsWritten) {
  char* memory = allocate(host_pool(), 64);
  hsa_amd_pointer_info_t info;
  std::memset(&info, 0x5a, sizeof info);
  info.size = offsetof(hsa_amd_pointer_info_t, userData);
  EXPECT_SUCCESS(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.size, offsetof(hsa_amd_pointer_info_t, userData));
  EXPECT_EQ(info.sizeInBytes, 64u);
  EXPECT_EQ(info.global_flags, 0x5a5a5a5au);
  info.size = 2 * sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.size, sizeof info);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pointers, AccessibleAgents) {
  char* memory = allocate(agent_pool(), 64);
  std::vector<uint64_t> all{host_.handle, kernel_agent_.handle};
  std::ranges::sort(all);
  EXPECT_EQ(accessible(memory), all);
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &kernel_agent_, nullptr, memory));
  EXPECT_EQ(accessible(memory), std::vector{kernel_agent_.handle});
  // The agent whose pool it is keeps its access.
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &host_, nullptr, memory));
  EXPECT_EQ(accessible(memory), all);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pointers, UserData) {
  char* memory = allocate(host_pool(), 8192);
  std::vector<char> other(100);
  void* locked = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_lock(other.data(), other.size(), nullptr, 0, &locked));
  EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(memory + 100, &other));
  EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(locked, memory));
  EXPECT_EQ(describe(memory + 8191).userData, &other);
  EXPECT_EQ(describe(&other[99]).userData, memory);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(other.data()));
  EXPECT_EQ(hsa_amd_pointer_info_set_userdata(other.data(), nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_pointer_info_set_userdata(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  // New memory at the same address has none.
  char* next = allocate(host_pool(), 8192);
  EXPECT_EQ(describe(next).userData, nullptr);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(next));
}

TEST_F(Pointers, QueryErrors) {
  char* memory = allocate(host_pool(), 64);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  const auto none = [](size_t) -> void* { return nullptr; };
  EXPECT_EQ(hsa_amd_pointer_info(nullptr, &info, nullptr, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_pointer_info(memory, nullptr, nullptr, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_pointer_info(memory, &info, none, &count, &agents), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  info.size = 7;
  EXPECT_EQ(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pointers, LockedMemory) {
  std::vector<char> memory(100000);
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_lock(memory.data(), memory.size(), &kernel_agent_, 1, &first));
  EXPECT_EQ(first, memory.data());
  const hsa_amd_pointer_info_t info = describe(memory.data() + 5);
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_EQ(info.agentBaseAddress, memory.data());
  EXPECT_EQ(info.hostBaseAddress, memory.data());
  EXPECT_EQ(info.sizeInBytes, memory.size());
  EXPECT_EQ(info.agentOwner.handle, host_.handle);
  // It is locked until it has been unlocked as often as it was locked.
  ASSERT_SUCCESS(hsa_amd_memory_lock_to_pool(memory.data(), 10, nullptr, 0, host_pool(), 0, &second));
  EXPECT_EQ(describe(memory.data()).sizeInBytes, 10u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(memory.data()));
  EXPECT_EQ(describe(memory.data()).sizeInBytes, memory.size());
  EXPECT_SUCCESS(hsa_amd_memory_unlock(memory.data()));
  EXPECT_EQ(describe(memory.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(memory.data()));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(nullptr));
}

/// A lock of memory that the program has registered leaves the registration alone.
TEST_F(Pointers, LocksDoNotDeregister) {
  std::vector<char> memory(5000);
  void* locked = nullptr;
  ASSERT_SUCCESS(hsa_memory_register(memory.data(), memory.size()));
  ASSERT_SUCCESS(hsa_amd_memory_lock(memory.data(), memory.size(), nullptr, 0, &locked));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(memory.data()));
  EXPECT_EQ(describe(memory.data()).type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_SUCCESS(hsa_memory_deregister(memory.data(), memory.size()));
  EXPECT_EQ(describe(memory.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(Pointers, LockErrors) {
  std::vector<char> memory(100);
  void* locked = nullptr;
  hsa_agent_t none{0};
  EXPECT_EQ(hsa_amd_memory_lock(nullptr, 8, nullptr, 0, &locked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 0, nullptr, 0, &locked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 8, nullptr, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 8, nullptr, 1, &locked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 8, &host_, 0, &locked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 8, &host_, -1, &locked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), 8, &none, 1, &locked), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_lock(memory.data(), SIZE_MAX, nullptr, 0, &locked),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_lock_to_pool(memory.data(), 8, nullptr, 0, {0}, 0, &locked),
            HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(
      hsa_amd_memory_lock_to_pool(memory.data(), 8, nullptr, 0, pools(kernel_agent_).back(), 0, &locked),
      HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  EXPECT_EQ(hsa_amd_memory_lock_to_pool(memory.data(), 8, nullptr, 0, host_pool(), 1, &locked),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Two pages, of which the second is gone.
  void* pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  munmap(static_cast<char*>(pages) + 4096, 4096);
  EXPECT_EQ(hsa_amd_memory_lock(pages, 4097, nullptr, 0, &locked), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_memory_lock(pages, 4096, nullptr, 0, &locked));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(pages));
  munmap(pages, 4096);
}

/// The calls that a callback has had.
struct Calls {
  std::vector<void*> addresses;
  static void note(void* address, void* calls) {
    static_cast<Calls*>(calls)->addresses.push_back(address);
    *static_cast<volatile char*>(address) = 1;  // the memory still exists
  }
};

TEST_F(Pointers, DeallocationCallbacks) {
  Calls calls;
  char* memory = allocate(agent_pool(), 4096);
  ASSERT_SUCCESS(hsa_amd_register_deallocation_callback(memory, Calls::note, &calls));
  ASSERT_SUCCESS(hsa_amd_register_deallocation_callback(memory + 1024, Calls::note, &calls));
  ASSERT_SUCCESS(hsa_amd_register_deallocation_callback(memory + 2048, Calls::note, &calls));
  ASSERT_SUCCESS(hsa_amd_deregister_deallocation_callback(memory + 1024, Calls::note));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(calls.addresses, (std::vector<void*>{memory, memory + 2048}));
  memory = allocate(agent_pool(), 4096);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(calls.addresses.size(), 2u);
  void* of_region = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 64, &of_region));
  ASSERT_SUCCESS(hsa_amd_register_deallocation_callback(of_region, Calls::note, &calls));
  EXPECT_SUCCESS(hsa_memory_free(of_region));
  EXPECT_EQ(calls.addresses.back(), of_region);
}

TEST_F(Pointers, CallbacksCanAllocateButNotFreeAgain) {
  static hsa_amd_memory_pool_t pool;
  pool = host_pool();
  char* memory = allocate(pool, 4096);
  const auto again = [](void* address, void*) {
    EXPECT_EQ(hsa_amd_memory_pool_free(address), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa_memory_free(address), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    char* other = allocate(pool, 4096);
    EXPECT_NE(other, address);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(other));
  };
  ASSERT_SUCCESS(hsa_amd_register_deallocation_callback(memory, again, nullptr));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pointers, CallbackErrors) {
  char* memory = allocate(host_pool(), 4096);
  int local = 0;
  EXPECT_EQ(hsa_amd_register_deallocation_callback(nullptr, Calls::note, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_register_deallocation_callback(memory, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_register_deallocation_callback(&local, Calls::note, nullptr),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_deregister_deallocation_callback(nullptr, Calls::note),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_deregister_deallocation_callback(memory, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_deregister_deallocation_callback(memory, Calls::note), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_deregister_deallocation_callback(&local, Calls::note), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Pointers, ThreadsLockAndAskAtOnce) {
  std::vector<std::thread> threads;
  std::vector<char> shared(4096);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        void* locked = nullptr;
        EXPECT_SUCCESS(hsa_amd_memory_lock(shared.data(), shared.size(), nullptr, 0, &locked));
        EXPECT_EQ(describe(shared.data()).type, HSA_EXT_POINTER_TYPE_LOCKED);
        char* memory = allocate(host_pool(), 100);
        EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(memory, memory));
        EXPECT_EQ(describe(memory).userData, memory);
        EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
        EXPECT_SUCCESS(hsa_amd_memory_unlock(shared.data()));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(describe(shared.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(Pointers, EventHandler) {
  const auto handler = [](const hsa_amd_event_t*, void*) { return HSA_STATUS_SUCCESS; };
  EXPECT_EQ(hsa_amd_register_system_event_handler(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_register_system_event_handler(handler, nullptr));
  EXPECT_EQ(hsa_amd_register_system_event_handler(handler, nullptr), HSA_STATUS_ERROR);
}

TEST(PointersWithoutRuntime, NotInitialized) {
  void* memory = nullptr;
  hsa_amd_pointer_info_t info{};
  const hsa_status_t statuses[] = {
      hsa_amd_pointer_info(&memory, &info, nullptr, nullptr, nullptr),
      hsa_amd_pointer_info_set_userdata(&memory, nullptr),
      hsa_amd_register_deallocation_callback(&memory, Calls::note, nullptr),
      hsa_amd_deregister_deallocation_callback(&memory, Calls::note),
      hsa_amd_memory_lock(&memory, 1, nullptr, 0, &memory),
      hsa_amd_memory_lock_to_pool(&memory, 1, nullptr, 0, {0}, 0, &memory),
      hsa_amd_memory_unlock(&memory),
      hsa_amd_register_system_event_handler(nullptr, nullptr),
  };
  for (hsa_status_t status : statuses) EXPECT_EQ(status, HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
