// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <random>
#include <set>

#include "agents/cuda/description.h"
#include "agents/cuda/device_memory.h"
#include "agents/cuda/host_memory.h"
#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

constexpr uint64_t granule = device_memory_granule;

TEST(FreeRanges, join_with_their_neighbours) {
  FreeRanges ranges(0x1000, 0x3000);
  EXPECT_EQ(ranges.take(0x1000, 1), 0x1000u);
  EXPECT_EQ(ranges.take(0x1000, 1), 0x2000u);
  EXPECT_EQ(ranges.take(0x1001, 1), std::nullopt);
  ranges.give(0x1000, 0x1000);
  EXPECT_FALSE(ranges.contains(0x1000, 0x3000));
  ranges.give(0x2000, 0x1000);
  EXPECT_TRUE(ranges.contains(0x1000, 0x3000));
}

TEST(FreeRanges, keep_what_lies_before_an_aligned_address) {
  FreeRanges ranges(0x10, 0x200);
  EXPECT_EQ(ranges.take(0x10, 0x100), 0x100u);
  EXPECT_EQ(ranges.take(0xf0, 1), 0x10u);
  EXPECT_EQ(ranges.take(0x100, 1), 0x110u);
  EXPECT_EQ(ranges.take(1, 1), std::nullopt);
}

class Memories : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    auto gpus = find_gpus(fake_api());
    ASSERT_TRUE(gpus && gpus->size() == 1);
    auto opened = GpuContext::open(fake_api(), gpus->front());
    ASSERT_TRUE(opened) << opened.error().message;
    context = std::move(*opened);
    auto made = DeviceMemory::create(*context, 0);
    ASSERT_TRUE(made) << made.error().message;
    device = std::move(*made);
  }

  std::unique_ptr<GpuContext> context;
  std::unique_ptr<DeviceMemory> device;
};

TEST_F(Memories, of_the_device_lie_in_its_window_and_can_be_accessed) {
  const auto memory = device->allocate(100, 1);
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_TRUE(device->contains(*memory));
  EXPECT_FALSE(device->contains(device->window() - 1));
  EXPECT_FALSE(device->contains(device->window() + device->window_size()));
  std::memset(reinterpret_cast<void*>(*memory), 1, 100);
  EXPECT_TRUE(device->free(*memory));
  EXPECT_FALSE(device->free(*memory)) << "it is freed already";
  EXPECT_EQ(fake_control().mapped_bytes, 0u);
}

TEST_F(Memories, of_the_device_share_units_if_they_are_small) {
  std::vector<DeviceAddress> small;
  small.reserve(100);
  for (int i = 0; i < 100; ++i) small.push_back(*device->allocate(1000, 1));
  EXPECT_EQ(fake_control().mapped_bytes, granule);
  const auto large = device->allocate(3 * granule + 1, 1);
  ASSERT_TRUE(large);
  EXPECT_EQ(fake_control().mapped_bytes, 5 * granule);
  EXPECT_TRUE(device->free(*large));
  EXPECT_EQ(fake_control().mapped_bytes, granule);
  for (const DeviceAddress address : small) EXPECT_TRUE(device->free(address));
  EXPECT_EQ(fake_control().mapped_bytes, 0u);
}

TEST_F(Memories, of_the_device_never_overlap) {
  std::mt19937 random(1);
  std::map<DeviceAddress, uint64_t> live;
  for (int step = 0; step < 2000; ++step) {
    if (live.size() > 50) {
      auto victim = std::next(live.begin(), random() % live.size());
      EXPECT_TRUE(device->free(victim->first));
      live.erase(victim);
    }
    const uint64_t size = 1 + random() % 100'000, alignment = uint64_t{1} << random() % 17;
    const auto made = device->allocate(size, alignment);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*made % alignment, 0u);
    const auto next = live.lower_bound(*made);
    EXPECT_TRUE(next == live.end() || *made + size <= next->first);
    EXPECT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= *made);
    live[*made] = size;
  }
  for (const auto& [address, size] : live) EXPECT_TRUE(device->free(address));
  EXPECT_EQ(fake_control().mapped_bytes, 0u);
}

TEST_F(Memories, of_the_device_that_do_not_fit_are_refused_and_change_nothing) {
  const auto most = device->allocate(fake_control().machine.memory, 1);
  ASSERT_TRUE(most);
  const auto more = device->allocate(1, 1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().status, Status::out_of_memory);
  EXPECT_TRUE(device->free(*most));
  const auto again = device->allocate(fake_control().machine.memory, 1);
  ASSERT_TRUE(again) << "all addresses and all memory are free again";
  EXPECT_TRUE(device->free(*again));
}

