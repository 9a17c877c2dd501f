// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/guarded_access.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace heddle::cuda::test {
namespace {

constexpr uint64_t nowhere = 4096;

std::optional<uint64_t> fault_of_read(uint64_t address) {
  uint32_t value = 0;
  auto access = [&] { value = *reinterpret_cast<volatile uint32_t*>(address); };
  return fault_of(access);
}

class GuardedAccess : public ::testing::Test {
 protected:
  void SetUp() override { install_access_guard(); }
};

TEST_F(GuardedAccess, tells_of_each_fault_and_of_nothing_else) {
  uint32_t here = 1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(fault_of_read(nowhere), nowhere);
    EXPECT_EQ(fault_of_read(reinterpret_cast<uint64_t>(&here)), std::nullopt);
  }
}

TEST_F(GuardedAccess, is_that_of_one_thread) {
  std::thread other([] { EXPECT_EQ(fault_of_read(nowhere), nowhere); });
  other.join();
}

TEST_F(GuardedAccess, passes_on_faults_outside_and_signals_that_are_sent) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto crash = [] { *reinterpret_cast<volatile uint32_t*>(nowhere) = 1; };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV), "");
  const auto crash_behind = [&] {
    fault_of_read(nowhere);
    crash();
  };
  EXPECT_EXIT(crash_behind(), ::testing::KilledBySignal(SIGSEGV), "");
  auto send = [] { static_cast<void>(raise(SIGSEGV)); };
  EXPECT_EXIT(fault_of(send), ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace heddle::cuda::test
