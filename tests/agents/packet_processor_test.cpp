// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/packet_processor.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <latch>
#include <set>
#include <span>

#include "fake_queue.h"

namespace heddle::agents {
namespace {

using namespace std::chrono_literals;
using test::barrier_packet;
using test::dispatch;
using test::FakeDriver;
using test::FakeQueue;
using test::Signal;

/// An executor whose kernels are C++ functions of a range of groups. A kernel object is the number of its
/// function plus 1.
class FakeExecutor final : public Executor {
 public:
  using Kernel = std::function<void(Groups&, const GroupRange&)>;

  uint64_t add(Kernel kernel) {
    kernels_.emplace_back().kernel = std::move(kernel);
    return kernels_.size();
  }
  std::atomic<uint32_t>& cost(uint64_t kernel) { return kernels_[kernel - 1].cost; }
  /// Has threads take one group of the kernel at a time.
  void take_one_by_one(uint64_t kernel) { kernels_[kernel - 1].one_by_one = true; }
  /// The number of tasks of the kernel that exist.
  long tasks(uint64_t kernel) const { return kernels_[kernel - 1].tasks.use_count() - 1; }

  std::unique_ptr<ExecutorThread> make_thread() override {
    struct Thread final : ExecutorThread {};
    return std::make_unique<Thread>();
  }
  Result<std::unique_ptr<Task>, Failure> prepare(const KernelDispatch& d) override {
    const uint64_t number = d.packet.kernel_object;
    if (number == 0 || number > kernels_.size())
      return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel"};
    struct FakeTask final : Task {
      explicit FakeTask(FakeExecutor::Entry& entry) : entry(entry), counted(entry.tasks) {}
      void run(ExecutorThread&, Groups& groups) override {
        for (GroupRange range; entry.one_by_one ? groups.take_one(range) : groups.take(range);)
          entry.kernel(groups, range);
      }
      std::atomic<uint32_t>* group_cost() override { return &entry.cost; }
      FakeExecutor::Entry& entry;
      std::shared_ptr<int> counted;
    };
    return std::unique_ptr<Task>(new FakeTask(kernels_[number - 1]));
  }
  Result<std::shared_ptr<LoadedCode>, Error> load(std::span<const std::byte>,
                                                  std::span<const hsam_variable_address>) override {
    return Error{"not in this test"};
  }

 private:
  struct Entry {
    Kernel kernel;
    std::atomic<uint32_t> cost{0};
    bool one_by_one = false;
    std::shared_ptr<int> tasks = std::make_shared<int>();
  };
  std::deque<Entry> kernels_;
};

class PacketProcessorTest : public ::testing::Test {
 protected:
  void start(uint32_t threads = 4) {
    pool = std::make_unique<WorkerPool>(executor, threads);
    processor = open(queue);
  }
  std::unique_ptr<PacketProcessor> open(FakeQueue& q) {
    QueueSettings settings;
    settings.driver = FakeDriver::get().interface();
    settings.executor = &executor;
    settings.pool = pool.get();
    settings.queue = q.id();
    settings.info = q.info();
    settings.doorbell = q.doorbell();
    if (settle_time) settings.settle_time = *settle_time;
    settings.serial = serial;
    settings.turn = &turn;
    auto created = PacketProcessor::create(settings);
    EXPECT_TRUE(created.ok());
    return std::move(*created);
  }
  test::QueueError error() { return FakeDriver::get().error_of(queue.id()); }
  bool no_error() { return FakeDriver::get().error_of(queue.id(), 20ms).status == HSA_STATUS_SUCCESS; }

  /// Sleeps until the queue's thread sleeps on the doorbell. Thus it has looked at all that was published
  /// before.
  void until_asleep() {
    while (__atomic_load_n(&queue.doorbell()->waiters, __ATOMIC_SEQ_CST) == 0)
      std::this_thread::sleep_for(100us);
  }

  FakeExecutor executor;
  FakeQueue queue;
  std::optional<uint64_t> settle_time;  ///< in ticks, if a test needs another one than the usual
  SerialMode serial;
  SerialTurn turn;
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<PacketProcessor> processor;
};

/// Lets a kernel wait until the test opens it.
class Gate {
 public:
  void open() { open_.store(true); }
  void pass() const {
    while (!open_.load()) std::this_thread::sleep_for(100us);
  }

