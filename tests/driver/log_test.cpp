// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the log that programs cannot bring about at will; tests/observe has the rest.
#include "driver/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "driver/logged_lock.h"
#include "logged.h"

namespace heddle::driver {
namespace {

using test::logged;
using test::says;

/// Runs the body in a process of its own that has read this HEDDLE_LOG, and returns what it logs.
template <typename Body>
void expect_log(const char* setting, Body body, const char* pattern) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("HEDDLE_LOG", setting, 1);
        __atomic_store_n(const_cast<uint32_t*>(LogSelection::shown_mask()), ~0u, __ATOMIC_RELAXED);
        body();
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), pattern);
}

TEST(LoggedLock, TellsOfWaits) {
  expect_log(
      "lock",
      [] {
        std::mutex mutex;
        std::atomic<bool> locked{false};
        std::thread other([&] {
          std::lock_guard lock(mutex);
          locked.store(true);
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
        });
        while (!locked.load()) std::this_thread::yield();
        {
          const auto lock = lock_logged(mutex, "the test");
        }
        other.join();
      },
      "heddle: driver: debug: lock: waited [0-9.]+ us for the lock of the test");
}

TEST(LoggedLock, SaysNothingOfFreeLocks) {
  std::mutex mutex;
  EXPECT_EQ(logged([&] {
              const auto lock = lock_logged(mutex, "the test");
              EXPECT_TRUE(lock.owns_lock());
            }),
            "");
}

TEST(Log, MessagesOfAgentsWithoutASubjectAreMiscellaneous) {
  expect_log(
      "misc",
      [] {
        log_line(HSAM_LOG_DEBUG, HSAM_LOG_AQL, "agent", "hidden");
        log_line(HSAM_LOG_DEBUG, HSAM_LOG_MISC, "agent", "shown");
      },
      "^heddle: agent: debug: misc: shown");
}

/// Agents may pass any numbers.
TEST(Log, ToleratesWrongNumbers) {
  EXPECT_EQ(logged([] {
              log_line(static_cast<hsam_log_level>(7), HSAM_LOG_API, "agent", "text");
              log_line(static_cast<hsam_log_level>(-1), HSAM_LOG_API, "agent", "text");
              log_line(HSAM_LOG_DEBUG, static_cast<hsam_log_subject>(40), "agent", "text");
            }),
            "");
  EXPECT_TRUE(
      says(logged([] { log_line(HSAM_LOG_ERROR, static_cast<hsam_log_subject>(40), "agent", "text"); }),
           {"heddle: agent: error: text"}));
}

}  // namespace
}  // namespace heddle::driver
