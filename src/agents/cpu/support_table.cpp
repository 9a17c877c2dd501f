// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/support_table.h"

#include <fmt/format.h>
#include <hsam/signal.h>

#include "agents/cpu/cpu_thread.h"

namespace heddle::cpu {
namespace {

using kernel_abi::Worker;

/// Null in kernels that run as ranges.
Fiber* fiber_of(Worker* worker) { return reinterpret_cast<Fiber*>(worker->agent_data); }

// Each leaves kernel code first and enters it again last: in between, the thread must not be cut off.

HEDDLE_CPU_BOUNDARY void barrier(Worker* worker) {
  KernelFrame& frame = *kernel_frame();
  frame.inside = 0;
  Fiber* fiber = fiber_of(worker);
  if (!fiber)
    CpuThread::running().trap(*worker, HSA_STATUS_ERROR, "barrier in code that was compiled without");
  fiber->group->scheduler->barrier(*fiber);
  frame.inside = 1;
}

HEDDLE_CPU_BOUNDARY void yield(Worker* worker) {
  KernelFrame& frame = *kernel_frame();
  frame.inside = 0;
  if (Fiber* fiber = fiber_of(worker))
    fiber->group->scheduler->yield(*fiber);
  else
    CpuThread::running().yield();
  frame.inside = 1;
}

[[noreturn, gnu::noinline]] void report_trap(Worker* worker, uint32_t reason, uint32_t detail) {
  CpuThread& thread = CpuThread::running();
  switch (reason) {
    case kernel_abi::trap_debugtrap:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, fmt::format("debugtrap {}", detail));
    case kernel_abi::trap_private_exhausted:
      thread.trap(*worker, HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                  fmt::format("private segment exhausted at {} bytes", detail));
    case kernel_abi::trap_unreachable:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, "unreachable code");
    default:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, fmt::format("trap {} ({})", reason, detail));
  }
}

[[noreturn]] HEDDLE_CPU_BOUNDARY void trap(Worker* worker, uint32_t reason, uint32_t detail) {
  kernel_frame()->inside = 0;
  report_trap(worker, reason, detail);
}

uint64_t clock(Worker*) { return hsam_timestamp(); }

void stack_check(Worker* worker, uint32_t private_bytes_used) {
  if (private_bytes_used > worker->dispatch->private_size)
    trap(worker, kernel_abi::trap_private_exhausted, private_bytes_used);
}

}  // namespace

const void* const* support_table() {
  static const void* const table[kernel_abi::support_count] = {
      reinterpret_cast<const void*>(&barrier),     reinterpret_cast<const void*>(&yield),
      reinterpret_cast<const void*>(&trap),        reinterpret_cast<const void*>(&clock),
      reinterpret_cast<const void*>(&stack_check),
  };
  return table;
}

}  // namespace heddle::cpu
