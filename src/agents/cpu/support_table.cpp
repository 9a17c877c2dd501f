// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/support_table.h"

#include <fmt/format.h>
#include <hsam/signal.h>
#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string_view>

#include "agents/common/signal_operation.h"
#include "agents/cpu/cpu_thread.h"
#include "agents/cpu/switch.h"
#include "image/instruction.h"
#include "support/float_exceptions.h"

namespace heddle::cpu {
namespace {

using kernel_abi::Worker;

/// The fiber of a worker; null in kernels whose waves run one after the other.
Fiber* fiber_of(Worker* worker) { return reinterpret_cast<Fiber*>(worker->agent_data); }

/// The agent's own code computes in the default floating-point environment, whatever that of the kernel is
/// which has called it. If the thread is cut off meanwhile, the environment becomes that of the frame from
/// which it continues.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : of_kernel_(_mm_getcsr()) { _mm_setcsr(kernel_mxcsr); }
  ~DefaultFloatEnvironment() { _mm_setcsr(of_kernel_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  const uint32_t of_kernel_;
};

/// Other packets of the queue may run meanwhile.
void yield_thread() {
  const DefaultFloatEnvironment environment;
  CpuThread::running().yield();
}

// Each support function first leaves kernel code and finally enters it again, because the thread must not be
// cut off in between.

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
    yield_thread();
  frame.inside = 1;
}

/// A message that needs no heap memory and no destructor. It is truncated if it is too long.
struct Text {
  char characters[192];
  size_t size;
  operator std::string_view() const { return {characters, size}; }
};

template <typename... Args>
Text text(fmt::format_string<Args...> format, Args&&... args) {
  Text made;
  made.size = std::min(
      sizeof made.characters,
      fmt::format_to_n(made.characters, sizeof made.characters, format, std::forward<Args>(args)...).size);
  return made;
}

Text exceptions_text(uint32_t exceptions) {
  try {
    return text("{}", exact::exception_names(exceptions));
  } catch (const std::bad_alloc&) {
    return text("exceptions {:#x}", exceptions);
  }
}

/// An address within the call instruction that ends at a return address.
uint64_t caller(void* return_address) { return reinterpret_cast<uint64_t>(return_address) - 1; }

[[noreturn, gnu::noinline]] void report_trap(Worker* worker, uint32_t reason, uint32_t detail,
                                             uint64_t instruction) {
  CpuThread& thread = CpuThread::running();
  switch (reason) {
    case kernel_abi::trap_debugtrap:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, text("debugtrap {}", detail), instruction);
    case kernel_abi::trap_private_exhausted:
      thread.trap(*worker, HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                  text("a private segment of {} bytes is needed, but the work-item has {} "
                       "(private_segment_size of the packet)",
                       detail, worker->dispatch->private_size),
                  instruction);
    case kernel_abi::trap_unreachable:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, "unreachable code", instruction);
    case kernel_abi::trap_exception:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, exceptions_text(detail), instruction);
    case kernel_abi::trap_deadlock:
      thread.trap(*worker, HSA_STATUS_ERROR,
                  text("no wave of the group can go on: {} wait in a barrier, the others have ended", detail),
                  instruction);
    default:
      thread.trap(*worker, HSA_STATUS_ERROR_EXCEPTION, text("trap {} ({})", reason, detail), instruction);
  }
}

[[noreturn]] HEDDLE_CPU_BOUNDARY void trap(Worker* worker, uint32_t reason, uint32_t detail) {
  kernel_frame()->inside = 0;
  report_trap(worker, reason, detail, caller(__builtin_return_address(0)));
}

uint64_t clock(Worker*) { return hsam_timestamp(); }

HEDDLE_CPU_BOUNDARY void stack_check(Worker* worker, uint32_t private_bytes_used) {
  if (private_bytes_used <= worker->dispatch->private_size) return;
  kernel_frame()->inside = 0;
  report_trap(worker, kernel_abi::trap_private_exhausted, private_bytes_used,
              caller(__builtin_return_address(0)));
}

[[noreturn, gnu::noinline]] void report_misuse(Worker* worker, uint32_t handle, const char* misuse,
                                               uint64_t instruction) {
  CpuThread::running().trap(*worker, HSA_STATUS_ERROR,
                            text("fbarrier at offset {} of the group segment {}", handle, misuse),
                            instruction);
}

