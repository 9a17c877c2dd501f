// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The packet processor of a queue whose device runs dispatches by itself. The device is the test, which says
// when the dispatches end.
#include <gtest/gtest.h>

#include <mutex>

#include "agents/common/packet_processor.h"
#include "fake_queue.h"

namespace heddle::agents {
namespace {

using test::barrier_packet;
using test::dispatch;
using test::FakeDriver;
using test::FakeQueue;
using test::Signal;

/// What the test and the launcher share.
struct Machine {
  std::mutex mutex;
  std::vector<KernelDispatch> launched;
  std::vector<Launcher::Notice> notices;  ///< of those launched
  std::atomic<uint64_t> launches{0}, ended{0};
  std::optional<Failure> failure, refusal;
  std::atomic<int> looks{0}, stops{0}, drains{0};
  std::atomic<uint64_t> notified{0};  ///< launches before the latest notify()
  bool stops_end_dispatches = false;

  void end(uint64_t count) { ended += count; }
  void fail(Failure why) {
    std::lock_guard lock(mutex);
    failure = std::move(why);
  }
  void wait_for_launches(uint64_t count) const {
    while (launches.load() < count) std::this_thread::yield();
  }
};

class TestLauncher final : public Launcher {
 public:
  explicit TestLauncher(Machine& machine) : machine_(machine) {}

  Result<uint32_t, Failure> launch(const KernelDispatch& dispatch, Notice notice) override {
    std::lock_guard lock(machine_.mutex);
    if (machine_.refusal) return *machine_.refusal;
    machine_.launched.push_back(dispatch);
    machine_.notices.push_back(notice);
    ++machine_.launches;
    return uint32_t{32};
  }
  void notify() noexcept override { machine_.notified = machine_.launches.load(); }
  uint64_t ended() override { return machine_.ended; }
  uint64_t next_notice() const override { return machine_.notified; }
  std::optional<Failure> failure() override {
    std::lock_guard lock(machine_.mutex);
    return machine_.failure;
  }
  void look_for_failure() override { ++machine_.looks; }
  void stop() noexcept override {
    ++machine_.stops;
    std::lock_guard lock(machine_.mutex);
    if (machine_.stops_end_dispatches) machine_.ended = machine_.launches.load();
  }
  void drain() noexcept override { ++machine_.drains; }

 private:
  Machine& machine_;
};

class DeviceProcessor : public ::testing::Test {
 protected:
  DeviceProcessor() {
    QueueSettings settings;
    settings.driver = FakeDriver::get().interface();
    settings.queue = queue.id();
    settings.info = queue.info();
    settings.doorbell = queue.doorbell();
    auto created = PacketProcessor::create(settings, std::make_unique<TestLauncher>(machine));
    EXPECT_TRUE(created.ok());
    processor = std::move(*created);
  }
  void submit(Signal* done, bool barrier = true) { queue.submit(dispatch(64, 64, 64, done, barrier)); }

  Machine machine;
  FakeQueue queue;
  std::unique_ptr<PacketProcessor> processor;
};

TEST_F(DeviceProcessor, launches_what_has_the_barrier_bit_before_the_dispatches_ahead_of_it_have_ended) {
  Signal first, second, third;
  submit(&first);
  submit(&second);
  submit(&third, false);
  machine.wait_for_launches(3);
  EXPECT_EQ(first.load(), 1);
  machine.end(1);
  EXPECT_TRUE(first.becomes(0));
  EXPECT_EQ(second.load(), 1);
  machine.end(2);
  EXPECT_TRUE(second.becomes(0));
  EXPECT_TRUE(third.becomes(0));
  EXPECT_LE(first.end(), second.start());
  EXPECT_LE(second.start(), second.end());
}

TEST_F(DeviceProcessor, has_the_end_of_dispatches_noticed_at_once_if_they_have_signals) {
  Signal done;
  submit(nullptr);
  submit(&done);
  submit(nullptr);
  machine.wait_for_launches(3);
  while (machine.notified.load() < 3) std::this_thread::yield();
  machine.end(3);
  EXPECT_TRUE(done.becomes(0));
  processor.reset();
  using enum Launcher::Notice;
  EXPECT_EQ(machine.notices, (std::vector{with_a_later, at_once, with_a_later}));
}

TEST_F(DeviceProcessor, looks_again_after_it_fell_asleep) {
  Signal done;
  submit(&done);
  machine.wait_for_launches(1);
  while (machine.looks.load() < 3) std::this_thread::yield();
  machine.end(1);
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(DeviceProcessor, keeps_a_barrier_packet_with_the_barrier_bit_until_all_dispatches_have_ended) {
  Signal first, second, behind;
  submit(&first);
  submit(&second);
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &behind, true));
  machine.wait_for_launches(2);
  machine.end(1);
  EXPECT_TRUE(first.becomes(0));
  EXPECT_EQ(behind.load(), 1);
  machine.end(1);
  EXPECT_TRUE(behind.becomes(0));
  EXPECT_EQ(second.load(), 0);
}

TEST_F(DeviceProcessor, launches_nothing_more_than_it_may_have_in_flight) {
  Signal done(100);
  for (int i = 0; i < 60; ++i) submit(&done);
  machine.wait_for_launches(60);
  for (int i = 0; i < 40; ++i) submit(&done);
  machine.wait_for_launches(64);
  EXPECT_EQ(machine.launches.load(), 64u);
  machine.end(64);
  machine.wait_for_launches(100);
  machine.end(36);
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(DeviceProcessor, fails_the_queue_with_the_dispatch_that_fails_and_completes_none_behind_it) {
  Signal first, second, third;
  submit(&first);
  submit(&second);
  submit(&third);
  machine.wait_for_launches(3);
  machine.end(1);
  EXPECT_TRUE(first.becomes(0));
  machine.fail({HSA_STATUS_ERROR_FATAL, "the second one"});
  const auto error = FakeDriver::get().error_of(queue.id());
  EXPECT_EQ(error.status, HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(error.message, "the second one");
  processor.reset();
  EXPECT_EQ(second.load(), 1);
  EXPECT_EQ(third.load(), 1);
  EXPECT_EQ(machine.drains.load(), 1) << "the queue goes when the device has nothing of it any more";
}

TEST_F(DeviceProcessor, fails_the_queue_with_a_dispatch_that_is_refused) {
  machine.refusal = Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel"};
  Signal done;
  submit(&done);
  EXPECT_EQ(FakeDriver::get().error_of(queue.id()).message, "no kernel");
  EXPECT_EQ(done.load(), 1);
}

TEST_F(DeviceProcessor, stops_dispatches_that_do_not_end_when_the_queue_is_inactivated) {
  machine.stops_end_dispatches = true;
  Signal done;
  submit(&done);
  machine.wait_for_launches(1);
  processor->inactivate();
  EXPECT_GE(machine.stops.load(), 1);
  EXPECT_EQ(done.load(), 1) << "a dispatch that was stopped is not complete";
}

TEST_F(DeviceProcessor, reports_dispatches_with_their_waves) {
  FakeDriver::get().observe(HSAM_ACTIVITY_DISPATCH);
  Signal done;
  submit(&done);
  machine.wait_for_launches(1);
  machine.end(1);
  EXPECT_TRUE(done.becomes(0));
  processor.reset();
  FakeDriver::get().observe(0);
  const auto activities = FakeDriver::get().activities_of(queue.id());
  ASSERT_EQ(activities.size(), 1u);
  EXPECT_EQ(activities[0].waves, 2u);
  EXPECT_EQ(activities[0].status, HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace heddle::agents
