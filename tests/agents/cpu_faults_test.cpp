// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that fault: their queue stops and reports the reason, while the process and the other queues go on.
#include <xmmintrin.h>

#include <csetjmp>
#include <csignal>

#include "agents/cpu/sanitizers.h"
#include "cpu_fixture.h"

namespace heddle::cpu::test {
namespace {

using namespace std::chrono_literals;

[[gnu::noinline]] void write_to(uint64_t address) {
  asm("" : "+r"(address));  // keeps the compiler from knowing the address
  *reinterpret_cast<volatile int*>(address) = 1;
}

/// Divides by zero with a machine instruction, because C++ leaves a division by zero undefined.
void divide(volatile uint32_t* sink) {
  uint32_t low = 1, high = 0;
  asm volatile("xorl %%ecx, %%ecx\n divl %%ecx" : "+a"(low), "+d"(high) : : "ecx", "cc");
  *sink = low;
}

void overflow_stack(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth < 1 << 20) overflow_stack(depth + 1);
  frame[1] = frame[0];
}

struct Crash {
  uint32_t kind;
  uint32_t victim = 0;  ///< flattened ID of the work-group that crashes
};

void crash(const Crash& c) {
  volatile uint32_t sink = 0;
  switch (c.kind) {
    case 0:
      return write_to(16);
    case 1:
      return divide(&sink);
    case 2:
      asm volatile("ud2");
      break;
    case 3:
      return write_to(0xdead000000000000);
    case 4:
      asm volatile("std\n movl $0, 8" : : : "memory");
      break;  // faults with the direction flag set
  }
}

struct Expectation {
  uint32_t kind;
  hsa_status_t status;
  const char* text;
};
constexpr Expectation expectations[] = {
    {0, HSA_STATUS_ERROR_FATAL, "memory fault at 0x10"},    {1, HSA_STATUS_ERROR_EXCEPTION, "divide"},
    {2, HSA_STATUS_ERROR_EXCEPTION, "illegal instruction"}, {3, HSA_STATUS_ERROR_FATAL, "memory fault"},
    {4, HSA_STATUS_ERROR_FATAL, "memory fault at 0x8"},
};

class CpuFaultTest : public CpuTest {
 protected:
  void expect_fault(uint64_t kernel, const Expectation& expected, uint32_t grid, uint16_t group) {
    FakeQueue q;
    const auto p = open(q);
    Crash arguments = {expected.kind, 2};
    Signal done;
    auto packet = dispatch(kernel, grid, group, &done);
    packet.kernarg_address = &arguments;
    q.submit(packet);
    const auto e = FakeDriver::get().error_of(q.id());
    EXPECT_EQ(e.status, expected.status) << e.message;
    EXPECT_NE(e.message.find(expected.text), std::string::npos) << e.message;
    EXPECT_NE(e.message.find("kernel &kernel, "), std::string::npos) << e.message;
    EXPECT_NE(e.message.find("of work-group (2, 0, 0)"), std::string::npos) << e.message;
    EXPECT_EQ(done.load(), 1);
    EXPECT_EQ(FakeDriver::get().error_of(q.id(), 5ms).status, HSA_STATUS_SUCCESS) << "reported once";
  }
};

TEST_F(CpuFaultTest, FaultsInRangesBecomeErrors) {
  const auto kernel = ranges([](Worker* worker, uint64_t first, uint64_t last) {
    for (uint64_t g = first; g < last; ++g) {
      worker->group_id[0] = static_cast<uint32_t>(g);
      if (g == argument<Crash>(worker).victim) crash(argument<Crash>(worker));
    }
  });
  const auto good = ranges([](Worker* worker, uint64_t, uint64_t) { ++argument<std::atomic<int>>(worker); });
  start();
  for (int round = 0; round < 3; ++round)
    for (const Expectation& expected : expectations) expect_fault(kernel, expected, 10, 1);
  // The agent still works, on the same pool.
  std::atomic<int> runs{0};
  EXPECT_TRUE(run(good, 10, 10, runs));
  EXPECT_EQ(runs, 1);
}

TEST_F(CpuFaultTest, FaultsInFibersBecomeErrorsThatNameTheWorkItem) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    barrier(worker);
    if (worker->group_id[0] == 2 && item == 5) crash(argument<Crash>(worker));
    barrier(worker);
  });
  struct Good {
    std::atomic<uint32_t> runs{0};
  } good_arguments;
  const auto good = waves([](Worker* worker, uint32_t) {
    barrier(worker);
    ++argument<Good>(worker).runs;
  });
  start();
  for (const Expectation& expected : expectations) expect_fault(kernel, expected, 40, 8);
  FakeQueue q;
  const auto p = open(q);
  Crash arguments = {0};
  auto packet = dispatch(kernel, 40, 8);
  packet.kernarg_address = &arguments;
  q.submit(packet);
  EXPECT_NE(FakeDriver::get().error_of(q.id()).message.find(
                "absolute work-item (21, 0, 0), which is work-item (5, 0, 0)"),
            std::string::npos);
  EXPECT_TRUE(run(good, 64, 16, good_arguments));
  EXPECT_EQ(good_arguments.runs, 64u);
}

