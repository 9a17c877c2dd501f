// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/queue_launcher.h"

#include <fmt/format.h>
#include <hsam/signal.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "agents/common/packet_checks.h"
#include "agents/cuda/readable_memory.h"
#include "agents/cuda/trap.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

using agents::Failure;
using agents::KernelDispatch;
using ptx_kernel::EntryForm;
using ptx_kernel::Hidden;
using ptx_kernel::SingleHidden;

/// Bytes of stack that a kernel gets at least for the frames of functions of which nobody knows how deep they
/// call each other (PRM 10.1).
constexpr uint32_t call_stack = 16 * 1024;
constexpr uint32_t private_align = 16;
/// The host learns of the ends of dispatches that nobody waits for in rows of at least this many, or of half
/// of those in flight if that is more, so that it can launch others while the rest run.
constexpr uint64_t row_min = QueueBlock::records / 4;
/// Ticks of a nanosecond, times 2^64.
constexpr uint64_t clock_factor = UINT64_MAX / HSAM_TIMESTAMP_NANOSECONDS;

bool asks_host(const Kernel& kernel) { return (kernel.info.flags & codeobject::kernel_asks_host) != 0; }

/// How long kernels may go on after they have been asked to end, where they can be ended, in ticks.
constexpr uint64_t stop_grace = HSAM_TIMESTAMP_FREQUENCY;

std::string name_of(const Kernel& kernel) { return fmt::format("kernel {}", kernel.info.name); }

/// The clock that the global timer of a GPU follows.
uint64_t realtime_nanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

Driven<std::unique_ptr<QueueLauncher>> QueueLauncher::create(GpuDevice& device,
                                                             const agents::QueueOwner& owner) {
  std::unique_ptr<QueueLauncher> launcher(new QueueLauncher(device, owner));
  GpuContext& context = device.context();
  const DriverApi& api = context.api();
  if (auto done = context.call(api.stream_create, &launcher->stream_, stream_non_blocking, 0); !done)
    return done.error();
  auto block = QueueBlock::create(device.host_memory());
  if (!block) return block.error();
  launcher->block_ = std::move(*block);
  const auto ticket = device.device_memory().allocate(sizeof(uint64_t), alignof(uint64_t));
  if (!ticket) return ticket.error();
  launcher->ticket_ = *ticket;
  // Kernels leave the word as they find it.
  if (auto done = api.call(api.fill_bytes, *ticket, static_cast<unsigned char>(0), sizeof(uint64_t),
                           launcher->stream_);
      !done)
    return done.error();
  return launcher;
}

QueueLauncher::~QueueLauncher() {
  drain();
  if (ticket_ != 0) device_.device_memory().free(ticket_);
  if (stream_) static_cast<void>(device_.context().call(device_.context().api().stream_destroy, stream_));
}

/// Makes the mailbox and begins to serve it, if the kernel is the first that needs it.
Result<void, Failure> QueueLauncher::provide_mailbox(const Kernel& kernel) {
  if (!asks_host(kernel) || service_) return {};
  auto mailbox = Mailbox::create(device_.context(), device_.host_memory(), device_.device_memory(), stream_);
  if (!mailbox) return failure_of(mailbox.error(), name_of(kernel));
  auto service =
      MailboxService::start({(*mailbox)->slots(), block_->progress_word(), block_->stop_word(), owner_});
  if (!service) return Failure{HSA_STATUS_ERROR_OUT_OF_RESOURCES, service.error().message};
  mailbox_ = std::move(*mailbox);
  service_ = std::move(*service);
  return {};
}

Result<QueueLauncher::Sizes, Failure> QueueLauncher::check(const KernelDispatch& d, const Kernel& kernel) {
  const codeobject::Kernel& info = kernel.info;
  if (auto allowed = agents::check_directives(agents::directives_of(info, ptx_kernel::lanes), d); !allowed)
    return allowed.error();
  const GpuProperties& gpu = device_.context().gpu();
  const uint32_t group = std::max(info.group_size, d.packet.group_segment_size);
  if (group > gpu.group_memory)
    return Failure{
        HSA_STATUS_ERROR_INVALID_ALLOCATION,
        fmt::format("{} bytes of group segment for kernel {}, limit {}", group, info.name, gpu.group_memory)};
  const uint64_t item =
      align_up(uint64_t{std::max(info.private_size, d.packet.private_segment_size)}, private_align);
  if (item > private_memory_max)
    return Failure{HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                   fmt::format("{} bytes of private segment for a work-item of kernel {}, limit {}", item,
                               info.name, private_memory_max)};
  return Sizes{group, static_cast<uint32_t>(item)};
}

