// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last hsa_shut_down while other threads call the runtime (Runtime 2.1.1.2; docs/spec-decisions.md). The
// tests also run under ThreadSanitizer (./dev test).
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto not_initialized = HSA_STATUS_ERROR_NOT_INITIALIZED;

bool is_initialized() {
  const char* text = nullptr;
  return hsa_status_string(HSA_STATUS_SUCCESS, &text) == HSA_STATUS_SUCCESS;
}

/// Calls hsa_iterate_agents, and `body` in its callback for the first agent only.
hsa_status_t in_callback(std::function<void()> body) {
  return hsa_iterate_agents(
      [](hsa_agent_t, void* data) {
        (*static_cast<std::function<void()>*>(data))();
        return HSA_STATUS_INFO_BREAK;
      },
      &body);
}

/// A thread that is inside an API call from construction until end_call() or destruction.
class ThreadInCall {
 public:
  ThreadInCall() : thread_([this] { status_ = in_callback([this] { stay(); }); }) {
    begun_.get_future().wait();
  }
  ~ThreadInCall() { end_call(); }
  ThreadInCall(const ThreadInCall&) = delete;
  ThreadInCall& operator=(const ThreadInCall&) = delete;

  /// What the call returned.
  hsa_status_t end_call() {
    if (thread_.joinable()) {
      may_end_.set_value();
      thread_.join();
    }
    return status_;
  }

 private:
  void stay() {
    begun_.set_value();
    may_end_.get_future().wait();
  }

  std::promise<void> begun_, may_end_;
  hsa_status_t status_ = HSA_STATUS_ERROR;
  std::thread thread_;
};

/// A thread that drops the last reference. It is constructed while a call is under way, and waits for it.
class ShuttingDown {
 public:
  ShuttingDown() : result_(std::async(std::launch::async, [] { return hsa_shut_down(); })) {
    while (is_initialized()) std::this_thread::yield();
  }
  bool waits() { return result_.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout; }
  hsa_status_t result() { return result_.get(); }

 private:
  std::future<hsa_status_t> result_;
};

TEST(ShutDown, WaitsForCallsThatAreUnderWay) {
  ASSERT_SUCCESS(hsa_init());
  ThreadInCall other;
  ShuttingDown shutting_down;
  EXPECT_TRUE(shutting_down.waits());
  hsa_signal_t signal{};
  EXPECT_EQ(hsa_signal_create(0, 0, nullptr, &signal), not_initialized);
  EXPECT_EQ(hsa_shut_down(), not_initialized);
  EXPECT_EQ(other.end_call(), HSA_STATUS_INFO_BREAK);
  EXPECT_SUCCESS(shutting_down.result());
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

/// A call that a callback makes begins when it is made, and not when the call around it began.
TEST(ShutDown, CallsFromCallbacksBeginAnew) {
  ASSERT_SUCCESS(hsa_init());
  std::promise<void> begun;
  std::atomic<hsa_status_t> before{HSA_STATUS_ERROR}, after{HSA_STATUS_ERROR};
  std::thread caller([&] {
    (void)in_callback([&] {
      uint16_t version = 0;
      before = hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
      begun.set_value();
      while (is_initialized()) std::this_thread::yield();
      after = hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
    });
  });
  begun.get_future().wait();
  EXPECT_SUCCESS(hsa_shut_down());
  caller.join();
  EXPECT_SUCCESS(before.load());
  EXPECT_EQ(after.load(), not_initialized);
}

TEST(ShutDown, ReferencesThatAreNotTheLastWaitForNobody) {
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_init());
  {
    ThreadInCall other;
    EXPECT_SUCCESS(hsa_shut_down());
    EXPECT_TRUE(is_initialized());
  }
  EXPECT_SUCCESS(hsa_shut_down());
}

/// It would wait for the call that it is part of.
TEST(ShutDown, TheLastReferenceStaysInACallback) {
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_init());
  hsa_status_t first = HSA_STATUS_ERROR, last = HSA_STATUS_SUCCESS;
  EXPECT_EQ(in_callback([&] {
              first = hsa_shut_down();
              last = hsa_shut_down();
            }),
            HSA_STATUS_INFO_BREAK);
  EXPECT_SUCCESS(first);
  EXPECT_EQ(last, HSA_STATUS_ERROR);
  EXPECT_TRUE(is_initialized());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

