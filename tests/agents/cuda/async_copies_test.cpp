// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies for which no thread waits, and copies between two GPUs.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <numeric>
#include <thread>

#include "agents/cuda/async_copies.h"
#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

/// Pages that a GPU may access, or not.
class HostPages {
 public:
  explicit HostPages(size_t size) : size_(size) {
    base_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(base_, MAP_FAILED);
  }
  ~HostPages() { munmap(base_, size_); }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  uint8_t* bytes() const { return static_cast<uint8_t*>(base_); }
  void number() const { std::iota(bytes(), bytes() + size_, uint8_t{1}); }

 private:
  const size_t size_;
  void* base_;
};

/// What a GPU has of its own.
struct Gpu {
  explicit Gpu(const GpuProperties& properties, uint32_t number) {
    auto opened = GpuContext::open(fake_api(), properties);
    EXPECT_TRUE(opened) << opened.error().message;
    context = std::move(*opened);
    auto made = DeviceMemory::create(*context, number);
    EXPECT_TRUE(made) << made.error().message;
    memory = std::move(*made);
    OpenMemories::instance().add(*memory);
    host = std::make_unique<HostMemory>(*context);
    copies = std::make_unique<Copies>(*context, *memory, *host);
    async = std::make_unique<AsyncCopies>(
        *context, *copies, *host, [this](void* cookie, const Driven<void>& done) {
          std::lock_guard lock(mutex);
          const auto number = reinterpret_cast<uintptr_t>(cookie);
          EXPECT_TRUE(ended.emplace(number, done.ok()).second) << "copy " << number << " has ended twice";
          order.push_back(number);
          changed.notify_all();
        });
  }
  uint8_t* allocate(uint64_t size) const {
    const auto made = memory->allocate(size, 1);
    EXPECT_TRUE(made);
    return made ? reinterpret_cast<uint8_t*>(*made) : nullptr;
  }
  void free(void* address) const { EXPECT_TRUE(memory->free(reinterpret_cast<DeviceAddress>(address))); }
  Driven<bool> start(void* to, const void* from, uint64_t size, uintptr_t cookie) const {
    return async->start({to, from, size, 1, 1, 0, 0, 0, 0}, reinterpret_cast<void*>(cookie));
  }
  /// Waits for the end of a copy, and returns whether it has succeeded.
  bool wait(uintptr_t cookie) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return ended.contains(cookie); }));
    return ended[cookie];
  }
  bool has_ended(uintptr_t cookie) {
    std::lock_guard lock(mutex);
    return ended.contains(cookie);
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<uintptr_t, bool> ended;
  std::vector<uintptr_t> order;
  std::unique_ptr<GpuContext> context;
  std::unique_ptr<DeviceMemory> memory;
  std::unique_ptr<HostMemory> host;
  std::unique_ptr<Copies> copies;
  std::unique_ptr<AsyncCopies> async;
};

class AsyncCopiesTest : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    fake_control().machine.gpus = 2;
    fake_control().machine.has_peers = true;
    fake_control().copies = fake_control().peer_copies = 0;
    open();
  }
  void TearDown() override {
    fake_control().copies_wait = false;
    fake_control().query_ends_wait = false;
    first.reset();
    second.reset();
    EXPECT_EQ(fake_control().registered_bytes, 0u);
    FakeDriverTest::TearDown();
  }
  void open() {
    first.reset();
    second.reset();
    const auto gpus = find_gpus(fake_api());
    ASSERT_TRUE(gpus && gpus->size() == 2);
    first = std::make_unique<Gpu>((*gpus)[0], 0);
    second = std::make_unique<Gpu>((*gpus)[1], 1);
  }

  static constexpr size_t size = 1 << 16;
  std::unique_ptr<Gpu> first, second;
};

TEST_F(AsyncCopiesTest, end_while_nobody_waits_in_each_direction) {
  const HostPages from(size), to(size);
  from.number();
  ASSERT_TRUE(first->host->add(from.bytes(), size));
  ASSERT_TRUE(first->host->add(to.bytes(), size));
  uint8_t *const one = first->allocate(size), *const other = first->allocate(size);
  fake_control().copies_wait = true;
  const auto begun = first->start(one, from.bytes(), size, 1);
  ASSERT_TRUE(begun && *begun);
  EXPECT_FALSE(first->has_ended(1));
  fake_control().copies_wait = false;
  EXPECT_TRUE(first->wait(1));
  ASSERT_TRUE(*first->start(other, one, size, 2));
  EXPECT_TRUE(first->wait(2));
  ASSERT_TRUE(*first->start(to.bytes(), other, size, 3));
  EXPECT_TRUE(first->wait(3));
  EXPECT_EQ(std::memcmp(to.bytes(), from.bytes(), size), 0);
  first->free(one);
  first->free(other);
  EXPECT_TRUE(first->host->remove(from.bytes()));
  EXPECT_TRUE(first->host->remove(to.bytes()));
}

