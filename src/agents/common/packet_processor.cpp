// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/packet_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "agents/common/polling.h"
#include "agents/common/wave_count.h"
#include "support/exception_safety.h"
#include "support/thread_name.h"

namespace heddle::agents {
namespace {

// How long the thread polls for more work before it sleeps: a few round trips of a client that waits
// actively.
constexpr uint64_t spin_time = 30 * ticks_per_microsecond;
// How long a published packet waits if its doorbell went unseen, which happens when it is rung with the same
// value as before while the thread is awake.
constexpr uint64_t unrung_time = 1'000 * ticks_per_microsecond;
constexpr size_t in_flight_max = 64;
// Kernels that run when a queue is inactivated have the grace period to end by themselves. After it they are
// interrupted, again and again until they have ended.
constexpr std::chrono::milliseconds grace{10};
constexpr std::chrono::milliseconds interrupt_period{2};

constexpr uint32_t released_header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;  // with setup 0

// Memory fences of packets (PRM 6.2). The host is coherent, so a fence only has to order accesses. What
// kernels store is ordered before what later kernels load by the release fence alone, which is a full one.
void acquire_fence(uint32_t scope) {
  if (scope != HSA_FENCE_SCOPE_NONE) std::atomic_thread_fence(std::memory_order_acquire);
}
void release_fence(uint32_t scope) {
  if (scope != HSA_FENCE_SCOPE_NONE) std::atomic_thread_fence(std::memory_order_seq_cst);
}

hsam_signal* signal_of(uint64_t handle) { return reinterpret_cast<hsam_signal*>(handle); }

}  // namespace

PacketProcessor::PacketProcessor(const QueueSettings& settings, std::unique_ptr<Launcher> launcher)
    : settings_(settings),
      mask_(settings.info.size - 1),
      unit_(settings.pool ? settings.pool->unit_for_queue() : 0) {
  assert((settings.executor && settings.pool) || launcher);
  if (launcher) device_.emplace(std::move(launcher));
  read_ = limit_ = __atomic_load_n(settings.info.read_index_ptr_kern_addr, __ATOMIC_ACQUIRE);
  // The doorbell starts with a value that the first ring, for packet 0, changes.
  hsam_signal_silent_store_relaxed(settings.doorbell, doorbell_seen_);
}

Result<std::unique_ptr<PacketProcessor>, Error> PacketProcessor::create(const QueueSettings& settings,
                                                                        std::unique_ptr<Launcher> launcher) {
  std::unique_ptr<PacketProcessor> processor(new PacketProcessor(settings, std::move(launcher)));
  try {
    processor->os_thread_ = std::thread([p = processor.get()] {
      name_thread("heddle-queue");
      p->run();
    });
  } catch (const std::system_error& error) {
    return Error{fmt::format("no thread for the queue: {}", error.what())};
  }
  if (!processor->has_started()) return Error{"no memory for the thread of the queue"};
  return processor;
}

PacketProcessor::~PacketProcessor() {
  if (!os_thread_.joinable()) return;  // create() could not start it
  inactivate();
  os_thread_.join();
}

bool PacketProcessor::has_started() {
  std::unique_lock lock(mutex_);
  life_changed_.wait(lock, [&] { return life_ != Life::starting; });
  return life_ == Life::running;
}

void PacketProcessor::inactivate() {
  state_.store(State::inactive, std::memory_order_seq_cst);
  const auto ended = [&] { return life_ == Life::ended; };
  std::unique_lock lock(mutex_);
  if (ended()) return;
  hsam_waiter_kick(&waiter_);
  if (life_changed_.wait_for(lock, grace, ended)) return;
  while (!ended()) {
    for (const auto& dispatch : active_) dispatch->stop();
    if (direct_) direct_->stop();
    if (device_) device_->stop();
    if (interruptible_) interruptible_->interrupt(this);
    lock.unlock();
    if (settings_.pool) settings_.pool->interrupt(this);
    lock.lock();
    life_changed_.wait_for(lock, interrupt_period, ended);
  }
}

void PacketProcessor::run() {
  std::optional<DispatchThread> thread;
  try {
    if (!device_) thread.emplace(*settings_.executor, static_cast<ThreadHost*>(this));
  } catch (const std::bad_alloc&) {
    thread.reset();  // create() learns this from life_
  }
  const bool started = thread || device_;
  if (device_) wake_precisely();
  {
    std::lock_guard lock(mutex_);
    life_ = started ? Life::running : Life::ended;
    interruptible_ = thread ? &*thread : nullptr;
    life_changed_.notify_all();
  }
  if (!started) return;
  serve(thread ? &*thread : nullptr);
  if (device_) device_->drain();
  // What kernels wrote is visible to whoever sees the queue quiescent (Runtime 2.5.5.4).
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::lock_guard lock(mutex_);
  interruptible_ = nullptr;
  life_ = Life::ended;
  life_changed_.notify_all();
}

/// Serves the queue until it is no longer active and none of its dispatches is in flight. `thread` is null if
/// a device runs them.
void PacketProcessor::serve(DispatchThread* thread) {
  pthread_ = pthread_self();
  uint64_t busy_until = hsam_timestamp() + spin_time;
  while (true) {
    watch();
    moved_ = false;
    poll();
    if (thread && run_dispatch(*thread)) moved_ = true;
    if (moved_) {
      busy_until = 0;
      continue;
    }
    if (state_.load(std::memory_order_seq_cst) != State::active) {
      barrier_.reset();  // its signals may go away
      if (settings_.serial.before) settings_.turn->withdraw(waiter_);
      if (in_flight() == 0) break;
    }
    wait(busy_until);
  }
}

/// Takes part in a dispatch; false if there is none to take part in.
bool PacketProcessor::run_dispatch(DispatchThread& thread) {
  if (direct_state_ == Direct::launched) {
    run_direct(thread);
    return true;
  }
  const auto dispatch = runnable();
  if (dispatch) thread.participate(*dispatch, unit_.load(std::memory_order_relaxed));
  return dispatch != nullptr;
}

/// The oldest dispatch that still has groups to hand out, or that was stopped before anybody entered it.
std::shared_ptr<ActiveDispatch> PacketProcessor::runnable() {
  if (in_flight_.load(std::memory_order_acquire) == 0) return nullptr;
  std::lock_guard lock(mutex_);
  for (const auto& dispatch : active_) {
    if (state_.load(std::memory_order_relaxed) == State::inactive && !dispatch->entered()) dispatch->stop();
    if (!dispatch->drained() || (dispatch->stopped() && !dispatch->entered())) return dispatch;
  }
  return nullptr;
}

// ---- waiting ----

/// Waits for work: polls until `busy_until` (ticks; 0 means spin_time from now, or more behind a long
/// dispatch of a device), then sleeps.
void PacketProcessor::wait(uint64_t& busy_until) {
  const bool device_works = device_ && device_->in_flight() != 0;
  const bool idles = device_ && !device_works;
  if (busy_until == 0)
    busy_until = hsam_timestamp() + (idles ? std::max(spin_time, device_->idle_polling()) : spin_time);
  Polling polling(device_ ? std::max(busy_until, device_->poll_until()) : busy_until,
                  device_works ? Polling::Writer::device : Polling::Writer::thread);
  do {
    if (state_.load(std::memory_order_relaxed) != State::active) break;
    if (__atomic_load_n(&waiter_.word, __ATOMIC_RELAXED) != HSAM_WAITER_AWAKE || ready()) return;
  } while (polling.pause());
  sleep(UINT64_MAX);
}

void PacketProcessor::watch() noexcept {
  // Whatever hits the waiter after this look stays there.
  if (__atomic_load_n(&waiter_.word, __ATOMIC_SEQ_CST) != HSAM_WAITER_AWAKE) hsam_waiter_reset(&waiter_);
}

void PacketProcessor::sleep(uint64_t deadline) noexcept {
  hsam_wait_record rung;
  hsam_wait_arm(&rung, &waiter_, settings_.doorbell, HSAM_CONDITION_ANY_SEND, 0);
  // Something may have come between the last look and the arming. Kicks and hits from now on end the sleep.
  bool timed_out = false;
  if (device_) deadline = std::min(deadline, device_->next_look());
  if (state_.load(std::memory_order_seq_cst) != State::active || !ready()) {
    uint64_t look_again = UINT64_MAX;
    const bool open = !barrier_ && state_.load(std::memory_order_relaxed) == State::active;
    if (open && unsettled_since_ != 0) look_again = unsettled_since_ + settings_.settle_time;
    if (open && read_ == limit_ &&
        __atomic_load_n(settings_.info.write_index_ptr_kern_addr, __ATOMIC_ACQUIRE) > limit_)
      look_again = hsam_timestamp() + unrung_time;
    timed_out = hsam_waiter_sleep(&waiter_, std::min(look_again, deadline)) == 0 && look_again <= deadline;
  }
  if (device_) device_->look_for_failure();
  if (hsam_wait_disarm(&rung) || timed_out) {
    doorbell_seen_ = hsam_signal_load_scacquire(settings_.doorbell);
    limit_ = __atomic_load_n(settings_.info.write_index_ptr_kern_addr, __ATOMIC_ACQUIRE);
  }
}

// ---- launch phase ----

void PacketProcessor::poll() noexcept {
  look_at_doorbell();
  try {
    if (device_) collect();
    // Also after an exception: the dispatches in flight must be seen to end.
    const Finally notify([&] {
      if (device_) device_->notify();
    });
    while (launches() && launch_next()) moved_ = true;
  } catch (const std::bad_alloc&) {
    // The packet is lost, since its slot has been released, so none that follows it may run.
    moved_ = true;
    fail(out_of_memory());
  }
}

/// Whether further packets may be launched. A direct dispatch runs first.
bool PacketProcessor::launches() const {
  return direct_state_ != Direct::launched && state_.load(std::memory_order_relaxed) == State::active;
}

void PacketProcessor::look_at_doorbell() {
  const int64_t value = hsam_signal_load_scacquire(settings_.doorbell);
  if (value == doorbell_seen_) return;
  doorbell_seen_ = value;
  limit_ = __atomic_load_n(settings_.info.write_index_ptr_kern_addr, __ATOMIC_ACQUIRE);
}

std::byte* PacketProcessor::slot_of(uint64_t packet_id) const {
  return static_cast<std::byte*>(settings_.info.payload_user_addr) + (packet_id & mask_) * 64;
}

/// Whether poll() would find something to do. Looks at everything that can change without a kick of the
/// waiter.
bool PacketProcessor::ready() {
  if (hsam_signal_load_scacquire(settings_.doorbell) != doorbell_seen_) return true;
  if (device_ && device_->has_ended()) return true;
  if (barrier_) return barrier_->satisfied();
  if (read_ >= limit_) return false;
  const uint16_t header =
      __atomic_load_n(reinterpret_cast<const uint16_t*>(slot_of(read_)), __ATOMIC_ACQUIRE);
  const uint32_t type = packet_type(header);
  return type != HSA_PACKET_TYPE_INVALID && type != HSA_PACKET_TYPE_VENDOR_SPECIFIC && admit(header) &&
         turn_is_free(header);
}

/// Launches the next packet, or completes the barrier packet that holds up the queue. False: nothing can be
/// done now.
bool PacketProcessor::launch_next() {
  if (barrier_) {
    if (!barrier_->satisfied()) return false;
    complete_barrier();
    return true;
  }
  if (read_ >= limit_) return false;
  std::byte* slot = slot_of(read_);
  const uint16_t header = __atomic_load_n(reinterpret_cast<uint16_t*>(slot), __ATOMIC_ACQUIRE);
  if (!settled(header) || !admit(header) || !take_turn(header, read_)) return false;
  const uint64_t packet_id = read_;
  union {
    hsa_kernel_dispatch_packet_t dispatch;
    hsa_barrier_and_packet_t barrier;
  } packet;
  static_assert(sizeof packet == 64 && sizeof(hsa_barrier_or_packet_t) == 64);
  std::memcpy(&packet, slot, sizeof packet);
  packet.dispatch.header = header;
  release_slot(slot);
  report_packet(packet_id, packet_type(header));
  settings_.log.taken(packet_id, &packet);
  switch (packet_type(header)) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
      launch_dispatch(packet.dispatch, packet_id);
      break;
    case HSA_PACKET_TYPE_BARRIER_AND:
    case HSA_PACKET_TYPE_BARRIER_OR:
      launch(packet.barrier, packet_id);
      break;
    default:
      fail({HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
            fmt::format("packet {}: type {} in header 0x{:04x} is not supported by this queue", packet_id,
                        packet_type(header), header)});
  }
  return true;
}

