// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "gpu_thread.h"
#include "thread_grid.h"

namespace heddle::cuda::fake {
namespace {

using ptx_kernel::EntryForm;
using ptx_kernel::ErrorRecord;

/// Bytes of stack that lowered code has beside the private segment.
constexpr size_t frames_size = 256 << 10;

codeobject::Kernel described(const FunctionObject& function) {
  codeobject::Kernel description;
  description.kernarg_size = function.kernel->kernarg.size;
  description.kernarg_align = std::max<uint32_t>(function.kernel->kernarg.align, 16);
  if (function.checks_addresses) description.flags |= codeobject::kernel_checks_addresses;
  return description;
}

/// Says what is wrong with the shape of a launch, or nothing.
std::string complaint_about(const Launch& launch) {
  const Hidden& h = launch.hidden;
  const unsigned work_items = h.group_size[0] * h.group_size[1] * h.group_size[2];
  bool whole = true, same_grid = true, same_block = true;
  for (int i = 0; i < 3; ++i) {
    whole = whole && h.grid_size[i] % h.group_size[i] == 0;
    same_grid = same_grid && launch.grid[i] == h.grid_groups[i];
    same_block = same_block && launch.block[i] == h.group_size[i];
  }
  if (launch.shared_size != h.group_total_size) return "the shared memory is not grouptotalsize";
  if (h.private_size % 16 != 0) return "the private size is no multiple of 16";
  const bool is_one_group = h.grid_groups[0] * h.grid_groups[1] * h.grid_groups[2] == 1;
  if (launch.function->form == EntryForm::single && !is_one_group)
    return "the entry for a single work-group is launched for several";
  if (launch.function->form != EntryForm::linear)
    return whole && same_grid && same_block && h.group_size[2] <= ptx_kernel::max_native_group_z
               ? ""
               : "the native entry has another grid than the packet, or partial groups";
  const bool flat = launch.block[0] == work_items && launch.block[1] == 1 && launch.block[2] == 1 &&
                    launch.grid[1] == 1 && launch.grid[2] == 1;
  return flat ? "" : "the linear entry is not launched with blocks of the group's size";
}

/// The groups of one launch, until the stop word is set.
class Blocks final : public interpreter::GroupSource {
 public:
  Blocks(uint64_t first, uint64_t last, uint64_t stop) : next_(first), last_(last), stop_(stop) {}
  bool take(uint64_t& group) override {
    if (next_ >= last_ || stopped()) return false;
    group = next_++;
    return true;
  }
  bool stopped() override { return std::as_const(*this).stopped(); }
  bool stopped() const {
    return stop_ != 0 && __atomic_load_n(reinterpret_cast<const uint32_t*>(stop_), __ATOMIC_ACQUIRE) != 0;
  }
  void idle(uint32_t) override { std::this_thread::yield(); }