TEST_F(AsyncCopiesTest, of_one_direction_do_not_wait_for_those_of_another) {
  const HostPages pages(2 * size);
  ASSERT_TRUE(first->host->add(pages.bytes(), 2 * size));
  uint8_t* const memory = first->allocate(2 * size);
  std::memset(memory, 5, 2 * size);
  fake_control().copies_wait = true;
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 1));
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 2));
  ASSERT_TRUE(*first->start(pages.bytes() + size, memory + size, size, 3));
  EXPECT_EQ(fake_control().copies, 3u) << "all are with the driver";
  fake_control().copies_wait = false;
  for (const uintptr_t copy : {1, 2, 3}) EXPECT_TRUE(first->wait(copy));
  EXPECT_LT(std::ranges::find(first->order, 1u), std::ranges::find(first->order, 2u));
  first->free(memory);
}

TEST_F(AsyncCopiesTest, have_rows_and_layers) {
  const HostPages pages(size);
  pages.number();
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  std::memset(memory, 0, size);
  const hsam_copy rows{memory, pages.bytes(), 10, 3, 2, 100, 1000, 20, 500};
  const auto begun = first->async->start(rows, reinterpret_cast<void*>(uintptr_t{1}));
  ASSERT_TRUE(begun && *begun);
  EXPECT_TRUE(first->wait(1));
  size_t copied = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t layer = i / 1000, row = i % 1000 / 100, column = i % 100;
    const bool inside = layer < 2 && row < 3 && column < 10;
    ASSERT_EQ(memory[i], inside ? pages.bytes()[layer * 500 + row * 20 + column] : 0) << i;
    copied += inside;
  }
  EXPECT_EQ(copied, 60u);
  first->free(memory);
}

TEST_F(AsyncCopiesTest, that_the_driver_would_make_on_the_calling_thread_are_left_to_others) {
  const HostPages pages(size);
  uint8_t* const memory = first->allocate(size);
  const auto to_device = first->start(memory, pages.bytes(), size, 1);
  ASSERT_TRUE(to_device);
  EXPECT_FALSE(*to_device) << "the memory of the host is not registered";
  EXPECT_FALSE(*first->start(pages.bytes(), memory, size, 1));
  ASSERT_TRUE(first->host->add(pages.bytes(), size / 2));
  EXPECT_FALSE(*first->start(pages.bytes(), memory, size, 1)) << "only half of it is";
  EXPECT_FALSE(*first->start(pages.bytes(), pages.bytes() + 4096, 4096, 1)) << "no GPU is needed";
  EXPECT_EQ(fake_control().copies, 0u);
  EXPECT_TRUE(first->ended.empty());
  first->free(memory);
}

TEST_F(AsyncCopiesTest, are_divided_where_two_registrations_meet) {
  const HostPages pages(size);
  pages.number();
  ASSERT_TRUE(first->host->add(pages.bytes(), size / 2));
  ASSERT_TRUE(first->host->add(pages.bytes() + size / 2, size / 2));
  uint8_t* const memory = first->allocate(size);
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 1));
  EXPECT_TRUE(first->wait(1));
  EXPECT_EQ(fake_control().copies, 2u);
  EXPECT_EQ(std::memcmp(memory, pages.bytes(), size), 0);
  std::memset(memory, 9, size);
  ASSERT_TRUE(*first->start(pages.bytes() + 4096, memory, size - 4096, 2)) << "the other way";
  EXPECT_TRUE(first->wait(2));
  EXPECT_EQ(fake_control().copies, 4u);
  EXPECT_EQ(pages.bytes()[size - 1], 9);
  ASSERT_TRUE(*first->start(memory, pages.bytes() + size / 2, size / 2, 3));
  EXPECT_TRUE(first->wait(3));
  EXPECT_EQ(fake_control().copies, 5u) << "in one of the two";
  first->free(memory);
}