 private:
  std::atomic<bool> open_{false};
};

TEST_F(PacketProcessorTest, RunsEveryGroupOnceAndInOrder) {
  std::mutex mutex;
  std::vector<uint64_t> firsts;
  std::vector<int> runs(10000);
  const auto kernel = executor.add([&](Groups&, const GroupRange& range) {
    std::lock_guard lock(mutex);
    firsts.push_back(range.first);
    for (uint64_t g = range.first; g < range.last; ++g) ++runs[g];
  });
  start();
  for (int round = 1; round <= 3; ++round) {
    Signal done;
    queue.submit(dispatch(kernel, 10000 * 8, 8, &done));
    ASSERT_TRUE(done.becomes(0));
    EXPECT_EQ(std::set<int>(runs.begin(), runs.end()), std::set<int>{round});
    EXPECT_LE(done.start(), done.end());
    EXPECT_NE(done.start(), 0u);
  }
}

TEST_F(PacketProcessorTest, OneThreadTakesGroupsInIncreasingOrder) {
  std::vector<uint64_t> order;
  const auto kernel = executor.add([&](Groups&, const GroupRange& range) {
    for (uint64_t g = range.first; g < range.last; ++g) order.push_back(g);
  });
  start(0);
  Signal done;
  queue.submit(dispatch(kernel, 500, 1, &done));
  ASSERT_TRUE(done.becomes(0));
  ASSERT_EQ(order.size(), 500u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(PacketProcessorTest, LongDispatchesGetHelpers) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto kernel = executor.add([&](Groups&, const GroupRange& range) {
    {
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    for (uint64_t g = range.first; g < range.last; ++g) std::this_thread::sleep_for(1ms);
  });
  start(4);
  Signal done;
  queue.submit(dispatch(kernel, 100, 1, &done));
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(threads.size(), 4u);
}

TEST_F(PacketProcessorTest, ShortDispatchesStayOnTheQueuesThread) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto kernel = executor.add([&](Groups&, const GroupRange&) {
    std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  executor.cost(kernel) = 5;
  start(4);
  for (int i = 0; i < 50; ++i) {
    Signal done;
    queue.submit(dispatch(kernel, 64, 1, &done));
    ASSERT_TRUE(done.becomes(0));
    executor.cost(kernel) = 5;
  }
  EXPECT_EQ(threads.size(), 1u);
}

// The queue's thread executes dispatches that are known to be short by itself, before it looks at the next
// packet.

constexpr uint32_t short_cost = 5;  // ns

TEST_F(PacketProcessorTest, ADispatchThatTurnsOutToBeLongGetsHelpers) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto kernel = executor.add([&](Groups&, const GroupRange&) {
    {
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(1ms);
  });
  executor.take_one_by_one(kernel);
  start(4);
  for (int i = 0; i < 3; ++i) {
    Signal done;
    executor.cost(kernel) = short_cost;
    queue.submit(dispatch(kernel, 100, 1, &done));
    ASSERT_TRUE(done.becomes(0));
    EXPECT_LT(done.start(), done.end());
  }
  EXPECT_GT(threads.size(), 1u);
  processor.reset();
  EXPECT_EQ(executor.tasks(kernel), 0);
}

TEST_F(PacketProcessorTest, AShortDispatchThatDoesNotEndIsStopped) {
  std::atomic<bool> runs{false};
  const auto kernel = executor.add([&](Groups& groups, const GroupRange&) {
    runs = true;
    while (!groups.stopped()) std::this_thread::yield();
  });
  executor.cost(kernel) = short_cost;
  start();
  Signal done;
  queue.submit(dispatch(kernel, 1, 1, &done));
  while (!runs) std::this_thread::yield();
  processor->inactivate();
  EXPECT_EQ(done.load(), 1);
  EXPECT_TRUE(no_error());
}

TEST_F(PacketProcessorTest, AShortDispatchThatWaitsLetsLaterPacketsStart) {
  std::atomic<bool> second{false};
  const auto waits = executor.add([&](Groups& groups, const GroupRange&) {
    for (uint32_t i = 0; !second; ++i) groups.idle(i);
  });
  const auto opens = executor.add([&](Groups&, const GroupRange&) { second = true; });
  executor.cost(waits) = short_cost;
  start();
  Signal done(2);
  queue.submit(dispatch(waits, 1, 1, &done));
  queue.submit(dispatch(opens, 1, 1, &done));
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(PacketProcessorTest, ShortDispatchesWithoutSignalAreMeasuredNowAndThen) {
  std::atomic<int> runs{0};
  const auto kernel = executor.add([&](Groups&, const GroupRange&) {
    ++runs;
    std::this_thread::sleep_for(100us);
  });
  executor.cost(kernel) = short_cost;
  start();
  for (int i = 0; i < 40; ++i) queue.submit(dispatch(kernel, 1, 1));
  Signal done;
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &done, true));
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(runs, 40);
  EXPECT_GT(executor.cost(kernel), short_cost);
}

TEST_F(PacketProcessorTest, AShortDispatchThatHasEndedKeepsNoTask) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  executor.cost(kernel) = short_cost;
  start();
  Signal done;
  queue.submit(dispatch(kernel, 1, 1, &done));
  ASSERT_TRUE(done.becomes(0));
  until_asleep();
  EXPECT_EQ(executor.tasks(kernel), 0);
}

TEST_F(PacketProcessorTest, AShortDispatchThatFailsFailsTheQueue) {
  const auto kernel = executor.add(
      [](Groups& groups, const GroupRange&) { groups.fail({HSA_STATUS_ERROR_EXCEPTION, "it failed"}); });
  executor.cost(kernel) = short_cost;
  start();
  Signal done;
  queue.submit(dispatch(kernel, 1, 1, &done));
  EXPECT_EQ(error().message, "it failed");
  EXPECT_EQ(done.load(), 1);
}

TEST_F(PacketProcessorTest, SlotsComeBackInvalidAndTheReadIndexFollows) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  Signal done(200);
  for (int i = 0; i < 200; ++i)
    queue.submit(dispatch(kernel, 1, 1, &done));  // more than three times round the ring
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(queue.read_index(), 200u);
  for (uint64_t id = 0; id < 64; ++id) EXPECT_EQ(queue.head(id), 1u) << id;
}

TEST_F(PacketProcessorTest, AGapHoldsUpThePacketsBehindIt) {
  std::atomic<int> runs{0};
  const auto kernel = executor.add([&](Groups&, const GroupRange&) { ++runs; });
  start();
  Signal done(2);
  const auto packet = dispatch(kernel, 1, 1, &done);
  const uint64_t first = queue.reserve(2);
  queue.fill(first + 1, packet);
  queue.publish(first + 1, packet);
  queue.ring(static_cast<int64_t>(first + 1));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(queue.read_index(), 0u);
  queue.fill(first, packet);
  queue.publish(first, packet);
  queue.ring(static_cast<int64_t>(first));  // the doorbell goes back to a smaller value
  EXPECT_TRUE(done.becomes(0));
  EXPECT_TRUE(no_error());
}

TEST_F(PacketProcessorTest, ADoorbellThatRepeatsItsValueIsHeard) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  for (int i = 0; i < 200; ++i) {
    Signal done;
    const auto packet = dispatch(kernel, 1, 1, &done);
    const uint64_t id = queue.reserve();
    queue.fill(id, packet);
    queue.publish(id, packet);
    queue.ring(7);
    ASSERT_TRUE(done.becomes(0)) << i;
    if (i % 20 == 0) std::this_thread::sleep_for(1ms);  // meets the processor asleep as well as polling
  }
}

TEST_F(PacketProcessorTest, ASlotThatIsClearedBeforeItIsFilledIsNotTakenForAPacket) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  settle_time = UINT64_MAX / 2;  // for ever, however long the test takes
  start();
  Signal done(2);
  const auto packet = dispatch(kernel, 1, 1, &done);
  const uint64_t first = queue.reserve(2);
  // One producer clears its slot before another producer rings for its own packet.
  queue.publish(first + 1, hsa_kernel_dispatch_packet_t{});
  queue.fill(first, packet);
  queue.publish(first, packet);
  queue.ring(static_cast<int64_t>(first));
  ASSERT_TRUE(done.becomes(1));
  until_asleep();
  queue.fill(first + 1, packet);
  queue.publish(first + 1, packet);
  queue.ring(static_cast<int64_t>(first + 1));
  EXPECT_TRUE(done.becomes(0));
  EXPECT_TRUE(no_error());
}