/// Adds what differs between the dispatches of a kernel. For kernels that read nothing of it, the parameters
/// stay those of the dispatch before, if they have the same arguments, and the driver does not send them to
/// the GPU again.
void QueueLauncher::add_dispatch(const KernelDispatch& d, Hidden& hidden) {
  hidden.packet_id = d.packet_id;
  hidden.completion_signal = d.packet.completion_signal.handle;
  hidden.clock_ticks = hsam_timestamp();
  hidden.clock_nanoseconds = realtime_nanoseconds();
  hidden.error = reinterpret_cast<uint64_t>(&block_->record(launched_));
}

Hidden QueueLauncher::hidden_of(const KernelDispatch& d, const Kernel& kernel, const Sizes& sizes) {
  Hidden hidden = {};
  std::copy(std::begin(d.grid_size), std::end(d.grid_size), hidden.grid_size);
  std::copy(std::begin(d.group_size), std::end(d.group_size), hidden.group_size);
  std::copy(std::begin(d.grid_groups), std::end(d.grid_groups), hidden.grid_groups);
  hidden.dimensions = d.dimensions;
  hidden.group_static_size = kernel.info.group_size;
  hidden.group_total_size = sizes.group;
  hidden.private_size = sizes.private_item;
  hidden.max_compute_unit = std::max(device_.context().gpu().multiprocessors, 1u) - 1;
  hidden.queue = d.queue;
  hidden.ticket = ticket_;
  hidden.clock_factor = clock_factor;
  hidden.mailbox = asks_host(kernel) ? mailbox_->address() : 0;
  hidden.stop = block_->stop_address();
  const GpuDevice::Reach reach = device_.reach();
  hidden.device_begin = reach.begin;
  hidden.device_size = reach.size;
  if ((kernel.info.flags & codeobject::kernel_reads_dispatch) != 0) add_dispatch(d, hidden);
  return hidden;
}

/// The kernarg segment, or its address if it cannot be a parameter.
Result<std::span<const std::byte>, Failure> QueueLauncher::first_parameter(const KernelDispatch& d,
                                                                           const Kernel& kernel) {
  const codeobject::Kernel& info = kernel.info;
  const void* const kernarg = d.packet.kernarg_address;
  const auto refused = [&](std::string_view why) {
    return Failure{HSA_STATUS_ERROR_INVALID_ARGUMENT,
                   fmt::format("kernel {}: the kernarg segment at {} {}", info.name, fmt::ptr(kernarg), why)};
  };
  if (!ptx_kernel::passes_kernarg_by_value(info)) {
    if (reinterpret_cast<uint64_t>(kernarg) % info.kernarg_align != 0) return refused("is not aligned");
    if (!device_.host_memory().contains(kernarg, info.kernarg_size))
      return refused("is not in memory of the kernarg region");
    const auto address = reinterpret_cast<uint64_t>(kernarg);
    first_parameter_.resize(sizeof address);
    std::memcpy(first_parameter_.data(), &address, sizeof address);
    return std::span<const std::byte>(first_parameter_);
  }
  first_parameter_.assign(ptx_kernel::kernarg_parameter_size(info), {});
  if (info.kernarg_size != 0 && device_.host_memory().contains(kernarg, info.kernarg_size))
    std::memcpy(first_parameter_.data(), kernarg, info.kernarg_size);
  else if (!read_if_readable(first_parameter_.data(), kernarg, info.kernarg_size))
    return refused("cannot be read");
  return std::span<const std::byte>(first_parameter_);
}

/// Adds a kernel to those that wait to be launched together, and launches them all unless this one may wait,
/// too. An error may then concern any of them.
Driven<void> QueueLauncher::launch_kernel(const KernelNode& node, Submission& submission, bool may_wait) {
  batch_.add(node, submission.kernel);
  submission.is_accepted = submission.is_accepted || batch_.size() > 1;
  if (!may_wait || batch_.is_full())
    if (auto done = batch_.launch(stream_); !done) return done;
  submission.is_accepted = true;
  return {};
}

Driven<void> QueueLauncher::launch_parts(const LaunchPlan& plan, KernelNode& node, Hidden& hidden,
                                         Submission& submission) {
  const bool may_wait = !submission.notices && plan.launches() == 1 && launched_ != ended_;
  for (uint64_t i = 0; i < plan.launches(); ++i) {
    const LaunchPlan::Launch part = plan.launch(i);
    std::copy(std::begin(part.grid), std::end(part.grid), node.grid);
    hidden.first_group_low = static_cast<uint32_t>(part.first_group);
    hidden.first_group_high = static_cast<uint32_t>(part.first_group >> 32);
    if (auto done = launch_kernel(node, submission, may_wait); !done) return done;
  }
  return {};
}