TEST_F(AsyncCopiesTest, that_cannot_be_submitted_use_no_memory_any_more) {
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  for (const std::string_view failing : {"cuMemcpy", "cuStreamWriteValue64_v2"}) {
    int calls = 0;
    fake_control().before = [&](std::string_view function) {
      // The second row cannot be copied.
      return function == failing && (failing != "cuMemcpy" || ++calls == 2) ? Status::out_of_memory
                                                                            : Status::success;
    };
    const hsam_copy rows{memory, pages.bytes(), 10, 3, 1, 100, 0, 20, 0};
    const auto begun = first->async->start(rows, reinterpret_cast<void*>(uintptr_t{1}));
    ASSERT_FALSE(begun) << failing;
    EXPECT_EQ(begun.error().status, Status::out_of_memory);
    fake_control().before = {};
  }
  fake_control().before = [](std::string_view function) -> Status {
    if (function == "cuStreamWriteValue64_v2") throw std::bad_alloc();
    return Status::success;
  };
  EXPECT_THROW(static_cast<void>(first->start(memory, pages.bytes(), size, 1)), std::bad_alloc);
  fake_control().before = {};
  EXPECT_FALSE(first->has_ended(1)) << "whoever began it knows already";
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 2)) << "the next one does not suffer";
  EXPECT_TRUE(first->wait(2));
  EXPECT_FALSE(first->has_ended(1));
  first->free(memory);
}

TEST_F(AsyncCopiesTest, fail_if_the_gpu_is_lost) {
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  ASSERT_TRUE(second->host->add(pages.bytes(), size));
  uint8_t *const memory = first->allocate(size), *const healthy = second->allocate(size);
  fake_control().copies_wait = true;
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 1));
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 2));
  fake_control().lost_gpu = 0;
  EXPECT_FALSE(first->wait(1));
  EXPECT_FALSE(first->wait(2));
  EXPECT_FALSE(first->start(memory, pages.bytes(), size, 3)) << "nor does another one begin";
  fake_control().copies_wait = false;
  ASSERT_TRUE(*second->start(healthy, pages.bytes(), size, 1));
  EXPECT_TRUE(second->wait(1)) << "the other GPU is not lost";
  fake_control().lost_gpu = -1;
  first->async.reset();  // the fake's streams go on
  first->free(memory);
  second->free(healthy);
}

TEST_F(AsyncCopiesTest, of_many_threads_end_once_each) {
  constexpr uintptr_t threads = 4, each = 100;
  const HostPages pages(size);
  pages.number();
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(threads * size);
  std::vector<std::thread> starters;
  for (uintptr_t t = 0; t < threads; ++t)
    starters.emplace_back([&, t] {
      for (uintptr_t i = 0; i < each; ++i)
        EXPECT_TRUE(*first->start(memory + t * size + i * 600, pages.bytes() + i * 600, 600, t * each + i));
    });
  for (std::thread& starter : starters) starter.join();
  for (uintptr_t copy = 0; copy < threads * each; ++copy) EXPECT_TRUE(first->wait(copy));
  for (uintptr_t t = 0; t < threads; ++t)
    EXPECT_EQ(std::memcmp(memory + t * size, pages.bytes(), each * 600), 0);
  first->free(memory);
}

/// Copies in two directions, of which some cannot be submitted.
TEST_F(AsyncCopiesTest, that_are_many_end_in_order_without_those_that_were_refused) {
  constexpr uintptr_t count = 400;
  const HostPages pages(2 * size);
  pages.number();
  ASSERT_TRUE(first->host->add(pages.bytes(), 2 * size));
  uint8_t* const memory = first->allocate(2 * size);
  std::memset(memory, 0, 2 * size);
  fake_control().copies_wait = true;
  for (uintptr_t i = 0; i < count; ++i) {
    const bool is_refused = i % 7 == 6;
    fake_control().before = [&](std::string_view function) {
      return is_refused && function == "cuMemcpy" ? Status::out_of_memory : Status::success;
    };
    // A refused copy waits for those before it, which use the caller's memory.
    if (is_refused) fake_control().copies_wait = false;
    const auto begun = i % 2 == 0 ? first->start(memory + i * 100, pages.bytes() + i * 100, 100, i)
                                  : first->start(pages.bytes() + size, memory + size, 100, i);
    EXPECT_EQ(begun.ok(), !is_refused) << i;
    if (is_refused) fake_control().copies_wait = i < count / 2;
  }
  fake_control().before = {};
  fake_control().copies_wait = false;
  for (uintptr_t i = 0; i < count; ++i)
    if (i % 7 != 6) EXPECT_TRUE(first->wait(i)) << i;
  for (const uintptr_t direction : {0, 1}) {
    std::vector<uintptr_t> ended;
    for (const uintptr_t i : first->order)
      if (i % 2 == direction) ended.push_back(i);
    EXPECT_TRUE(std::ranges::is_sorted(ended));
  }
  EXPECT_EQ(first->order.size(), count - count / 7);
  for (uintptr_t i = 0; i < count; i += 2)
    EXPECT_EQ(std::memcmp(memory + i * 100, pages.bytes() + i * 100, 100) == 0, i % 7 != 6) << i;
  first->free(memory);
}