HEDDLE_CPU_BOUNDARY void fbarrier(Worker* worker, uint32_t operation, uint32_t handle) {
  KernelFrame& frame = *kernel_frame();
  frame.inside = 0;
  Fiber* fiber = fiber_of(worker);
  if (!fiber)
    CpuThread::running().trap(*worker, HSA_STATUS_ERROR, "fbarrier in code that was compiled without");
  const char* misuse = nullptr;
  bool exhausted = false;  // the stack must not be abandoned while an exception is being handled
  try {
    misuse = fiber->group->scheduler->fbarrier(*fiber, static_cast<kernel_abi::FbarrierOperation>(operation),
                                               handle);
  } catch (const std::bad_alloc&) {
    exhausted = true;
  }
  if (exhausted)
    CpuThread::running().trap(*worker, HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for an fbarrier");
  if (misuse) report_misuse(worker, handle, misuse, caller(__builtin_return_address(0)));
  frame.inside = 1;
}

[[noreturn, gnu::noinline]] void report_address(Worker* worker, uint64_t address, const char* what,
                                                uint64_t instruction) {
  CpuThread::running().trap(*worker, HSA_STATUS_ERROR, text("0x{:x} is not {}", address, what), instruction);
}

/// The lanes of a wave that wait for signals (kernel_abi::support_signal_wait).
struct WaitingLanes {
  uint64_t lanes;
  const uint64_t* signals;
  uint64_t* values;
  const uint64_t* timeouts;

  /// Calls visit(lane) for each lane.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (uint64_t left = lanes; left != 0; left &= left - 1) visit(std::countr_zero(left));
  }
};

/// Fills Fiber::waits. Throws std::bad_alloc.
void set_waits(Fiber& fiber, uint32_t operation, const WaitingLanes& waiting) {
  const uint64_t now = agents::has_timeout(operation) ? hsam_timestamp() : 0;
  fiber.waits.clear();
  waiting.for_each([&](int lane) {
    SignalWait& wait = fiber.waits.emplace_back();
    wait.signal = agents::signal_of_kernel(waiting.signals[lane]);
    wait.condition = *agents::wait_condition(operation);
    wait.compare = static_cast<int64_t>(waiting.values[lane]);
    if (agents::has_timeout(operation)) wait.deadline = hsam_deadline(now, waiting.timeouts[lane]);
  });
}

