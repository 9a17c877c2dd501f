// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AMD extension around kernels, on every kernel agent that executes: times of dispatches, copies and
// handlers that depend on them, and what the loader says about their code.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>

#include <algorithm>
#include <thread>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

const std::string text = std::string(doubling_module) + R"(prog kernel &wait(kernarg_sig64 %start) {
  ld_kernarg_align(8)_sig64 $d0, [%start];
  signal_wait_eq_scacq_s64_sig64 $d1, $d0, 0;
};
prog kernel &subtract(kernarg_sig64 %signal) {
  ld_kernarg_align(8)_sig64 $d0, [%signal];
  signalnoret_sub_screl_s64_sig64 $d0, 1;
};
)";

class AmdKernels : public OnAgent {
 protected:
  static uint64_t now() {
    uint64_t ticks = 0;
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks));
    return ticks;
  }
  hsa_amd_profiling_dispatch_time_t time_of(hsa_signal_t done) const {
    hsa_amd_profiling_dispatch_time_t time{};
    EXPECT_SUCCESS(hsa_amd_profiling_get_dispatch_time(agent_, done, &time));
    return time;
  }
};
INSTANTIATE_TEST_SUITE_P(Agents, AmdKernels, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(AmdKernels, TimesOfDispatches) {
  const Kernels kernels(agent_, text);
  TestQueue queue(agent_);
  ASSERT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(queue.get(), 1));
  const hsa_signal_t start = signal(1);
  uint64_t argument = start.handle;
  hsa_signal_t done[3];
  for (hsa_signal_t& each : done) {
    each = signal(1);
    auto packet = kernels.packet("&wait", 1, 1);
    packet.header |= 1 << HSA_PACKET_HEADER_BARRIER;  // one after the other
    packet.kernarg_address = &argument;
    packet.completion_signal = each;
    queue.submit(packet);
  }
  // The first kernel runs until the signal is 0.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t released = now();
  hsa_signal_store_screlease(start, 0);
  uint64_t last = 0;
  for (const hsa_signal_t each : done) {
    EXPECT_TRUE(becomes(each, 0));
    const auto time = time_of(each);
    EXPECT_LE(last, time.start);
    EXPECT_LE(time.start, time.end);
    EXPECT_LE(released, time.end);
    EXPECT_LE(time.end, now());
    last = time.end;
    EXPECT_SUCCESS(hsa_signal_destroy(each));
  }
  EXPECT_SUCCESS(hsa_signal_destroy(start));
}

/// A copy to the agent, a kernel, and a copy back, each of which starts when the one before is complete,
/// while the host only waits for the end.
TEST_P(AmdKernels, CopiesAndKernelsInAChain) {
  constexpr uint32_t count = 5000;
  const Kernels kernels(agent_, text);
  TestQueue queue(agent_);
  std::vector<uint32_t> source(count), on_agent(count), result(count);
  for (uint32_t i = 0; i < count; ++i) source[i] = i;
  ASSERT_SUCCESS(hsa_amd_profiling_async_copy_enable(true));
  const hsa_signal_t go = signal(1), there = signal(1), doubled = signal(1), back = signal(1);
  const size_t size = count * sizeof(uint32_t);
  hsa_agent_t host{};
  ASSERT_EQ(hsa_iterate_agents(
                [](hsa_agent_t agent, void* first) {
                  *static_cast<hsa_agent_t*>(first) = agent;
                  return HSA_STATUS_INFO_BREAK;
                },
                &host),
            HSA_STATUS_INFO_BREAK);
  ASSERT_SUCCESS(
      hsa_amd_memory_async_copy(result.data(), host, on_agent.data(), agent_, size, 1, &doubled, back));
  hsa_kernel_dispatch_packet_t barrier{};
  barrier.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER;
  reinterpret_cast<hsa_barrier_and_packet_t&>(barrier).dep_signal[0] = there;
  queue.submit(barrier);
  auto packet = kernels.packet("&double", count, 64);
  packet.header |= 1 << HSA_PACKET_HEADER_BARRIER;
  uint64_t argument = address_of(on_agent.data());
  packet.kernarg_address = &argument;
  packet.completion_signal = doubled;
  queue.submit(packet);
  ASSERT_SUCCESS(
      hsa_amd_memory_async_copy(on_agent.data(), agent_, source.data(), host, size, 1, &go, there));
  hsa_signal_store_screlease(go, 0);
  EXPECT_TRUE(becomes(back, 0));
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(result[i], 2 * i);
  hsa_amd_profiling_async_copy_time_t to{}, from{};
  EXPECT_SUCCESS(hsa_amd_profiling_get_async_copy_time(there, &to));
  EXPECT_SUCCESS(hsa_amd_profiling_get_async_copy_time(back, &from));
  const auto kernel = time_of(doubled);
  EXPECT_LE(to.end, kernel.start);
  EXPECT_LE(kernel.end, from.start);
  ASSERT_SUCCESS(hsa_amd_profiling_async_copy_enable(false));
  for (const hsa_signal_t each : {go, there, doubled, back}) EXPECT_SUCCESS(hsa_signal_destroy(each));
}

