// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process ends while the runtime is at work. Whoever ends it and however: it ends at once, with the status
// that it asked for.
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "../runtime/kernels.h"
#include "stress.h"

namespace heddle::stress {
namespace {

constexpr int expected = 42;

enum class Way : uint8_t { exit, _exit, quick_exit, exit_after_shut_down };
enum class Place : uint8_t { main, thread, queue_callback, signal_handler };

struct Case {
  Way way;
  Place place;
};

[[noreturn]] void end(Way way) {
  switch (way) {
    case Way::_exit:
      _exit(expected);
    case Way::quick_exit:
      std::quick_exit(expected);
    case Way::exit_after_shut_down:
      hsa_shut_down();
      [[fallthrough]];
    case Way::exit:
      break;
  }
  std::exit(expected);
}

Way chosen;

/// Makes the process end at a place while a kernel runs for ever, a barrier packet waits, a copy waits, and
/// another thread waits for a signal.
void end_with_work_in_flight(Case c) {
  chosen = c.way;
  if (hsa_init() != HSA_STATUS_SUCCESS) _exit(1);
  const hsa_agent_t cpu = agent(Kind::cpu);
  const runtime::test::Kernels kernels(cpu, R"(module &m:1:2:$full:$large:$near;
prog kernel &endless(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  br @again;
};
)");
  const hsa_signal_t never = signal(1);
  auto started = std::make_unique<uint32_t>(0);
  auto argument = std::make_unique<uint64_t>(runtime::test::address_of(started.get()));
  auto packet = kernels.packet("&endless", 64, 1);
  packet.kernarg_address = argument.get();
  const auto stuck = barrier(never, {0});
  submit(queue(cpu, 64), &packet);
  submit(queue(cpu, 64), &stuck);
  while (__atomic_load_n(started.get(), __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  static char from[64], to[64];
  if (hsa_amd_memory_async_copy(to, cpu, from, cpu, sizeof to, 1, &never, never) != HSA_STATUS_SUCCESS)
    _exit(2);
  std::thread([never] { wait_for(never, 0); }).detach();
  switch (c.place) {
    case Place::main:
      end(c.way);
    case Place::thread:
      std::thread([c] { end(c.way); }).detach();
      break;
    case Place::queue_callback: {
      // A packet of a type that the queue does not know.
      hsa_queue_t* failing = queue(cpu, 64, [](hsa_status_t, hsa_queue_t*, void*) { end(chosen); });
      hsa_kernel_dispatch_packet_t unknown{};
      unknown.header = 99;
      submit(failing, &unknown);
      break;
    }
    case Place::signal_handler: {
      const hsa_signal_t rung = signal(1);
      const auto handler = [](hsa_signal_value_t, void*) -> bool { end(chosen); };
      if (hsa_amd_signal_async_handler(rung, HSA_SIGNAL_CONDITION_EQ, 0, handler, nullptr) !=
          HSA_STATUS_SUCCESS)
        _exit(3);
      hsa_signal_store_screlease(rung, 0);
      break;
    }
  }
  for (;;) pause();
}

class Exit : public ::testing::TestWithParam<Case> {};

TEST_P(Exit, WithWorkInFlight) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const uint64_t times = size(1, 20);
  for (uint64_t i = 0; i < times; ++i)
    ASSERT_EXIT(end_with_work_in_flight(GetParam()), ::testing::ExitedWithCode(expected), "");
}

constexpr const char* ways[] = {"exit", "_exit", "quick_exit", "exitAfterShutDown"};
constexpr const char* places[] = {"Main", "Thread", "QueueCallback", "SignalHandler"};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (uint8_t way = 0; way < std::size(ways); ++way)
    for (uint8_t place = 0; place < std::size(places); ++place)
      // A callback counts as a call, and hsa_shut_down would wait for its end (docs/spec-decisions.md).
      if (static_cast<Way>(way) != Way::exit_after_shut_down || place <= static_cast<uint8_t>(Place::thread))
        all.push_back({static_cast<Way>(way), static_cast<Place>(place)});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ways, Exit, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(ways[static_cast<size_t>(info.param.way)]).replace(0, info.param.way == Way::_exit, "") +
         "In" + places[static_cast<size_t>(info.param.place)] +
         (info.param.way == Way::_exit ? "AtOnce" : "");
});

}  // namespace
}  // namespace heddle::stress
