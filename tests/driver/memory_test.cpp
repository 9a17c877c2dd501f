// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, owners and copies (Runtime 2.7, MVA 5.4).
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <list>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "driver/small_heap.h"
#include "driver/started_copy.h"
#include "fixture.h"

namespace heddle::driver {
namespace {

using namespace test;

struct MemoryTest : ClientTest {};

TEST_F(MemoryTest, allocations_are_aligned_distinct_and_found_from_inside) {
  std::set<void*> bases;
  for (size_t size : {1, 63, 64, 65, 100, 1000, 4096, 5000, 32768, 32769, 1 << 20, 5 << 20}) {
    auto memory = client->allocate(region(host, fine), size);
    ASSERT_TRUE(memory) << size;
    std::memset(*memory, 0x5a, size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
    EXPECT_TRUE(bases.insert(*memory).second);
    auto info = client->find(static_cast<char*>(*memory) + size - 1);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->base, *memory);
    EXPECT_GE(info->size, size);
    EXPECT_EQ(info->region, &region(host, fine));
  }
  for (void* base : bases) EXPECT_EQ(client->free(base), HSA_STATUS_SUCCESS);
  for (void* base : bases) EXPECT_FALSE(client->find(base));
}

TEST_F(MemoryTest, larger_alignments_are_honoured) {
  for (size_t alignment : {size_t{128}, size_t{256}, size_t{4096}, size_t{65536}, size_t{4} << 20})
    for (size_t size : {size_t{10}, size_t{3000}, size_t{100000}}) {
      auto memory = client->allocate(region(host, kernarg), size, alignment);
      ASSERT_TRUE(memory);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % alignment, 0u);
    }
}

TEST_F(MemoryTest, wrong_arguments_are_refused) {
  EXPECT_EQ(client->allocate(region(host, fine), 0).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->allocate(region(host, fine), (size_t{8} << 30) + 1).error(),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(client->allocate(region(host, fine), SIZE_MAX).error(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(client->free(nullptr), HSA_STATUS_SUCCESS);
  auto memory = client->allocate(region(host, fine), 256);
  auto large = client->allocate(region(host, fine), 1 << 20);
  int local;
  for (void* wrong : {static_cast<void*>(&local), static_cast<void*>(static_cast<char*>(*memory) + 64),
                      static_cast<void*>(static_cast<char*>(*large) + 4096), reinterpret_cast<void*>(1)})
    EXPECT_EQ(client->free(wrong), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->free(*memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->free(*memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->free(*large), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->free(*large), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, random_allocations_never_overlap) {
  std::mt19937 random(1);
  std::vector<std::pair<uint32_t*, size_t>> live;
  for (uint32_t i = 0; i < 20000; ++i) {
    if (live.size() < 500 && random() % 2) {
      size_t words = 1 + random() % (random() % 50 == 0 ? 20000 : 200);
      auto* memory = static_cast<uint32_t*>(client->allocate(region(host, kernarg), words * 4).value());
      std::fill(memory, memory + words, i);
      live.emplace_back(memory, words);
    } else if (!live.empty()) {
      size_t which = random() % live.size();
      auto [memory, words] = live[which];
      for (size_t w = 1; w < words; ++w) ASSERT_EQ(memory[w], memory[0]);
      ASSERT_EQ(client->free(memory), HSA_STATUS_SUCCESS);
      live[which] = live.back();
      live.pop_back();
    }
  }
}

TEST_F(MemoryTest, threads_allocate_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        auto memory = client->allocate(region(host, t % 2 ? kernarg : fine), 16 + (i * 37) % 3000);
        if (!memory) {
          ++failures;
          continue;
        }
        static_cast<char*>(*memory)[0] = static_cast<char>(t);
        auto info = client->find(*memory);
        if (!info || info->base != *memory || static_cast<char*>(*memory)[0] != t) ++failures;
        if (client->free(*memory) != HSA_STATUS_SUCCESS) ++failures;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(MemoryTest, slabs_return_when_a_client_ends) {
  for (int round = 0; round < 200; ++round) {
    auto other = Client::open().value();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(other->allocate(region(host, fine), 20000));
  }
}

// ---- messages ----

TEST_F(MemoryTest, agents_that_want_to_know_are_told) {
  auto memory = client->allocate(region(host, fine), 300);
  auto calls = first_mock().calls("memory_allocation");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].address, *memory);
  EXPECT_EQ(calls[0].detail, HSAM_SEGMENT_GLOBAL);
  EXPECT_TRUE(second_mock().calls().empty());
  EXPECT_EQ(client->free(*memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().calls("memory_free")[0].address, *memory);
  first_mock().script("memory_allocation", {HSAM_OutOfResources, Reply::before_return});
  EXPECT_EQ(client->allocate(region(host, fine), 300).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  first_mock().script("memory_allocation", {});
  // An agent's own memory is always announced to it.
  ASSERT_TRUE(client->allocate(region(second, local_coarse), 300));
  EXPECT_EQ(second_mock().count("memory_allocation"), 1u);
}

TEST_F(MemoryTest, agents_are_told_which_memory_is_theirs) {
  const auto flags = [&](const Region& region, MockAgent& mock) {
    const size_t before = mock.count("memory_allocation");
    EXPECT_TRUE(client->allocate(region, 300));
    auto calls = mock.calls("memory_allocation");
    return calls.size() == before ? 0 : calls.back().second;
  };
  EXPECT_EQ(flags(region(first, local_coarse), first_mock()),
            HSAM_GLOBAL_FLAG_COARSE_GRAINED | HSAM_GLOBAL_FLAG_OWN_REGION);
  EXPECT_EQ(flags(region(first, coarse), first_mock()), HSAM_GLOBAL_FLAG_COARSE_GRAINED);
  EXPECT_EQ(flags(region(second, local_coarse), first_mock()), HSAM_GLOBAL_FLAG_COARSE_GRAINED);
  EXPECT_EQ(flags(region(second, local_coarse), second_mock()),
            HSAM_GLOBAL_FLAG_COARSE_GRAINED | HSAM_GLOBAL_FLAG_OWN_REGION);
}

TEST_F(MemoryTest, addresses_are_chosen_by_agents_that_want_to) {
  third_mock().chosen_address = uintptr_t{1} << 46;
  auto memory = client->allocate(region(third, local_coarse), 300, 4096);
  ASSERT_TRUE(memory);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory), uintptr_t{1} << 46);
  const auto calls = third_mock().calls("region_allocate");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].object, HSAM_MEMORY_AGENT_FIRST + 2);
  EXPECT_EQ(calls[0].size, 320) << "a multiple of the granule";
  EXPECT_EQ(calls[0].detail, 4096);
  EXPECT_EQ(first_mock().count("memory_allocation") + third_mock().count("memory_allocation"), 0u);
  const auto info = client->find(static_cast<char*>(*memory) + 299);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->region, &region(third, local_coarse));
  EXPECT_STREQ(info->owner->config().name, "third");
  EXPECT_FALSE(info->is_shareable);
  // The host does not touch the memory, at whose address nothing is here.
  EXPECT_EQ(client->free(*memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(third_mock().calls("region_free").at(0).address, *memory);
  EXPECT_EQ(first_mock().count("memory_free") + third_mock().count("memory_free"), 0u);
  EXPECT_EQ(client->free(*memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, agents_can_map_what_lies_in_files) {
  auto memory = client->allocate(region(host, fine), 3 << 20, 1, Backing::shareable);
  auto other = client->allocate(region(host, fine), 8192, 1, Backing::shareable);
  auto in_no_file = client->allocate(region(host, fine), 300);
  ASSERT_TRUE(memory && other && in_no_file);
  const hsa_generic_driver_interface& driver = *first_mock().driver;
  const int64_t handle = first_mock().calls("client_new").at(0).client;
  for (const void* base : {*memory, *other}) {
    int32_t file = -1;
    uint64_t offset = 0;
    ASSERT_EQ(driver.memory_file(handle, static_cast<const char*>(base) + 4096, &file, &offset), HSAM_Done);
    static_cast<char*>(const_cast<void*>(base))[4096] = 'x';
    void* again = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, static_cast<off_t>(offset));
    ASSERT_NE(again, MAP_FAILED);
    EXPECT_EQ(*static_cast<char*>(again), 'x');
    munmap(again, 4096);
  }
  int32_t file = -1;
  uint64_t offset = 0;
  EXPECT_EQ(driver.memory_file(handle, *in_no_file, &file, &offset), HSAM_Invalid);
  EXPECT_EQ(driver.memory_file(handle, nullptr, &file, &offset), HSAM_Invalid);
  EXPECT_EQ(driver.memory_file(handle + 1000, *memory, &file, &offset), HSAM_Invalid);
}

TEST_F(MemoryTest, small_blocks_have_no_file_if_no_agent_wants_any) {
  ASSERT_TRUE(client->allocate(region(host, fine), 300));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the descriptor of this very folder
    EXPECT_FALSE(
        std::filesystem::read_symlink(entry.path(), gone).string().starts_with("/memfd:heddle-slabs"));
  }
}

TEST_F(MemoryTest, that_an_agent_refuses_or_gives_twice_is_not_there) {
  third_mock().chosen_address = uintptr_t{1} << 46;
  third_mock().script("region_allocate", {HSAM_OutOfResources, Reply::before_return});
  EXPECT_EQ(client->allocate(region(third, local_coarse), 300).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  third_mock().script("region_allocate", {});
  auto memory = client->allocate(region(third, local_coarse), 300);
  ASSERT_TRUE(memory);
  EXPECT_EQ(client->allocate(region(third, local_coarse), 300).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(client->free(*memory), HSA_STATUS_SUCCESS);
}

TEST_F(MemoryTest, sizes_above_31_bits_are_told_in_pieces) {
  const size_t size = (size_t{3} << 30) + 12345 * 64;
  auto memory = client->allocate(region(host, fine), size);
  ASSERT_TRUE(memory);
  int64_t sum = 0;
  const char* next = static_cast<char*>(*memory);
  for (const Call& call : first_mock().calls("memory_allocation")) {
    EXPECT_GT(call.size, 0);
    EXPECT_EQ(call.address, next);
    next += call.size;
    sum += call.size;
  }
  EXPECT_EQ(sum, static_cast<int64_t>(size));
  size_t pieces = first_mock().count("memory_allocation");
  EXPECT_EQ(client->free(*memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("memory_free"), pieces);
}

TEST_F(MemoryTest, registration_goes_to_those_who_want_to_know) {
  std::vector<char> buffer(10000);
  EXPECT_EQ(client->register_memory(nullptr, 0), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->register_memory(buffer.data(), 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->register_memory(buffer.data(), buffer.size()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->register_memory(buffer.data(), buffer.size()), HSA_STATUS_SUCCESS);
  auto calls = first_mock().calls("memory_allocation");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].detail, HSAM_SEGMENT_SYSTEM);
  EXPECT_EQ(client->find(&buffer[9999])->kind, MemoryInfo::Kind::registered);
  EXPECT_EQ(client->free(buffer.data()), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->deregister_memory(buffer.data(), buffer.size()), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(client->find(buffer.data()));
  EXPECT_EQ(first_mock().count("memory_free"), 1u);
  first_mock().script("memory_allocation", {HSAM_OutOfResources, Reply::from_thread});
  EXPECT_EQ(client->register_memory(buffer.data(), 100), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_FALSE(client->find(buffer.data()));
}

TEST_F(MemoryTest, owners_change_by_release_then_acquire) {
  auto memory = client->allocate(region(first, coarse), 4096).value();
  EXPECT_EQ(client->find(memory)->owner, nullptr);
  EXPECT_EQ(client->assign_agent(memory, *first, HSA_ACCESS_PERMISSION_WO), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().calls("memory_acquire").at(0).detail, HSAM_ACCESS_PERMISSION_WO);
  EXPECT_EQ(client->find(memory)->owner, first);
  EXPECT_EQ(client->assign_agent(memory, *second, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().calls("memory_release").at(0).address, memory);
  EXPECT_EQ(second_mock().calls("memory_acquire").at(0).detail, HSAM_ACCESS_PERMISSION_RW);
  EXPECT_EQ(client->find(memory)->owner, second);

  EXPECT_EQ(client->assign_agent(nullptr, *first, HSA_ACCESS_PERMISSION_RO),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->assign_agent(memory, *first, static_cast<hsa_access_permission_t>(0)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  auto fine_memory = client->allocate(region(first, fine), 4096).value();
  EXPECT_EQ(client->assign_agent(fine_memory, *first, HSA_ACCESS_PERMISSION_RO), HSA_STATUS_SUCCESS);
  auto private_memory = client->allocate(region(second, local_coarse), 64).value();
  EXPECT_EQ(client->assign_agent(private_memory, *first, HSA_ACCESS_PERMISSION_RO),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, copies_go_through_the_owners) {
  // 0 = nobody, 1 = first, 2 = second; and the number of copies that each agent must make.
  struct Case {
    int to, from;
    size_t by_first, by_second;
  };
  constexpr size_t size = 1000;
  std::vector<char> pattern(size);
  std::iota(pattern.begin(), pattern.end(), 1);
  for (Case c : {Case{0, 0, 0, 0}, Case{0, 1, 1, 0}, Case{1, 0, 1, 0}, Case{1, 1, 1, 0}, Case{0, 2, 0, 1},
                 Case{2, 2, 0, 1}, Case{1, 2, 1, 1}, Case{2, 1, 1, 1}}) {
    auto place = [&](int owner) {
      const Region& r = owner == 0 ? region(host, fine) : region(owner == 1 ? first : second, local_coarse);
      return static_cast<char*>(client->allocate(r, size).value());
    };
    char* to = place(c.to);
    char* from = place(c.from);
    std::memcpy(from, pattern.data(), size);
    size_t first_before = first_mock().count("memory_copy"),
           second_before = second_mock().count("memory_copy");
    ASSERT_EQ(client->copy(to, from, size), HSA_STATUS_SUCCESS);
    EXPECT_EQ(std::memcmp(to, pattern.data(), size), 0) << c.to << c.from;
    EXPECT_EQ(first_mock().count("memory_copy") - first_before, c.by_first) << c.to << c.from;
    EXPECT_EQ(second_mock().count("memory_copy") - second_before, c.by_second) << c.to << c.from;
  }
}

TEST_F(MemoryTest, copies_between_owners_go_piece_by_piece) {
  const size_t size = size_t{20} << 20;
  char* to = static_cast<char*>(client->allocate(region(first, local_coarse), size).value());
  char* from = static_cast<char*>(client->allocate(region(second, local_coarse), size).value());
  for (size_t i = 0; i < size; i += 4096) from[i] = static_cast<char>(i >> 12);
  ASSERT_EQ(client->copy(to, from, size), HSA_STATUS_SUCCESS);
  for (size_t i = 0; i < size; i += 4096) ASSERT_EQ(to[i], static_cast<char>(i >> 12));
  EXPECT_EQ(first_mock().count("memory_copy"), 2u);
  EXPECT_EQ(second_mock().count("memory_copy"), 2u);
}

TEST_F(MemoryTest, copy_arguments) {
  char a[4] = "abc", b[4] = "xyz";
  EXPECT_EQ(client->copy(nullptr, a, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->copy(a, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->copy(nullptr, nullptr, 0), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->copy(a, b, 4), HSA_STATUS_SUCCESS);
  EXPECT_STREQ(a, "xyz");
}

TEST_F(MemoryTest, a_failing_agent_fails_the_copy) {
  auto memory = client->allocate(region(first, local_coarse), 64).value();
  char local[64] = {};
  first_mock().script("memory_copy", {HSAM_OutOfResources, Reply::from_thread});
  EXPECT_EQ(client->copy(memory, local, 64), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  first_mock().script("memory_copy", {HSAM_Not_Supported});
  EXPECT_EQ(client->copy(memory, local, 64), HSA_STATUS_ERROR);  // not the host's memory, so memcpy must not
                                                                 // replace the copy
}

/// Agents that can use each other's memory copy between two owners without the host.
TEST_F(MemoryTest, an_agent_copies_from_and_to_memory_of_its_peer) {
  const size_t size = 1000;
  char* to = static_cast<char*>(client->allocate(region(second, local_coarse), size).value());
  char* from = static_cast<char*>(client->allocate(region(first, local_coarse), size).value());
  std::memset(from, 7, size);
  const auto copies = [&] {
    return std::pair(first_mock().count("memory_copy"), second_mock().count("memory_copy"));
  };
  using Counts = std::pair<size_t, size_t>;
  first_mock().peer = second->device_driver_id();
  second_mock().peer = first->device_driver_id();
  second_mock().access_to_peer = HSAM_PEER_COPIES;
  ASSERT_EQ(client->copy(to, from, size), HSA_STATUS_SUCCESS);
  EXPECT_EQ(to[size - 1], 7);
  EXPECT_EQ(copies(), Counts(0, 1)) << "only the owner of the destination can do it";
  first_mock().access_to_peer = HSAM_PEER_COPIES;
  ASSERT_EQ(client->copy(to, from, size), HSA_STATUS_SUCCESS);
  EXPECT_EQ(copies(), Counts(1, 1)) << "the owner of the source does it";
  first_mock().access_to_peer = second_mock().access_to_peer = HSAM_PEER_KERNELS;
  ASSERT_EQ(client->copy(to, from, size), HSA_STATUS_SUCCESS);
  EXPECT_EQ(copies(), Counts(2, 2)) << "by way of the host";
  first_mock().access_to_peer = HSAM_PEER_COPIES;
  first_mock().script("memory_copy", {HSAM_OutOfResources, Reply::from_thread});
  EXPECT_EQ(client->copy(to, from, size), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  void* const assigned = client->allocate(region(host, coarse), size).value();
  ASSERT_EQ(client->assign_agent(assigned, *second, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_SUCCESS);
  first_mock().script("memory_copy", {});
  ASSERT_EQ(client->copy(assigned, from, size), HSA_STATUS_SUCCESS);
  EXPECT_EQ(copies(), Counts(4, 3)) << "memory of the host that another agent owns is not that agent's own";
}

TEST_F(MemoryTest, kernels_of_a_peer_are_let_in) {
  const Region& memory = region(first, local_coarse);
  EXPECT_FALSE(client->can_reach(*second, memory));
  second_mock().peer = first->device_driver_id();
  second_mock().access_to_peer = HSAM_PEER_COPIES;
  EXPECT_FALSE(client->can_reach(*second, memory)) << "copies are not kernels";
  EXPECT_EQ(client->allow_peer(*second, memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  second_mock().access_to_peer = HSAM_PEER_COPIES | HSAM_PEER_KERNELS;
  EXPECT_TRUE(client->can_reach(*second, memory));
  EXPECT_FALSE(client->can_reach(*second, region(third, local_coarse)));
  EXPECT_FALSE(client->can_reach(*second, region(host, coarse))) << "it is nobody's own";
  EXPECT_EQ(client->allow_peer(*second, memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().calls("peer_allow").at(0).object, second->device_driver_id());
  first_mock().script("peer_allow", {HSAM_OutOfResources});
  EXPECT_EQ(client->allow_peer(*second, memory), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

/// A copy whose end somebody can wait for.
class NotedCopy : public StartedCopy {
 public:
  NotedCopy()
      : StartedCopy([](StartedCopy& copy, hsa_status_t status) noexcept {
          auto& noted = static_cast<NotedCopy&>(copy);
          noted.status = status;
          ++noted.ends;
        }) {}
  hsa_status_t wait() const {
    while (ends == 0) std::this_thread::yield();
    return status;
  }
  hsa_status_t status = HSA_STATUS_SUCCESS;
  std::atomic<int> ends{0};
};

TEST_F(MemoryTest, an_agent_copies_while_nobody_waits) {
  const size_t size = 1000;
  char* to = static_cast<char*>(client->allocate(region(first, local_coarse), size).value());
  char from[size];
  std::memset(from, 7, size);
  const hsam_copy wanted{to, from, 10, 2, 3, 100, 300, 20, 50};
  struct Case {
    Behaviour behaviour;
    hsa_status_t status;
  };
  for (const Case& c : {Case{{HSAM_Done, Reply::at_once}, HSA_STATUS_SUCCESS},
                        Case{{HSAM_Done, Reply::before_return}, HSA_STATUS_SUCCESS},
                        Case{{HSAM_Done, Reply::from_thread}, HSA_STATUS_SUCCESS},
                        Case{{HSAM_OutOfResources, Reply::at_once}, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
                        Case{{HSAM_Invalid, Reply::before_return}, HSA_STATUS_ERROR_INVALID_ARGUMENT},
                        Case{{HSAM_OutOfResources, Reply::from_thread}, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
                        Case{{HSAM_Done, Reply::twice}, HSA_STATUS_SUCCESS},
                        Case{{HSAM_Done, Reply::at_once_and_again}, HSA_STATUS_SUCCESS}}) {
    first_mock().script("memory_copy_start", c.behaviour);
    std::memset(to, 0, size);
    NotedCopy copy;
    ASSERT_TRUE(client->start_copy(wanted, copy));
    EXPECT_EQ(copy.wait(), c.status);
    first_mock().join();
    EXPECT_EQ(copy.ends, 1);
    EXPECT_EQ(to[2 * 300 + 100 + 9], 7);
    EXPECT_EQ(to[2 * 300 + 100 + 10], 0);
  }
}

TEST_F(MemoryTest, copies_that_no_agent_makes_by_itself_are_not_started) {
  char a[4] = "abc", b[4] = "xyz";
  NotedCopy copy;
  const hsam_copy on_host{a, b, 4, 1, 1, 0, 0, 0, 0};
  EXPECT_FALSE(client->start_copy(on_host, copy)) << "memory of nobody";
  void* const own = client->allocate(region(first, local_coarse), 64).value();
  void* const peers = client->allocate(region(second, local_coarse), 64).value();
  EXPECT_FALSE(client->start_copy(on_host, copy));
  EXPECT_FALSE(client->start_copy({own, peers, 4, 1, 1, 0, 0, 0, 0}, copy)) << "neither agent can do it";
  first_mock().script("memory_copy_start", {HSAM_Not_Supported});
  EXPECT_FALSE(client->start_copy({own, a, 4, 1, 1, 0, 0, 0, 0}, copy)) << "it would have to wait";
  EXPECT_EQ(copy.ends, 0);
}

TEST_F(MemoryTest, agents_that_are_too_old_to_copy_by_themselves_copy_as_before) {
  static char own[64];
  third_mock().chosen_address = reinterpret_cast<uintptr_t>(own);
  void* const memory = client->allocate(region(third, local_coarse), 64).value();
  ASSERT_EQ(memory, own);
  third_mock().peer = first->device_driver_id();
  third_mock().access_to_peer = HSAM_PEER_COPIES | HSAM_PEER_KERNELS;
  first_mock().peer = third->device_driver_id();
  first_mock().access_to_peer = HSAM_PEER_KERNELS;
  char bytes[4] = "abc";
  NotedCopy copy;
  EXPECT_FALSE(client->start_copy({memory, bytes, 4, 1, 1, 0, 0, 0, 0}, copy));
  EXPECT_EQ(client->copy(memory, bytes, 4), HSA_STATUS_SUCCESS);
  EXPECT_STREQ(own, "abc");
  EXPECT_FALSE(client->can_reach(*third, region(first, local_coarse))) << "it does not say so";
  EXPECT_EQ(client->allow_peer(*first, region(third, local_coarse)), HSA_STATUS_ERROR)
      << "nor does it let anybody in";
  EXPECT_EQ(client->free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(MemoryTest, many_copies_are_in_progress_at_once) {
  char* to = static_cast<char*>(client->allocate(region(first, local_coarse), 4096).value());
  char from[8] = "1234567";
  first_mock().script("memory_copy_start", {HSAM_Done, Reply::from_thread});
  std::list<NotedCopy> copies;
  for (size_t i = 0; i < 200; ++i)
    ASSERT_TRUE(client->start_copy({to + i * 8, from, 8, 1, 1, 0, 0, 0, 0}, copies.emplace_back()));
  for (const NotedCopy& copy : copies) EXPECT_EQ(copy.wait(), HSA_STATUS_SUCCESS);
}

TEST_F(MemoryTest, the_end_of_the_client_frees_and_tells) {
  ASSERT_TRUE(client->allocate(region(host, fine), 100));
  ASSERT_TRUE(client->allocate(region(host, fine), 1 << 20));
  static char registered[100];
  ASSERT_EQ(client->register_memory(registered, 100), HSA_STATUS_SUCCESS);
  client.reset();
  EXPECT_EQ(first_mock().count("memory_free"), 3u);
}

}  // namespace
}  // namespace heddle::driver