TEST_F(PacketProcessorTest, ASlotThatStaysClearedIsTakenForAPacket) {
  start();
  queue.publish(queue.reserve(), hsa_kernel_dispatch_packet_t{});
  queue.ring(0);
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST_F(PacketProcessorTest, ByteStoreOfTheTypePublishes) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  Signal done;
  const auto packet = dispatch(kernel, 1, 1, &done);
  const uint64_t id = queue.reserve();
  queue.fill(id, packet);
  auto* slot = static_cast<uint8_t*>(queue.info().payload_user_addr) + id % 64 * 64;
  reinterpret_cast<uint16_t*>(slot)[0] |= packet.header & 0xff00;
  reinterpret_cast<uint16_t*>(slot)[1] = packet.setup;
  __atomic_store_n(slot, HSA_PACKET_TYPE_KERNEL_DISPATCH, __ATOMIC_RELEASE);
  queue.ring(static_cast<int64_t>(id));
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(PacketProcessorTest, WithoutBarrierBitPacketsOverlapAndCompleteOutOfOrder) {
  Gate gate;
  const auto slow = executor.add([&](Groups&, const GroupRange&) { gate.pass(); });
  const auto quick = executor.add([](Groups&, const GroupRange&) {});
  start();
  Signal slow_done, quick_done;
  // One doorbell store announces both packets: a thread that runs the first kernel could not launch the
  // second.
  const uint64_t first = queue.reserve(2);
  const auto a = dispatch(slow, 1, 1, &slow_done);
  const auto b = dispatch(quick, 1, 1, &quick_done);
  queue.fill(first, a);
  queue.publish(first, a);
  queue.fill(first + 1, b);
  queue.publish(first + 1, b);
  queue.ring(static_cast<int64_t>(first + 1));
  EXPECT_TRUE(quick_done.becomes(0));
  EXPECT_EQ(slow_done.load(), 1);
  gate.open();
  EXPECT_TRUE(slow_done.becomes(0));
}

TEST_F(PacketProcessorTest, TheBarrierBitWaitsForAllPacketsBefore) {
  std::atomic<int> running{0};
  std::atomic<bool> overlapped{false};
  const auto slow = executor.add([&](Groups&, const GroupRange&) {
    ++running;
    std::this_thread::sleep_for(3ms);
    --running;
  });
  const auto last = executor.add([&](Groups&, const GroupRange&) { overlapped = running != 0; });
  start();
  Signal slow_done(3), last_done;
  for (int i = 0; i < 3; ++i) queue.submit(dispatch(slow, 2, 1, &slow_done));
  queue.submit(dispatch(last, 1, 1, &last_done, true));
  ASSERT_TRUE(last_done.becomes(0));
  EXPECT_EQ(slow_done.load(), 0);
  EXPECT_FALSE(overlapped);
}

TEST_F(PacketProcessorTest, AndWaitsForEachDependencyOnceAndHoldsUpTheQueue) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  Signal a(1), b(1), barrier_done, kernel_done;
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {&a, nullptr, &b}, &barrier_done));
  queue.submit(dispatch(kernel, 1, 1, &kernel_done));
  a.wait_until_watched();
  b.wait_until_watched();
  a.store(0);
  a.store(5);  // it was 0 once, which counts
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(barrier_done.load(), 1);
  EXPECT_EQ(kernel_done.load(), 1);
  b.store(-1);  // only 0 satisfies
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(barrier_done.load(), 1);
  b.store(0);
  EXPECT_TRUE(kernel_done.becomes(0));
  EXPECT_EQ(barrier_done.load(), 0);
}

