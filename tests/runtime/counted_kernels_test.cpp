// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What performance counters count while kernels run, on every kernel agent that executes: exactly what was
// dispatched.
#include <algorithm>
#include <optional>
#include <thread>

#include "counters.h"
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

constexpr const char* text = R"(module &m:1:0:$full:$large:$default;
prog kernel &nothing(kernarg_u64 %unused) { ret; };
prog kernel &count(kernarg_u64 %total) {
  ld_kernarg_align(8)_width(all)_u64 $d0, [%total];
  atomicnoret_add_global_rlx_system_u64 [$d0], 1;
  ret;
};
// Waits until the word is not 0.
prog kernel &wait(kernarg_u64 %word) {
  ld_kernarg_align(8)_width(all)_u64 $d0, [%word];
@again:
  atomic_ld_global_scacq_system_b64 $d1, [$d0];
  cmp_eq_b1_u64 $c0, $d1, 0;
  cbr_b1 $c0, @again;
  ret;
};
prog kernel &fault(kernarg_u64 %unused) {
  st_global_u32 1, [16];
  ret;
};
)";

struct Grid {
  uint32_t size[3];
  uint16_t group[3];

  uint64_t work_items() const { return uint64_t{size[0]} * size[1] * size[2]; }
  /// Calls f(work_items) for each work-group, and adds up what it returns.
  template <typename F>
  uint64_t sum_over_groups(F f) const {
    uint64_t sum = 0;
    for (uint32_t z = 0; z < size[2]; z += group[2])
      for (uint32_t y = 0; y < size[1]; y += group[1])
        for (uint32_t x = 0; x < size[0]; x += group[0])
          sum += f(std::min<uint32_t>(group[0], size[0] - x) * std::min<uint32_t>(group[1], size[1] - y) *
                   std::min<uint32_t>(group[2], size[2] - z));
    return sum;
  }
  uint64_t work_groups() const {
    return sum_over_groups([](uint32_t) { return uint64_t{1}; });
  }
  uint64_t waves(uint32_t wave_size) const {
    return sum_over_groups([=](uint32_t items) { return (items + wave_size - 1) / wave_size; });
  }
};

class CountedKernels : public OnAgent {
 protected:
  void SetUp() override {
    OnAgent::SetUp();
    ASSERT_SUCCESS(hsa_ext_perf_counter_init());
    kernels_.emplace(agent_, text);
    wave_size_ = agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE);
    units_ = agent_info<uint32_t>(agent_, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT);
  }
  void TearDown() override {
    kernels_.reset();
    EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
    OnAgent::TearDown();
  }
  uint32_t counter(const std::string& name) const {
    const uint32_t found = find_counter(name, {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, agent_.handle});
    EXPECT_NE(found, no_counter) << name;
    return found;
  }
  std::vector<uint32_t> counters_of_units(const std::string& name) const {
    std::vector<uint32_t> found;
    for (uint32_t unit = 0; unit < units_; ++unit)
      found.push_back(counter("compute_unit." + std::to_string(unit) + "." + name));
    return found;
  }
  hsa_kernel_dispatch_packet_t packet(const char* kernel, const Grid& grid, void* arguments) const {
    auto made = kernels_->packet(kernel, grid.size[0], grid.group[0]);
    made.setup = 3;
    made.workgroup_size_y = grid.group[1];
    made.workgroup_size_z = grid.group[2];
    made.grid_size_y = grid.size[1];
    made.grid_size_z = grid.size[2];
    made.kernarg_address = arguments;
    return made;
  }
  /// Dispatches a kernel and waits for its completion.
  void dispatch(TestQueue& queue, const char* kernel, const Grid& grid, void* arguments) const {
    const hsa_signal_t done = signal(1);
    auto made = packet(kernel, grid, arguments);
    made.completion_signal = done;
    queue.submit(made);
    EXPECT_TRUE(becomes(done, 0)) << kernel;
    EXPECT_SUCCESS(hsa_signal_destroy(done));
  }
  /// A barrier packet with one dependency, or none for handle 0.
  static hsa_kernel_dispatch_packet_t barrier(hsa_packet_type_t type, hsa_signal_t dependency,
                                              hsa_signal_t completion) {
    hsa_barrier_and_packet_t made;
    std::memset(&made, 0, sizeof made);
    made.header = static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER);
    made.dep_signal[0] = dependency;
    made.completion_signal = completion;
    hsa_kernel_dispatch_packet_t packet;
    static_assert(sizeof packet == sizeof made);
    std::memcpy(&packet, &made, sizeof packet);
    return packet;
  }

  std::optional<Kernels> kernels_;
  uint32_t wave_size_ = 0, units_ = 0;
};

