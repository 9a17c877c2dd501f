// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs over the whole runtime that copy between two GPUs: those of the fake driver, or, if
// HEDDLE_TEST_GPUS is set, those of the machine. What is different for GPUs that cannot access each other's
// memory is only what the runtime says of it.
#include <gtest/gtest.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

namespace heddle::cuda::test {
namespace {

bool is_set(const char* name, std::string_view value) {
  const char* const text = std::getenv(name);
  return text && text == value;
}

/// Whether kernels of one GPU can access the memory of the other.
bool are_peers() { return !is_set("HEDDLE_FAKE_PEERS", "0") && !is_set("HEDDLE_CUDA_HELPER", "1"); }

class Peers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_AGENTS", "cuda", 1);
    if (!std::getenv("HEDDLE_TEST_GPUS")) {
      setenv("HEDDLE_FAKE_GPUS", "2", 1);
      setenv("HEDDLE_CUDA_LIBRARY", HEDDLE_FAKE_CUDA, 1);
    }
    ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
  }
  static void TearDownTestSuite() { EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS); }

  void SetUp() override {
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* out) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto& self = *static_cast<Peers*>(out);
          (type == HSA_DEVICE_TYPE_GPU ? self.gpus : self.hosts).push_back(agent);
          return HSA_STATUS_SUCCESS;
        },
        this);
    ASSERT_GE(gpus.size(), 2u);
    for (const int gpu : {0, 1}) {
      pools[gpu] = pool_of(gpus[gpu], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
      ASSERT_NE(pools[gpu].handle, 0u);
    }
    host_pool = pool_of(hosts[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
    ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &done), HSA_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS); }

  /// The last global pool of an agent with this flag.
  static hsa_amd_memory_pool_t pool_of(hsa_agent_t agent, uint32_t flag) {
    struct Search {
      uint32_t flag;
      hsa_amd_memory_pool_t found;
    } search = {flag, {0}};
    hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t pool, void* data) {
          auto& wanted = *static_cast<Search*>(data);
          hsa_amd_segment_t segment{};
          uint32_t flags = 0;
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
          if (segment == HSA_AMD_SEGMENT_GLOBAL && (flags & wanted.flag) != 0) wanted.found = pool;
          return HSA_STATUS_SUCCESS;
        },
        &search);
    return search.found;
  }
  static uint8_t* allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, size, 0, &memory), HSA_STATUS_SUCCESS);
    return static_cast<uint8_t*>(memory);
  }
  static std::vector<uint8_t> numbered(size_t size) {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 13 + i / 251 + 1);
    return bytes;
  }
  static std::vector<uint8_t> contents(const uint8_t* memory, size_t size) {
    std::vector<uint8_t> bytes(size);
    EXPECT_EQ(hsa_memory_copy(bytes.data(), memory, size), HSA_STATUS_SUCCESS);
    return bytes;
  }
  /// Begins a copy from one GPU to the other, which ends with `end`.
  hsa_status_t begin(uint8_t* to, const uint8_t* from, size_t size, hsa_signal_t end,
                     std::vector<hsa_signal_t> dependencies = {}) const {
    return hsa_amd_memory_async_copy(to, gpus[1], from, gpus[0], size,
                                     static_cast<uint32_t>(dependencies.size()), dependencies.data(), end);
  }
  static hsa_signal_value_t wait(hsa_signal_t signal) {
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }

  std::vector<hsa_agent_t> gpus, hosts;
  hsa_amd_memory_pool_t pools[2] = {}, host_pool = {};
  hsa_signal_t done = {};
};

