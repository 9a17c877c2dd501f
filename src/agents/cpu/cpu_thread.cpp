// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/cpu_thread.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hsam/signal.h>

#include <new>

#include "agents/cpu/faulting_lanes.h"
#include "agents/cpu/support_table.h"
#include "agents/cpu/switch.h"
#include "agents/cpu/work_sizes.h"
#include "support/exception_safety.h"
#if HEDDLE_CPU_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace heddle::cpu {
namespace {

// Bytes of a fiber's stack for each work-item of its wave. Private segments have memory of their own, so
// stacks hold only spills and call frames, of which recursive code may have many.
constexpr size_t ordinary_stack = 64 * 1024;
constexpr size_t deep_stack = 1024 * 1024;
// An access at most this many bytes below a thread's stack is taken for an overflow of the stack.
constexpr uint64_t stack_guard = 64 * 1024;

thread_local CpuThread* this_thread = nullptr;

uint64_t calling_thread_stack_limit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* limit = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &limit, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uint64_t>(limit);
}

/// A memory fault is fatal, because a kernel with one wild address may have overwritten anything before.
hsa_status_t status_of(const Fault& fault) {
  return fault.signal == SIGFPE || fault.signal == SIGILL ? HSA_STATUS_ERROR_EXCEPTION
                                                          : HSA_STATUS_ERROR_FATAL;
}

/// The access that failed; nothing for faults that are no accesses, and where Linux does not say the address.
std::optional<agents::MemoryFault> access_of(const Fault& fault) {
  if (fault.signal == SIGBUS) return agents::MemoryFault{fault.address, HSAM_FAULT_NOT_PRESENT};
  if (fault.signal != SIGSEGV || fault.code == SI_KERNEL) return std::nullopt;
  return agents::MemoryFault{fault.address, fault.code == SEGV_ACCERR
                                                ? static_cast<uint32_t>(HSAM_FAULT_NOT_PERMITTED)
                                                : static_cast<uint32_t>(HSAM_FAULT_NOT_PRESENT)};
}

using WorkItem = std::array<uint32_t, 3>;

/// The work-item that trapped, or else the first one of the wave that was running: if the wave has no fiber,
/// the one that the loop over the waves stored last. Nothing if the loop has not stored one yet.
std::optional<WorkItem> work_item_of(const kernel_abi::Worker& worker) {
  const uint32_t* size = worker.current_group_size;
  if (worker.agent_data != 0 && worker.workitem_traps == 0) {
    const uint32_t flat = reinterpret_cast<const Fiber*>(worker.agent_data)->first_workitem;
    return WorkItem{flat % size[0], flat / size[0] % size[1], flat / size[0] / size[1]};
  }
  const uint32_t* id = worker.workitem_id;
  if (id[0] != kernel_abi::unknown_workitem && id[1] == kernel_abi::unknown_workitem)
    return WorkItem{id[0] % size[0], id[0] / size[0] % size[1], id[0] / size[0] / size[1]};
  WorkItem item;
  for (int i = 0; i < 3; ++i) {
    item[i] = size[i] == 1 ? 0 : worker.workitem_id[i];
    if (item[i] >= size[i]) return std::nullopt;
  }
  return item;
}

std::string group_text(std::span<const uint32_t, 3> id) {
  return fmt::format("work-group ({})", fmt::join(id, ", "));
}

/// Returns the work-item that is as many places behind another one in the group, in the order of flattened
/// IDs, as a lane is behind lane 0; nothing if the group ends before.
std::optional<WorkItem> work_item_of_lane(const kernel_abi::Worker& worker, const WorkItem& first,
                                          uint32_t lane) {
  const uint32_t* size = worker.current_group_size;
  const uint64_t flat = first[0] + uint64_t{size[0]} * (first[1] + uint64_t{size[1]} * first[2]) + lane;
  const uint64_t row = flat / size[0], plane = row / size[1];
  if (plane >= size[2]) return std::nullopt;
  return WorkItem{static_cast<uint32_t>(flat % size[0]), static_cast<uint32_t>(row % size[1]),
                  static_cast<uint32_t>(plane)};
}

