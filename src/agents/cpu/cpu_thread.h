// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "agents/common/executor.h"
#include "agents/cpu/faults.h"
#include "agents/cpu/fibers.h"
#include "agents/cpu/kernel.h"
#include "agents/cpu/memory.h"

namespace heddle::cpu {

/// A thread that runs kernels, with its memory for group and private segments, its fibers, and its state for
/// the signal handlers.
class CpuThread final : public agents::ExecutorThread {
 public:
  explicit CpuThread(uint32_t compute_units);

  /// Runs groups of one dispatch until none are left. Errors are reported to `groups`.
  /// `resident`: all groups of the dispatch can be alive on this thread, if its waves are fibers.
  void run(const Kernel& kernel, const kernel_abi::Dispatch& dispatch, agents::Groups& groups, bool resident);

  void interrupt() override;
  void set_compute_unit(uint32_t unit) override { worker_.compute_unit = unit; }

  // The next three are for support functions, which call them on this thread and outside kernel code.
  static CpuThread& running();
  [[gnu::noinline]] void yield();
  /// Fails the dispatch and ends it on this thread. `instruction` is the address of the kernel's instruction
  /// that is the reason, or 0 if it is not known. The stack is abandoned without running destructors, so
  /// nothing on it may need one.
  [[noreturn]] void trap(const kernel_abi::Worker& worker, hsa_status_t status, std::string_view what,
                         uint64_t instruction = 0);

 private:
  void run_ranges(const Kernel& kernel, const kernel_abi::Dispatch& dispatch, agents::Groups& groups);
  void run_fibers(const Kernel& kernel, agents::Groups& groups, bool resident);
  Exit enter(uint64_t first, uint64_t last);
  static void enter_groups(void* self, uint64_t first, uint64_t last);
  void report(Exit exit, const kernel_abi::Worker* worker);
  [[gnu::noinline]] void report_trap(const kernel_abi::Worker& worker, hsa_status_t status,
                                     std::string_view what, uint64_t instruction) noexcept;
  bool stack_exhausted(uint64_t address) const;
  FiberScheduler& scheduler(const Kernel& kernel);

  KernelFrame frame_;
  FaultGuard guard_;
  const pthread_t thread_;
  uint64_t stack_limit_ = 0;
  kernel_abi::Worker worker_ = {};
  Pages group_memory_;
  Pages private_memory_;
  Pages frames_;
  const Kernel* kernel_ = nullptr;
  FiberScheduler* active_scheduler_ = nullptr;
  std::map<size_t, std::unique_ptr<FiberScheduler>> schedulers_;  ///< by the size of a stack in bytes
  uint32_t fruitless_ = 0;
};

}  // namespace heddle::cpu