TEST_F(PacketProcessorTest, AndWithoutDependenciesCompletesAtOnce) {
  start();
  Signal done;
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &done));
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(PacketProcessorTest, OrIsSatisfiedByOneAndNeverByNone) {
  start();
  Signal a(1), b(1), done, never;
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_OR, {&a, nullptr, &b}, &done));
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(done.load(), 1);
  b.store(0);
  EXPECT_TRUE(done.becomes(0));
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_OR, {}, &never));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(never.load(), 1);
  processor.reset();
  EXPECT_EQ(never.load(), 1);
}

TEST_F(PacketProcessorTest, KernelsBeforeABlockedBarrierPacketStillRun) {
  Gate gate;
  const auto slow = executor.add([&](Groups&, const GroupRange&) { gate.pass(); });
  start(0);
  Signal slow_done, dependency(1), barrier_done;
  queue.submit(dispatch(slow, 4, 1, &slow_done));
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {&dependency}, &barrier_done));
  gate.open();
  EXPECT_TRUE(slow_done.becomes(0));
  EXPECT_EQ(barrier_done.load(), 1);
  dependency.store(0);
  EXPECT_TRUE(barrier_done.becomes(0));
}

TEST_F(PacketProcessorTest, QueuesProgressWhenAllWorkersAreTaken) {
  FakeQueue other;
  std::atomic<bool> released{false};
  std::atomic<int> waiting{0};
  const auto blocker = executor.add([&](Groups& groups, const GroupRange&) {
    ++waiting;
    for (uint32_t round = 0; !released && !groups.stopped(); ++round) groups.idle(round);
  });
  const auto releaser = executor.add([&](Groups&, const GroupRange&) { released = true; });
  start(2);
  const auto second = open(other);
  Signal blocked, done;
  queue.submit(dispatch(blocker, 3, 1, &blocked));
  while (waiting < 2) std::this_thread::yield();
  other.submit(dispatch(releaser, 1, 1, &done));
  EXPECT_TRUE(done.becomes(0));
  EXPECT_TRUE(blocked.becomes(0));
}

TEST_F(PacketProcessorTest, AKernelThatWaitsForALaterPacketOfItsQueueGetsIt) {
  std::atomic<bool> released{false};
  const auto waiter = executor.add([&](Groups& groups, const GroupRange&) {
    for (uint32_t round = 0; !released && !groups.stopped(); ++round) groups.idle(round);
  });
  const auto releaser = executor.add([&](Groups&, const GroupRange&) { released = true; });
  start(1);
  Signal a, b;
  queue.submit(dispatch(waiter, 1, 1, &a));
  std::this_thread::sleep_for(2ms);
  queue.submit(dispatch(releaser, 1, 1, &b));
  EXPECT_TRUE(b.becomes(0));
  EXPECT_TRUE(a.becomes(0));
}

/// Waits until the signal is 0, as executors do for waves that wait for signals. Returns false if the
/// dispatch was stopped first.
bool sleeps_until_zero(Groups& groups, Signal& signal) {
  hsam_wait_record record;
  hsam_wait_arm(&record, &groups.waiter(), signal.get(), HSA_SIGNAL_CONDITION_EQ, 0);
  bool met = false;
  for (uint32_t round = 0; !met && !groups.stopped(); ++round) {
    groups.watch();
    met = signal.load() == 0 || hsam_wait_is_met(&record);
    if (!met) groups.wait_for_signals(round, UINT64_MAX);
  }
  hsam_wait_disarm(&record);
  return met;
}