/// A handler on a completion signal submits the next dispatch.
TEST_P(AmdKernels, HandlersOfCompletionSignals) {
  const Kernels kernels(agent_, text);
  struct State {
    TestQueue queue;
    hsa_signal_t done, all;
    hsa_kernel_dispatch_packet_t packet;
  } state{TestQueue(agent_), signal(1), signal(10), kernels.packet("&double", 4, 4)};
  std::vector<uint32_t> data = {1, 2, 3, 4};
  uint64_t argument = address_of(data.data());
  state.packet.kernarg_address = &argument;
  state.packet.completion_signal = state.done;
  const auto handler = [](hsa_signal_value_t, void* data) {
    auto& state = *static_cast<State*>(data);
    hsa_signal_store_screlease(state.done, 1);
    const bool again = hsa_signal_load_scacquire(state.all) > 1;
    if (again) state.queue.submit(state.packet);
    hsa_signal_subtract_screlease(state.all, 1);
    return again;
  };
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(state.done, HSA_SIGNAL_CONDITION_EQ, 0, handler, &state));
  state.queue.submit(state.packet);
  EXPECT_TRUE(becomes(state.all, 0));
  EXPECT_EQ(data, (std::vector<uint32_t>{1024, 2048, 3072, 4096}));
  EXPECT_SUCCESS(hsa_signal_destroy(state.done));
  EXPECT_SUCCESS(hsa_signal_destroy(state.all));
}

/// Kernels send to signals that another process shares, and wait for them.
TEST_P(AmdKernels, SharedSignals) {
  const Kernels kernels(agent_, text);
  hsa_signal_t go{}, reply{};
  ASSERT_SUCCESS(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &go));
  ASSERT_SUCCESS(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &reply));
  hsa_amd_ipc_signal_t go_handle{}, reply_handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(go, &go_handle));
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(reply, &reply_handle));
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    hsa_signal_t mine{}, theirs{};
    if (hsa_init() != HSA_STATUS_SUCCESS ||
        hsa_amd_ipc_signal_attach(&go_handle, &theirs) != HSA_STATUS_SUCCESS ||
        hsa_amd_ipc_signal_attach(&reply_handle, &mine) != HSA_STATUS_SUCCESS)
      _exit(1);
    hsa_signal_wait_scacquire(mine, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    hsa_signal_store_screlease(theirs, 0);
    _exit(hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 2);
  }
  EXPECT_TRUE(run(kernels, "&subtract", 1, 1, {reply.handle}));
  EXPECT_TRUE(run(kernels, "&wait", 1, 1, {go.handle}));
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_SUCCESS(hsa_signal_destroy(go));
  EXPECT_SUCCESS(hsa_signal_destroy(reply));
}

