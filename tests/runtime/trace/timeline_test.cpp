// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the time line remembers of packets whose end never comes.
#include "runtime/trace/timeline.h"

#include <gtest/gtest.h>

namespace heddle::runtime::trace {
namespace {

using driver::Activity;
using driver::ActivityKind;

constexpr uint64_t doorbell = 0x1000, queue = 7;

class TimelineTest : public ::testing::Test {
 protected:
  void add(Activity activity) {
    activity.queue_id = queue;
    activity.signal = doorbell;
    activity.begin = activity.end = ++now_;
    const Record record{activity, 1};
    timeline_.add(std::span(&record, 1));
  }
  void add(ActivityKind kind, uint64_t packet = 0) {
    Activity activity;
    activity.kind = kind;
    activity.packet_id = packet;
    add(activity);
  }
  void ring(int64_t packet) {
    Activity activity;
    activity.kind = ActivityKind::doorbell;
    activity.value = packet;
    add(activity);
  }

  uint64_t now_ = 0;
  Timeline timeline_{1, {}};
};

TEST_F(TimelineTest, PacketsOfAFailedQueueAreForgotten) {
  add(ActivityKind::queue_creation);
  ring(999);
  EXPECT_EQ(timeline_.awaited_packets(), 1000u);
  add(ActivityKind::packet, 0);
  add(ActivityKind::packet, 1);
  add(ActivityKind::queue_failure);
  EXPECT_EQ(timeline_.awaited_packets(), 2u) << "what the agent has taken may still end";
  ring(1999);
  EXPECT_EQ(timeline_.awaited_packets(), 2u) << "it takes no more";
  add(ActivityKind::queue_destruction);
  EXPECT_EQ(timeline_.awaited_packets(), 0u);
  ring(2999);
  EXPECT_EQ(timeline_.awaited_packets(), 0u) << "the signal may have become another one";
}

TEST_F(TimelineTest, ADestroyedQueueLeavesNothing) {
  add(ActivityKind::queue_creation);
  ring(9);
  EXPECT_EQ(timeline_.awaited_packets(), 10u);
  add(ActivityKind::queue_destruction);
  EXPECT_EQ(timeline_.awaited_packets(), 0u);
}

}  // namespace
}  // namespace heddle::runtime::trace