TEST_P(CountedKernels, DispatchesAreCountedExactly) {
  const uint32_t dispatches = counter("kernel.dispatches"), groups = counter("kernel.work_groups"),
                 waves = counter("kernel.waves"), items = counter("kernel.work_items");
  uint64_t total = 0;
  uint64_t arguments[] = {address_of(&total)};
  TestQueue queue(agent_);
  dispatch(queue, "&count", {{1, 1, 1}, {1, 1, 1}}, arguments);  // before the session
  CountedSession session{dispatches, groups, waves, items};
  session.enable_and_start();
  const Grid grids[] = {{{1, 1, 1}, {1, 1, 1}},      {{1000, 1, 1}, {64, 1, 1}}, {{64, 1, 1}, {64, 1, 1}},
                        {{10, 7, 5}, {4, 3, 2}},     {{3, 1, 1}, {64, 1, 1}},    {{129, 2, 1}, {128, 2, 1}},
                        {{100000, 1, 1}, {1, 1, 1}}, {{17, 17, 3}, {5, 7, 3}}};
  uint64_t expected_groups = 0, expected_waves = 0, expected_items = 0, count = 0;
  total = 0;
  for (const Grid& grid : grids) {
    dispatch(queue, "&count", grid, arguments);
    expected_groups += grid.work_groups();
    expected_waves += grid.waves(wave_size_);
    expected_items += grid.work_items();
    ++count;
    // Whoever sees the completion signal sees the counters.
    ASSERT_EQ(session.number(dispatches), count);
    ASSERT_EQ(session.number(groups), expected_groups);
    ASSERT_EQ(session.number(waves), expected_waves);
    ASSERT_EQ(session.number(items), expected_items);
  }
  EXPECT_EQ(total, expected_items) << "what the kernels themselves have counted";
  session.stop();
  dispatch(queue, "&count", {{1, 1, 1}, {1, 1, 1}}, arguments);
  EXPECT_EQ(session.number(dispatches), count);
}