/// Kernels work with any mask and priority; tests of the packet processor look at the threads.
TEST_P(AmdKernels, ComputeUnitsAndPriorities) {
  const Kernels kernels(agent_, text);
  const auto units = agent_info<uint32_t>(agent_, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT);
  const std::vector<uint32_t> none((units + 31) / 32);
  const uint32_t bits = static_cast<uint32_t>(none.size()) * 32;
  TestQueue queue(agent_);
  std::vector<uint32_t> data(20'000, 1);
  uint64_t argument = address_of(data.data());
  uint32_t expected = 1;
  for (uint32_t allowed = 1; allowed <= std::min(units, 3u); ++allowed) {
    std::vector<uint32_t> mask = none, found = none;
    for (uint32_t unit = units - allowed; unit < units; ++unit) mask[unit / 32] |= 1u << unit % 32;
    ASSERT_SUCCESS(hsa_amd_queue_cu_set_mask(queue.get(), bits, mask.data()));
    ASSERT_SUCCESS(hsa_amd_queue_cu_get_mask(queue.get(), bits, found.data()));
    EXPECT_EQ(found, mask);
    for (int priority = HSA_AMD_QUEUE_PRIORITY_LOW; priority <= HSA_AMD_QUEUE_PRIORITY_HIGH; ++priority) {
      ASSERT_SUCCESS(
          hsa_amd_queue_set_priority(queue.get(), static_cast<hsa_amd_queue_priority_t>(priority)));
      const hsa_signal_t done = signal(1);
      auto packet = kernels.packet("&double", static_cast<uint32_t>(data.size()), 16);
      packet.kernarg_address = &argument;
      packet.completion_signal = done;
      queue.submit(packet);
      EXPECT_TRUE(becomes(done, 0));
      expected *= 2;
      EXPECT_EQ(data, std::vector<uint32_t>(data.size(), expected));
      EXPECT_SUCCESS(hsa_signal_destroy(done));
    }
  }
}

/// The kernel object and, if it is compiled, the code belong to the executable.
TEST_P(AmdKernels, LoadedCode) {
  const Kernels kernels(agent_, text);
  const uint64_t object = kernels.packet("&double", 1, 1).kernel_object;
  const void* host = nullptr;
  ASSERT_SUCCESS(hsa_ven_amd_loader_query_host_address(reinterpret_cast<void*>(object), &host));
  EXPECT_EQ(host, reinterpret_cast<void*>(object));
  hsa_executable_t executable{};
  ASSERT_SUCCESS(hsa_ven_amd_loader_query_executable(host, &executable));
  hsa_loaded_code_object_t loaded{};
  ASSERT_SUCCESS(hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
      executable,
      [](hsa_executable_t, hsa_loaded_code_object_t object, void* data) {
        *static_cast<hsa_loaded_code_object_t*>(data) = object;
        return HSA_STATUS_SUCCESS;
      },
      &loaded));
  uint64_t base = 1, size = 1;
  int64_t delta = 1;
  ASSERT_SUCCESS(hsa_ven_amd_loader_loaded_code_object_get_info(
      loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base));
  ASSERT_SUCCESS(hsa_ven_amd_loader_loaded_code_object_get_info(
      loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &size));
  ASSERT_SUCCESS(hsa_ven_amd_loader_loaded_code_object_get_info(
      loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA, &delta));
  const bool compiled = std::string(GetParam()) == "cpu";
  EXPECT_EQ(base != 0, compiled);
  EXPECT_EQ(size != 0, compiled);
  EXPECT_EQ(delta, compiled ? static_cast<int64_t>(base) - 4096 : 0);
  if (compiled) EXPECT_SUCCESS(hsa_ven_amd_loader_query_host_address(reinterpret_cast<void*>(base), &host));
}

}  // namespace
}  // namespace heddle::runtime::test