/// Whether the slot holds a packet, as opposed to nothing or a header that may be transient.
bool PacketProcessor::settled(uint16_t header) {
  const uint32_t type = packet_type(header);
  if (type == HSA_PACKET_TYPE_INVALID) {
    unsettled_since_ = 0;
    return false;
  }
  if (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC) {
    const uint64_t now = hsam_timestamp();
    if (unsettled_since_ == 0) unsettled_since_ = now;
    if (now - unsettled_since_ < settings_.settle_time) return false;
  }
  unsettled_since_ = 0;
  return true;
}

void PacketProcessor::complete_barrier() {
  const uint16_t header = barrier_->header;
  hsam_signal* completion = barrier_->completion;
  const uint64_t started = barrier_->started;
  const uint64_t ended = hsam_timestamp();
  report_barrier(*barrier_, ended);
  settings_.log.waited(barrier_->packet_id, ended - started);
  barrier_.reset();  // before the application learns that the dependencies are not used any more
  complete(header, completion, started, ended);
}

/// Whether the packets before this one allow its launch: with the barrier bit all of them must be complete,
/// without it their number in flight must be below the limit. A device runs dispatches one after the other
/// and so obeys the barrier bit of those that it is given early.
bool PacketProcessor::admit(uint16_t header) {
  const uint32_t number = in_flight();
  const bool waits_on_device = device_ && packet_type(header) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
  const bool waits_here = packet_barrier(header) && !waits_on_device;
  return waits_here || settings_.serial.after ? number == 0 : number < in_flight_max;
}