TEST_P(CountedKernels, PacketsAreCountedByKind) {
  const uint32_t kernel = counter("packets.kernel_dispatch"), and_packets = counter("packets.barrier_and"),
                 or_packets = counter("packets.barrier_or"), other = counter("packets.other"),
                 dispatches = counter("kernel.dispatches");
  uint64_t arguments[] = {0};
  const hsa_signal_t zero = signal(0), done = signal(1);
  CountedSession session{kernel, and_packets, or_packets, other, dispatches};
  session.enable_and_start();
  TestQueue queue(agent_);
  for (int i = 0; i < 7; ++i) queue.submit(packet("&nothing", {{5, 1, 1}, {5, 1, 1}}, arguments));
  for (int i = 0; i < 3; ++i) queue.submit(barrier(HSA_PACKET_TYPE_BARRIER_AND, zero, {0}));
  queue.submit(barrier(HSA_PACKET_TYPE_BARRIER_OR, zero, {0}));
  queue.submit(barrier(HSA_PACKET_TYPE_BARRIER_OR, zero, done));
  ASSERT_TRUE(becomes(done, 0));
  EXPECT_EQ(session.number(kernel), 7u);
  EXPECT_EQ(session.number(dispatches), 7u);
  EXPECT_EQ(session.number(and_packets), 3u);
  EXPECT_EQ(session.number(or_packets), 2u);
  EXPECT_EQ(session.number(other), 0u);
  // A packet that the queue refuses was taken all the same.
  queue.submit(barrier(HSA_PACKET_TYPE_AGENT_DISPATCH, {0}, {0}));
  EXPECT_TRUE(eventually([&] { return queue.error() != HSA_STATUS_SUCCESS; }));
  EXPECT_EQ(queue.error(), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(session.number(other), 1u);
  EXPECT_EQ(session.number(dispatches), 7u);
  queue.destroy();
  for (hsa_signal_t used : {zero, done}) EXPECT_SUCCESS(hsa_signal_destroy(used));
}

TEST_P(CountedKernels, ADispatchThatFailsIsNoCompletedOne) {
  const uint32_t packets = counter("packets.kernel_dispatch"), dispatches = counter("kernel.dispatches"),
                 groups = counter("kernel.work_groups");
  CountedSession session{packets, dispatches, groups};
  session.enable_and_start();
  hsa_status_t error = HSA_STATUS_SUCCESS;
  EXPECT_FALSE(run(*kernels_, "&fault", 1, 1, {0}, &error, HSA_STATUS_ERROR_FATAL));
  EXPECT_EQ(error, HSA_STATUS_ERROR);
  EXPECT_EQ(session.number(packets), 1u);
  EXPECT_EQ(session.number(dispatches), 0u);
  EXPECT_EQ(session.number(groups), 0u);
}

TEST_P(CountedKernels, TheSharesOfComputeUnitsAddUp) {
  const uint32_t busy = counter("agent.busy_time"), groups = counter("kernel.work_groups");
  const auto unit_busy = counters_of_units("busy_time"), unit_groups = counters_of_units("work_groups");
  std::vector<uint32_t> all = {busy, groups};
  all.insert(all.end(), unit_busy.begin(), unit_busy.end());
  all.insert(all.end(), unit_groups.begin(), unit_groups.end());
  CountedSession session(all);
  uint64_t total = 0;
  uint64_t arguments[] = {address_of(&total)};
  session.enable();
  const auto before = std::chrono::steady_clock::now();
  session.start();
  TestQueue queue(agent_);
  const Grid grid{{3001, 1, 1}, {16, 1, 1}};
  for (int i = 0; i < 5; ++i) dispatch(queue, "&count", grid, arguments);
  session.stop();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - before;
  double sum = 0;
  uint64_t executed = 0;
  for (uint32_t unit : unit_busy) sum += session.real(unit);
  for (uint32_t unit : unit_groups) executed += session.number(unit);
  EXPECT_EQ(executed, 5 * grid.work_groups());
  EXPECT_EQ(session.number(groups), executed);
  EXPECT_NEAR(session.real(busy), sum, 1e-9 * sum);
  EXPECT_GT(session.real(busy), 0.0);
  // One queue was busy, whose thread works beside those of all compute units.
  EXPECT_LE(session.real(busy), passed.count() * (units_ + 1));
}

/// A kernel that runs for a known time is busy for at least that time and, from the start of a session on,
/// for no longer than the session.
TEST_P(CountedKernels, BusyTimeLiesWithinTheSession) {
  const uint32_t busy = counter("agent.busy_time"), utilization = counter("agent.utilization");
  uint64_t word = 0;
  uint64_t arguments[] = {address_of(&word)};
  TestQueue queue(agent_);
  const hsa_signal_t done = signal(1);
  auto waiting = packet("&wait", {{1, 1, 1}, {1, 1, 1}}, arguments);
  waiting.completion_signal = done;
  queue.submit(waiting);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // not in the session
  CountedSession session{busy, utilization};
  session.enable();
  using Clock = std::chrono::steady_clock;
  const auto before = Clock::now();
  session.start();
  const auto started = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(session.real(busy), 0.0) << "the kernel has not ended yet";
  const auto ending = Clock::now();
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  ASSERT_TRUE(becomes(done, 0));
  session.stop();
  const auto after = Clock::now();
  using Milliseconds = std::chrono::duration<double, std::milli>;
  // The timestamps of the system have steps of 10 ns.
  EXPECT_GE(session.real(busy), Milliseconds(ending - started).count() - 0.001);
  EXPECT_LE(session.real(busy), Milliseconds(after - before).count() + 0.001);
  float percent = -1;
  EXPECT_SUCCESS(hsa_ext_perf_counter_read_float(session.context(), utilization, &percent));
  const double most = Milliseconds(after - before).count() * units_;
  EXPECT_GE(percent, 99.0 * Milliseconds(ending - started).count() / most);
  EXPECT_LE(percent, 100.0f);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_P(CountedKernels, WaitingPacketsAreThoseNotTaken) {
  const uint32_t waiting = counter("queues.waiting_packets");
  CountedSession session{waiting};
  session.enable_and_start();
  const auto value = [&] {
    uint32_t read = UINT32_MAX;
    EXPECT_SUCCESS(hsa_ext_perf_counter_read_uint32(session.context(), waiting, &read));
    return read;
  };
  EXPECT_EQ(value(), 0u);
  TestQueue queue(agent_), other(agent_);
  EXPECT_TRUE(belongs_to(waiting, {HSA_EXT_PERF_COUNTER_ASSOC_QUEUE, queue.get()->id}));
  EXPECT_TRUE(belongs_to(waiting, {HSA_EXT_PERF_COUNTER_ASSOC_QUEUE, other.get()->id}));
  const hsa_signal_t gates[] = {signal(1), signal(1)}, done = signal(2);
  uint64_t arguments[] = {0};
  TestQueue* queues[] = {&queue, &other};
  for (int q = 0; q < 2; ++q) {
    queues[q]->submit(barrier(HSA_PACKET_TYPE_BARRIER_AND, gates[q], {0}));
    for (int i = 0; i < 4 + q; ++i) queues[q]->submit(packet("&nothing", {{1, 1, 1}, {1, 1, 1}}, arguments));
    queues[q]->submit(barrier(HSA_PACKET_TYPE_BARRIER_AND, {0}, done));
  }
  // The first barrier of each queue is taken, and holds up 5 and 6 packets.
  EXPECT_TRUE(eventually([&] { return value() == 11; })) << value();
  hsa_signal_store_screlease(gates[0], 0);
  EXPECT_TRUE(eventually([&] { return value() == 6; })) << value();
  session.stop();
  hsa_signal_store_screlease(gates[1], 0);
  ASSERT_TRUE(becomes(done, 0));
  EXPECT_EQ(value(), 6u) << "frozen when the session was stopped";
  session.start();
  EXPECT_EQ(value(), 0u);
  queue.destroy();
  other.destroy();
  for (hsa_signal_t used : {gates[0], gates[1], done}) EXPECT_SUCCESS(hsa_signal_destroy(used));
}

TEST_P(CountedKernels, QueuesAndThreadsCountTogether) {
  constexpr int threads = 4, rounds = 25;
  const uint32_t dispatches = counter("kernel.dispatches"), items = counter("kernel.work_items");
  const auto unit_groups = counters_of_units("work_groups");
  std::vector<uint32_t> all = {dispatches, items};
  all.insert(all.end(), unit_groups.begin(), unit_groups.end());
  CountedSession session(all);
  session.enable_and_start();
  uint64_t total = 0, groups = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    const Grid grid{{100u + 30 * static_cast<uint32_t>(i), 1, 1}, {16, 1, 1}};
    groups += rounds * grid.work_groups();
    running.emplace_back([&, grid] {
      uint64_t arguments[] = {address_of(&total)};
      TestQueue queue(agent_);
      for (int round = 0; round < rounds; ++round) dispatch(queue, "&count", grid, arguments);
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(session.number(dispatches), uint64_t{threads} * rounds);
  EXPECT_EQ(session.number(items), total);
  uint64_t executed = 0;
  for (uint32_t unit : unit_groups) executed += session.number(unit);
  EXPECT_EQ(executed, groups);
}

/// The other agent of the process counts nothing.
TEST_P(CountedKernels, AgentsHaveCountersOfTheirOwn) {
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  const hsa_agent_t other = agents[1].handle == agent_.handle ? agents[2] : agents[1];
  const uint32_t mine = counter("kernel.dispatches");
  const uint32_t others =
      find_counter("kernel.dispatches", {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, other.handle});
  CountedSession session{mine, others};
  session.enable_and_start();
  uint64_t arguments[] = {0};
  TestQueue queue(agent_);
  dispatch(queue, "&nothing", {{10, 1, 1}, {1, 1, 1}}, arguments);
  EXPECT_EQ(session.number(mine), 1u);
  EXPECT_EQ(session.number(others), 0u);
}

INSTANTIATE_TEST_SUITE_P(Agents, CountedKernels, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heddle::runtime::test
