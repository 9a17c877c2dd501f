// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, barriers, calls and the private stack (PRM chapters 8 to 10).
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>

#include <fmt/format.h>

#include "hsail/isa/types.h"
#include "interpreter/families.h"
#include "interpreter/handles.h"
#include "support/align.h"
#include "support/fork_handler.h"

namespace heddle::interpreter {
namespace {

void run_br(Context& context, const Op& op) { context.frame->next = op.target; }

void run_cbr(Context& context, const Op& op) {
  if (read_scalar(context, op, 0) != 0) context.frame->next = op.target;
}

void run_sbr(Context& context, const Op& op) {
  const uint64_t index = read_scalar(context, op, 0);
  const std::vector<uint32_t>& labels = context.function->tables[op.target];
  if (index >= labels.size()) {
    return fault(context, "INTERPRETER-switch-out-of-range",
                 fmt::format("index {} selects none of {} labels", index, labels.size()));
  }
  context.frame->next = labels[index];
}

void run_barrier(Context& context, const Op& op) {
  context.item.state = WorkItem::State::at_barrier;
  context.item.barrier = &op;
  context.stop = true;
}

// ---- calls ----
void run_call(Context& context, const Op& op) {
  const CallSite& site = context.function->calls[op.target];
  assert(site.targets.size() == 1 && site.targets[0] && "a program that runs defines what it calls");
  enter(context, *site.targets[0], &site);
}

void run_scall(Context& context, const Op& op) {
  const CallSite& site = context.function->calls[op.target];
  const uint64_t index = read_scalar(context, op, 1);
  if (index >= site.targets.size()) {
    return fault(context, "INTERPRETER-switch-out-of-range",
                 fmt::format("index {} selects none of {} functions", index, site.targets.size()));
  }
  assert(site.targets[index] && "a program that runs defines what it calls");
  enter(context, *site.targets[index], &site);
}

void run_icall(Context& context, const Op& op) {
  const CallSite& site = context.function->calls[op.target];
  const uint64_t handle = read_scalar(context, op, 1);
  const Function* function = indirect_function(handle);
  if (function == nullptr) {
    return fault(context, "INTERPRETER-invalid-function-handle",
                 fmt::format("0x{:x} is not the handle of an indirect function", handle));
  }
  if (function->program->wave_size() != context.wave_size()) {
    return fault(context, "INTERPRETER-invalid-function-handle",
                 fmt::format("the function was made for wavefronts of {} lanes, not {}",
                             function->program->wave_size(), context.wave_size()));
  }
  if (function->formal_count != site.actuals.size()) {
    return fault(context, "INTERPRETER-signature-mismatch",
                 fmt::format("the function has {} arguments, the call {}", function->formal_count,
                             site.actuals.size()));
  }
  enter(context, *function, &site);
}

void run_ret(Context& context, const Op&) {
  WorkItem& item = context.item;
  assert(!item.frames.empty());
  const Frame frame = item.frames.back();
  item.frames.pop_back();
  assert(frame.registers <= item.registers.size() && frame.bindings <= item.bindings.size());
  item.registers.resize(frame.registers);
  item.bindings.resize(frame.bindings);
  item.top = frame.previous_top;
  if (item.frames.empty()) {
    item.state = WorkItem::State::finished;
    context.stop = true;
    return;
  }
  context.load_frame();
}

/// Allocates private memory that is released when the function returns (PRM 10.10).
void run_alloca(Context& context, const Op& op) {
  WorkItem& item = context.item;
  const uint64_t size = read_scalar(context, op, 1);
  const uint64_t align = op.align <= 1 ? 1 : uint64_t{1} << (op.align - 1);
  const uint64_t at = align_up(uint64_t{item.top}, align);
  if (at + size > item.memory_size) {
    return fault(context, "INTERPRETER-stack-exhausted",
                 need_of_private_memory(fmt::format("alloca of {} bytes", size), at + size, item));
  }
  item.top = static_cast<uint32_t>(at + size);
  write_scalar(context, op, at);
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_BR, run_br},         {HSA_BRIG_OPCODE_CBR, run_cbr},
    {HSA_BRIG_OPCODE_SBR, run_sbr},       {HSA_BRIG_OPCODE_BARRIER, run_barrier},
    {HSA_BRIG_OPCODE_CALL, run_call},     {HSA_BRIG_OPCODE_SCALL, run_scall},
    {HSA_BRIG_OPCODE_ICALL, run_icall},   {HSA_BRIG_OPCODE_RET, run_ret},
    {HSA_BRIG_OPCODE_ALLOCA, run_alloca},
};

/// The handles of the indirect functions of all loaded programs. A program may call any value, so that only
/// known handles are dereferenced.
struct Handles {
  std::shared_mutex mutex;
  std::unordered_set<uint64_t> known;
  const ForkHandler fork_handler{[](void* object) noexcept {
                                   auto& handles = *static_cast<Handles*>(object);
                                   abandon(handles.mutex);
                                   abandon(handles.known);
                                 },
                                 this};

  /// The one object is never destroyed, because other threads may still run programs while the process exits.
  static Handles& instance() {
    static auto& instance = *new Handles;
    return instance;
  }
};

}  // namespace

std::span<const Row> control_rows() { return rows; }

uint64_t publish_handle(const Function& function) {
  const auto handle = reinterpret_cast<uint64_t>(&function);
  Handles& handles = Handles::instance();
  std::unique_lock lock(handles.mutex);
  [[maybe_unused]] const bool is_new = handles.known.insert(handle).second;
  assert(is_new);
  return handle;
}

void withdraw_handle(const Function& function) {
  Handles& handles = Handles::instance();
  std::unique_lock lock(handles.mutex);
  [[maybe_unused]] const size_t withdrawn = handles.known.erase(reinterpret_cast<uint64_t>(&function));
  assert(withdrawn == 1);
}

const Function* indirect_function(uint64_t handle) {
  Handles& handles = Handles::instance();
  std::shared_lock lock(handles.mutex);
  return handles.known.contains(handle) ? reinterpret_cast<const Function*>(handle) : nullptr;
}

}  // namespace heddle::interpreter