uint32_t PacketProcessor::in_flight() const {
  if (device_) return device_->in_flight();
  const uint32_t listed = in_flight_.load(std::memory_order_acquire);
  return direct_state_ == Direct::none ? listed : listed + 1;
}

/// Whether a packet may start although other queues of the agent have dispatches. Packets that are no
/// dispatches may, because one that waits for a dispatch of another queue would hold that up for ever.
bool PacketProcessor::take_turn(uint16_t header, uint64_t packet_id) {
  if (!settings_.serial.before || packet_type(header) != HSA_PACKET_TYPE_KERNEL_DISPATCH) return true;
  const bool taken = settings_.turn->take(waiter_);
  if (!taken && !asked_for_turn_) settings_.log.waits_for_turn(packet_id);
  asked_for_turn_ = !taken;
  if (taken) has_turn_.store(true, std::memory_order_release);
  return taken;
}

bool PacketProcessor::turn_is_free(uint16_t header) const {
  return !settings_.serial.before || packet_type(header) != HSA_PACKET_TYPE_KERNEL_DISPATCH ||
         settings_.turn->is_free_for(waiter_);
}

void PacketProcessor::give_turn_back() {
  if (has_turn_.load(std::memory_order_acquire) && has_turn_.exchange(false, std::memory_order_acq_rel))
    settings_.turn->give_back();
}

