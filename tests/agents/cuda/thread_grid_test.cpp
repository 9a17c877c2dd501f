// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a GPU on which the fake runs lowered code.
#include "thread_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace heddle::cuda::fake {
namespace {

bool never() { return false; }

ThreadGrid& grid() { return ThreadGrid::current()->block->grid; }

/// Runs one function in all threads of a grid of one dimension, for several orders of threads.
void run(unsigned blocks, unsigned threads, const std::function<void(GpuThread&)>& function,
         ThreadGrid::Outcome expected = ThreadGrid::Outcome::done, const std::string& complaint = "") {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    ThreadGrid all(
        {{blocks, 1, 1}, {threads, 1, 1}, 64, 64 << 10}, [&] { function(*ThreadGrid::current()); }, seed);
    EXPECT_EQ(all.run(never), expected);
    EXPECT_EQ(all.complaint(), complaint);
  }
}

TEST(ThreadGrid, NumbersThreads) {
  std::vector<unsigned> seen;
  ThreadGrid all(
      {{2, 1, 3}, {3, 5, 2}, 0, 64 << 10},
      [&] {
        const GpuThread& thread = *ThreadGrid::current();
        EXPECT_EQ(thread.number, thread.id[0] + 3 * thread.id[1] + 15 * thread.id[2]);
        const auto& block = thread.block->id;
        seen.push_back(thread.number + 30 * (block[0] + 2 * (block[1] + block[2])));
      },
      7);
  EXPECT_EQ(all.run(never), ThreadGrid::Outcome::done);
  std::ranges::sort(seen);
  ASSERT_EQ(seen.size(), 180u);
  for (unsigned i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
}

TEST(ThreadGrid, LanesMeetThatAreNamedAndHaveNotEnded) {
  run(1, 40, [](GpuThread& thread) {
    const uint32_t lanes = thread.number < 32 ? 0xFFFFFFFF : 0xFF;
    const uint32_t odd = grid().meet(WarpOperation::ballot, lanes, thread.number % 2);
    EXPECT_EQ(odd, 0xAAAAAAAA & lanes);
    if (thread.number % 4 == 3) return;
    // Halves of the lanes part, and the lanes that have ended are waited for no longer.
    const uint32_t part = thread.number % 2 == 0 ? 0x55555555 & lanes : 0xAAAAAAAA & lanes;
    const uint32_t there = grid().meet(WarpOperation::ballot, part, 1);
    EXPECT_EQ(there, thread.number % 2 == 0 ? part : 0x22222222 & lanes);
    const uint32_t alike = grid().meet(WarpOperation::match, lanes, thread.number % 2);
    EXPECT_EQ(alike, there);
    EXPECT_EQ(grid().meet(WarpOperation::shuffle, lanes, thread.lane(), 4), 4u);
    // The lane that is asked has ended.
    EXPECT_EQ(grid().meet(WarpOperation::shuffle, lanes, thread.lane(), 7), ~thread.lane());
  });
}

TEST(ThreadGrid, BlocksMeetAtBarriersAndShareMemory) {
  run(3, 100, [](GpuThread& thread) {
    auto* const count = reinterpret_cast<unsigned*>(thread.block->shared);
    if (thread.number == 0) *count = 0;
    grid().wait_for_block();
    for (unsigned round = 1; round <= 3; ++round) {
      ++*count;
      grid().wait_for_block();
      EXPECT_EQ(*count, 100 * round);
      grid().wait_for_block();
    }
    if (thread.number < 50) return;
    grid().wait_for_block();
    ++*count;
    grid().wait_for_block();
    EXPECT_EQ(*count, 350u);
  });
}

TEST(ThreadGrid, BlocksThatWaitForLaterOnesGoOn) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    unsigned arrived = 0;
    ThreadGrid all(
        {{8, 1, 1}, {4, 1, 1}, 0, 64 << 10},
        [&] {
          ++arrived;
          while (arrived != 32) grid().pause();
        },
        seed);
    EXPECT_EQ(all.run(never), ThreadGrid::Outcome::done);
  }
}

TEST(ThreadGrid, BlocksWhoseLanesMeetWhileTheyWaitGoOn) {
  bool there = false;
  ThreadGrid all(
      {{2, 1, 1}, {4, 1, 1}, 0, 64 << 10},
      [&] {
        if (ThreadGrid::current()->block->id[0] == 1) there = true;
        while (grid().meet(WarpOperation::ballot, 15, there ? 0 : 1) != 0) grid().pause();
      },
      1);
  EXPECT_EQ(all.run(never), ThreadGrid::Outcome::done);
}

TEST(ThreadGrid, AStackThatOverflowsIsAFault) {
  run(
      1, 1,
      [](GpuThread& thread) {
        *reinterpret_cast<volatile std::byte*>(thread.stack.base() - 1) = std::byte{1};
      },
      ThreadGrid::Outcome::fault);
}

TEST(ThreadGrid, ThreadsThatWaitForEachOtherAreReported) {
  run(
      1, 32,
      [](GpuThread& thread) {
        if (thread.number == 5)
          grid().wait_for_block();
        else
          grid().meet(WarpOperation::barrier, 0xFFFFFFFF, 0);
      },
      ThreadGrid::Outcome::fault, "all threads wait for each other");
}

TEST(ThreadGrid, LanesThatDoNotNameThemselvesAreReported) {
  run(
      1, 1, [](GpuThread&) { grid().meet(WarpOperation::ballot, 2, 1); }, ThreadGrid::Outcome::fault,
      "lane 0 is not among the lanes 00000002 that it names");
}

TEST(ThreadGrid, AWrongAccessIsAFault) {
  run(
      1, 2,
      [](GpuThread& thread) { *reinterpret_cast<volatile uint64_t*>(uintptr_t{thread.number} * 8) = 1; },
      ThreadGrid::Outcome::fault);
}

TEST(ThreadGrid, EndsWhenItIsToStop) {
  ThreadGrid all(
      {{1, 1, 1}, {4, 1, 1}, 0, 64 << 10},
      [] {
        while (true) grid().pause();
      },
      1);
  int asked = 0;
  EXPECT_EQ(all.run([&] { return ++asked == 10; }), ThreadGrid::Outcome::stopped);
}

}  // namespace
}  // namespace heddle::cuda::fake