/// Names the work-item, or the first one of those of which it is one: `lanes` tells which of the wave they
/// are, if that is known. If the entry executes several groups as one, the worker describes these as one
/// group; the work-item's own group follows from its absolute ID.
std::string place_of(const Kernel& kernel, const kernel_abi::Worker& worker,
                     std::optional<LaneRange> lanes = std::nullopt) {
  const std::span<const uint32_t, 3> group = worker.group_id;
  auto found = work_item_of(worker);
  if (!found) return fmt::format("kernel {}, a work-item of {}", kernel.name, group_text(group));
  if (lanes && worker.workitem_traps == 0) {
    const auto named = work_item_of_lane(worker, *found, lanes->first);
    if (named)
      found = named;
    else
      lanes.reset();
  }
  WorkItem absolute, item, own_group;
  for (int i = 0; i < 3; ++i) {
    const uint32_t size = worker.dispatch->group_size[i];
    absolute[i] = group[i] * size + (*found)[i];
    item[i] = absolute[i] % size;
    own_group[i] = absolute[i] / size;
  }
  const bool is_one = kernel.info.lanes == 1 || worker.workitem_traps != 0 || (lanes && lanes->count == 1);
  const std::string several = lanes ? fmt::format("one of {} work-items from ", lanes->count) : "wave of ";
  return fmt::format("kernel {}, {}absolute work-item ({}), which is work-item ({}) of {}", kernel.name,
                     is_one ? "" : several, fmt::join(absolute, ", "), fmt::join(item, ", "),
                     group_text(own_group));
}

std::optional<LaneRange> lanes_of(const Kernel& kernel, const Fault& fault) {
  const bool is_inside = fault.instruction >= kernel.text_begin && fault.instruction < kernel.text_end;
  if (!is_inside || !kernel.lines) return std::nullopt;
  return faulting_lanes(fault, kernel.lines->lanes(fault.instruction - kernel.text_begin));
}

/// Where an instruction lies: its offset in the text, and its source line if that is known.
std::string position_of(const Kernel& kernel, uint64_t instruction) {
  if (instruction == 0) return {};
  if (instruction < kernel.text_begin || instruction >= kernel.text_end)
    return fmt::format(", at instruction address 0x{:x}", instruction);
  const uint64_t offset = instruction - kernel.text_begin;
  const std::string line = kernel.lines ? kernel.lines->find(offset) : std::string();
  return fmt::format(", at text + 0x{:x}", offset) + (line.empty() ? "" : fmt::format(" ({})", line));
}

}  // namespace

CpuThread::CpuThread(uint32_t compute_units)
    : guard_(frame_), thread_(pthread_self()), stack_limit_(calling_thread_stack_limit()) {
  worker_.max_compute_unit = compute_units - 1;
  worker_.support = support_table();
  this_thread = this;
}

CpuThread& CpuThread::running() { return *this_thread; }

void CpuThread::interrupt() { pthread_kill(thread_, interrupt_signal); }

void CpuThread::run(const Kernel& kernel, const kernel_abi::Dispatch& dispatch, agents::Groups& groups,
                    bool resident) {
  kernel_ = &kernel;
  frame_.groups = &groups;
  frame_.code_begin = kernel.text_begin;
  frame_.code_end = kernel.text_end;
  worker_.dispatch = &dispatch;
  worker_.agent_data = 0;
  std::fill_n(worker_.workitem_id, 3, kernel_abi::unknown_workitem);
  worker_.workitem_traps = 0;
  fruitless_ = 0;
  const Finally ended([&] {
    frame_.groups = nullptr;
    kernel_ = nullptr;
    active_scheduler_ = nullptr;
  });
  if (kernel.needs_fibers)
    run_fibers(kernel, groups, resident);
  else
    run_ranges(kernel, dispatch, groups);
}

// ---- kernels whose waves run one after the other ----