/// Launches a dispatch, or gives back the turn that was taken for it.
void PacketProcessor::launch_dispatch(const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_id) {
  bool launched = false;
  const Finally settle([&] {
    if (!launched) give_turn_back();
  });
  launched = launch(packet, packet_id);
}

void PacketProcessor::release_slot(void* slot) {
  __atomic_store_n(static_cast<uint32_t*>(slot), released_header, __ATOMIC_RELEASE);
  ++read_;
  __atomic_store_n(settings_.info.read_index_ptr_kern_addr, read_, __ATOMIC_RELEASE);
  // The packet after the next one arrives while the next one is processed.
  if (read_ + 1 < limit_) hsam_prefetch_for_write(slot_of(read_ + 1));
}

bool PacketProcessor::is_signal(uint64_t handle) const {
  return !settings_.driver->is_signal || settings_.driver->is_signal(settings_.client, handle) != 0;
}

/// Launches a dispatch. False: it is wrong, and the queue has failed.
bool PacketProcessor::launch(const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_id) {
  const auto refuse = [&](const Failure& failure) {
    fail(failure);
    return false;
  };
  auto checked = check_dispatch(packet, settings_.limits);
  if (!checked) return refuse(checked.error());
  if (packet.completion_signal.handle != 0 && !is_signal(packet.completion_signal.handle))
    return refuse({HSA_STATUS_ERROR_INVALID_ARGUMENT, fmt::format("packet {}: 0x{:x} is no signal", packet_id,
                                                                  packet.completion_signal.handle)});
  checked->packet_id = packet_id;
  checked->queue = reinterpret_cast<uint64_t>(settings_.info.queue_header_user_addr);
  checked->cooperative = settings_.info.type == HSA_QUEUE_TYPE_COOPERATIVE;
  if (device_) return launch_on_device(*checked);
  auto task = settings_.executor->prepare(*checked);
  if (!task) return refuse(task.error());
  acquire_fence(packet_acquire_scope(packet.header));
  settings_.log.launched(*checked);
  const bool alone = in_flight() == 0;
  if (alone && is_brief(**task, checked->group_count)) {
    launch_direct(*checked, std::move(*task));
    return true;
  }
  auto dispatch =
      std::make_shared<ActiveDispatch>(static_cast<DispatchOwner&>(*this), *checked, std::move(*task));
  {
    std::lock_guard lock(mutex_);
    active_.push_back(dispatch);
    dispatch->set_listed();
    in_flight_.fetch_add(1, std::memory_order_release);
  }
  // This thread runs the first dispatch and calls helpers when it sees how long that takes. The dispatches
  // behind it must not wait for it, so they get helpers at once.
  if (!alone && dispatch->worth_dedicated_thread()) share(*dispatch);
  return true;
}