/// Kernels may run in the processor's mode for flushing. The agent's own code does not, wherever it was cut
/// off.
TEST_F(CpuFaultTest, TheFloatingPointEnvironmentOfAKernelEndsWithIt) {
  constexpr unsigned flushing = 0x8040;
  static constexpr auto crashing = [](Worker* worker) {
    _mm_setcsr(_mm_getcsr() | flushing);
    if (argument<Crash>(worker).kind == 5) trap(worker, kernel_abi::trap_debugtrap, 1);
    crash(argument<Crash>(worker));
  };
  const uint64_t kernels[] = {ranges([](Worker* worker, uint64_t, uint64_t) { crashing(worker); }),
                              waves([](Worker* worker, uint32_t) { crashing(worker); })};
  start(0);
  for (const uint64_t kernel : kernels) {
    for (const uint32_t kind : {0u, 1u, 5u}) {
      FakeQueue q;
      const auto p = open(q);
      Crash arguments = {kind};
      auto packet = dispatch(kernel, 1, 1);
      packet.kernarg_address = &arguments;
      q.submit(packet);
      const auto e = FakeDriver::get().error_of(q.id());
      EXPECT_NE(e.status, HSA_STATUS_SUCCESS);
      EXPECT_EQ(e.float_environment & flushing, 0u) << e.message;
    }
  }
}

TEST_F(CpuFaultTest, AnExhaustedStackIsAnError) {
#if HEDDLE_CPU_ASAN || HEDDLE_CPU_TSAN
  GTEST_SKIP() << "the sanitizer reports it first";
#endif
  start(0);
  int nothing = 0;
  const auto on_fiber = waves([](Worker*, uint32_t) { overflow_stack(0); });
  const auto on_thread = ranges([](Worker*, uint64_t, uint64_t) { overflow_stack(0); });
  for (auto kernel : {on_fiber, on_thread}) {
    FakeQueue q;
    const auto p = open(q);
    auto packet = dispatch(kernel, 2, 2);
    packet.kernarg_address = &nothing;
    q.submit(packet);
    const auto e = FakeDriver::get().error_of(q.id());
    EXPECT_EQ(e.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES) << e.message;
    EXPECT_NE(e.message.find("stack"), std::string::npos) << e.message;
  }
}

TEST_F(CpuFaultTest, TrapsAreReportedWithTheirOperand) {
  struct Case {
    uint32_t reason;
    hsa_status_t status;
    const char* text;
  };
  const Case cases[] = {{kernel_abi::trap_debugtrap, HSA_STATUS_ERROR_EXCEPTION, "debugtrap 77"},
                        {kernel_abi::trap_private_exhausted, HSA_STATUS_ERROR_OUT_OF_RESOURCES, "77 bytes"},
                        {kernel_abi::trap_unreachable, HSA_STATUS_ERROR_EXCEPTION, "unreachable"},
                        {kernel_abi::trap_deadlock, HSA_STATUS_ERROR, "77 wait in a barrier"}};
  start();
  for (bool fibers : {false, true}) {
    const auto kernel =
        fibers ? waves([](Worker* worker, uint32_t) { trap(worker, argument<uint32_t>(worker), 77); })
               : ranges([](Worker* worker, uint64_t, uint64_t) {
                   trap(worker, argument<uint32_t>(worker), 77);
                 });
    for (const Case& c : cases) {
      FakeQueue q;
      const auto p = open(q);
      uint32_t reason = c.reason;
      auto packet = dispatch(kernel, 2, 2);
      packet.kernarg_address = &reason;
      q.submit(packet);
      const auto e = FakeDriver::get().error_of(q.id());
      EXPECT_EQ(e.status, c.status);
      EXPECT_NE(e.message.find(c.text), std::string::npos) << e.message;
    }
  }
}