TEST_F(Memories, of_the_host_are_registered_once_for_each_page) {
  constexpr size_t page = 4096;
  auto* pages =
      static_cast<char*>(mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  {
    HostMemory host(*context);
    ASSERT_TRUE(host.add(pages + 10, 20));
    ASSERT_TRUE(host.add(pages + 40, 20));
    EXPECT_EQ(fake_control().registered_bytes, page);
    ASSERT_TRUE(host.add(pages + 3 * page, page));
    ASSERT_TRUE(host.add(pages + 100, 5 * page)) << "this one has both in it";
    EXPECT_EQ(fake_control().registered_bytes, 6 * page);
    EXPECT_EQ(host.piece(pages + 1, 100'000), page - 1);
    EXPECT_EQ(host.piece(pages + 6 * page, 100), 100u);
    EXPECT_TRUE(host.remove(pages + 3 * page));
    EXPECT_TRUE(host.remove(pages + 10));
    EXPECT_EQ(fake_control().registered_bytes, 6 * page);
    EXPECT_TRUE(host.remove(pages + 100));
    EXPECT_EQ(fake_control().registered_bytes, page);
    EXPECT_FALSE(host.remove(pages + 100));
  }
  EXPECT_EQ(fake_control().registered_bytes, 0u) << "what was left goes with the object";
  munmap(pages, 8 * page);
}

TEST_F(Memories, the_process_registers_pages_once_for_all_gpus) {
  const size_t page = 4096;
  auto* pages =
      static_cast<char*>(mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  {
    HostMemory second(*context);
    {
      HostMemory first(*context);
      ASSERT_TRUE(first.add(pages, 2 * page));
      ASSERT_TRUE(second.add(pages + page, 2 * page));
      EXPECT_EQ(fake_control().registered_bytes, 3 * page);
    }
    EXPECT_TRUE(second.contains(pages + page, 2 * page)) << "the other GPU still uses them";
    EXPECT_TRUE(second.remove(pages + page));
    EXPECT_EQ(fake_control().registered_bytes, 0u);
  }
  munmap(pages, 4 * page);
}

/// Pages of the test's own.
class Pages {
 public:
  explicit Pages(size_t count) : size_(count * 4096) {
    base_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(base_, MAP_FAILED);
  }
  ~Pages() { munmap(base_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* get() const { return base_; }

 private:
  const size_t size_;
  void* base_;
};

TEST_F(Memories, pages_that_a_lost_gpu_used_last_are_unregistered_by_another_one) {
  fake_control().machine.gpus = 2;
  const auto gpus = find_gpus(fake_api());
  ASSERT_TRUE(gpus && gpus->size() == 2);
  auto other = GpuContext::open(fake_api(), (*gpus)[1]);
  ASSERT_TRUE(other) << other.error().message;
  const Pages pages(1);
  HostMemory lost(*context), healthy(**other);
  ASSERT_TRUE(lost.add(pages.get(), 4096));
  fake_control().lost_gpu = 0;
  EXPECT_TRUE(lost.remove(pages.get()));
  EXPECT_EQ(fake_control().registered_bytes, 0u);
  EXPECT_TRUE(healthy.add(pages.get(), 4096));
}

TEST_F(Memories, pages_that_no_gpu_can_unregister_count_as_registered) {
  const Pages pages(2);
  HostMemory host(*context);
  ASSERT_TRUE(host.add(pages.get(), 4096));
  fake_control().lost_gpu = 0;
  EXPECT_TRUE(host.remove(pages.get()));
  EXPECT_EQ(fake_control().registered_bytes, 4096u);
  EXPECT_TRUE(host.add(pages.get(), 4096)) << "nothing is left to be registered";
  EXPECT_TRUE(host.remove(pages.get()));
  fake_control().lost_gpu = -1;
  EXPECT_TRUE(host.add(pages.get(), 8192)) << "the old page is unregistered first";
  EXPECT_EQ(host.piece(pages.get(), 8192), 8192u);
  EXPECT_TRUE(host.remove(pages.get()));
  EXPECT_EQ(fake_control().registered_bytes, 0u);
}

TEST_F(Memories, of_the_host_are_forgotten_if_memory_runs_out_while_they_are_added) {
  const Pages pages(3);
  auto* const first = static_cast<char*>(pages.get());
  HostMemory host(*context);
  ASSERT_TRUE(host.add(first + 4096, 4096));
  fake_control().before = [](std::string_view function) -> Status {
    if (function == "cuMemHostRegister_v2") throw std::bad_alloc();
    return Status::success;
  };
  EXPECT_THROW(static_cast<void>(host.add(first, 8192)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(host.add(first + 4096, 8192)), std::bad_alloc);
  fake_control().before = {};
  EXPECT_FALSE(host.remove(first)) << "it was not added";
  EXPECT_FALSE(host.contains(first, 4096));
  EXPECT_TRUE(host.contains(first + 4096, 4096));
  EXPECT_TRUE(host.remove(first + 4096));
  EXPECT_FALSE(host.remove(first + 4096));
  EXPECT_EQ(fake_control().registered_bytes, 0u);
}

}  // namespace
}  // namespace heddle::cuda::test