/// Gives a dispatch to the device. False: it is wrong, and the queue has failed.
bool PacketProcessor::launch_on_device(const KernelDispatch& dispatch) {
  acquire_fence(packet_acquire_scope(dispatch.packet.header));
  const bool is_awaited = has_observed_times(dispatch.packet.completion_signal.handle);
  auto launched =
      device_->launch(dispatch, is_awaited ? Launcher::Notice::at_once : Launcher::Notice::with_a_later);
  if (!launched) {
    fail(launched.error());
    return false;
  }
  settings_.log.launched(dispatch);
  return true;
}

/// Whether a dispatch is so short that no other thread should help with it, as far as is known.
bool PacketProcessor::is_brief(Task& task, uint64_t groups) const {
  const std::atomic<uint32_t>* cost = task.group_cost();
  return cost != nullptr && !worth_dedicated_thread(cost->load(std::memory_order_relaxed), groups);
}

/// Prepares the direct dispatch, which serve() runs before anything else.
void PacketProcessor::launch_direct(const KernelDispatch& dispatch, std::unique_ptr<Task> task) {
  if (!direct_) {
    auto made =
        std::make_shared<ActiveDispatch>(static_cast<DispatchOwner&>(*this), dispatch, std::move(task));
    std::lock_guard lock(mutex_);
    direct_ = std::move(made);
  } else {
    direct_->restart(dispatch, std::move(task));
  }
  // A look at the clock takes as long as a short kernel. Some are measured even if nobody asks.
  constexpr uint32_t untimed_max = 15;
  const bool timed = dispatch.group_count != 1 || untimed_ == untimed_max ||
                     has_observed_times(dispatch.packet.completion_signal.handle);
  untimed_ = timed ? 0 : untimed_ + 1;
  direct_->set_timed(timed);
  direct_state_ = Direct::launched;
}

bool PacketProcessor::has_observed_times(uint64_t completion_signal) const {
  return completion_signal != 0 || settings_.log.shows_kernels() ||
         hsam_is_observed(settings_.driver, HSAM_ACTIVITY_DISPATCH) ||
         hsam_is_observed(settings_.driver, HSAM_ACTIVITY_COMPUTE_UNIT);
}

void PacketProcessor::run_direct(DispatchThread& thread) {
  direct_state_ = Direct::running;
  if (state_.load(std::memory_order_relaxed) == State::inactive) direct_->stop();
  thread.participate(*direct_, unit_.load(std::memory_order_relaxed));
  if (!direct_->listed()) return;
  // Other threads may still work on it.
  std::lock_guard lock(mutex_);
  direct_.reset();
}