TEST_F(PacketProcessorTest, ThreadsThatWaitForSignalsSleepUntilTheyAreSent) {
  std::array<Signal, 5> signals;
  std::atomic<int> met{0};
  const auto kernel = executor.add([&](Groups& groups, const GroupRange& range) {
    for (uint64_t g = range.first; g < range.last; ++g) met += sleeps_until_zero(groups, signals[g]);
  });
  start(4);
  Signal done;
  queue.submit(dispatch(kernel, 5, 1, &done));
  for (Signal& signal : signals) {
    signal.wait_until_watched();
    std::this_thread::sleep_for(2ms);
    signal.store(0);
  }
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(met, 5);
}

/// The only thread sleeps in the dispatch and must itself launch the packet that changes the signal.
TEST_F(PacketProcessorTest, ASleeperLaunchesThePacketThatWakesIt) {
  Signal signal;
  const auto kernel =
      executor.add([&](Groups& groups, const GroupRange&) { sleeps_until_zero(groups, signal); });
  start(0);
  Signal done, dependency;
  queue.submit(dispatch(kernel, 1, 1, &done));
  signal.wait_until_watched();
  std::this_thread::sleep_for(2ms);
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {&dependency}, &signal));
  dependency.wait_until_watched();
  EXPECT_EQ(done.load(), 1);
  // The dependency is 0 for a moment only.
  dependency.store(0);
  dependency.store(1);
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(PacketProcessorTest, SleepersLeaveADispatchThatFails) {
  std::array<Signal, 4> signals;
  std::atomic<int> met{0};
  const auto kernel = executor.add([&](Groups& groups, const GroupRange& range) {
    for (uint64_t g = range.first; g < range.last && !groups.stopped(); ++g) {
      if (!sleeps_until_zero(groups, signals[g])) continue;
      ++met;
      groups.fail({HSA_STATUS_ERROR, "one of them"});
    }
  });
  start(4);
  queue.submit(dispatch(kernel, 4, 1));
  for (Signal& signal : signals) signal.wait_until_watched();
  std::this_thread::sleep_for(2ms);
  signals[2].store(0);
  EXPECT_EQ(error().message, "one of them");
  EXPECT_EQ(met, 1);
  processor.reset();
}

TEST_F(PacketProcessorTest, SleepersLeaveAQueueThatIsInactivated) {
  std::array<Signal, 2> signals;
  const auto kernel = executor.add([&](Groups& groups, const GroupRange& range) {
    for (uint64_t g = range.first; g < range.last; ++g) EXPECT_FALSE(sleeps_until_zero(groups, signals[g]));
  });
  for (const uint32_t threads : {0, 2}) {
    start(threads);
    queue.submit(dispatch(kernel, 2, 1));
    signals[0].wait_until_watched();
    std::this_thread::sleep_for(2ms);
    processor.reset();
  }
}

TEST_F(PacketProcessorTest, SleepersWakeAtTheirDeadline) {
  const auto kernel = executor.add([](Groups& groups, const GroupRange&) {
    const uint64_t deadline = hsam_timestamp() + HSAM_TIMESTAMP_FREQUENCY / 50;
    for (uint32_t round = 0; hsam_timestamp() < deadline; ++round) {
      groups.watch();
      groups.wait_for_signals(round, deadline);
    }
  });
  start(1);
  Signal done;
  queue.submit(dispatch(kernel, 2, 1, &done));
  EXPECT_TRUE(done.becomes(0));
}

struct BadPacket {
  const char* what;
  hsa_status_t status;
  std::function<void(hsa_kernel_dispatch_packet_t&)> damage;
};

TEST_F(PacketProcessorTest, BadPacketsStopTheQueue) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  pool = std::make_unique<WorkerPool>(executor, 2);
  const BadPacket cases[] = {
      {"type", HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, [](auto& p) { p.header = 0xffff; }},
      {"vendor", HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, [](auto& p) { p.header = 0; }},
      {"agent dispatch", HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
       [](auto& p) { p.header = HSA_PACKET_TYPE_AGENT_DISPATCH; }},
      {"dimensions", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.setup = 4; }},
      {"group", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.workgroup_size_x = 0xffff; }},
      {"kernel", HSA_STATUS_ERROR_INVALID_CODE_OBJECT, [](auto& p) { p.kernel_object = 0; }},
      {"signal", HSA_STATUS_ERROR_INVALID_ARGUMENT, [](auto& p) { p.completion_signal.handle = 33; }},
  };
  for (const BadPacket& bad : cases) {
    SCOPED_TRACE(bad.what);
    FakeQueue q;
    const auto p = open(q);
    Signal before, done, after;
    q.submit(dispatch(kernel, 1, 1, &before));
    auto packet = dispatch(kernel, 1, 1, &done);
    bad.damage(packet);
    q.submit(packet);
    q.submit(dispatch(kernel, 1, 1, &after));
    const auto error = FakeDriver::get().error_of(q.id());
    EXPECT_EQ(error.status, bad.status);
    EXPECT_FALSE(error.message.empty());
    EXPECT_TRUE(before.becomes(0));
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(done.load(), 1);
    EXPECT_EQ(after.load(), 1);
    EXPECT_EQ(q.head(1), 1u) << "the slot of a processed packet is invalid again";
    EXPECT_EQ(q.head(2) & 0xff, +HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(FakeDriver::get().error_of(q.id(), 5ms).status, HSA_STATUS_SUCCESS) << "reported once";
  }
}

