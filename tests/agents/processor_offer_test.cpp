// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a thread that polls offers its processor to others, with a `sched_yield` that the test replaces.
#include <gtest/gtest.h>
#include <hsam/hsam.h>
#include <sched.h>

namespace {
int offers = 0;
bool is_taken = false;
int offer_to_test();
}  // namespace

#define sched_yield offer_to_test
#include <hsam/signal.h>
#undef sched_yield

namespace {

constexpr uint64_t microsecond = HSAM_TIMESTAMP_FREQUENCY / 1'000'000;

int offer_to_test() {
  ++offers;
  for (const uint64_t begin = hsam_timestamp(); is_taken && hsam_timestamp() - begin < 10 * microsecond;) {
  }
  return 0;
}

/// How many offers a thread makes in so many attempts, one right after the other.
int offers_of(int attempts) {
  offers = 0;
  for (int i = 0; i < attempts; ++i)
    if (!hsam_offer_processor_rarely(hsam_timestamp())) return attempts;
  return offers;
}

class OfferOfTheProcessor : public ::testing::Test {
 protected:
  /// The real system may take the processor away meanwhile, which looks as if the offer had been taken.
  static bool is_seen(int expected, int attempts) {
    for (int repetition = 0; repetition < 1000; ++repetition) {
      for (const uint64_t begin = hsam_timestamp(); hsam_timestamp() - begin < HSAM_UNTAKEN_TIME;) {
      }
      if (offers_of(attempts) == expected) return true;
    }
    return false;
  }
};

TEST_F(OfferOfTheProcessor, is_not_made_again_at_once_if_nobody_takes_it) {
  is_taken = false;
  EXPECT_TRUE(is_seen(1, 5));
}

TEST_F(OfferOfTheProcessor, is_made_again_later) {
  is_taken = false;
  EXPECT_TRUE(is_seen(1, 1));
  EXPECT_TRUE(is_seen(1, 1));
}

TEST_F(OfferOfTheProcessor, is_made_again_at_once_if_somebody_takes_it) {
  is_taken = true;
  EXPECT_TRUE(is_seen(5, 5));
}

}  // namespace
