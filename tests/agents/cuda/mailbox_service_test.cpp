// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The service of a mailbox with threads that play the work-items of a GPU.
#include "agents/cuda/mailbox_service.h"

#include <gtest/gtest.h>
#include <hsa/hsa_brig_modifiers.h>
#include <sys/mman.h>

#include <atomic>
#include <ctime>

#include "fake_queue.h"
#include "gpu_thread.h"

namespace heddle::cuda::test {
namespace {

using agents::test::FakeQueue;
using agents::test::Signal;
using fake::ask_host;
using ptx_kernel::MailboxSlot;

constexpr size_t slot_count = 8;

/// A mailbox in memory of the test, with the words of one dispatch in progress.
class Service : public ::testing::Test {
 protected:
  void SetUp() override {
    head_.head.words = reinterpret_cast<uint64_t>(words_);
    head_.head.slots = slot_count;
    hidden_.mailbox = reinterpret_cast<uint64_t>(&head_);
    hidden_.stop = reinterpret_cast<uint64_t>(&stop_);
    start(*agents::test::FakeDriver::get().interface());
  }
  /// Starts the service with this generic driver.
  void start(const hsa_generic_driver_interface& driver) {
    driver_ = driver;
    auto started = MailboxService::start({head_.slots, &progress_, &stop_, {&driver_, 0}});
    ASSERT_TRUE(started) << started.error().message;
    service_ = std::move(*started);
  }
  /// Writes a request for a signal into a slot, as a work-item that does not wait for the answer.
  void post(size_t number, uint32_t operation, Signal& signal, uint64_t value, uint64_t second) {
    MailboxSlot& slot = head_.slots[number];
    slot = {0, MailboxSlot::signal, operation, 1, 8, signal.handle().handle, value, second, 0, 0};
    __atomic_store_n(&slot.state, uint64_t{MailboxSlot::posted}, __ATOMIC_RELEASE);
  }
  const MailboxSlot& answered(size_t number) {
    const MailboxSlot& slot = head_.slots[number];
    while (__atomic_load_n(&slot.state, __ATOMIC_ACQUIRE) != MailboxSlot::answered) std::this_thread::yield();
    return slot;
  }

  uint64_t ask(uint32_t kind, uint32_t operation, const void* address, uint64_t value = 0,
               uint64_t second = 0, uint32_t size = 8) {
    return ask_host(&hidden_, {kind, operation, 1, size, reinterpret_cast<uint64_t>(address), value, second});
  }
  uint64_t ask(uint32_t operation, Signal& signal, int64_t value = 0, uint64_t second = 0) {
    return ask(MailboxSlot::signal, operation, signal.get(), static_cast<uint64_t>(value), second);
  }
  /// Makes a request that the service must refuse, and returns the message.
  std::string refusal(uint32_t kind, uint32_t operation, const void* address, uint32_t size = 8) {
    service_->serve_until(1);
    EXPECT_THROW(ask(kind, operation, address, 0, 0, size), fake::Stopped);
    const RequestFailure* failed = service_->failure();
    return failed ? failed->failure.message : "it was answered";
  }
  template <typename Body>
  void on_threads(int count, const Body& body) {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
    for (std::thread& thread : threads) thread.join();
  }