TEST_F(PacketProcessorTest, AKernelThatFailsStopsTheQueueOnce) {
  const auto failing = executor.add([](Groups& groups, const GroupRange& range) {
    groups.fail({HSA_STATUS_ERROR_EXCEPTION, "group " + std::to_string(range.first)});
  });
  start();
  Signal done, after;
  queue.submit(dispatch(failing, 1000, 1, &done));
  queue.submit(dispatch(failing, 1, 1, &after, true));
  const auto first = error();
  EXPECT_EQ(first.status, HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_EQ(first.message.substr(0, 6), "group ");
  EXPECT_TRUE(no_error());
  EXPECT_EQ(done.load(), 1);
  EXPECT_EQ(after.load(), 1);
  processor->inactivate();  // legal on a queue in error
}

TEST_F(PacketProcessorTest, InactivationStopsWhatRunsAndReportsNothing) {
  std::atomic<int> runs{0};
  const auto endless = executor.add([&](Groups& groups, const GroupRange&) {
    ++runs;
    while (!groups.stopped()) std::this_thread::sleep_for(100us);
  });
  start();
  Signal done, waiting;
  queue.submit(dispatch(endless, 8, 1, &done));
  queue.submit(dispatch(endless, 8, 1, &waiting, true));
  while (runs == 0) std::this_thread::yield();
  processor->inactivate();
  const int at_return = runs;
  EXPECT_EQ(done.load(), 1);
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(runs, at_return);
  EXPECT_TRUE(no_error());
  processor->inactivate();  // a second call has no effect
}

TEST_F(PacketProcessorTest, ManyProducers) {
  std::atomic<uint64_t> groups_run{0};
  const auto kernel = executor.add([&](Groups&, const GroupRange& r) { groups_run += r.last - r.first; });
  start();
  constexpr int producers = 4, packets = 500;
  Signal done(producers * packets);
  std::vector<std::thread> threads;
  for (int t = 0; t < producers; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < packets; ++i)
        queue.submit(dispatch(kernel, 1 + (i * 7 + t) % 5, 1, &done, i % 3 == 0));
    });
  uint64_t expected = 0;
  for (int t = 0; t < producers; ++t)
    for (int i = 0; i < packets; ++i) expected += 1 + (i * 7 + t) % 5;
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(groups_run, expected);
}

/// All units of a queue work on a long dispatch, and no other thread does.
TEST_F(PacketProcessorTest, OnlyTheComputeUnitsOfTheQueueWork) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  size_t expected = 0;
  const auto kernel = executor.add([&](Groups&, const GroupRange&) {
    const auto patience = std::chrono::steady_clock::now() + 10min;
    for (bool all = false; !all && std::chrono::steady_clock::now() < patience;) {
      std::this_thread::sleep_for(100us);
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      all = threads.size() >= expected;
    }
  });
  start(4);
  processor->set_priority(HSAM_QUEUE_PRIORITY_HIGH);
  for (const uint32_t mask : {0b0001u, 0b1010u, 0b0111u, 0b1000u, 0b1111u}) {
    processor->set_compute_units(std::make_shared<const ComputeUnits>(std::span(&mask, 1), 4));
    threads.clear();
    expected = static_cast<size_t>(std::popcount(mask));
    Signal done;
    queue.submit(dispatch(kernel, 2000, 1, &done));
    ASSERT_TRUE(done.becomes(0));
    std::lock_guard lock(mutex);
    EXPECT_EQ(threads.size(), expected) << mask;
  }
}

TEST_F(PacketProcessorTest, AnIdleQueueUsesNoProcessorTime) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  Signal done;
  queue.submit(dispatch(kernel, 1, 1, &done));
  ASSERT_TRUE(done.becomes(0));
  std::this_thread::sleep_for(5ms);
  timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(100ms);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  EXPECT_LT((after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec, 5'000'000);
}

/// Ends the observation that it begins.
class Observing {
 public:
  explicit Observing(uint32_t kinds) { FakeDriver::get().observe(kinds); }
  ~Observing() { FakeDriver::get().observe(0); }
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;
};

TEST_F(PacketProcessorTest, ReportsNothingThatNobodyObserves) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  start();
  const auto run = [&] {
    Signal done;
    queue.submit(dispatch(kernel, 100, 10, &done));
    EXPECT_TRUE(done.becomes(0));
    return FakeDriver::get().activities_of(queue.id());
  };
  EXPECT_TRUE(run().empty());
  const Observing packets(HSAM_ACTIVITY_PACKET);
  const auto seen = run();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].kind, uint32_t{HSAM_ACTIVITY_PACKET});
  EXPECT_EQ(seen[0].packet_id, 1u);
}

