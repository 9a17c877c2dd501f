// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that run as ranges of work-groups, and the values that the agent passes to kernels.
#include <immintrin.h>

#include <cfenv>
#include <numeric>

#include "cpu_fixture.h"

namespace heddle::cpu::test {
namespace {

using namespace std::chrono_literals;

struct Counts {
  std::vector<std::atomic<int>> groups = std::vector<std::atomic<int>>(5000);
  std::atomic<int> misaligned{0};
};

TEST_F(CpuTest, RangesCoverEveryGroupOnce) {
  const auto kernel = ranges([](Worker* worker, uint64_t first, uint64_t last) {
    auto& counts = argument<Counts>(worker);
    if (worker->group_base % 64 != 0) ++counts.misaligned;
    auto* shared = reinterpret_cast<volatile char*>(worker->group_base);
    shared[0] = 1;
    shared[worker->dispatch->group_total_size - 1] = 1;
    auto* memory = reinterpret_cast<volatile char*>(worker->private_base);
    memory[0] = 1;
    memory[worker->dispatch->private_size - 1] = 1;
    for (uint64_t g = first; g < last; ++g) ++counts.groups[g];
  });
  start();
  Counts counts;
  Signal done;
  auto packet = dispatch(kernel, 5000 * 16 - 3, 16, &done);
  packet.kernarg_address = &counts;
  packet.group_segment_size = 64 * 1024;
  packet.private_segment_size = 1 << 20;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  for (size_t g = 0; g < counts.groups.size(); ++g) ASSERT_EQ(counts.groups[g], 1) << g;
  EXPECT_EQ(counts.misaligned, 0);
}

TEST_F(CpuTest, KernelsLearnTheirDispatch) {
  static kernel_abi::Dispatch seen;
  static kernel_abi::Worker worker_seen;
  const auto kernel = ranges([](Worker* worker, uint64_t, uint64_t) {
    seen = *worker->dispatch;
    worker_seen = *worker;
  });
  start();
  int dummy = 0;
  Signal done;
  hsa_kernel_dispatch_packet_t packet = dispatch(kernel, 100, 30, &done);
  packet.setup = 2;
  packet.grid_size_y = 7;
  packet.workgroup_size_y = 4;
  packet.kernarg_address = &dummy;
  packet.group_segment_size = 1000;
  packet.private_segment_size = 72;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(seen.kernarg, reinterpret_cast<uint64_t>(&dummy));
  EXPECT_EQ(seen.dimensions, 2u);
  EXPECT_EQ(seen.grid_size[0], 100u);
  EXPECT_EQ(seen.grid_size[1], 7u);
  EXPECT_EQ(seen.grid_size[2], 1u);
  EXPECT_EQ(seen.group_size[0], 30u);
  EXPECT_EQ(seen.grid_groups[0], 4u);
  EXPECT_EQ(seen.grid_groups[1], 2u);
  EXPECT_EQ(seen.packet_id, 0u);
  EXPECT_EQ(seen.completion_signal, done.handle().handle);
  EXPECT_EQ(seen.queue, reinterpret_cast<uint64_t>(queue.info().queue_header_user_addr));
  EXPECT_EQ(seen.group_total_size, 1000u);
  EXPECT_GE(seen.private_size, 72u);
  EXPECT_GE(seen.private_stride, seen.private_size);
  EXPECT_EQ(seen.private_stride % 16, 0u);
  EXPECT_LE(worker_seen.compute_unit, worker_seen.max_compute_unit);
}

TEST_F(CpuTest, TheFloatingPointEnvironmentIsHsailsAndStaysOutside) {
  struct Environment {
    uint32_t ranges = 0, waves = 0;
  } environment;
  const auto kernel = ranges([](Worker* worker, uint64_t, uint64_t) {
    argument<Environment>(worker).ranges = _mm_getcsr();
    _mm_setcsr(0x9fc0);  // leaves flush-to-zero behind
  });
  const auto fiber = waves([](Worker* worker, uint32_t) {
    argument<Environment>(worker).waves = _mm_getcsr();
    _mm_setcsr(0x9fc0);
  });
  start(0);
  for (int i = 0; i < 2; ++i) {
    environment = {};
    ASSERT_TRUE(run(kernel, 1, 1, environment));
    ASSERT_TRUE(run(fiber, 1, 1, environment));
    EXPECT_EQ(environment.ranges, 0x1f80u);
    EXPECT_EQ(environment.waves, 0x1f80u);
  }
}

struct Refused {
  const char* what;
  hsa_status_t status;
  std::function<void(hsa_kernel_dispatch_packet_t&)> change;
};

TEST_F(CpuTest, PacketsThatDoNotFitTheKernelAreRefused) {
  auto kernel = std::make_shared<Kernel>();
  kernel->groups_entry = [](Worker*, uint64_t, uint64_t) {};
  kernel->info.group_size = 100;
  kernel->info.required_group_size[0] = 8;
  kernel->info.required_dim = 1;
  kernel->info.max_flat_grid_size = 1000;
  kernel->info.max_dynamic_group_size = 50;
  const auto handle = add(std::move(kernel));
  pool = std::make_unique<agents::WorkerPool>(executor, 1);
  const Refused cases[] = {
      {"kernel", HSA_STATUS_ERROR_INVALID_CODE_OBJECT, [](auto& p) { p.kernel_object += 256; }},
      {"garbage", HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
       [](auto& p) { p.kernel_object = 0x1234567890abcdef; }},
      {"group segment", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.group_segment_size = 151; }},
      {"private segment", HSA_STATUS_ERROR_OUT_OF_RESOURCES,
       [](auto& p) { p.private_segment_size = UINT32_MAX; }},
      {"group size", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.workgroup_size_x = 4; }},
      {"grid size", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.grid_size_x = 1001; }},
      {"dimensions", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, [](auto& p) { p.setup = 2; }},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.what);
    FakeQueue q;
    const auto p = open(q);
    Signal done;
    auto packet = dispatch(handle, 800, 8, &done);
    refused.change(packet);
    q.submit(packet);
    const auto error = FakeDriver::get().error_of(q.id());
    EXPECT_EQ(error.status, refused.status) << error.message;
    EXPECT_EQ(done.load(), 1);
  }
  FakeQueue q;
  const auto p = open(q);
  Signal done;
  auto packet = dispatch(handle, 800, 8, &done);
  packet.group_segment_size = 150;
  q.submit(packet);
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(CpuTest, TooMuchGroupMemoryIsAnInvalidAllocation) {
  const auto kernel = ranges([](Worker*, uint64_t, uint64_t) {});
  start();
  auto packet = dispatch(kernel, 1, 1);
  packet.group_segment_size = UINT32_MAX;
  queue.submit(packet);
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(CpuTest, CodeStaysWhileItRuns) {
  struct Shared {
    std::atomic<bool> running{false}, release{false};
  } shared;
  auto kernel = std::make_shared<Kernel>();
  kernel->groups_entry = [](Worker* worker, uint64_t, uint64_t) {
    auto& s = argument<Shared>(worker);
    s.running = true;
    while (!s.release) std::this_thread::sleep_for(100us);
  };
  const std::weak_ptr<Kernel> watch = kernel;
  const auto handle = add(std::move(kernel));
  start();
  Signal done;
  auto packet = dispatch(handle, 1, 1, &done);
  packet.kernarg_address = &shared;
  queue.submit(packet);
  while (!shared.running) std::this_thread::yield();
  executor.kernels().remove(handle);
  EXPECT_FALSE(watch.expired());
  shared.release = true;
  ASSERT_TRUE(done.becomes(0));
  processor.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace heddle::cpu::test