void CpuThread::run_ranges(const Kernel& kernel, const kernel_abi::Dispatch& dispatch,
                           agents::Groups& groups) {
  agents::GroupRange range;
  if (!groups.take(range)) return;
  const uint32_t lanes = kernel.info.lanes;
  const auto* size = dispatch.group_size;
  // Waves with frames exist all at the same time.
  const size_t waves =
      kernel.info.frame_size == 0 ? 1 : (size_t{size[0]} * size[1] * size[2] + lanes - 1) / lanes;
  if (!group_memory_.reserve(dispatch.group_total_size) || !frames_.reserve(waves * kernel.info.frame_size) ||
      !private_memory_.reserve(waves * lanes * dispatch.private_stride)) {
    groups.fail({HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for the segments of kernel " + kernel.name});
    return;
  }
  worker_.group_base = group_memory_.address();
  worker_.private_base = private_memory_.address();
  worker_.frames = frames_.address();
  worker_.frame_size = kernel.info.frame_size;
  do {
    const Exit exit = enter(range.first, range.last);
    if (exit != Exit::returned) return report(exit, &worker_);
  } while (groups.take(range));
}

Exit CpuThread::enter(uint64_t first, uint64_t last) {
  const auto exit =
      static_cast<Exit>(heddle_cpu_call(&frame_.host_stack, &CpuThread::enter_groups, this, first, last));
#if HEDDLE_CPU_ASAN
  // The frames that were cut off can no longer unpoison what they poisoned.
  if (exit != Exit::returned)
    __asan_unpoison_memory_region(reinterpret_cast<void*>(stack_limit_),
                                  reinterpret_cast<uint64_t>(frame_.host_stack) - stack_limit_);
#endif
  return exit;
}

/// `inside` is set here and not earlier, because the frame that a signal handler continues from must be
/// complete.
HEDDLE_CPU_CALLS_LOADED_CODE void CpuThread::enter_groups(void* self, uint64_t first, uint64_t last) {
  auto& thread = *static_cast<CpuThread*>(self);
  thread.frame_.inside = 1;
  thread.kernel_->groups_entry(&thread.worker_, first, last);
  thread.frame_.inside = 0;
}

// ---- kernels whose waves run as fibers ----

FiberScheduler& CpuThread::scheduler(const Kernel& kernel) {
  const size_t stack = (kernel.dynamic_call_stack ? deep_stack : ordinary_stack) * kernel.info.lanes;
  auto& scheduler = schedulers_[stack];
  if (!scheduler) scheduler = std::make_unique<FiberScheduler>(frame_, stack);
  return *scheduler;
}

void CpuThread::run_fibers(const Kernel& kernel, agents::Groups& groups, bool resident) {
  active_scheduler_ = &scheduler(kernel);
  const Exit exit = active_scheduler_->run(kernel, worker_, groups, resident);
  if (exit != Exit::returned)
    report(exit, active_scheduler_->current() ? &active_scheduler_->current()->worker : nullptr);
}

// ---- errors ----

bool CpuThread::stack_exhausted(uint64_t address) const {
  if (active_scheduler_) return active_scheduler_->is_guard(address);
  return address < stack_limit_ + 4096 && address >= stack_limit_ - stack_guard;
}

void CpuThread::report(Exit exit, const kernel_abi::Worker* worker) {
  if (exit != Exit::fault) return;  // an interruption is no error, and a trap has been reported
  const Fault& fault = frame_.fault;
  std::string message =
      worker ? place_of(*kernel_, *worker, lanes_of(*kernel_, fault)) : "kernel " + kernel_->name;
  if ((fault.signal == SIGSEGV || fault.signal == SIGBUS) && stack_exhausted(fault.address))
    return frame_.groups->fail({HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                                message + ": stack exhausted" + position_of(*kernel_, fault.instruction)});
  message += ": " + describe(fault) + position_of(*kernel_, fault.instruction);
  frame_.groups->fail({status_of(fault), std::move(message), access_of(fault)});
}

void CpuThread::report_trap(const kernel_abi::Worker& worker, hsa_status_t status, std::string_view what,
                            uint64_t instruction) noexcept {
  std::string message;
  try {
    message = fmt::format("{}: {}{}", place_of(*kernel_, worker), what, position_of(*kernel_, instruction));
  } catch (const std::bad_alloc&) {
    message.clear();  // the status says what matters
  }
  frame_.groups->fail({status, std::move(message)});
}

void CpuThread::trap(const kernel_abi::Worker& worker, hsa_status_t status, std::string_view what,
                     uint64_t instruction) {
  report_trap(worker, status, what, instruction);
  if (active_scheduler_) active_scheduler_->leave(Exit::trap);
  heddle_cpu_leave(frame_.host_stack, static_cast<uint64_t>(Exit::trap));
}

void CpuThread::yield() {
  agents::Groups& groups = *frame_.groups;
  groups.idle(fruitless_++);
  if (groups.stopped()) heddle_cpu_leave(frame_.host_stack, static_cast<uint64_t>(Exit::interrupted));
}

}  // namespace heddle::cpu