/// The records of a dispatch are there before its completion signal changes, those of its threads before that
/// of the dispatch, and together they have all groups.
TEST_F(PacketProcessorTest, ReportsDispatchesBeforeTheyComplete) {
  const auto kernel = executor.add([](Groups&, const GroupRange&) { std::this_thread::sleep_for(50us); });
  start();
  const Observing all(HSAM_ACTIVITY_PACKET | HSAM_ACTIVITY_DISPATCH | HSAM_ACTIVITY_COMPUTE_UNIT);
  size_t reported = 0;
  for (uint64_t id = 0; id < 20; ++id) {
    Signal done;
    const uint64_t before = hsam_timestamp();
    queue.submit(dispatch(kernel, 205, 10, &done));
    ASSERT_TRUE(done.becomes(0));
    auto records = FakeDriver::get().activities_of(queue.id());
    records.erase(records.begin(), records.begin() + static_cast<ptrdiff_t>(reported));
    reported += records.size();
    ASSERT_GE(records.size(), 3u);
    EXPECT_EQ(records.front().kind, uint32_t{HSAM_ACTIVITY_PACKET});
    EXPECT_EQ(records.front().packet_type, uint32_t{HSA_PACKET_TYPE_KERNEL_DISPATCH});
    const hsam_activity& whole = records.back();
    EXPECT_EQ(whole.kind, uint32_t{HSAM_ACTIVITY_DISPATCH});
    EXPECT_EQ(whole.status, HSA_STATUS_SUCCESS);
    EXPECT_EQ(whole.kernel_object, kernel);
    EXPECT_EQ(whole.work_groups, 21u);
    EXPECT_EQ(whole.waves, 205u);  // of one work-item, which is what a task has that says nothing
    EXPECT_EQ(whole.work_items, 205u);
    EXPECT_GE(whole.begin, before);
    uint64_t groups = 0;
    for (size_t i = 1; i + 1 < records.size(); ++i) {
      EXPECT_EQ(records[i].kind, uint32_t{HSAM_ACTIVITY_COMPUTE_UNIT});
      EXPECT_GE(records[i].begin, whole.begin);
      EXPECT_LE(records[i].end, whole.end);
      groups += records[i].work_groups;
    }
    EXPECT_EQ(groups, 21u);
    for (const hsam_activity& record : records) {
      EXPECT_EQ(record.size, sizeof record);
      EXPECT_EQ(record.packet_id, id);
      EXPECT_LE(record.begin, record.end);
    }
  }
}

TEST_F(PacketProcessorTest, ReportsWhyADispatchFailed) {
  const auto kernel = executor.add(
      [](Groups& groups, const GroupRange&) { groups.fail({HSA_STATUS_ERROR_EXCEPTION, "on purpose"}); });
  start();
  const Observing dispatches(HSAM_ACTIVITY_DISPATCH);
  queue.submit(dispatch(kernel, 1, 1));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_EXCEPTION);
  const auto records = FakeDriver::get().activities_of(queue.id());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].status, HSA_STATUS_ERROR_EXCEPTION);
}

TEST_F(PacketProcessorTest, ReportsBarrierPackets) {
  start();
  const Observing barriers(HSAM_ACTIVITY_BARRIER);
  Signal dependency, done;
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {&dependency}, &done));
  dependency.wait_until_watched();
  const uint64_t before = hsam_timestamp();
  dependency.store(0);
  ASSERT_TRUE(done.becomes(0));
  const auto records = FakeDriver::get().activities_of(queue.id());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].kind, uint32_t{HSAM_ACTIVITY_BARRIER});
  EXPECT_EQ(records[0].packet_type, uint32_t{HSA_PACKET_TYPE_BARRIER_AND});
  EXPECT_EQ(records[0].completion_signal, done.handle().handle);
  EXPECT_LE(records[0].begin, before);
  EXPECT_GE(records[0].end, before);
}

/// Counts the kernels that run at the same time.
class Crowd {
 public:
  void enter() {
    const int now = inside_.fetch_add(1) + 1;
    for (int most = most_.load(); most < now && !most_.compare_exchange_weak(most, now);) {
    }
    ++entered_;
  }
  void leave() { --inside_; }
  int inside() const { return inside_.load(); }
  int entered() const { return entered_.load(); }
  int most() const { return most_.load(); }

 private:
  std::atomic<int> inside_{0}, entered_{0}, most_{0};
};

/// Without serialisation, kernels of one queue and of two queues run at the same time: each waits for the
/// others here, which would never end otherwise. They wait as waves do, because the thread of the queue may
/// run the first kernel itself before the second packet is there, and launches that when the kernel is idle.
TEST_F(PacketProcessorTest, KernelsRunTogetherUnlessTheyAreSerialised) {
  Crowd crowd;
  const auto kernel = executor.add([&](Groups& groups, const GroupRange&) {
    crowd.enter();
    for (uint32_t round = 0; crowd.entered() < 3; ++round) groups.idle(round);
  });
  start();
  FakeQueue second;
  const auto other = open(second);
  Signal a, b, c;
  queue.submit(dispatch(kernel, 1, 1, &a));
  queue.submit(dispatch(kernel, 1, 1, &b));
  second.submit(dispatch(kernel, 1, 1, &c));
  EXPECT_TRUE(a.becomes(0) && b.becomes(0) && c.becomes(0));
}