TEST_F(AsyncCopiesTest, that_were_refused_last_are_not_waited_for_by_the_end_of_the_object) {
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  fake_control().before = [](std::string_view function) {
    return function == "cuMemcpy" ? Status::out_of_memory : Status::success;
  };
  EXPECT_FALSE(first->start(memory, pages.bytes(), size, 1));
  fake_control().before = {};
  first->async.reset();
  EXPECT_FALSE(first->has_ended(1));
  first->free(memory);
}

/// Copies that had ended before are not told of again.
TEST_F(AsyncCopiesTest, that_are_many_all_fail_if_the_gpu_is_lost) {
  constexpr uintptr_t count = 200;
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  for (uintptr_t i = 0; i < 50; ++i) ASSERT_TRUE(*first->start(memory, pages.bytes(), size, i));
  for (uintptr_t i = 0; i < 50; ++i) EXPECT_TRUE(first->wait(i));
  fake_control().copies_wait = true;
  for (uintptr_t i = 50; i < count; ++i) ASSERT_TRUE(*first->start(memory, pages.bytes(), size, i));
  fake_control().lost_gpu = 0;
  for (uintptr_t i = 50; i < count; ++i) EXPECT_FALSE(first->wait(i)) << i;
  fake_control().copies_wait = false;
  fake_control().lost_gpu = -1;
  first->async.reset();  // the fake's streams go on
  EXPECT_EQ(first->order.size(), count) << "none was told of twice";
  first->free(memory);
}

TEST_F(AsyncCopiesTest, are_waited_for_by_the_end_of_the_object) {
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  fake_control().copies_wait = true;
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 1));
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fake_control().copies_wait = false;
  });
  first->async.reset();
  EXPECT_TRUE(first->has_ended(1));
  later.join();
  first->free(memory);
}

