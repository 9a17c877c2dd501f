// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profile events of dispatches, compute units and packets, on every kernel agent that executes (Runtime 3.5).
#include <algorithm>
#include <optional>
#include <thread>

#include "events.h"
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

constexpr const char* text = R"(module &m:1:0:$full:$large:$default;
prog kernel &count(kernarg_u64 %total) {
  ld_kernarg_align(8)_width(all)_u64 $d0, [%total];
  atomicnoret_add_global_rlx_system_u64 [$d0], 1;
  ret;
};
prog kernel &fault(kernarg_u64 %unused) {
  st_global_u32 1, [16];
  ret;
};
)";

class ObservedKernels : public OnAgent {
 protected:
  void SetUp() override {
    OnAgent::SetUp();
    ASSERT_SUCCESS(hsa_ext_profile_event_init_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT, agent_.handle));
    ASSERT_SUCCESS(hsa_ext_profile_event_init());
    kernels_.emplace(agent_, text);
  }
  void TearDown() override {
    kernels_.reset();
    EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
    OnAgent::TearDown();
  }
  /// Dispatches a kernel and waits for its completion.
  void dispatch(TestQueue& queue, uint32_t grid, uint16_t group) {
    const hsa_signal_t done = signal(1);
    auto packet = kernels_->packet("&count", grid, group);
    packet.kernarg_address = arguments_;
    packet.completion_signal = done;
    queue.submit(packet);
    EXPECT_TRUE(becomes(done, 0));
    EXPECT_SUCCESS(hsa_signal_destroy(done));
  }

  std::optional<Kernels> kernels_;
  uint64_t total_ = 0;
  uint64_t arguments_[1] = {address_of(&total_)};
};

TEST_P(ObservedKernels, EachDispatchHasItsEvents) {
  const auto wave = agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE);
  const struct {
    uint32_t grid;
    uint16_t group;
  } dispatches[] = {{1, 1}, {1000, 64}, {3001, 16}};
  TestQueue queue(agent_);
  uint64_t before = 0, after = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  for (const auto& [grid, group] : dispatches) dispatch(queue, grid, group);
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  const auto events = take_events();
  for (const ProfileEvent& event : events) {
    EXPECT_EQ(event.type, static_cast<uint32_t>(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT));
    EXPECT_EQ(event.producer, agent_.handle);
    EXPECT_EQ(event.numbers.at("hsa.queueid"), queue.get()->id);
    EXPECT_GE(event.timestamp, before);
    EXPECT_LE(event.timestamp, after);
  }
  const auto begins = named(events, "dispatch.begin"), ends = named(events, "dispatch.end"),
             packets = named(events, "packet"), units = named(events, "compute_unit.end"),
             unit_begins = named(events, "compute_unit.begin");
  ASSERT_EQ(begins.size(), std::size(dispatches));
  ASSERT_EQ(ends.size(), std::size(dispatches));
  ASSERT_EQ(packets.size(), std::size(dispatches));
  ASSERT_EQ(units.size(), unit_begins.size());
  EXPECT_EQ(events.size(), begins.size() + ends.size() + packets.size() + 2 * units.size());
  const uint64_t kernel = kernels_->packet("&count", 1, 1).kernel_object;
  for (size_t i = 0; i < std::size(dispatches); ++i) {
    const auto& [grid, group] = dispatches[i];
    const uint64_t groups = (grid + group - 1) / group, rest = grid % group;
    const auto waves_of = [&](uint64_t items) { return (items + wave - 1) / wave; };
    EXPECT_EQ(begins[i].numbers.at("hsa.packetid"), i);
    EXPECT_EQ(begins[i].numbers.at("hsa.ended-by"), ends[i].id);
    EXPECT_EQ(begins[i].numbers.at("kernel_object"), kernel);
    EXPECT_EQ(ends[i].numbers.at("hsa.packetid"), i);
    EXPECT_EQ(ends[i].numbers.at("hsa.started-by"), begins[i].id);
    EXPECT_EQ(ends[i].numbers.at("status"), static_cast<uint64_t>(HSA_STATUS_SUCCESS));
    EXPECT_EQ(ends[i].numbers.at("work_items"), grid);
    EXPECT_EQ(ends[i].numbers.at("work_groups"), groups);
    EXPECT_EQ(ends[i].numbers.at("waves"), (grid / group) * waves_of(group) + waves_of(rest));
    EXPECT_LE(begins[i].timestamp, ends[i].timestamp);
    EXPECT_EQ(packets[i].numbers.at("hsa.packetid"), i);
    EXPECT_EQ(packets[i].numbers.at("packet_type"), static_cast<uint64_t>(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    EXPECT_LE(packets[i].timestamp, begins[i].timestamp);
    uint64_t executed = 0;
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].numbers.at("hsa.packetid") != i) continue;
      executed += units[u].numbers.at("work_groups");
      EXPECT_EQ(units[u].numbers.at("hsa.parent"), begins[i].id);
      EXPECT_EQ(units[u].numbers.at("hsa.started-by"), unit_begins[u].id);
      EXPECT_EQ(unit_begins[u].numbers.at("compute_unit"), units[u].numbers.at("compute_unit"));
      EXPECT_GE(unit_begins[u].timestamp, begins[i].timestamp);
      EXPECT_LE(units[u].timestamp, ends[i].timestamp);
      EXPECT_LT(units[u].numbers.at("compute_unit"),
                agent_info<uint32_t>(agent_, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT));
    }
    EXPECT_EQ(executed, groups);
  }
}