/// Launches a kernel that tells the host of its end. The dispatch is the last one in flight.
Driven<void> QueueLauncher::launch_single(const LaunchPlan& plan, KernelNode& node, const Hidden& hidden,
                                          Submission& submission) {
  const uint64_t dispatches = launched_ + 1;
  SingleHidden single = {hidden, block_->progress_address(), dispatches};
  node.arguments[1] = &single;
  node.argument_sizes[1] = sizeof single;
  if (auto done = launch_parts(plan, node, single.hidden, submission); !done) return done;
  noticed_ = dispatches;
  in_flight_.back().has_notice = in_flight_.back().tells_itself = true;
  return {};
}

/// Provides stack for a kernel whose need nobody can calculate: that for its own frame, which has its private
/// segment, and for those of the functions that it calls. Packets say how much these need by asking for more
/// of the private segment than the kernel has (Runtime 2.6.1).
Driven<void> QueueLauncher::provide_stack(const Submission& submission, Function function) {
  const codeobject::Kernel& kernel = submission.kernel->info;
  assert(submission.sizes.private_item >= kernel.private_size);
  const uint32_t asked = submission.sizes.private_item - kernel.private_size;
  GpuContext& context = device_.context();
  int frame = 0;
  if (auto done =
          context.call(context.api().function_attribute, &frame, FunctionAttribute::local_size, function);
      !done)
    return done;
  return context.provide_stack(static_cast<size_t>(frame) + std::max(asked, call_stack));
}

/// Tells the kernel what it may access, if it asks for that. The last dispatch in flight is that of the
/// kernel.
Driven<void> QueueLauncher::add_checks(const Kernel& kernel, ptx_kernel::CheckedHidden& hidden) {
  if (!ptx_kernel::checks_addresses(kernel.info)) return {};
  auto table = device_.accessible_memory().table();
  if (!table) return table.error();
  hidden.checks.ranges = (*table)->address();
  hidden.checks.range_count = (*table)->size();
  hidden.checks.kernarg_size = static_cast<uint32_t>(kernel.info.kernarg_size);
  in_flight_.back().ranges = std::move(*table);
  return {};
}

Driven<void> QueueLauncher::submit(Submission& submission) {
  const Kernel& kernel = *submission.kernel;
  if (auto used = device_.context().use(); !used) return used;
  const LaunchPlan plan(submission.dispatch, kernel.has(EntryForm::native));
  const bool is_single = submission.notices && plan.is_single() &&
                         submission.kernel->has_at_once(EntryForm::single, plan.block_size());
  const EntryForm form = is_single          ? EntryForm::single
                         : plan.is_native() ? EntryForm::native
                                            : EntryForm::linear;
  const auto function = submission.kernel->entry(form, plan.block_size(), submission.sizes.group);
  if (!function) return function.error();
  if (kernel.info.dynamic_call_stack)
    if (auto done = provide_stack(submission, *function); !done) return done;
  ptx_kernel::CheckedHidden checked = {hidden_of(submission.dispatch, kernel, submission.sizes), {}};
  if (auto done = add_checks(kernel, checked); !done) return done;
  void* arguments[] = {const_cast<std::byte*>(submission.first_parameter.data()), &checked};
  KernelNode node;
  node.function = *function;
  for (int i = 0; i < 3; ++i) node.block[i] = plan.block(i);
  node.shared_size = checked.hidden.group_total_size;
  node.arguments = arguments;
  node.argument_sizes[0] = submission.first_parameter.size();
  node.argument_sizes[1] = ptx_kernel::hidden_size(kernel.info, form);
  return is_single ? launch_single(plan, node, checked.hidden, submission)
                   : launch_parts(plan, node, checked.hidden, submission);
}

/// Has the GPU tell the host when the first `dispatches` have ended.
Driven<void> QueueLauncher::write_progress(uint64_t dispatches) {
  const DriverApi& api = device_.context().api();
  if (auto done = api.call(api.stream_write_value, stream_, block_->progress_address(), dispatches, 0u);
      !done)
    return done;
  noticed_ = dispatches;
  in_flight_.back().has_notice = true;
  return {};
}

void QueueLauncher::notify() noexcept try {
  if (noticed_ == launched_ || cut_short_ || failure_) return;
  auto done = device_.context().use();
  if (done) done = batch_.launch(stream_);
  if (done) done = write_progress(launched_);
  if (!done)
    cut_short_ = failure_of(done.error(), batch_.refused() ? name_of(*batch_.refused()) : suspects());
} catch (const std::bad_alloc&) {
  cut_short_ = agents::out_of_memory();
}