/// The thread that watches, and the memory in which the GPU tells of its progress, are the parent's.
TEST_F(AsyncCopiesTest, begin_in_the_child_of_a_fork) {
  const HostPages pages(size), of_child(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  ASSERT_TRUE(*first->start(memory, pages.bytes(), size, 1));
  EXPECT_TRUE(first->wait(1));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const auto begun = first->host->add(of_child.bytes(), size)
                           ? first->start(memory, of_child.bytes(), size, 2)
                           : Driven<bool>(false);
    _exit(begun && *begun && first->wait(2) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the child was stuck";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  first->free(memory);
}

// ---- between two GPUs

TEST_F(AsyncCopiesTest, go_directly_from_one_gpu_to_another) {
  const HostPages pages(size);
  pages.number();
  uint8_t *const from = first->allocate(size), *const to = second->allocate(size);
  std::memcpy(from, pages.bytes(), size);
  ASSERT_TRUE(first->copies->copy(to, from, size));
  EXPECT_EQ(std::memcmp(to, pages.bytes(), size), 0);
  EXPECT_EQ(fake_control().peer_copies, 1u);
  std::memset(from, 0, size);
  ASSERT_TRUE(*first->start(from, to, size, 1)) << "the other way, by the same GPU";
  EXPECT_TRUE(first->wait(1));
  EXPECT_EQ(std::memcmp(from, pages.bytes(), size), 0);
  uint8_t* const later = second->allocate(3 * size + (4 << 20));
  ASSERT_TRUE(*first->start(later, from, size, 2)) << "memory that was mapped later";
  EXPECT_TRUE(first->wait(2));
  EXPECT_EQ(std::memcmp(later, pages.bytes(), size), 0);
  EXPECT_EQ(fake_control().peer_copies, 3u);
  EXPECT_EQ(fake_control().copies, 3u);
  first->free(from);
  second->free(to);
  second->free(later);
}

TEST_F(AsyncCopiesTest, between_gpus_without_access_fail_without_harm) {
  uint8_t *const from = first->allocate(size), *const to = second->allocate(size);
  fake_control().machine.has_peers = false;
  EXPECT_FALSE(first->copies->copy(to, from, size));
  EXPECT_FALSE(first->start(to, from, size, 1));
  EXPECT_TRUE(first->ended.empty());
  uint8_t* const more = second->allocate(4 << 20);
  ASSERT_NE(more, nullptr) << "what was refused is not asked for again";
  fake_control().machine.has_peers = true;
  EXPECT_TRUE(first->copies->copy(to, from, size));
  first->free(from);
  second->free(to);
  second->free(more);
}

TEST_F(AsyncCopiesTest, between_gpus_fail_if_access_cannot_be_given) {
  uint8_t *const from = first->allocate(size), *const to = second->allocate(size);
  fake_control().before = [](std::string_view function) {
    return function == "cuMemSetAccess" ? Status::out_of_memory : Status::success;
  };
  const auto copied = first->copies->copy(to, from, size);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().status, Status::out_of_memory);
  fake_control().before = {};
  EXPECT_TRUE(first->copies->copy(to, from, size));
  fake_control().before = [](std::string_view function) {
    return function == "cuMemSetAccess" ? Status::out_of_memory : Status::success;
  };
  EXPECT_FALSE(second->memory->allocate(4 << 20, 1)) << "new memory is for both, or there is none";
  fake_control().before = {};
  first->free(from);
  second->free(to);
  EXPECT_EQ(fake_control().mapped_bytes, 0u);
}

TEST_F(AsyncCopiesTest, between_gpus_go_both_ways_from_many_threads) {
  constexpr int rounds = 50;
  uint8_t *const one = first->allocate(2 * size), *const other = second->allocate(2 * size);
  std::memset(one, 1, 2 * size);
  std::memset(other, 2, 2 * size);
  std::thread back([&] {
    for (int i = 0; i < rounds; ++i) EXPECT_TRUE(second->copies->copy(one + size, other, size));
  });
  for (uintptr_t i = 0; i < rounds; ++i) ASSERT_TRUE(*first->start(other + size, one, size, i));
  back.join();
  for (uintptr_t i = 0; i < rounds; ++i) EXPECT_TRUE(first->wait(i));
  EXPECT_EQ(other[2 * size - 1], 1);
  EXPECT_EQ(one[2 * size - 1], 2);
  first->free(one);
  second->free(other);
}

TEST_F(AsyncCopiesTest, find_memory_of_gpus_that_are_open) {
  uint8_t* const memory = second->allocate(size);
  const auto address = reinterpret_cast<DeviceAddress>(memory);
  EXPECT_EQ(OpenMemories::instance().at(address), second->memory.get());
  EXPECT_EQ(OpenMemories::instance().at(reinterpret_cast<DeviceAddress>(&address)), nullptr);
  second->free(memory);
  second.reset();
  EXPECT_EQ(OpenMemories::instance().at(address), nullptr);
}

// ---- copies for which the caller waits

class WaitedCopiesTest : public AsyncCopiesTest {};

TEST_F(WaitedCopiesTest, are_seen_to_end_without_the_driver) {
  const HostPages pages(size);
  pages.number();
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  const uint64_t before = fake_control().synchronizations;
  fake_control().query_status = Status::not_ready;  // only the stream's own word can end them
  // Short ones, and one that takes longer than the thread polls.
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{4096}, uint64_t{size}})
    EXPECT_TRUE(first->copies->copy(memory, pages.bytes(), bytes)) << bytes;
  EXPECT_EQ(std::memcmp(memory, pages.bytes(), size), 0);
  fake_control().copies_wait = true;
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fake_control().copies_wait = false;
  });
  EXPECT_TRUE(first->copies->copy(memory + 1, pages.bytes(), size - 1));
  later.join();
  fake_control().query_status = Status::success;
  EXPECT_EQ(memory[1], pages.bytes()[0]);
  EXPECT_EQ(fake_control().synchronizations, before);
  first->free(memory);
}

TEST_F(WaitedCopiesTest, are_waited_for_by_the_driver_if_they_cannot_tell_of_their_progress) {
  const HostPages pages(size);
  pages.number();
  for (const std::string_view failing : {"cuStreamWriteValue64_v2", "cuMemHostRegister_v2"}) {
    open();
    ASSERT_TRUE(first->host->add(pages.bytes(), size));
    uint8_t* const memory = first->allocate(size);
    std::memset(memory, 0, size);
    const uint64_t before = fake_control().synchronizations;
    fake_control().before = [failing](std::string_view function) {
      return function == failing ? Status::out_of_memory : Status::success;
    };
    EXPECT_TRUE(first->copies->copy(memory, pages.bytes(), size)) << failing;
    EXPECT_EQ(fake_control().synchronizations, before + 1) << failing;
    EXPECT_EQ(std::memcmp(memory, pages.bytes(), size), 0) << failing;
    fake_control().before = {};
    first->free(memory);
  }
}

