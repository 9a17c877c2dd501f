// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/copies_in_flight.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::cuda::test {
namespace {

struct CopiesInFlightTest : ::testing::Test {
  CopiesInFlightTest() { queue.count_in(counter); }
  void add(uint64_t number) { queue.add({number, 10 * number, 0, nullptr}); }
  std::atomic<uint64_t> counter{0};
  CopiesInFlight queue;
};

TEST_F(CopiesInFlightTest, are_taken_in_the_order_in_which_they_were_added) {
  uint64_t added = 0, taken = 0;
  // As many as fill several blocks of memory, and some again after the queue has been empty.
  for (const uint64_t count : {1, 1000, 1, 64, 63, 200}) {
    for (uint64_t i = 0; i < count; ++i) add(++added);
    EXPECT_EQ(queue.size(), count);
    while (!queue.is_empty()) {
      EXPECT_EQ(queue.first().number, ++taken);
      EXPECT_EQ(queue.first().bytes, 10 * taken) << "which changes nothing";
      queue.drop_first();
    }
    EXPECT_EQ(taken, added);
  }
  EXPECT_EQ(counter, added);
}

TEST_F(CopiesInFlightTest, that_are_left_go_with_the_queue) {
  for (uint64_t i = 1; i <= 500; ++i) add(i);
  for (int i = 0; i < 130; ++i) {
    EXPECT_EQ(queue.first().number, i + 1u);
    queue.drop_first();
  }
}

TEST_F(CopiesInFlightTest, can_be_withdrawn_until_they_are_taken) {
  EXPECT_FALSE(queue.withdraw_last()) << "there is none";
  // At the borders of blocks, too.
  for (uint64_t i = 1; i <= 300; ++i) {
    add(i);
    if (i % 2 == 0) EXPECT_TRUE(queue.withdraw_last());
  }
  for (uint64_t i = 1; i <= 300; ++i) {
    EXPECT_EQ(queue.first().number, i);
    EXPECT_EQ(queue.first().is_withdrawn, i % 2 == 0);
    queue.drop_first();
  }
  EXPECT_FALSE(queue.withdraw_last()) << "it was taken";
  // Some of these get the memory of copies that were withdrawn.
  for (uint64_t i = 301; i <= 600; ++i) {
    add(i);
    EXPECT_FALSE(queue.first().is_withdrawn) << i;
    queue.drop_first();
  }
}

/// Without a lock between the two sides. Those who add are many.
TEST_F(CopiesInFlightTest, pass_from_many_threads_to_another) {
  constexpr uint64_t threads = 3, each = 20'000;
  std::mutex adding;
  uint64_t last = 0;
  std::vector<std::thread> adders;
  for (uint64_t t = 0; t < threads; ++t)
    adders.emplace_back([&] {
      for (uint64_t i = 0; i < each; ++i) {
        std::lock_guard lock(adding);
        add(++last);
      }
    });
  for (uint64_t taken = 0; taken < threads * each;) {
    if (queue.is_empty()) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(queue.first().number, ++taken);
    EXPECT_EQ(queue.first().bytes, 10 * taken);
    queue.drop_first();
  }
  for (std::thread& adder : adders) adder.join();
  EXPECT_TRUE(queue.is_empty());
}

}  // namespace
}  // namespace heddle::cuda::test