/// Waits for signals, whose handles have been checked, and replaces the values by what was seen.
[[gnu::noinline]] void wait_for_signals(Worker* worker, uint32_t operation, const WaitingLanes& waiting) {
  Fiber* fiber = fiber_of(worker);
  if (!fiber)
    CpuThread::running().trap(*worker, HSA_STATUS_ERROR, "signal wait in code that was compiled without");
  bool exhausted = false;  // the stack must not be abandoned while an exception is being handled
  try {
    set_waits(*fiber, operation, waiting);
  } catch (const std::bad_alloc&) {
    exhausted = true;
  }
  if (exhausted)
    CpuThread::running().trap(*worker, HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory to wait for signals");
  fiber->group->scheduler->wait(*fiber);
  auto wait = fiber->waits.begin();
  waiting.for_each([&](int lane) { waiting.values[lane] = static_cast<uint64_t>((wait++)->value); });
}

/// Kernels get handles from their arguments and from memory. What a handle refers to is read before this
/// leaves kernel code, so that an invalid handle faults as any access of the kernel does.
HEDDLE_CPU_BOUNDARY uint64_t signal(Worker* worker, uint32_t operation, uint64_t handle, uint64_t value,
                                    uint64_t value2) {
  KernelFrame& frame = *kernel_frame();
  const uint64_t instruction = caller(__builtin_return_address(0));
  frame.support_called_at = instruction;
  hsam_signal* object = agents::signal_of_kernel(handle);
  frame.support_called_at = 0;
  frame.inside = 0;
  if (!object) report_address(worker, handle, "a signal", instruction);
  if (agents::wait_condition(operation))
    wait_for_signals(worker, operation, {1, &handle, &value, &value2});
  else
    value = static_cast<uint64_t>(
        agents::perform_signal(operation, object, static_cast<int64_t>(value), static_cast<int64_t>(value2))
            .value_or(0));
  frame.inside = 1;
  return value;
}

/// What the handles refer to is read before this leaves kernel code, as above.
HEDDLE_CPU_BOUNDARY void signal_wait(Worker* worker, uint32_t operation, uint64_t lanes,
                                     const uint64_t* signals, uint64_t* values, const uint64_t* timeouts) {
  KernelFrame& frame = *kernel_frame();
  const uint64_t instruction = caller(__builtin_return_address(0));
  frame.support_called_at = instruction;
  uint64_t left = lanes;
  while (left != 0 && agents::signal_of_kernel(signals[std::countr_zero(left)])) left &= left - 1;
  frame.support_called_at = 0;
  frame.inside = 0;
  if (left != 0) report_address(worker, signals[std::countr_zero(left)], "a signal", instruction);
  wait_for_signals(worker, operation, {lanes, signals, values, timeouts});
  frame.inside = 1;
}

/// Owns nothing and takes no locks, so that it may be cut off anywhere, as kernel code may.
uint64_t* queue_index(Worker* worker, uint64_t queue, uint32_t write) {
  KernelFrame& frame = *kernel_frame();
  const uint64_t instruction = caller(__builtin_return_address(0));
  frame.support_called_at = instruction;
  uint64_t* index = agents::queue_index_of_kernel(queue, write != 0);
  frame.support_called_at = 0;
  if (index) return index;
  frame.inside = 0;
  report_address(worker, queue, "the address of a queue", instruction);
}

/// Holds no lock and owns no memory, so that it may be cut off anywhere, as kernel code may.
uint32_t exceptions(Worker*, uint32_t operation, uint64_t a, uint64_t b, uint64_t c) {
  return exact::exceptions_of(exact::Description::decode(operation), a, b, c);
}

/// Owns nothing and takes no locks, so that it may be cut off anywhere, as kernel code may.
void image(Worker* worker, uint32_t what, uint64_t handle, uint64_t sampler, uint32_t* words) {
  KernelFrame& frame = *kernel_frame();
  const uint64_t instruction = caller(__builtin_return_address(0));
  const DefaultFloatEnvironment environment;
  frame.support_called_at = instruction;
  const image::Misuse misuse = image::execute(image::unpack(what), {handle, sampler, words, words + 4});
  frame.support_called_at = 0;
  if (misuse == image::Misuse::none) return;
  frame.inside = 0;
  report_address(worker, misuse == image::Misuse::sampler ? sampler : handle, image::text_of(misuse),
                 instruction);
}

static_assert(uint32_t{HSAM_EVENT_VALUE_32} == kernel_abi::event_value_32 &&
                  uint32_t{HSAM_EVENT_VALUE_64} == kernel_abi::event_value_64 &&
                  uint32_t{HSAM_EVENT_VALUE_STRING} == kernel_abi::event_value_string &&
                  uint32_t{HSAM_EVENT_VALUE_QUEUE_ID} == kernel_abi::event_value_queue_id &&
                  offsetof(hsam_event_value, bits) == offsetof(kernel_abi::EventValue, bits) &&
                  sizeof(hsam_event_value) == sizeof(kernel_abi::EventValue) &&
                  std::endian::native == std::endian::little,
              "what kernels write is what observers read");

/// Observers take locks and allocate memory, so that the thread must not be cut off meanwhile.
HEDDLE_CPU_BOUNDARY void event(Worker*, uint64_t id, uint32_t count, const kernel_abi::EventValue* values) {
  KernelFrame& frame = *kernel_frame();
  frame.inside = 0;
  {
    const DefaultFloatEnvironment environment;
    frame.groups->trigger(id, {reinterpret_cast<const hsam_event_value*>(values), count});
  }
  frame.inside = 1;
}

}  // namespace

const void* const* support_table() {
  static const void* const table[kernel_abi::support_count] = {
      reinterpret_cast<const void*>(&barrier),     reinterpret_cast<const void*>(&yield),
      reinterpret_cast<const void*>(&trap),        reinterpret_cast<const void*>(&clock),
      reinterpret_cast<const void*>(&stack_check), reinterpret_cast<const void*>(&fbarrier),
      reinterpret_cast<const void*>(&signal),      reinterpret_cast<const void*>(&queue_index),
      reinterpret_cast<const void*>(&exceptions),  reinterpret_cast<const void*>(&image),
      reinterpret_cast<const void*>(&signal_wait), reinterpret_cast<const void*>(&event),
  };
  return table;
}

}  // namespace heddle::cpu