TEST_F(CpuFaultTest, AnExhaustedPrivateSegmentIsFoundByTheCheck) {
  const auto kernel = ranges([](Worker* worker, uint64_t, uint64_t) {
    stack_check(worker, worker->dispatch->private_size);
    stack_check(worker, worker->dispatch->private_size + 1);
  });
  start();
  auto packet = dispatch(kernel, 1, 1);
  packet.private_segment_size = 500;
  queue.submit(packet);
  const auto e = error();
  EXPECT_EQ(e.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_NE(e.message.find("501 bytes"), std::string::npos) << e.message;
  EXPECT_NE(e.message.find("has 500"), std::string::npos) << e.message;
}

TEST_F(CpuFaultTest, ABarrierInARangeIsAnError) {
  const auto kernel = ranges([](Worker* worker, uint64_t, uint64_t) { barrier(worker); });
  start();
  queue.submit(dispatch(kernel, 1, 1));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR);
}

struct Endless {
  std::atomic<int> running{0};
};

TEST_F(CpuFaultTest, InactivationEndsKernelsThatAskNobody) {
#if HEDDLE_CPU_TSAN
  GTEST_SKIP() << "ThreadSanitizer delivers signals only at calls that it knows";
#endif
  const kernel_abi::GroupsEntry range = [](Worker* worker, uint64_t, uint64_t) {
    ++argument<Endless>(worker).running;
    while (true) asm volatile("" : : : "memory");
  };
  const kernel_abi::WaveEntry wave = [](Worker* worker, uint32_t item) {
    ++argument<Endless>(worker).running;
    if (item % 2 != 0) barrier(worker);
    while (true) asm volatile("" : : : "memory");
  };
  const kernel_abi::WaveEntry yielding = [](Worker* worker, uint32_t) {
    ++argument<Endless>(worker).running;
    while (true) yield(worker);
  };
  const kernel_abi::GroupsEntry yielding_range = [](Worker* worker, uint64_t, uint64_t) {
    ++argument<Endless>(worker).running;
    while (true) yield(worker);
  };
  start();
  for (auto kernel : {ranges(range), waves(wave), waves(yielding), ranges(yielding_range)}) {
    FakeQueue q;
    const auto p = open(q);
    Endless arguments;
    Signal done;
    auto packet = dispatch(kernel, 64, 4, &done);
    packet.kernarg_address = &arguments;
    q.submit(packet);
    while (arguments.running == 0) std::this_thread::yield();
    p->inactivate();
    EXPECT_EQ(done.load(), 1);
    EXPECT_EQ(FakeDriver::get().error_of(q.id(), 5ms).status, HSA_STATUS_SUCCESS);
  }
}

// ---- faults outside of kernels ----

sigjmp_buf application_recovery;
std::atomic<int> application_faults{0};

TEST_F(CpuFaultTest, FaultsOfTheApplicationGoToItsHandler) {
#if HEDDLE_CPU_ASAN || HEDDLE_CPU_TSAN
  GTEST_SKIP() << "jumps out of a handler";
#endif
  struct sigaction mine = {}, before = {};
  mine.sa_handler = [](int) {
    ++application_faults;
    siglongjmp(application_recovery, 1);
  };
  sigaction(SIGSEGV, &mine, &before);
  start();  // installs the agent's handlers over the application's
  const auto kernel = ranges([](Worker*, uint64_t, uint64_t) { write_to(24); });
  queue.submit(dispatch(kernel, 1, 1));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(application_faults, 0);
  if (sigsetjmp(application_recovery, 1) == 0) write_to(16);
  EXPECT_EQ(application_faults, 1);
  processor.reset();
}

TEST(CpuFaultDeathTest, FaultsOfNobodyEndTheProcess) {
#if HEDDLE_CPU_ASAN || HEDDLE_CPU_TSAN
  GTEST_SKIP() << "the sanitizer takes the fault";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        CpuExecutor executor(4, 1, limits);
        const auto thread = executor.make_thread();
        write_to(16);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace heddle::cpu::test