/// With `after`, a queue's kernels run one after the other; another queue is not concerned.
TEST_F(PacketProcessorTest, SerialAfterWaitsInItsQueueOnly) {
  serial.after = true;
  Crowd one, two;
  Gate gate;
  const auto first = executor.add([&](Groups&, const GroupRange&) {
    one.enter();
    if (one.entered() == 1) gate.pass();
    one.leave();
  });
  const auto beside = executor.add([&](Groups&, const GroupRange&) {
    two.enter();
    two.leave();
  });
  start();
  FakeQueue second;
  const auto other = open(second);
  Signal done(50), barrier, end;
  for (int i = 0; i < 50; ++i) queue.submit(dispatch(first, 1, 1, &done));
  // This packet has no barrier bit and no dependency, and yet it waits.
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &barrier));
  second.submit(dispatch(beside, 1, 1, &end));
  ASSERT_TRUE(end.becomes(0));  // while the first queue is held up
  EXPECT_EQ(barrier.load(), 1);
  gate.open();
  ASSERT_TRUE(done.becomes(0) && barrier.becomes(0));
  EXPECT_EQ(one.most(), 1);
}

/// With `before`, no two kernels of the agent run at the same time, and barrier packets are not held up.
TEST_F(PacketProcessorTest, SerialBeforeTakesTurnsAmongQueues) {
  serial.before = true;
  Crowd crowd;
  const auto kernel = executor.add([&](Groups&, const GroupRange& range) {
    crowd.enter();
    std::this_thread::sleep_for(std::chrono::microseconds(range.first % 3));
    crowd.leave();
  });
  start();
  constexpr int queue_count = 5, packets = 40;
  std::deque<FakeQueue> queues(queue_count);
  std::vector<std::unique_ptr<PacketProcessor>> processors;
  for (FakeQueue& q : queues) processors.push_back(open(q));
  std::deque<Signal> links;
  Signal done(queue_count * packets);
  for (int i = 0; i < packets; ++i)
    for (int q = 0; q < queue_count; ++q) {
      // Each queue waits now and then for what another one has not even begun.
      if (i % 8 == 0 && q > 0) {
        links.emplace_back();
        queues[static_cast<size_t>(q)].submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {&links.back()}));
        queues[static_cast<size_t>(q - 1)].submit(
            barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &links.back(), /*barrier=*/true));
      }
      queues[static_cast<size_t>(q)].submit(dispatch(kernel, 1, 1, &done));
    }
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(crowd.most(), 1);
  EXPECT_EQ(crowd.entered(), queue_count * packets);
}

/// A queue that fails, or is inactivated while it waits for its turn, does not keep the others from theirs.
TEST_F(PacketProcessorTest, SerialBeforePassesTheTurnOfQueuesThatFail) {
  serial.before = true;
  Gate gate;
  const auto held = executor.add([&](Groups&, const GroupRange&) { gate.pass(); });
  const auto kernel = executor.add([](Groups&, const GroupRange&) {});
  const auto failing = executor.add(
      [](Groups& groups, const GroupRange&) { groups.fail({HSA_STATUS_ERROR_EXCEPTION, "on purpose"}); });
  start();
  std::deque<FakeQueue> queues(4);
  std::vector<std::unique_ptr<PacketProcessor>> processors;
  for (FakeQueue& q : queues) processors.push_back(open(q));
  Signal first, last;
  queue.submit(dispatch(held, 1, 1, &first));
  while (queue.read_index() == 0) std::this_thread::yield();
  queues[0].submit(dispatch(kernel, 1, 1));  // waits for its turn, and goes away
  queues[1].submit(dispatch(99, 1, 1));      // no such kernel
  queues[2].submit(dispatch(failing, 1, 1));
  queues[3].submit(dispatch(kernel, 1, 1, &last));
  processors[0].reset();
  gate.open();
  EXPECT_TRUE(first.becomes(0));
  EXPECT_EQ(FakeDriver::get().error_of(queues[1].id()).status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(FakeDriver::get().error_of(queues[2].id()).status, HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_TRUE(last.becomes(0));
}

TEST(SerialTurn, GoesRoundInTheOrderOfRequests) {
  SerialTurn turn;
  hsam_waiter a = {HSAM_WAITER_AWAKE}, b = a, c = a;
  EXPECT_TRUE(turn.is_free_for(a));
  EXPECT_TRUE(turn.take(a));
  EXPECT_FALSE(turn.take(b));
  EXPECT_FALSE(turn.take(c));
  EXPECT_FALSE(turn.take(b));  // asks again, and keeps its place
  turn.give_back();
  EXPECT_FALSE(turn.is_free_for(c));
  EXPECT_FALSE(turn.take(c));
  EXPECT_TRUE(turn.take(b));
  turn.withdraw(c);
  turn.give_back();
  EXPECT_TRUE(turn.is_free_for(a));
  EXPECT_TRUE(turn.take(a));
}

}  // namespace
}  // namespace heddle::agents