TEST_P(ObservedKernels, ADispatchThatFailsHasAStatus) {
  hsa_status_t error = HSA_STATUS_SUCCESS;
  EXPECT_FALSE(run(*kernels_, "&fault", 1, 1, {0}, &error, HSA_STATUS_ERROR_FATAL));
  const auto ends = named(take_events(), "dispatch.end");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].numbers.at("status"), static_cast<uint64_t>(HSA_STATUS_ERROR_FATAL));
}

TEST_P(ObservedKernels, ADisabledAgentHasNoEvents) {
  constexpr auto type = HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT;
  TestQueue queue(agent_);
  ASSERT_SUCCESS(hsa_ext_profile_event_disable_for_producer(type, agent_.handle));
  dispatch(queue, 100, 10);
  EXPECT_FALSE(take_event());
  ASSERT_SUCCESS(hsa_ext_profile_event_enable_for_producer(type, agent_.handle));
  dispatch(queue, 100, 10);
  EXPECT_EQ(named(take_events(), "dispatch.end").size(), 1u);
}

/// Only the agent that was marked has events.
TEST_P(ObservedKernels, OtherAgentsHaveNoEvents) {
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  agent_ = agents[1].handle == agent_.handle ? agents[2] : agents[1];
  kernels_.emplace(agent_, text);
  TestQueue queue(agent_);
  dispatch(queue, 100, 10);
  EXPECT_FALSE(take_event());
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT, agent_.handle),
            HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS);
}

TEST_P(ObservedKernels, QueuesOfSeveralThreads) {
  constexpr int threads = 4, rounds = 20;
  std::vector<std::thread> running;
  std::vector<uint64_t> ids(threads);
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      TestQueue queue(agent_);
      ids[static_cast<size_t>(i)] = queue.get()->id;
      for (int round = 0; round < rounds; ++round) dispatch(queue, 100, 10);
    });
  for (std::thread& thread : running) thread.join();
  const auto ends = named(take_events(), "dispatch.end");
  EXPECT_EQ(ends.size(), static_cast<size_t>(threads * rounds));
  for (uint64_t id : ids) {
    uint64_t next = 0;
    for (const ProfileEvent& end : ends)
      if (end.numbers.at("hsa.queueid") == id) EXPECT_EQ(end.numbers.at("hsa.packetid"), next++);
    EXPECT_EQ(next, static_cast<uint64_t>(rounds));
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, ObservedKernels, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heddle::runtime::test
