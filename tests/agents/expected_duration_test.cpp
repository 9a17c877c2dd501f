// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/expected_duration.h"

#include <gtest/gtest.h>

namespace heddle::agents {
namespace {

constexpr uint64_t us = ticks_per_microsecond;

TEST(ExpectedDurations, knows_nothing_of_kernels_that_have_not_run) {
  ExpectedDurations durations;
  durations.note(ExpectedDurations::key(64, 1000), 5);
  EXPECT_EQ(durations.expected(ExpectedDurations::key(64, 1000)), 5u);
  EXPECT_EQ(durations.expected(ExpectedDurations::key(64, 1001)), 0u);
  EXPECT_EQ(durations.expected(ExpectedDurations::key(128, 1000)), 0u);
}

TEST(ExpectedDurations, follows_shorter_dispatches_at_once_and_longer_ones_slowly) {
  ExpectedDurations durations;
  durations.note(1, 100);
  durations.note(1, 500);
  EXPECT_EQ(durations.expected(1), 200u);
  durations.note(1, 60);
  EXPECT_EQ(durations.expected(1), 60u);
}

TEST(ExpectedDurations, keeps_a_bounded_number) {
  ExpectedDurations durations;
  for (uint64_t key = 1; key <= 1'000'000; ++key) durations.note(key, 7);
  EXPECT_EQ(durations.expected(1'000'000), 7u);
  EXPECT_EQ(durations.expected(1), 0u);
}

TEST(LookTimes, polls_from_shortly_before_the_expected_end_until_shortly_after_it) {
  const uint64_t began = 1'000'000, expected = 1600 * us;
  const LookTimes times(began, expected);
  const uint64_t wake = began + 1480 * us;  // a sixteenth and 20 us early
  EXPECT_EQ(times.poll_until(began), 0u);
  EXPECT_EQ(times.sleep_until(wake - 1), wake);
  EXPECT_EQ(times.poll_until(wake), began + 1720 * us);
  EXPECT_EQ(times.poll_until(began + 1720 * us), 0u);
}

TEST(LookTimes, looks_less_often_the_longer_a_dispatch_of_unknown_duration_runs) {
  const LookTimes times(0, 0);
  EXPECT_EQ(times.poll_until(5), 0u);
  EXPECT_EQ(times.sleep_until(100 * us), 120 * us);
  EXPECT_EQ(times.sleep_until(6400 * us), 6500 * us);
  EXPECT_EQ(times.sleep_until(640'000 * us), 641'000 * us);
}

TEST(LookTimes, does_the_same_for_one_that_takes_longer_than_expected) {
  const LookTimes times(0, 1600 * us);
  EXPECT_EQ(times.poll_until(6400 * us), 0u);
  EXPECT_EQ(times.sleep_until(6400 * us), 6500 * us);
}

TEST(LookTimes, looks_now_and_then_at_a_dispatch_that_is_expected_to_take_long) {
  const LookTimes times(0, 1'000'000 * us);
  EXPECT_EQ(times.sleep_until(640 * us), 660 * us);
  EXPECT_EQ(times.sleep_until(64'000 * us), 65'000 * us);
  EXPECT_EQ(times.poll_until(998'979 * us), 0u);
  EXPECT_EQ(times.poll_until(998'980 * us), 1'001'020 * us);
}

TEST(LookTimes, polls_for_the_whole_of_a_short_dispatch) {
  const LookTimes times(1000, 10 * us);
  EXPECT_NE(times.poll_until(1000), 0u);
}

}  // namespace
}  // namespace heddle::agents
