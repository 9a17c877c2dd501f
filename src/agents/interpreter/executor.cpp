// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/interpreter/executor.h"

#include <fmt/format.h>
#include <hsam/signal.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "agents/common/packet_checks.h"
#include "agents/common/signal_operation.h"
#include "agents/interpreter/loader.h"
#include "hsail/print/source_lines.h"

namespace heddle::interpreter_agent {
namespace {

using agents::Failure;
using agents::KernelDispatch;

/// Private memory that a work-item of a kernel with a dynamic call stack gets beyond what the kernel needs at
/// least, unless the packet asks for more. It costs nothing until it is used.
constexpr uint32_t call_stack = 256 * 1024;

uint64_t system_timestamp(void*) { return hsam_timestamp(); }

bool perform(void*, interpreter::SignalRequest& request) {
  hsam_signal* signal = agents::signal_of_kernel(request.signal);
  if (signal == nullptr) return false;
  const auto old = agents::perform_signal(request.operation, signal, static_cast<int64_t>(request.value),
                                          static_cast<int64_t>(request.value2));
  request.result = static_cast<uint64_t>(old.value_or(0));
  return old.has_value();
}

/// A wait record at a signal, which wakes the thread of the work-item that waits.
class Watch final : public interpreter::SignalWatch {
 public:
  Watch(hsam_waiter& waiter, hsam_signal& signal, hsa_signal_condition_t condition, int64_t compare) {
    hsam_wait_arm(&record_, &waiter, &signal, condition, compare);
  }
  ~Watch() override { hsam_wait_disarm(&record_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  std::optional<uint64_t> met() const override {
    if (!hsam_wait_is_met(&record_)) return std::nullopt;
    return static_cast<uint64_t>(record_.value);
  }

 private:
  hsam_wait_record record_;
};

std::unique_ptr<interpreter::SignalWatch> watch(void* groups, const interpreter::SignalRequest& request) {
  hsam_signal* signal = agents::signal_of_kernel(request.signal);
  const auto condition = agents::wait_condition(request.operation);
  if (signal == nullptr || !condition) return nullptr;
  return std::make_unique<Watch>(static_cast<agents::Groups*>(groups)->waiter(), *signal, *condition,
                                 static_cast<int64_t>(request.value));
}

uint64_t* queue_index(void*, uint64_t address, bool write_index) {
  return agents::queue_index_of_kernel(address, write_index);
}

uint32_t kind_of(interpreter::EventValue::Kind kind) {
  using Kind = interpreter::EventValue::Kind;
  switch (kind) {
    case Kind::number32:
      return HSAM_EVENT_VALUE_32;
    case Kind::number64:
      return HSAM_EVENT_VALUE_64;
    case Kind::string:
      return HSAM_EVENT_VALUE_STRING;
    case Kind::queue_id:
      return HSAM_EVENT_VALUE_QUEUE_ID;
  }
  return HSAM_EVENT_VALUE_64;
}

void trigger(void* groups, uint64_t event, std::span<const interpreter::EventValue> values) {
  std::vector<hsam_event_value> told;
  told.reserve(values.size());
  for (const auto& value : values) told.push_back({kind_of(value.kind), 0, value.bits});
  static_cast<agents::Groups*>(groups)->trigger(event, told);
}

class InterpreterThread final : public agents::ExecutorThread {
 public:
  explicit InterpreterThread(uint32_t units) {
    services_.clock = system_timestamp;
    services_.signal = perform;
    services_.queue_index = queue_index;
    services_.watch = watch;
    services_.event = trigger;
    services_.max_compute_unit = units - 1;
  }
  void set_compute_unit(uint32_t unit) override { services_.compute_unit = unit; }
  interpreter::Services services(agents::Groups& groups) const {
    interpreter::Services services = services_;
    services.context = &groups;
    return services;
  }

 private:
  interpreter::Services services_;
};

/// Gives the groups of a dispatch to the runner.
class TakenGroups final : public interpreter::GroupSource {
 public:
  explicit TakenGroups(agents::Groups& groups) : groups_(groups) {}
  bool take(uint64_t& group) override {
    agents::GroupRange range;
    if (!groups_.take_one(range)) return false;
    group = range.first;
    return true;
  }
  bool stopped() override { return groups_.stopped(); }
  void idle(uint32_t fruitless) override { groups_.idle(fruitless); }
  void watch_signals() override { groups_.watch(); }
  void wait_for_signals(uint32_t fruitless, uint64_t deadline) override {
    groups_.wait_for_signals(fruitless, deadline);
  }

 private:
  agents::Groups& groups_;
};

hsa_status_t status_of(std::string_view fault) {
  // A memory fault is fatal, because a kernel with one wild address may have overwritten anything before.
  if (fault == "INTERPRETER-memory-fault") return HSA_STATUS_ERROR_FATAL;
  if (fault == "INTERPRETER-stack-exhausted" || fault == "INTERPRETER-out-of-memory") {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  if (fault == "INTERPRETER-debugtrap" || fault == "INTERPRETER-exception" ||
      fault == "INTERPRETER-unsupported-instruction") {
    return HSA_STATUS_ERROR_EXCEPTION;
  }
  return HSA_STATUS_ERROR;
}

/// " (file:line)" of the instruction, as messages about compiled code have it; empty if it is not known.
std::string line_of(const interpreter::Fault& fault) {
  if (fault.module == nullptr) return {};
  const print::SourceLines lines(*fault.module);
  const auto at = lines.at(fault.instruction);
  if (at.line == 0) return {};
  return at.file.empty() ? fmt::format(" (line {})", at.line) : fmt::format(" ({}:{})", at.file, at.line);
}

class InterpreterTask final : public agents::Task {
 public:
  InterpreterTask(std::shared_ptr<LoadedKernel> kernel, const interpreter::Dispatch& dispatch,
                  const interpreter::RunnerOptions& options, std::shared_ptr<Debugger> debugger)
      : kernel_(std::move(kernel)), dispatch_(dispatch), options_(options), debugger_(std::move(debugger)) {
    options_.observer = debugger_.get();
  }

  void run(agents::ExecutorThread& thread, agents::Groups& groups) override {
    std::unique_lock<std::mutex> one_at_a_time;
    if (debugger_) one_at_a_time = debugger_->lock();
    interpreter::Runner runner(dispatch_, static_cast<InterpreterThread&>(thread).services(groups), options_);
    TakenGroups source(groups);
    const auto outcome = runner.run(source);
    const bool faulted = outcome == interpreter::Runner::Outcome::faulted;
    if (debugger_) debugger_->ended(faulted ? &runner.fault() : nullptr);
    if (!faulted) return;
    const interpreter::Fault& fault = runner.fault();
    agents::Failure failure{status_of(fault.id),
                            fmt::format("{}{} [{}]", fault.message, line_of(fault), fault.id)};
    if (fault.address) failure.fault = agents::MemoryFault{*fault.address, HSAM_FAULT_NOT_PRESENT};
    groups.fail(std::move(failure));
  }
  uint32_t wave_size() const override { return kernel_->kernel->program->wave_size(); }

 private:
  std::shared_ptr<LoadedKernel> kernel_;
  interpreter::Dispatch dispatch_;
  interpreter::RunnerOptions options_;
  std::shared_ptr<Debugger> debugger_;
};

}  // namespace

std::unique_ptr<agents::ExecutorThread> InterpreterExecutor::make_thread() {
  return std::make_unique<InterpreterThread>(compute_units_);
}

Result<std::unique_ptr<agents::Task>, Failure> InterpreterExecutor::prepare(const KernelDispatch& d) {
  auto loaded = std::static_pointer_cast<LoadedKernel>(kernels_.find(d.packet.kernel_object));
  if (loaded == nullptr) {
    return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                   fmt::format("0x{:x} is no kernel object of this agent", d.packet.kernel_object)};
  }
  const interpreter::Kernel& kernel = *loaded->kernel;
  agents::KernelDirectives directives =
      agents::directives_of(loaded->info, loaded->kernel->program->wave_size());
  directives.static_group_size = kernel.group.size;  // the dynamic part begins behind it, see below
  if (auto allowed = agents::check_directives(directives, d); !allowed) return allowed.error();
  const uint32_t group_size = std::max(kernel.group.size, d.packet.group_segment_size);
  if (group_size > limits_.group) {
    return Failure{HSA_STATUS_ERROR_INVALID_ALLOCATION,
                   fmt::format("{} bytes of group segment for kernel {}, limit {}", group_size, kernel.name,
                               limits_.group)};
  }
  const agents::ResidencyLimits resident = {.compute_units = compute_units_,
                                            .unit_group_memory = limits_.group};
  if (auto fits = agents::check_resident(d, kernel.name, kernel.program->wave_size(), group_size, resident);
      !fits)
    return fits.error();
  interpreter::RunnerOptions options;
  if (turn_ != 0) options.slice = turn_;
  // Any of these groups may wait for any other, and one thread may have to run them all.
  if (d.cooperative) options.groups_in_flight_max = static_cast<uint32_t>(d.group_count);
  options.needs_all_groups = d.cooperative;
  uint64_t private_size = kernel.private_size;
  if (kernel.dynamic_call_stack) private_size += call_stack;
  private_size = std::max<uint64_t>(private_size, d.packet.private_segment_size);
  const uint64_t work_items = uint64_t{d.group_size[0]} * d.group_size[1] * d.group_size[2];
  if (private_size > limits_.private_work_item || private_size * work_items > limits_.private_group) {
    return Failure{
        HSA_STATUS_ERROR_OUT_OF_RESOURCES,
        fmt::format("{} bytes of private segment for a work-item of kernel {}, limits {} and {} for a "
                    "work-group",
                    private_size, kernel.name, limits_.private_work_item, limits_.private_group)};
  }
  options.private_size = static_cast<uint32_t>(private_size);
  interpreter::Dispatch dispatch;
  dispatch.kernel = &kernel;
  dispatch.kernarg = d.packet.kernarg_address;
  std::copy(std::begin(d.grid_size), std::end(d.grid_size), dispatch.grid_size.begin());
  std::copy(std::begin(d.group_size), std::end(d.group_size), dispatch.group_size.begin());
  dispatch.dimensions = d.dimensions;
  dispatch.dynamic_group_size = group_size - kernel.group.size;
  dispatch.packet_id = d.packet_id;
  dispatch.completion_signal = d.packet.completion_signal.handle;
  dispatch.detect_exceptions = loaded->info.detect_exceptions;
  dispatch.break_exceptions = loaded->info.break_exceptions;
  return std::unique_ptr<agents::Task>(new InterpreterTask(std::move(loaded), dispatch, options, debugger_));
}

Result<std::shared_ptr<agents::LoadedCode>, Error> InterpreterExecutor::load(
    std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) {
  return LoadedBrig::load(code_object, variables, kernels_);
}

}  // namespace heddle::interpreter_agent