 private:
  uint64_t next_;
  const uint64_t last_, stop_;
};

interpreter::Dispatch dispatch_of(const Launch& launch) {
  const Hidden& h = launch.hidden;
  interpreter::Dispatch dispatch;
  dispatch.kernel = launch.function->kernel;
  dispatch.kernarg = launch.first.data();
  if (!launch.first_is_kernarg) {
    uint64_t address = 0;
    std::memcpy(&address, launch.first.data(), sizeof address);
    dispatch.kernarg = reinterpret_cast<const void*>(address);
  }
  std::copy(std::begin(h.grid_size), std::end(h.grid_size), dispatch.grid_size.begin());
  std::copy(std::begin(h.group_size), std::end(h.group_size), dispatch.group_size.begin());
  dispatch.dimensions = h.dimensions;
  dispatch.dynamic_group_size = h.group_total_size - h.group_static_size;
  dispatch.packet_id = h.packet_id;
  dispatch.completion_signal = h.completion_signal;
  return dispatch;
}

void record(const Hidden& hidden) {
  auto* error = reinterpret_cast<ErrorRecord*>(hidden.error);
  uint32_t empty = ErrorRecord::empty;
  if (!__atomic_compare_exchange_n(&error->state, &empty, ErrorRecord::claimed, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
  error->reason = 0;
  __atomic_store_n(&error->state, ErrorRecord::complete, __ATOMIC_RELEASE);
}

/// Asks the host for an operation on a signal. False if the dispatch is to stop.
bool ask_for_signal(void* hidden, interpreter::SignalRequest& request) try {
  request.result = ask_host(static_cast<const Hidden*>(hidden),
                            {MailboxSlot::signal, static_cast<uint32_t>(request.operation), 1, 8,
                             request.signal, request.value, request.value2});
  return true;
} catch (const Stopped&) {
  return false;
}

/// What the host does for kernels that may ask it.
interpreter::Services services_of(Hidden& hidden) {
  interpreter::Services services;
  services.context = &hidden;
  if (hidden.mailbox != 0) services.signal = ask_for_signal;
  return services;
}

/// Whether this kernel is the one that the test wants to fault.
bool is_to_fault() {
  auto& left = control().kernels_until_fault;
  return left.load() >= 0 && left.fetch_sub(1) == 0;
}

/// Runs what the finalizer has made of the kernel. The seed of the order of threads is different each time.
void run_lowered(const Launch& launch) {
  const uint64_t seed = ++control().lowered_kernels;
  const LoweredCode& code = *launch.function->module->lowered;
  ptx_kernel::CheckedHidden checked = {launch.hidden, launch.checks};
  Hidden& hidden = checked.hidden;
  GridShape shape;
  std::copy(std::begin(launch.grid), std::end(launch.grid), shape.grid);
  std::copy(std::begin(launch.block), std::end(launch.block), shape.block);
  shape.shared_size = code.static_shared_size() + launch.shared_size;
  shape.stack_size = frames_size + hidden.private_size;
  const void* kernarg = launch.first.data();
  if (!launch.first_is_kernarg) std::memcpy(&kernarg, launch.first.data(), sizeof kernarg);
  const Blocks groups(0, 0, hidden.stop);
  ptx_kernel::SingleHidden single = launch.single;
  void* const second = launch.function->form == EntryForm::single ? static_cast<void*>(&single) : &checked;
  ThreadGrid grid(shape, [&] { launch.function->entry(kernarg, second); }, seed);
  if (grid.run([&] { return groups.stopped(); }) != ThreadGrid::Outcome::fault) return;
  if (!grid.complaint().empty()) control().complain("lowered code: " + grid.complaint());
  sticky() = Status::illegal_address;
}

bool has_trapped(const Launch& launch) {
  const auto* const error = reinterpret_cast<const ErrorRecord*>(launch.hidden.error);
  return error && __atomic_load_n(&error->state, __ATOMIC_ACQUIRE) == ErrorRecord::complete;
}

/// Does what the single entry of a kernel does at its end, unless work-items have trapped.
void tell_end(const Launch& launch) {
  if (launch.function->form == EntryForm::single && !has_trapped(launch))
    __atomic_store_n(reinterpret_cast<uint64_t*>(launch.single.progress), launch.single.progress_value,
                     __ATOMIC_RELEASE);
}

void run_groups(const Launch& launch) {
  if (launch.function->entry) return run_lowered(launch);
  const Hidden& h = launch.hidden;
  uint64_t first = 0, count = uint64_t{h.grid_groups[0]} * h.grid_groups[1] * h.grid_groups[2];
  if (launch.function->form == EntryForm::linear) {
    first = h.first_group_low | uint64_t{h.first_group_high} << 32;
    count = launch.grid[0];
  }
  Blocks blocks(first, first + count, h.stop);
  interpreter::RunnerOptions options;
  options.private_size = std::max(options.private_size, h.private_size);
  Hidden hidden = h;
  interpreter::Runner runner(dispatch_of(launch), services_of(hidden), options);
  const interpreter::Runner::Outcome outcome = runner.run(blocks);
  if (outcome == interpreter::Runner::Outcome::done) tell_end(launch);
  if (outcome != interpreter::Runner::Outcome::faulted) return;
  if (runner.fault().address)
    sticky() = Status::illegal_address;
  else
    record(h);
}

}  // namespace

Status read_parameters(const KernelNode& node, Launch& launch) {
  launch.function = node.function;
  std::copy(std::begin(node.grid), std::end(node.grid), launch.grid);
  std::copy(std::begin(node.block), std::end(node.block), launch.block);
  launch.shared_size = node.shared_size;
  const codeobject::Kernel kernel = described(*node.function);
  launch.first_is_kernarg = ptx_kernel::passes_kernarg_by_value(kernel);
  const size_t size = launch.first_is_kernarg ? ptx_kernel::kernarg_parameter_size(kernel) : sizeof(uint64_t);
  const auto* first = static_cast<const std::byte*>(node.arguments[0]);
  launch.first.assign(first, first + size);
  const size_t hidden_size = ptx_kernel::hidden_size(kernel, node.function->form);
  ptx_kernel::CheckedHidden second = {};
  if (node.function->form == EntryForm::single) {
    std::memcpy(&launch.single, node.arguments[1], hidden_size);
    second.hidden = launch.single.hidden;
  } else {
    std::memcpy(&second, node.arguments[1], hidden_size);
  }
  launch.hidden = second.hidden;
  launch.checks = second.checks;
  const unsigned threads = node.block[0] * node.block[1] * node.block[2];
  int most = 0;
  cuFuncGetAttribute(&most, FunctionAttribute::max_threads_per_block, node.function);
  if (threads > static_cast<unsigned>(most)) return Status::launch_out_of_resources;
  if (node.shared_size > static_cast<unsigned>(node.function->dynamic_shared_max))
    return Status::invalid_value;
  return node.grid[1] > 65535 || node.grid[2] > 65535 || node.block[2] > 64 ? Status::invalid_value
                                                                            : Status::success;
}

void execute(const Launch& launch) {
  ++control().kernels;
  control().checks = launch.checks;
  ++(launch.function->form == EntryForm::native   ? control().native_kernels
     : launch.function->form == EntryForm::linear ? control().linear_kernels
                                                  : control().single_kernels);
  if (std::string complaint = complaint_about(launch); !complaint.empty())
    control().complain(std::move(complaint));
  if (is_to_fault()) {
    sticky() = Status::illegal_address;
    return;
  }
  const auto& deaf = control().deaf_kernel;
  while (control().deaf || (!deaf.empty() && launch.function->kernel->name == deaf))
    std::this_thread::yield();
  if (control().instead) {
    control().instead(launch.hidden);
    return tell_end(launch);
  }
  const auto& module = *launch.function->module;
  for (size_t i = 0; i < module.addresses.size(); ++i)
    if (module.address_symbols[i] >= 0)
      module.program->set_address(module.address_symbols[i], module.addresses[i]);
  Blocks all(0, 0, launch.hidden.stop);
  while (control().endless && !all.stopped()) std::this_thread::yield();
  run_groups(launch);
}

}  // namespace heddle::cuda::fake