/// hsa_init does not wait for the calls that hsa_shut_down waits for: it may be made by one of them.
TEST(ShutDown, ANewReferenceKeepsWhatIsNotGoneYet) {
  ASSERT_SUCCESS(hsa_init());
  hsa_signal_t signal{};
  ASSERT_SUCCESS(hsa_signal_create(7, 0, nullptr, &signal));
  std::promise<void> begun;
  std::atomic<hsa_status_t> again{HSA_STATUS_ERROR};
  std::thread caller([&] {
    (void)in_callback([&] {
      begun.set_value();
      while (is_initialized()) std::this_thread::yield();
      again = hsa_init();
    });
  });
  begun.get_future().wait();
  EXPECT_SUCCESS(hsa_shut_down());
  caller.join();
  EXPECT_SUCCESS(again.load());
  EXPECT_SUCCESS(hsa_signal_destroy(signal));
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

/// A queue whose error callback runs `body` once it has been given a malformed packet.
class FailingQueue {
 public:
  explicit FailingQueue(std::function<void()> body) : body_(std::move(body)) {
    std::vector<hsa_agent_t> agents;
    EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    EXPECT_SUCCESS(hsa_queue_create(agents.back(), 64, HSA_QUEUE_TYPE_MULTI, run_body, this, 0, 0, &queue_));
  }
  /// Submits the packet and returns when the callback has begun.
  void fail() {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue_->base_address) + index;
    __atomic_store_n(reinterpret_cast<uint32_t*>(packet), 0xffff, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    begun_.get_future().wait();
  }
  hsa_queue_t* handle() const { return queue_; }
  /// Waits until the callback has ended.
  void join() { ended_.get_future().wait(); }

 private:
  static void run_body(hsa_status_t, hsa_queue_t*, void* data) {
    auto& self = *static_cast<FailingQueue*>(data);
    self.begun_.set_value();
    self.body_();
    self.ended_.set_value();
  }

  std::function<void()> body_;
  std::promise<void> begun_, ended_;
  hsa_queue_t* queue_ = nullptr;
};

TEST(ShutDown, TheLastReferenceStaysInTheErrorCallbackOfAQueue) {
  ASSERT_SUCCESS(hsa_init());
  hsa_status_t last = HSA_STATUS_SUCCESS;
  FailingQueue queue([&] { last = hsa_shut_down(); });
  queue.fail();
  queue.join();
  EXPECT_EQ(last, HSA_STATUS_ERROR);
  EXPECT_TRUE(is_initialized());
  EXPECT_SUCCESS(hsa_shut_down());
}

TEST(ShutDown, WaitsForTheErrorCallbackOfAQueueWhichMayTakeAReference) {
  ASSERT_SUCCESS(hsa_init());
  hsa_status_t again = HSA_STATUS_ERROR;
  FailingQueue queue([&] {
    while (is_initialized()) std::this_thread::yield();
    again = hsa_init();
  });
  queue.fail();
  EXPECT_SUCCESS(hsa_shut_down());
  queue.join();
  EXPECT_SUCCESS(again);
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

/// hsa_queue_destroy waits for the error callback, which therefore must not wait for hsa_queue_destroy.
TEST(ShutDown, TheErrorCallbackOfAQueueThatIsBeingDestroyedKeepsTheReference) {
  ASSERT_SUCCESS(hsa_init());
  std::promise<void> destroying;
  hsa_status_t last = HSA_STATUS_SUCCESS;
  FailingQueue queue([&] {
    destroying.get_future().wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until hsa_queue_destroy waits, most likely
    last = hsa_shut_down();
  });
  queue.fail();
  destroying.set_value();
  EXPECT_SUCCESS(hsa_queue_destroy(queue.handle()));
  queue.join();
  EXPECT_EQ(last, HSA_STATUS_ERROR);
  EXPECT_SUCCESS(hsa_shut_down());
}

/// A wait may last for ever, so that hsa_shut_down does not wait for it. The memory of signals stays
/// readable.
TEST(ShutDown, DoesNotWaitForWaitsOnSignals) {
  ASSERT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  hsa_signal_t signal{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
  hsa_signal_group_t group{};
  ASSERT_SUCCESS(hsa_signal_group_create(1, &signal, 1, agents.data(), &group));
  std::atomic<int> waiting{0};
  std::thread on_one([&] {
    ++waiting;
    (void)hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  });
  hsa_status_t any = HSA_STATUS_ERROR;
  std::thread on_any([&] {
    const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
    const hsa_signal_value_t compare = 0;
    hsa_signal_t met{};
    hsa_signal_value_t value = 1;
    ++waiting;
    any = hsa_signal_group_wait_any_scacquire(group, &condition, &compare, HSA_WAIT_STATE_BLOCKED, &met,
                                              &value);
  });
  while (waiting != 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until both sleep, most likely
  EXPECT_SUCCESS(hsa_shut_down());
  hsa_signal_store_screlease(signal, 0);
  on_one.join();
  on_any.join();
  // A slow machine may start the wait only when the runtime has ended.
  if (any != not_initialized) EXPECT_SUCCESS(any);
}

/// What the threads of ThreadsMayCallWhatEnds share.
struct Makers {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> made{0};
  std::atomic<int> rounds{0};  // of make() since the runtime was started
  std::atomic<hsa_status_t> unexpected{HSA_STATUS_SUCCESS};

  /// Whether the call found the runtime there.
  bool count(hsa_status_t status) {
    if (status == HSA_STATUS_SUCCESS)
      ++made;
    else if (status != not_initialized)
      unexpected = status;
    return status == HSA_STATUS_SUCCESS;
  }

  /// Makes things, but not without end, which end with the runtime. Nothing is destroyed here, because the
  /// handle of something that has ended may be that of another thread's new one.
  void make() {
    std::vector<hsa_agent_t> agents;
    if (!count(hsa_iterate_agents(collect<hsa_agent_t>, &agents)) || ++rounds > 64)
      return std::this_thread::yield();
    hsa_signal_t signal{};
    (void)count(hsa_signal_create(0, 0, nullptr, &signal));
    hsa_executable_t executable{};
    (void)count(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable));
    std::vector<hsa_region_t> regions;
    if (count(hsa_agent_iterate_regions(agents.front(), collect<hsa_region_t>, &regions))) {
      void* memory = nullptr;
      (void)count(hsa_memory_allocate(regions.front(), 64, &memory));
    }
    hsa_queue_t* queue = nullptr;
    (void)count(hsa_queue_create(agents.back(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
  }
};

TEST(ShutDown, ThreadsMayCallWhatEnds) {
  Makers makers;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (!makers.stop) makers.make();
    });
  for (int life = 0; life < 60; ++life) {
    makers.rounds = 0;
    ASSERT_SUCCESS(hsa_init());
    for (const uint64_t seen = makers.made; makers.made < seen + 8;) std::this_thread::yield();
    ASSERT_SUCCESS(hsa_shut_down());
  }
  makers.stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_SUCCESS(makers.unexpected.load());
}

/// A child does not inherit a runtime that another thread was starting or ending.
TEST(ShutDown, AForkWaitsForThreadsThatStartOrEndTheRuntime) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      EXPECT_SUCCESS(hsa_init());
      EXPECT_SUCCESS(hsa_shut_down());
    }
  });
  for (int i = 0; i < 40; ++i) {
    const int code = in_child([] {
      alarm(600);
      if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
      hsa_signal_t signal{};
      if (hsa_signal_create(0, 0, nullptr, &signal) != HSA_STATUS_SUCCESS) return 2;
      return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 3;
    });
    EXPECT_EQ(code, 0);
  }
  stop = true;
  other.join();
}