/// Submits a dispatch. One of which only a part could be submitted is in flight nevertheless: its code stays,
/// and what it asks of the host is answered until its kernels are stopped.
Result<void, Failure> QueueLauncher::launch_in_flight(Submission& submission) {
  const Kernel& kernel = *submission.kernel;
  in_flight_.push_back({submission.kernel});
  bool is_complete = false;
  const Finally settle([&] {
    if (!submission.is_accepted) return in_flight_.pop_back();
    ++launched_;
    if (!is_complete && !cut_short_) cut_short_ = agents::out_of_memory();
    if (asks_host(kernel)) service_->serve_until(launched_);
  });
  auto done = submit(submission);
  if (done && submission.notices && !in_flight_.back().tells_itself) done = write_progress(launched_ + 1);
  is_complete = done.ok();
  if (is_complete) return {};
  if (submission.is_accepted) {
    cut_short_ = failure_of(done.error(), name_of(batch_.refused() ? *batch_.refused() : kernel));
    return {};
  }
  // A dispatch before this one may have made the GPU refuse everything.
  look_for_failure();
  return failure_ ? *failure_ : failure_of(done.error(), name_of(kernel));
}

/// Launches the kernels that wait if what has to be done for the next one may wait for kernels of all queues,
/// which in turn may wait for one of them.
Result<void, Failure> QueueLauncher::launch_waiting(const KernelDispatch& d, Kernel& kernel) {
  if (batch_.size() == 0) return {};
  const LaunchPlan plan(d, kernel.has(EntryForm::native));
  const bool is_prepared =
      !kernel.info.dynamic_call_stack && !ptx_kernel::checks_addresses(kernel.info) &&
      (service_ || !asks_host(kernel)) &&
      kernel.has_at_once(plan.is_native() ? EntryForm::native : EntryForm::linear, plan.block_size());
  if (is_prepared) return {};
  auto done = device_.context().use();
  if (done) done = batch_.launch(stream_);
  if (done) return {};
  cut_short_ = failure_of(done.error(), name_of(batch_.refused() ? *batch_.refused() : kernel));
  return *cut_short_;
}

/// Whether the next dispatch ends a row. A long enough row is stretched by up to a batch, so that it ends
/// where a batch is launched anyway.
bool QueueLauncher::ends_row() const {
  const uint64_t length = launched_ + 1 - noticed_, wanted = std::max(row_min, (launched_ - ended_) / 2);
  return length >= wanted &&
         (batch_.size() + 1 == KernelBatch::capacity || length >= wanted + KernelBatch::capacity);
}

Result<uint32_t, Failure> QueueLauncher::launch(const KernelDispatch& d, Notice notice) {
  assert(launched_ - ended_ < QueueBlock::records);
  if (cut_short_) return *cut_short_;
  auto kernel = std::static_pointer_cast<Kernel>(device_.kernels().find(d.packet.kernel_object));
  if (!kernel)
    return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                   fmt::format("0x{:x} is no kernel object of this agent", d.packet.kernel_object)};
  const auto sizes = check(d, *kernel);
  if (!sizes) return sizes.error();
  auto first = first_parameter(d, *kernel);
  if (!first) return first.error();
  if (auto launched = launch_waiting(d, *kernel); !launched) return launched.error();
  if (auto provided = provide_mailbox(*kernel); !provided) return provided.error();
  block_->record(launched_) = {};
  // The service of the mailbox watches the dispatches that may ask it.
  const bool notices = notice == Notice::at_once || asks_host(*kernel) || ends_row();
  Submission submission = {d, std::move(kernel), *sizes, *first, notices};
  if (auto done = launch_in_flight(submission); !done) return done.error();
  return ptx_kernel::lanes;
}

/// The next dispatch to end has failed if it has asked for what the host could not do.
void QueueLauncher::take_request_failure() {
  const RequestFailure* const failed = service_ ? service_->failure() : nullptr;
  if (!failed || failure_ || failed->dispatch != ended_ || in_flight_.empty()) return;
  failure_ = failed->failure;
  failure_->message = fmt::format("kernel {}: {}", in_flight_.front().kernel->info.name, failure_->message);
}

