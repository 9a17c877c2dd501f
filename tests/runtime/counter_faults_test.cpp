// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// perf_event_open fails, which counts events of the processor and the system. What a process has too little
// of is OUT_OF_RESOURCES, and works later. What the system does not count is not in the list.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "counters.h"
#include "failing_calls.h"
#include "failing_system.h"

namespace heddle::runtime::test {
namespace {

class CounterFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
    EXPECT_SUCCESS(hsa_shut_down());
  }
  /// Returns the counter with this name; no_counter if there is none.
  static uint32_t named(const std::string& name) {
    for (uint32_t i = 0; i < counter_count(); ++i)
      if (counter_name(i) == name) return i;
    return no_counter;
  }
  static hsa_status_t enable(const CountedSession& session) {
    return hsa_ext_perf_counter_session_enable(session.context());
  }
};

/// The runtime lists its counters once in its life.
TEST_F(CounterFaults, AListNeedsDescriptors) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    TearDown();
    SetUp();
    uint32_t count = 0;
    {
      const FailingCalls failing(SYS_perf_event_open, error);
      EXPECT_EQ(hsa_ext_perf_counter_get_num(&count), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
      EXPECT_EQ(FailingCalls::count(), 1);
    }
    EXPECT_SUCCESS(hsa_ext_perf_counter_get_num(&count));
    EXPECT_GT(count, 0u);
  }
}

TEST_F(CounterFaults, WhatTheSystemDoesNotCountIsNotInTheList) {
  for (const int error : {EACCES, ENOENT, EOPNOTSUPP, ENOSYS}) {
    TearDown();
    SetUp();
    const FailingCalls failing(SYS_perf_event_open, error);
    EXPECT_GT(counter_count(), 0u);
    EXPECT_GT(FailingCalls::count(), 0);
    for (const char* name : {"processor.cycles", "processor.time", "processor.page_faults"})
      EXPECT_EQ(named(name), no_counter) << name;
  }
}

/// Enabling opens a descriptor for each thread. Any of them may be the one that fails.
TEST_F(CounterFaults, SessionsThatCannotBeEnabledHoldNothing) {
  const uint32_t time = named("processor.time");
  if (time == no_counter) GTEST_SKIP() << "perf_event_open is not allowed";
  const CountedSession session{time};
  const size_t files = held_by_process().files;
  const struct {
    int error;
    hsa_status_t status;
  } cases[] = {{EMFILE, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
               {ENOMEM, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
               {EBUSY, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS}};
  std::atomic<bool> end = false;
  std::thread second([&] { end.wait(false); });
  for (const auto& [error, status] : cases)
    for (const bool is_first : {true, false}) {
      const FailingCalls failing(SYS_perf_event_open, error, 2);
      // This call fails in place of that for the first thread, so that the one for the second thread fails.
      if (!is_first) EXPECT_EQ(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0), -1);
      EXPECT_EQ(enable(session), status);
      EXPECT_EQ(held_by_process().files, files);
    }
  end.store(true);
  end.notify_all();
  second.join();
  EXPECT_SUCCESS(enable(session));
  EXPECT_SUCCESS(hsa_ext_perf_counter_session_disable(session.context()));
  EXPECT_EQ(held_by_process().files, files);
}

/// A thread that has ended since the threads were listed is left out.
TEST_F(CounterFaults, AThreadThatHasEndedIsNoFailure) {
  const uint32_t time = named("processor.time");
  if (time == no_counter) GTEST_SKIP() << "perf_event_open is not allowed";
  const CountedSession session{time};
  std::atomic<bool> end = false;
  std::thread second([&] { end.wait(false); });
  {
    const FailingCalls failing(SYS_perf_event_open, ESRCH, 2);
    EXPECT_SUCCESS(enable(session));
    EXPECT_GT(FailingCalls::count(), 0);
  }
  end.store(true);
  end.notify_all();
  second.join();
}

}  // namespace
}  // namespace heddle::runtime::test