TEST_F(WaitedCopiesTest, fail_if_their_context_is_lost) {
  const HostPages pages(size);
  ASSERT_TRUE(first->host->add(pages.bytes(), size));
  uint8_t* const memory = first->allocate(size);
  fake_control().copies_wait = true;
  fake_control().query_status = Status::launch_failed;
  const auto copied = first->copies->copy(memory, pages.bytes(), size);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().status, Status::launch_failed);
  fake_control().copies_wait = false;
  fake_control().query_status = Status::success;
  EXPECT_TRUE(first->copies->copy(memory, pages.bytes(), size));
  first->free(memory);
}

/// Copies of which the fake decides how long they take.
class ExpectedCopiesTest : public AsyncCopiesTest {
 protected:
  void SetUp() override {
    AsyncCopiesTest::SetUp();
    ASSERT_TRUE(first->host->add(pages_.bytes(), size));
    memory_ = first->allocate(size);
  }
  void TearDown() override {
    first->free(memory_);
    AsyncCopiesTest::TearDown();
  }
  uint64_t expected() const { return first->copies->expected_duration(CopyDirection::to_device, size); }
  /// Returns how long the call took, in ticks.
  uint64_t copy() {
    const uint64_t began = hsam_timestamp();
    EXPECT_TRUE(first->copies->copy(memory_, pages_.bytes(), size));
    return hsam_timestamp() - began;
  }
  uint64_t copy_that_takes(std::chrono::milliseconds time) {
    fake_control().copies_wait = true;
    std::thread later([time] {
      std::this_thread::sleep_for(time);
      fake_control().copies_wait = false;
    });
    const uint64_t took = copy();
    later.join();
    return took;
  }

 private:
  const HostPages pages_{size};
  uint8_t* memory_ = nullptr;
};

TEST_F(ExpectedCopiesTest, that_end_while_the_thread_sleeps_are_expected_sooner_the_next_time) {
  const uint64_t first_took = copy_that_takes(std::chrono::milliseconds(200));
  EXPECT_GT(expected(), first_took / 4 * 3);
  fake_control().copies_wait = true;
  fake_control().query_ends_wait = true;  // the thread has slept when it asks
  const uint64_t took = copy();
  EXPECT_LE(expected(), took / 2) << "the sleep was taken for the duration of the copy";
}

TEST_F(ExpectedCopiesTest, whose_end_the_thread_sees_are_expected_to_take_as_long_although_it_has_slept) {
  copy_that_takes(std::chrono::milliseconds(200));
  const uint64_t before = expected();
  copy_that_takes(std::chrono::milliseconds(300));
  EXPECT_GT(expected(), before);
}

// ---- what is expected

TEST(CopyDurations, are_those_of_the_same_size_or_follow_from_the_speed) {
  CopyDurations durations;
  EXPECT_GT(durations.expected(1), 0u);
  EXPECT_LT(durations.expected(1 << 20), durations.expected(16 << 20));
  const uint64_t unknown = durations.expected(64 << 20);
  durations.note(16 << 20, 30'000);
  EXPECT_EQ(durations.expected(16 << 20), 30'000u);
  EXPECT_LT(durations.expected(64 << 20), unknown) << "the link is faster than was thought";
  durations.note(4096, 600);
  EXPECT_EQ(durations.expected(4096), 600u);
  durations.note(4096, 0);
  EXPECT_GT(durations.expected(4096), 0u);
}

TEST(CopyDurations, become_shorter_as_long_as_copies_have_ended_before_anybody_looks) {
  constexpr uint64_t size = 16 << 20, takes = 31'000;
  CopyDurations durations;
  durations.note(size, 3 * takes);
  int waits = 0;
  for (; durations.expected(size) > takes; ++waits) {
    ASSERT_LT(waits, 10);
    durations.note_less_than(size, durations.expected(size));
  }
  const uint64_t too_short = durations.expected(size);
  EXPECT_GT(too_short, takes / 4);
  durations.note(size, takes);
  EXPECT_GT(durations.expected(size), too_short);
}

}  // namespace
}  // namespace heddle::cuda::test