/// Makes the direct dispatch one of those in active_, which any thread may finish. False: there is no memory.
bool PacketProcessor::list_direct() noexcept {
  try {
    std::lock_guard lock(mutex_);
    active_.push_back(direct_);
    in_flight_.fetch_add(1, std::memory_order_release);
    direct_->set_listed();
    direct_state_ = Direct::none;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void PacketProcessor::launch(const hsa_barrier_and_packet_t& packet, uint64_t packet_id) {
  for (const hsa_signal_t& dependency : packet.dep_signal)
    if (dependency.handle != 0 && !is_signal(dependency.handle))
      return fail({HSA_STATUS_ERROR_INVALID_ARGUMENT,
                   fmt::format("dependency 0x{:x} is no signal", dependency.handle)});
  const uint64_t completion = packet.completion_signal.handle;
  if (completion != 0 && !is_signal(completion))
    return fail({HSA_STATUS_ERROR_INVALID_ARGUMENT,
                 fmt::format("completion signal: 0x{:x} is no signal", completion)});
  acquire_fence(packet_acquire_scope(packet.header));
  barrier_.emplace(packet, packet_id, waiter_);
  settings_.log.waits(packet_id, barrier_->missing(), barrier_->any());
}

PacketProcessor::Barrier::Barrier(const hsa_barrier_and_packet_t& packet, uint64_t id, hsam_waiter& waiter)
    : packet_id(id),
      header(packet.header),
      completion(signal_of(packet.completion_signal.handle)),
      started(hsam_timestamp()),
      waiter_(waiter),
      any_(packet_type(packet.header) == HSA_PACKET_TYPE_BARRIER_OR) {
  for (uint32_t i = 0; i < 5; ++i) {
    hsam_signal* signal = signal_of(packet.dep_signal[i].handle);
    if (!signal) continue;
    if (hsam_signal_load_scacquire(signal) == 0) {
      one_met_ = true;
      continue;
    }
    waiting_[i] = signal;
    ++missing_;
    hsam_wait_arm(&records_[i], &waiter_, signal, HSA_SIGNAL_CONDITION_EQ, 0);
  }
}

PacketProcessor::Barrier::~Barrier() {
  for (uint32_t i = 0; i < 5; ++i)
    if (waiting_[i]) hsam_wait_disarm(&records_[i]);
}

void PacketProcessor::Barrier::met(uint32_t i) {
  waiting_[i] = nullptr;
  --missing_;
  one_met_ = true;
}

bool PacketProcessor::Barrier::satisfied() {
  for (uint32_t i = 0; i < 5; ++i) {
    hsam_signal* signal = waiting_[i];
    if (!signal) continue;
    if (hsam_signal_load_scacquire(signal) != 0 && !hsam_wait_is_met(&records_[i])) continue;
    hsam_wait_disarm(&records_[i]);
    met(i);
  }
  // An AND without dependencies is satisfied, an OR without any never is (Runtime 2.6.5.9, 2.6.5.10).
  return any_ ? one_met_ : missing_ == 0;
}

void PacketProcessor::share(ActiveDispatch& dispatch) noexcept {
  // If the dispatch has been entered, this thread is one of those that work on it.
  const uint32_t already_working = dispatch.entered() ? 1 : 0;
  const QueueTerms terms = this->terms();
  const uint32_t available = terms.units ? terms.units->count() : settings_.pool->size();
  const uint64_t useful = std::min<uint64_t>(dispatch.useful_threads(), available);
  if (useful <= already_working) return;
  if (!dispatch.listed() && !list_direct()) return;
  const auto helpers = static_cast<uint32_t>(useful - already_working);
  dispatch.set_threads(helpers + 1);
  settings_.pool->call(dispatch.weak_from_this().lock(), helpers, terms);
}

QueueTerms PacketProcessor::terms() const {
  std::lock_guard lock(terms_mutex_);
  return terms_;
}

void PacketProcessor::set_priority(hsam_queue_priority priority) {
  std::lock_guard lock(terms_mutex_);
  terms_.priority = priority;
}

void PacketProcessor::set_compute_units(std::shared_ptr<const ComputeUnits> units) {
  std::lock_guard lock(terms_mutex_);
  terms_.units = std::move(units);
  unit_.store(terms_.units->first(), std::memory_order_relaxed);
}

// ---- completion phase ----

void PacketProcessor::finished(ActiveDispatch& dispatch) {
  const hsa_kernel_dispatch_packet_t& packet = dispatch.dispatch().packet;
  const bool timed = dispatch.timed() || has_observed_times(packet.completion_signal.handle);
  const uint64_t ended = timed ? hsam_timestamp() : 0;
  report_end(dispatch, ended);
  if (const Failure* failure = dispatch.failure()) {
    release_fence(packet_release_scope(packet.header));
    fail(*failure);
  } else if (!dispatch.stopped()) {
    if (dispatch.timed() && dispatch.threads() == 1)
      dispatch.measured(ended - dispatch.started(), dispatch.dispatch().group_count);
    complete(packet.header, signal_of(packet.completion_signal.handle), dispatch.started(), ended);
  }
  give_turn_back();
  if (dispatch.listed()) return forget(dispatch);
  dispatch.drop_task();  // the code that it keeps may go away
  direct_state_ = Direct::none;
}

/// Completes the dispatches that the device has ended.
void PacketProcessor::collect() {
  while (const auto ended = device_->take()) {
    moved_ = true;
    report_end(*ended);
    // No release fence is needed: Launcher::ended() promises that the results are visible, and no kernel of
    // this queue runs on the host.
    if (ended->failure)
      fail(*ended->failure);
    else if (!ended->stopped)
      signal_completion(signal_of(ended->dispatch.packet.completion_signal.handle), ended->started,
                        ended->ended);
    give_turn_back();
  }
}

/// Ends the time in which a dispatch is in flight.
void PacketProcessor::forget(ActiveDispatch& dispatch) {
  std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(active_, [&](const auto& other) { return other.get() == &dispatch; });
  if (at != active_.end()) active_.erase(at);
  in_flight_.fetch_sub(1, std::memory_order_release);
  // The kick happens under the lock. Otherwise the queue's thread could see that nothing is in flight, and
  // this object could be destroyed before the kick. That thread itself looks for work anyway.
  if (pthread_equal(pthread_self(), pthread_) == 0) hsam_waiter_kick(&waiter_);
}

void PacketProcessor::complete(uint16_t header, hsam_signal* completion, uint64_t started, uint64_t ended) {
  release_fence(packet_release_scope(header));
  signal_completion(completion, started, ended);
}

void PacketProcessor::signal_completion(hsam_signal* completion, uint64_t started, uint64_t ended) {
  if (!completion) return;
  hsam_signal_set_times(completion, started, ended);
  hsam_signal_subtract_screlease(completion, 1);
}

void PacketProcessor::executed(ActiveDispatch& dispatch, uint32_t compute_unit, uint64_t started,
                               uint64_t groups) noexcept {
  if (!hsam_is_observed(settings_.driver, HSAM_ACTIVITY_COMPUTE_UNIT)) return;
  const KernelDispatch& d = dispatch.dispatch();
  const uint64_t now = hsam_timestamp();
  // Nobody may have observed when the dispatch was launched.
  if (started == 0) started = now;
  hsam_activity record = record_of(HSAM_ACTIVITY_COMPUTE_UNIT, d.packet_id, started, now);
  record.compute_unit = compute_unit;
  record.kernel_object = d.packet.kernel_object;
  record.work_groups = groups;
  settings_.driver->report_activity(&record);
}

void PacketProcessor::triggered(const ActiveDispatch& dispatch, uint64_t event,
                                std::span<const hsam_event_value> values) noexcept {
  if (!hsam_is_observed(settings_.driver, HSAM_ACTIVITY_EVENT)) return;
  const uint64_t now = hsam_timestamp();
  hsam_activity record = record_of(HSAM_ACTIVITY_EVENT, dispatch.dispatch().packet_id, now, now);
  record.kernel_object = dispatch.dispatch().packet.kernel_object;
  record.event_id = event;
  record.event_value_count = values.size();
  record.event_values = values.data();
  settings_.driver->report_activity(&record);
}

// ---- records of activities ----

hsam_activity PacketProcessor::record_of(hsam_activity_kind kind, uint64_t packet_id, uint64_t begin,
                                         uint64_t end) const {
  hsam_activity record{};
  record.size = sizeof record;
  record.kind = kind;
  record.begin = begin;
  record.end = end;
  record.client_handle = settings_.client;
  record.queue_handle = settings_.queue;
  record.packet_id = packet_id;
  return record;
}

void PacketProcessor::report_packet(uint64_t packet_id, uint32_t type) const {
  if (!hsam_is_observed(settings_.driver, HSAM_ACTIVITY_PACKET)) return;
  const uint64_t now = hsam_timestamp();
  hsam_activity record = record_of(HSAM_ACTIVITY_PACKET, packet_id, now, now);
  record.packet_type = type;
  settings_.driver->report_activity(&record);
}

void PacketProcessor::report_barrier(const Barrier& barrier, uint64_t ended) const {
  if (!hsam_is_observed(settings_.driver, HSAM_ACTIVITY_BARRIER)) return;
  hsam_activity record = record_of(HSAM_ACTIVITY_BARRIER, barrier.packet_id, barrier.started, ended);
  record.packet_type = packet_type(barrier.header);
  record.completion_signal = reinterpret_cast<uintptr_t>(barrier.completion);
  settings_.driver->report_activity(&record);
}

/// Tells observers and the log how a dispatch has ended.
void PacketProcessor::report_end(ActiveDispatch& dispatch, uint64_t ended) const {
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (const Failure* failure = dispatch.failure())
    status = failure->status;
  else if (dispatch.stopped())
    status = HSA_STATUS_ERROR;
  // No thread may have entered a dispatch that was stopped, and nobody have observed when it was launched.
  const uint64_t started = dispatch.started() != 0 ? dispatch.started() : ended;
  report_dispatch(dispatch.dispatch(), dispatch.task().wave_size(), status, started, ended);
  settings_.log.ended(dispatch.dispatch(), ended - started, dispatch.threads(), status);
}

/// The same for a dispatch that a device has run.
void PacketProcessor::report_end(const DeviceDispatches::Ended& dispatch) const {
  hsa_status_t status = dispatch.stopped ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
  if (dispatch.failure) status = dispatch.failure->status;
  report_dispatch(dispatch.dispatch, dispatch.wave_size, status, dispatch.started, dispatch.ended);
  settings_.log.ended(dispatch.dispatch, dispatch.ended - dispatch.started, 0, status);
}

void PacketProcessor::report_dispatch(const KernelDispatch& d, uint32_t wave_size, hsa_status_t status,
                                      uint64_t started, uint64_t ended) const {
  if (!hsam_is_observed(settings_.driver, HSAM_ACTIVITY_DISPATCH)) return;
  hsam_activity record = record_of(HSAM_ACTIVITY_DISPATCH, d.packet_id, started, ended);
  record.status = status;
  record.completion_signal = d.packet.completion_signal.handle;
  record.kernel_object = d.packet.kernel_object;
  record.work_groups = d.group_count;
  record.waves = wave_count(d, wave_size);
  record.work_items = uint64_t{d.grid_size[0]} * d.grid_size[1] * d.grid_size[2];
  settings_.driver->report_activity(&record);
}

/// Puts the queue into the error state, in which nothing further is launched and running dispatches may
/// finish. Reports the first failure only, and none when the queue is being inactivated.
void PacketProcessor::fail(const Failure& failure) {
  State expected = State::active;
  if (!state_.compare_exchange_strong(expected, State::error, std::memory_order_seq_cst)) return;
  const hsa_generic_driver_interface& driver = *settings_.driver;
  constexpr size_t needed =
      offsetof(hsa_generic_driver_interface, memory_fault) + sizeof(driver.memory_fault);
  if (failure.fault && driver.tail_size >= needed && driver.memory_fault != nullptr)
    driver.memory_fault(settings_.client, settings_.queue, failure.fault->address, failure.fault->causes,
                        failure.message.c_str());
  else
    driver.queue_error(settings_.client, settings_.queue, failure.status, failure.message.c_str());
}

}  // namespace heddle::agents