/// The regions of an agent that no other agent lists.
std::vector<uint64_t> own_regions(hsa_agent_t agent) {
  std::vector<uint64_t> found;
  hsa_agent_iterate_regions(
      agent,
      [](hsa_region_t region, void* out) {
        hsa_region_segment_t segment{};
        uint32_t flags = 0;
        hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
        hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
        if (segment != HSA_REGION_SEGMENT_GLOBAL || (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) != 0)
          static_cast<std::vector<uint64_t>*>(out)->push_back(region.handle);
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

TEST_F(Peers, have_regions_of_their_own) {
  const std::vector<uint64_t> first = own_regions(gpus[0]), second = own_regions(gpus[1]);
  EXPECT_EQ(first.size(), 4u) << "device, group, private and readonly memory";
  EXPECT_EQ(second.size(), 4u);
  for (const uint64_t region : first) EXPECT_EQ(std::ranges::count(second, region), 0) << region;
}

TEST_F(Peers, copy_to_each_other) {
  for (const size_t size : {size_t{1}, size_t{4099}, size_t{5} << 20, (size_t{20} << 20) + 17}) {
    const auto bytes = numbered(size);
    uint8_t *const first = allocate(pools[0], size), *const second = allocate(pools[1], size);
    ASSERT_EQ(hsa_memory_copy(first, bytes.data(), size), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_memory_copy(second, first, size), HSA_STATUS_SUCCESS);
    EXPECT_EQ(contents(second, size), bytes) << size;
    std::vector<uint8_t> zeros(size);
    ASSERT_EQ(hsa_memory_copy(first, zeros.data(), size), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_memory_copy(first, second, size), HSA_STATUS_SUCCESS);
    EXPECT_EQ(contents(first, size), bytes) << size;
    EXPECT_EQ(hsa_amd_memory_pool_free(first), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_amd_memory_pool_free(second), HSA_STATUS_SUCCESS);
  }
}

TEST_F(Peers, copy_asynchronously_after_what_they_depend_on) {
  constexpr size_t size = 3 << 20;
  const auto bytes = numbered(size);
  uint8_t *const first = allocate(pools[0], size), *const second = allocate(pools[1], size);
  uint8_t* const staging = allocate(host_pool, size);
  std::memcpy(staging, bytes.data(), size);
  hsa_signal_t start, middle;
  ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &start), HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &middle), HSA_STATUS_SUCCESS);
  ASSERT_EQ(begin(second, first, size, done, {middle}), HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_amd_memory_async_copy(first, gpus[0], staging, hosts[0], size, 1, &start, middle),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_load_scacquire(done), 1);
  hsa_signal_store_screlease(start, 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(contents(second, size), bytes);
  EXPECT_EQ(hsa_signal_destroy(start), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_destroy(middle), HSA_STATUS_SUCCESS);
  for (uint8_t* const memory : {first, second, staging})
    EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(Peers, copy_rows) {
  constexpr size_t size = 1 << 20;
  const auto bytes = numbered(size);
  uint8_t *const first = allocate(pools[0], size), *const second = allocate(pools[1], size);
  const std::vector<uint8_t> zeros(size);
  ASSERT_EQ(hsa_memory_copy(first, bytes.data(), size), HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_memory_copy(second, zeros.data(), size), HSA_STATUS_SUCCESS);
  const hsa_pitched_ptr_t to{second, 1000, 100'000}, from{first, 500, 50'000};
  const hsa_dim3_t offset{3, 2, 1}, zero{0, 0, 0}, range{100, 50, 4};
  ASSERT_EQ(hsa_amd_memory_async_copy_rect(&to, &zero, &from, &offset, &range, gpus[0], hsaDeviceToDevice, 0,
                                           nullptr, done),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  std::vector<uint8_t> expected(size);
  for (size_t z = 0; z < 4; ++z)
    for (size_t y = 0; y < 50; ++y)
      for (size_t x = 0; x < 100; ++x)
        expected[z * 100'000 + y * 1000 + x] = bytes[(z + 1) * 50'000 + (y + 2) * 500 + x + 3];
  EXPECT_EQ(contents(second, size), expected);
  for (uint8_t* const memory : {first, second})
    EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(Peers, copy_in_both_directions_from_many_threads) {
  constexpr size_t size = 100'000, rounds = 40;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      const int source = number % 2;
      uint8_t *const from = allocate(pools[source], size), *const to = allocate(pools[1 - source], size);
      auto bytes = numbered(size);
      hsa_signal_t end;
      ASSERT_EQ(hsa_signal_create(0, 0, nullptr, &end), HSA_STATUS_SUCCESS);
      for (size_t round = 0; round < rounds; ++round) {
        bytes[round] = static_cast<uint8_t>(number + 1);
        ASSERT_EQ(hsa_memory_copy(from, bytes.data(), size), HSA_STATUS_SUCCESS);
        hsa_signal_store_screlease(end, 1);
        ASSERT_EQ(begin(to, from, size, end), HSA_STATUS_SUCCESS);
        ASSERT_EQ(wait(end), 0);
        ASSERT_EQ(contents(to, size), bytes);
      }
      EXPECT_EQ(hsa_signal_destroy(end), HSA_STATUS_SUCCESS);
      EXPECT_EQ(hsa_amd_memory_pool_free(from), HSA_STATUS_SUCCESS);
      EXPECT_EQ(hsa_amd_memory_pool_free(to), HSA_STATUS_SUCCESS);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Peers, have_many_copies_in_flight) {
  constexpr size_t size = 4096, copies = 500;
  const auto bytes = numbered(size * copies);
  uint8_t *const first = allocate(pools[0], bytes.size()), *const second = allocate(pools[1], bytes.size());
  ASSERT_EQ(hsa_memory_copy(first, bytes.data(), bytes.size()), HSA_STATUS_SUCCESS);
  hsa_signal_store_screlease(done, copies);
  for (size_t i = 0; i < copies; ++i)
    ASSERT_EQ(begin(second + i * size, first + i * size, size, done), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(contents(second, bytes.size()), bytes);
  EXPECT_EQ(hsa_amd_memory_pool_free(first), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_amd_memory_pool_free(second), HSA_STATUS_SUCCESS);
}

TEST_F(Peers, use_memory_that_comes_and_goes) {
  constexpr size_t size = 3 << 20;
  const auto bytes = numbered(size);
  for (int round = 0; round < 10; ++round) {
    uint8_t *const first = allocate(pools[0], size), *const second = allocate(pools[1], size);
    ASSERT_EQ(hsa_memory_copy(first, bytes.data(), size), HSA_STATUS_SUCCESS);
    hsa_signal_store_screlease(done, 1);
    ASSERT_EQ(begin(second, first, size, done), HSA_STATUS_SUCCESS);
    EXPECT_EQ(wait(done), 0);
    EXPECT_EQ(hsa_amd_memory_pool_free(first), HSA_STATUS_SUCCESS);
    EXPECT_EQ(contents(second, size), bytes);
    EXPECT_EQ(hsa_amd_memory_pool_free(second), HSA_STATUS_SUCCESS);
  }
}

TEST_F(Peers, say_whether_kernels_may_access_memory_of_the_other) {
  const auto access = [&](hsa_agent_t agent, hsa_amd_memory_pool_t pool) {
    hsa_amd_memory_pool_access_t found{};
    EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &found),
              HSA_STATUS_SUCCESS);
    return found;
  };
  EXPECT_EQ(access(gpus[0], pools[0]), HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  const auto expected = are_peers() ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
                                    : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  EXPECT_EQ(access(gpus[0], pools[1]), expected);
  EXPECT_EQ(access(gpus[1], pools[0]), expected);
  EXPECT_EQ(access(hosts[0], pools[1]), HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  uint32_t hops = 9;
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(gpus[0], pools[1],
                                               HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(gpus[0], pools[1],
                                               static_cast<hsa_amd_agent_memory_pool_info_t>(99), &hops),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Peers, are_allowed_to_access_memory_if_they_can) {
  uint8_t* const memory = allocate(pools[0], 4096);
  const auto expected = are_peers() ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(hsa_amd_agents_allow_access(2, gpus.data(), nullptr, memory), expected);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, hosts.data(), nullptr, memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  ASSERT_EQ(hsa_amd_pointer_info(memory, &info, std::malloc, &count, &agents), HSA_STATUS_SUCCESS);
  EXPECT_EQ(count, are_peers() ? 2u : 1u);
  std::free(agents);
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace heddle::cuda::test