TEST(ShutDown, AForkedChildWaitsForNoThreadOfItsParent) {
  ASSERT_SUCCESS(hsa_init());
  {
    ThreadInCall other;
    const auto live = [] {
      alarm(60);
      if (hsa_shut_down() != not_initialized) return 1;
      if (hsa_init() != HSA_STATUS_SUCCESS) return 2;
      return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 3;
    };
    EXPECT_EQ(in_child(live), 0);
    ShuttingDown shutting_down;  // whatever it does when the process forks
    EXPECT_EQ(in_child(live), 0);
    EXPECT_EQ(other.end_call(), HSA_STATUS_INFO_BREAK);
    EXPECT_SUCCESS(shutting_down.result());
  }
}

TEST(ShutDown, AChildThatIsForkedInACallbackLeavesTheCall) {
  ASSERT_SUCCESS(hsa_init());
  pid_t child = -1;
  hsa_status_t inside = HSA_STATUS_SUCCESS;
  EXPECT_EQ(in_callback([&] {
              child = fork();
              if (child != 0) return;
              alarm(60);
              if (hsa_init() != HSA_STATUS_SUCCESS) _exit(1);
              inside = hsa_shut_down();
            }),
            HSA_STATUS_INFO_BREAK);
  if (child == 0) {
    if (inside != HSA_STATUS_ERROR) _exit(2);
    if (hsa_shut_down() != HSA_STATUS_SUCCESS) _exit(3);
    _exit(hsa_shut_down() == not_initialized ? 0 : 4);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_SUCCESS(hsa_shut_down());
}

}  // namespace
}  // namespace heddle::runtime::test
