// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of the CPU agent without runtime and finalizer: kernels are C++ functions with the entries of
// kernel_abi.h.
#pragma once

#include <gtest/gtest.h>

#include "agents/common/packet_processor.h"
#include "agents/cpu/cpu_executor.h"
#include "agents/cpu/kernel.h"
#include "fake_queue.h"

namespace heddle::cpu::test {

using agents::test::dispatch;
using agents::test::FakeDriver;
using agents::test::FakeQueue;
using agents::test::Signal;
using kernel_abi::Worker;

inline constexpr agents::SegmentSizes limits = {
    .group = 64 * 1024, .private_work_item = 1 << 20, .private_group = 64 << 20};

template <typename T>
T& argument(const Worker* worker) {
  return *reinterpret_cast<T*>(worker->dispatch->kernarg);
}
inline void barrier(Worker* worker) {
  reinterpret_cast<void (*)(Worker*)>(const_cast<void*>(worker->support[kernel_abi::support_barrier]))(
      worker);
}
inline void yield(Worker* worker) {
  reinterpret_cast<void (*)(Worker*)>(const_cast<void*>(worker->support[kernel_abi::support_yield]))(worker);
}
inline void trap(Worker* worker, uint32_t reason, uint32_t detail) {
  reinterpret_cast<void (*)(Worker*, uint32_t, uint32_t)>(
      const_cast<void*>(worker->support[kernel_abi::support_trap]))(worker, reason, detail);
}
inline void stack_check(Worker* worker, uint32_t used) {
  reinterpret_cast<void (*)(Worker*, uint32_t)>(
      const_cast<void*>(worker->support[kernel_abi::support_stack_check]))(worker, used);
}
inline uint32_t flat_group(const Worker* worker) {
  const auto& d = *worker->dispatch;
  return (worker->group_id[2] * d.grid_groups[1] + worker->group_id[1]) * d.grid_groups[0] +
         worker->group_id[0];
}

class CpuTest : public ::testing::Test {
 protected:
  /// Opens a packet processor for the queue, with `threads` pool threads beside the processor's own thread.
  void start(uint32_t threads = 2) {
    pool = std::make_unique<agents::WorkerPool>(executor, threads);
    processor = open(queue);
  }
  std::unique_ptr<agents::PacketProcessor> open(FakeQueue& q) {
    agents::QueueSettings settings;
    settings.driver = FakeDriver::get().interface();
    settings.executor = &executor;
    settings.pool = pool.get();
    settings.queue = q.id();
    settings.info = q.info();
    settings.doorbell = q.doorbell();
    auto created = agents::PacketProcessor::create(settings);
    EXPECT_TRUE(created.ok());
    return std::move(*created);
  }
  uint64_t add(std::shared_ptr<Kernel> kernel, const char* name = "&kernel") {
    kernel->name = kernel->info.name = name;
    return executor.kernels().add(std::move(kernel));
  }
  uint64_t ranges(kernel_abi::GroupsEntry entry) {
    auto kernel = std::make_shared<Kernel>();
    kernel->groups_entry = entry;
    return add(std::move(kernel));
  }
  uint64_t waves(kernel_abi::WaveEntry entry, uint32_t wave_size = 1) {
    auto kernel = std::make_shared<Kernel>();
    kernel->wave_entry = entry;
    kernel->needs_fibers = true;
    kernel->wave_size = kernel->info.lanes = wave_size;
    return add(std::move(kernel));
  }
  /// Submits a dispatch and waits for its completion.
  template <typename T>
  bool run(uint64_t kernel, uint32_t grid, uint16_t group, T& arguments) {
    Signal done;
    auto packet = dispatch(kernel, grid, group, &done);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
    return done.becomes(0);
  }
  agents::test::QueueError error(std::chrono::milliseconds time = std::chrono::minutes(10)) {
    return FakeDriver::get().error_of(queue.id(), time);
  }

  CpuExecutor executor{4, 4, limits};
  FakeQueue queue;
  std::unique_ptr<agents::WorkerPool> pool;
  std::unique_ptr<agents::PacketProcessor> processor;
};

}  // namespace heddle::cpu::test
