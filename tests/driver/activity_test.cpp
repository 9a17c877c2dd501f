// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activities and their observers (design D14), and what agents report across the driver boundary.
#include "driver/activity.h"

#include <hsam/activity.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "fixture.h"

namespace heddle::driver {
namespace {

using namespace test;

struct Recorder final : ActivityObserver {
  void observe(const Activity& activity) noexcept override {
    std::lock_guard lock(mutex);
    seen.push_back(activity);
  }
  std::mutex mutex;
  std::vector<Activity> seen;
};

constexpr uint32_t mask(ActivityKind kind) { return static_cast<uint32_t>(kind); }

Activity activity_of(ActivityKind kind) {
  Activity activity;
  activity.kind = kind;
  return activity;
}

struct ActivityTest : ClientTest {};

TEST_F(ActivityTest, observers_get_the_kinds_they_have_subscribed_to) {
  Recorder copies, both;
  EXPECT_FALSE(Activities::is_observed(ActivityKind::copy));
  Activities::subscribe(copies, mask(ActivityKind::copy));
  EXPECT_TRUE(Activities::is_observed(ActivityKind::copy));
  EXPECT_FALSE(Activities::is_observed(ActivityKind::api_call));
  Activities::subscribe(both, ActivityKind::copy | ActivityKind::api_call);
  EXPECT_TRUE(Activities::is_observed(ActivityKind::api_call));
  Activities::report(activity_of(ActivityKind::copy));
  Activities::report(activity_of(ActivityKind::api_call));
  Activities::unsubscribe(both);
  Activities::unsubscribe(both);  // does nothing
  EXPECT_TRUE(Activities::is_observed(ActivityKind::copy));
  EXPECT_FALSE(Activities::is_observed(ActivityKind::api_call));
  Activities::report(activity_of(ActivityKind::copy));
  Activities::unsubscribe(copies);
  EXPECT_FALSE(Activities::is_observed(ActivityKind::copy));
  Activities::report(activity_of(ActivityKind::copy));
  EXPECT_EQ(copies.seen.size(), 2u);
  ASSERT_EQ(both.seen.size(), 2u);
  EXPECT_EQ(both.seen[0].kind, ActivityKind::copy);
  EXPECT_EQ(both.seen[1].kind, ActivityKind::api_call);
}

/// When unsubscribe returns, the observer may be destroyed, although other threads go on reporting.
TEST_F(ActivityTest, observers_come_and_go_while_threads_report) {
  struct Counter final : ActivityObserver {
    void observe(const Activity&) noexcept override {
      EXPECT_TRUE(alive);
      ++count;
    }
    std::atomic<bool> alive{true};
    std::atomic<int> count{0};
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> reporters;
  for (int i = 0; i < 3; ++i)
    reporters.emplace_back([&] {
      while (!stop)
        if (Activities::is_observed(ActivityKind::copy)) Activities::report(activity_of(ActivityKind::copy));
    });
  for (int round = 0; round < 200; ++round) {
    Counter counter;
    Activities::subscribe(counter, mask(ActivityKind::copy));
    while (counter.count == 0) std::this_thread::yield();
    Activities::unsubscribe(counter);
    counter.alive = false;
  }
  stop = true;
  for (std::thread& reporter : reporters) reporter.join();
}

TEST_F(ActivityTest, agents_report_for_their_queues) {
  auto queue = client->create_queue({.agent = first, .size = 16});
  ASSERT_TRUE(queue.ok());
  const hsa_generic_driver_interface& driver = *first_mock().driver;
  hsam_activity record{};
  record.size = sizeof record;
  record.kind = HSAM_ACTIVITY_DISPATCH;
  record.status = HSA_STATUS_ERROR_EXCEPTION;
  record.begin = 100;
  record.end = 200;
  record.client_handle = first_mock().calls("client_new").back().client;
  record.queue_handle = first_mock().calls("queue_new").back().object;
  record.packet_id = 7;
  record.kernel_object = 0x1234;
  record.work_groups = 3;
  record.waves = 6;
  record.work_items = 24;
  Recorder recorder;
  EXPECT_EQ(hsam_is_observed(&driver, HSAM_ACTIVITY_DISPATCH), 0);
  Activities::subscribe(recorder, ActivityKind::dispatch | ActivityKind::compute_unit);
  EXPECT_NE(hsam_is_observed(&driver, HSAM_ACTIVITY_DISPATCH), 0);
  EXPECT_EQ(hsam_is_observed(&driver, HSAM_ACTIVITY_PACKET), 0);
  driver.report_activity(&record);
  record.queue_handle += 1000;  // a queue that does not exist
  driver.report_activity(&record);
  Activities::unsubscribe(recorder);
  EXPECT_EQ(hsam_is_observed(&driver, HSAM_ACTIVITY_DISPATCH), 0);
  ASSERT_EQ(recorder.seen.size(), 1u);
  const Activity& seen = recorder.seen[0];
  EXPECT_EQ(seen.kind, ActivityKind::dispatch);
  EXPECT_EQ(seen.status, HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_EQ(seen.agent, first);
  EXPECT_EQ(seen.queue_id, (*queue)->id);
  EXPECT_EQ(seen.begin, 100u);
  EXPECT_EQ(seen.end, 200u);
  EXPECT_EQ(seen.packet_id, 7u);
  EXPECT_EQ(seen.kernel_object, 0x1234u);
  EXPECT_EQ(seen.work_groups, 3u);
  EXPECT_EQ(seen.waves, 6u);
  EXPECT_EQ(seen.work_items, 24u);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
}

/// An agent that was built when the record was shorter: what it does not know is 0, whatever lies there.
TEST_F(ActivityTest, records_of_older_agents_are_shorter) {
  auto queue = client->create_queue({.agent = first, .size = 16});
  ASSERT_TRUE(queue.ok());
  hsam_activity record;
  std::memset(static_cast<void*>(&record), 0xff, sizeof record);
  record.size = offsetof(hsam_activity, waves);
  record.kind = HSAM_ACTIVITY_DISPATCH;
  record.status = HSA_STATUS_SUCCESS;
  record.client_handle = first_mock().calls("client_new").back().client;
  record.queue_handle = first_mock().calls("queue_new").back().object;
  record.work_groups = 5;
  Recorder recorder;
  Activities::subscribe(recorder, mask(ActivityKind::dispatch));
  first_mock().driver->report_activity(&record);
  Activities::unsubscribe(recorder);
  ASSERT_EQ(recorder.seen.size(), 1u);
  EXPECT_EQ(recorder.seen[0].work_groups, 5u);
  EXPECT_EQ(recorder.seen[0].waves, 0u);
  EXPECT_EQ(recorder.seen[0].work_items, 0u);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace heddle::driver