  struct {
    ptx_kernel::Mailbox head = {};
    MailboxSlot slots[slot_count] = {};
  } head_;
  uint64_t words_[1 + slot_count] = {};
  uint64_t progress_ = 0;
  uint32_t stop_ = 0;
  ptx_kernel::Hidden hidden_ = {};
  hsa_generic_driver_interface driver_ = {};
  std::unique_ptr<MailboxService> service_;
};

TEST_F(Service, carries_out_atomic_operations_of_many_work_items) {
  constexpr int threads = 20, times = 500;
  uint64_t wide = 0;
  uint32_t narrow = 0;
  std::vector<std::atomic<bool>> seen(threads * times);
  service_->serve_until(1);
  on_threads(threads, [&](int) {
    for (int i = 0; i < times; ++i) {
      const uint64_t old = ask(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, &wide, 1);
      EXPECT_FALSE(seen.at(old).exchange(true)) << "two work-items got the same number";
      ask(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_SUB, &narrow, 1, 0, 4);
    }
  });
  EXPECT_EQ(wide, uint64_t{threads} * times);
  EXPECT_EQ(narrow, 0u - threads * times);
}

TEST_F(Service, makes_the_host_wait_for_signals_of_work_items) {
  Signal signal(40);
  service_->serve_until(1);
  std::thread items([&] {
    on_threads(8, [&](int) {
      for (int i = 0; i < 5; ++i) ask(HSA_BRIG_ATOMIC_OPERATION_SUB, signal, 1);
    });
  });
  EXPECT_TRUE(signal.becomes(0));
  items.join();
}

TEST_F(Service, lets_work_items_wait_for_a_value_that_is_there_for_a_moment_only) {
  Signal signal(1);
  service_->serve_until(1);
  uint64_t seen = 0;
  std::thread item([&] { seen = ask(HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, signal, 7); });
  signal.wait_until_watched();
  signal.store(7);
  signal.store(8);
  item.join();
  EXPECT_EQ(seen, 7u);
}

/// The waits take all slots that they can get, and yet the sender finds one.
TEST_F(Service, answers_others_while_more_work_items_wait_than_there_are_slots) {
  Signal signal(1);
  service_->serve_until(1);
  std::atomic<int> met{0};
  on_threads(4 * slot_count, [&](int i) {
    if (i == 0) {
      signal.wait_until_watched();
      for (int times = 0; times < 200; ++times)
        ask(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, &words_[0], 0);
      ask(HSA_BRIG_ATOMIC_OPERATION_ST, signal, -3);
    } else {
      met += static_cast<int64_t>(ask(HSA_BRIG_ATOMIC_OPERATION_WAIT_LT, signal, 0)) == -3;
    }
  });
  EXPECT_EQ(met, 4 * slot_count - 1);
}

TEST_F(Service, ends_waits_at_their_timeouts) {
  Signal signal(5);
  service_->serve_until(1);
  const uint64_t begin = hsam_timestamp();
  EXPECT_EQ(ask(HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ, signal, 1, HSAM_TIMESTAMP_FREQUENCY / 100), 5u);
  EXPECT_GE(hsam_timestamp() - begin, HSAM_TIMESTAMP_FREQUENCY / 100);
  EXPECT_EQ(ask(HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ, signal, 1, 0), 5u);
  EXPECT_EQ(ask(HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ, signal, 5, UINT64_MAX), 5u);
}

TEST_F(Service, operates_on_the_indices_of_queues) {
  FakeQueue queue;
  const hsa_user_mode_queue* header = queue.info().queue_header_user_addr;
  service_->serve_until(1);
  on_threads(10, [&](int) { ask(MailboxSlot::queue_write_index, HSA_BRIG_ATOMIC_OPERATION_ADD, header, 2); });
  EXPECT_EQ(*header->write_index_ptr, 20u);
  EXPECT_EQ(ask(MailboxSlot::queue_write_index, HSA_BRIG_ATOMIC_OPERATION_CAS, header, 20, 21), 20u);
  EXPECT_EQ(ask(MailboxSlot::queue_write_index, HSA_BRIG_ATOMIC_OPERATION_LD, header), 21u);
  ask(MailboxSlot::queue_read_index, HSA_BRIG_ATOMIC_OPERATION_ST, header, 9);
  EXPECT_EQ(*header->read_index_ptr, 9u);
}

TEST_F(Service, drops_the_waits_of_a_dispatch_that_is_stopped) {
  Signal signal(1);
  service_->serve_until(1);
  std::thread item([&] { EXPECT_THROW(ask(HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, signal, 0), fake::Stopped); });
  signal.wait_until_watched();
  __atomic_store_n(&stop_, 1, __ATOMIC_RELEASE);
  item.join();
  service_.reset();
  EXPECT_EQ(signal.get()->waiters, 0u);
}

TEST_F(Service, takes_signals_at_their_word_if_the_generic_driver_cannot_tell) {
  service_.reset();
  start({});
  Signal signal(5);
  service_->serve_until(1);
  EXPECT_EQ(ask(HSA_BRIG_ATOMIC_OPERATION_ADD, signal, 2), 5u);
  EXPECT_EQ(signal.load(), 7);
}

// ---- wrong requests

/// The kernel writes another address into the slot when the host has checked the first one.
TEST_F(Service, reads_a_request_once) {
  static uint64_t* address = nullptr;
  address = &head_.slots[3].address;
  service_.reset();
  hsa_generic_driver_interface driver = {};
  driver.is_signal = [](int64_t, uint64_t) {
    __atomic_store_n(address, 64, __ATOMIC_RELAXED);
    return 1;
  };
  start(driver);
  Signal signal(5);
  service_->serve_until(1);
  post(3, HSA_BRIG_ATOMIC_OPERATION_ADD, signal, 2, 0);
  EXPECT_EQ(answered(3).result, 5u);
  EXPECT_EQ(*address, 64u);
  EXPECT_EQ(signal.load(), 7);
}

TEST_F(Service, refuses_an_unknown_kind) {
  EXPECT_EQ(refusal(77, HSA_BRIG_ATOMIC_OPERATION_ADD, &progress_),
            "the host is asked for operation 0 of kind 77 on 8 bytes, which does not exist");
}
TEST_F(Service, refuses_an_unknown_operation) {
  EXPECT_NE(refusal(MailboxSlot::atomic, 200, &progress_).find("operation 200"), std::string::npos);
}
TEST_F(Service, refuses_an_unknown_wait) {
  EXPECT_EQ(refusal(MailboxSlot::wait_again, 0, reinterpret_cast<void*>(99)),
            "99 is not the number of a wait");
}
TEST_F(Service, refuses_a_number_of_another_size) {
  EXPECT_NE(refusal(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, &progress_, 3).find("3 bytes"),
            std::string::npos);
}
TEST_F(Service, refuses_an_address_that_is_not_aligned) {
  auto* odd = reinterpret_cast<char*>(words_) + 4;
  EXPECT_NE(refusal(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, odd).find("not aligned"),
            std::string::npos);
}
TEST_F(Service, refuses_what_is_no_signal) {
  EXPECT_EQ(refusal(MailboxSlot::signal, HSA_BRIG_ATOMIC_OPERATION_ADD, reinterpret_cast<void*>(0x12345)),
            "0x12345 is not a signal");
}
TEST_F(Service, refuses_what_is_no_queue) {
  EXPECT_EQ(
      refusal(MailboxSlot::queue_write_index, HSA_BRIG_ATOMIC_OPERATION_ADD, reinterpret_cast<void*>(4096)),
      "0x1000 is not the address of a queue");
}
TEST_F(Service, refuses_the_null_pointer_with_the_dispatch_that_used_it) {
  progress_ = 3;
  service_->serve_until(4);
  EXPECT_THROW(ask(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, nullptr, 1), fake::Stopped);
  const RequestFailure* failed = service_->failure();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->dispatch, 3u);
  EXPECT_EQ(failed->failure.status, HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(failed->failure.message, "memory fault at 0x0, in an atomic operation that the host carries out");
}
TEST_F(Service, refuses_memory_that_may_not_be_written) {
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_NE(refusal(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, page).find("memory fault"),
            std::string::npos);
  munmap(page, 4096);
}

// ---- what it costs

/// The processor time that the process uses in 300 ms.
double processor_milliseconds() {
  const auto used = [] {
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return used() - before;
}

TEST_F(Service, costs_no_processor_time_while_no_dispatch_is_in_progress) {
  EXPECT_LT(processor_milliseconds(), 5);
  service_->serve_until(1);
  uint64_t word = 0;
  ask(MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, &word, 1);
  __atomic_store_n(&progress_, 1, __ATOMIC_RELEASE);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LT(processor_milliseconds(), 5);
}

TEST_F(Service, costs_little_while_a_dispatch_asks_nothing) {
  service_->serve_until(1);
  EXPECT_LT(processor_milliseconds(), 100);
}

/// The work-item whose wait holds no slot does not ask again for a while.
TEST_F(Service, costs_little_while_a_wait_without_a_slot_is_past_its_deadline) {
  Signal signal(1);
  service_->serve_until(1);
  for (size_t i = 0; i < slot_count / 2; ++i) post(i, HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, signal, 0, 0);
  while (__atomic_load_n(&signal.get()->waiters, __ATOMIC_SEQ_CST) < slot_count / 2)
    std::this_thread::yield();
  post(slot_count - 1, HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ, signal, 0, HSAM_TIMESTAMP_FREQUENCY / 500);
  EXPECT_NE(answered(slot_count - 1).wait, 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LT(processor_milliseconds(), 100);
}

}  // namespace
}  // namespace heddle::cuda::test