uint64_t QueueLauncher::ended() {
  const uint64_t progress = block_->progress();
  take_request_failure();
  while (!in_flight_.empty() && !failure_) {
    const ptx_kernel::ErrorRecord& record = block_->record(ended_);
    const bool has_trapped = QueueBlock::is_complete(record);
    // A kernel that tells of its end itself may not do so when work-items have trapped.
    if (ended_ >= progress && !(has_trapped && in_flight_.front().tells_itself)) break;
    if (has_trapped) {
      const Kernel& kernel = *in_flight_.front().kernel;
      failure_ = cuda::failure_of(record, kernel.info.name, kernel.lines());
      break;
    }
    // The code may go away: that of the dispatch before this one, or this one's.
    InFlight& next = in_flight_.front();
    retiring_ = next.tells_itself ? std::move(next.kernel) : nullptr;
    in_flight_.pop_front();
    ++ended_;
    take_request_failure();
  }
  if (cut_short_ && !failure_ && ended_ == noticed_) {
    stop();
    failure_ = cut_short_;
  }
  return ended_;
}

uint64_t QueueLauncher::next_notice() const {
  const auto noticed = std::ranges::find_if(in_flight_, &InFlight::has_notice);
  return noticed == in_flight_.end() ? ended_
                                     : ended_ + static_cast<uint64_t>(noticed - in_flight_.begin()) + 1;
}

void QueueLauncher::stop() noexcept {
  uint64_t never = 0;
  stopped_at_.compare_exchange_strong(never, hsam_timestamp());
  block_->stop();
}

/// Ends the process with the driver if kernels have gone on for too long after they were asked to end.
void QueueLauncher::end_what_does_not_stop() noexcept {
  const uint64_t stopped = stopped_at_;
  if (stopped != 0 && device_.can_be_revived() && hsam_timestamp() - stopped > stop_grace)
    device_.end_kernels();
}

/// What the driver says of the stream. It is lost when the driver has been given up or has moved, although
/// its kernels may go on.
Status QueueLauncher::stream_status() const {
  const GpuContext& context = device_.context();
  if (const Status lost = device_.lost(); lost != Status::success) return lost;
  if (context.generation() != generation_) return Status::process_lost;
  return context.status_of(context.api().stream_query, stream_);
}

void QueueLauncher::look_for_failure() {
  const DriverApi& api = device_.context().api();
  if (failure_) return;
  end_what_does_not_stop();
  const Status status = stream_status();
  if (status == Status::not_ready) return;
  if (status == Status::success) {
    // A kernel that would have told of its end itself has not done so if its work-items have trapped.
    if (block_->progress() < noticed_) block_->set_progress(noticed_);
    return;
  }
  // What had ended before the fault has written its progress.
  if (ended() == launched_ || failure_) return;
  failure_ = failure_of(api.error_of("cuStreamQuery", status), suspects());
}

void QueueLauncher::drain() noexcept {
  if (cut_short_) stop();
  batch_.clear();
  const GpuContext& context = device_.context();
  if (stream_ && device_.can_be_revived()) {
    constexpr timespec pause = {0, 500'000};
    while (stream_status() == Status::not_ready) {
      end_what_does_not_stop();
      nanosleep(&pause, nullptr);
    }
  } else if (stream_) {
    context.wait_for(stream_);
  }
  service_.reset();
}

/// The kernels of which one has failed: those of the oldest dispatches up to the first whose end the host
/// would have learned.
std::string QueueLauncher::suspects() const {
  std::vector<std::string_view> names;
  for (const InFlight& dispatch : in_flight_) {
    const std::string_view name = dispatch.kernel->info.name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (dispatch.has_notice) break;
  }
  return names.size() == 1 ? fmt::format("kernel {}", names[0])
                           : fmt::format("one of the kernels {}", fmt::join(names, ", "));
}

/// Whether every kernel that may have caused an error has checked its addresses.
bool QueueLauncher::has_checked_addresses() const {
  const auto checks = [](const InFlight& dispatch) {
    return ptx_kernel::checks_addresses(dispatch.kernel->info);
  };
  return !in_flight_.empty() && std::ranges::all_of(in_flight_, checks);
}

/// What an error of the driver means for a queue. After a fault no GPU of this process does anything any
/// more, if the driver is in it. `who` names the kernel.
Failure QueueLauncher::failure_of(const DriverError& error, std::string_view who) const {
  const bool lacks = error.status == Status::out_of_memory || error.status == Status::launch_out_of_resources;
  const bool wrong = error.status == Status::invalid_value || device_.can_be_revived();
  return {lacks   ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
          : wrong ? HSA_STATUS_ERROR
                  : HSA_STATUS_ERROR_FATAL,
          fmt::format("{}: {}{}", who, error.message, advice_about(error.status, has_checked_addresses()))};
}

}  // namespace heddle::cuda
