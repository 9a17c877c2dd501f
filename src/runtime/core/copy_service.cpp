// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/copy_service.h"

#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "driver/log.h"
#include "driver/logged_lock.h"
#include "support/exception_safety.h"
#include "support/thread_name.h"

namespace heddle::runtime {
namespace {

/// How often the end of the service looks whether agents have ended their copies.
constexpr std::chrono::microseconds pause_at_end{100};

/// How long the thread polls when it has been given a copy or has begun one, in ticks: programs often submit
/// one copy after the other, and to wake a thread takes as long as a small copy to a GPU.
constexpr uint64_t poll_time = HSAM_TIMESTAMP_FREQUENCY / 1'000'000 * 50;
/// A copy of more rows is left to the thread, because to submit it may take longer than programs expect.
constexpr size_t rows_at_once = 64;
/// A copy that has ended keeps memory for as many start signals.
constexpr size_t starts_kept = 16;

hsam_signal* block_of(hsa_signal_t signal) { return reinterpret_cast<hsam_signal*>(signal.handle); }

}  // namespace

CopyService::Part::Part(Pending& of)
    : StartedCopy(
          [](StartedCopy& part, hsa_status_t status) noexcept {
            Pending& pending = static_cast<Part&>(part).whole();
            pending.service.end_part(pending, status);
          },
          &of) {}

void CopyService::Pending::prepare(const Copy& wanted, std::span<void* const> places,
                                   std::span<const hsa_signal_t> signals) {
  bool is_prepared = false;
  const Finally settle([&] {
    if (!is_prepared) clear();
  });
  copy = wanted;
  destinations = places.size();
  if (!places.empty()) first.destination = places.front();
  for (size_t i = 1; i < places.size(); ++i) others.emplace_back(*this).destination = places[i];
  for (const hsa_signal_t signal : signals)
    if (hsam_signal_load_scacquire(block_of(signal)) != 0) starts.push_back({block_of(signal), {}, false});
  status.store(HSA_STATUS_SUCCESS, std::memory_order_relaxed);
  left.store(destinations + 1, std::memory_order_relaxed);
  is_prepared = true;
}

void CopyService::Pending::clear() noexcept {
  if (!others.empty()) others.clear();
  starts.clear();
  if (starts.capacity() > starts_kept) std::vector<Start>().swap(starts);
}

void CopyService::Row::add(Pending& pending) noexcept {
  pending.next = nullptr;
  (first ? last->next : first) = &pending;
  last = &pending;
}

CopyService::Pending* CopyService::Row::take() noexcept {
  Pending* const taken = first;
  if (taken) first = taken->next;
  return taken;
}

CopyService::~CopyService() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  hsam_waiter_kick(&waiter_);
  if (thread_.joinable()) thread_.join();
  // Those that agents still make end on threads of agents, which use nothing of the service any more when
  // they have given the copy back. A part of a millisecond more does not matter here.
  size_t in_use = all_.size();
  const auto count_off = [&](const Pending* unused) {
    for (; unused; unused = unused->next) --in_use;
  };
  count_off(unused_);
  count_off(submitted_.first);
  count_off(pending_.first);
  for (;;) {
    count_off(ended_.exchange(nullptr, std::memory_order_acquire));
    if (in_use == 0) return;
    std::this_thread::sleep_for(pause_at_end);
  }
}

/// Makes one if all are in use. Throws std::bad_alloc.
CopyService::Pending& CopyService::take_unused() {
  const auto lock = driver::lock_logged(mutex_, "the copies");
  if (!unused_) unused_ = ended_.exchange(nullptr, std::memory_order_acquire);
  if (!unused_) {
    all_.emplace_back(*this).next = nullptr;
    unused_ = &all_.back();
  }
  begun_copies_.fetch_add(1, std::memory_order_relaxed);
  return *std::exchange(unused_, unused_->next);
}

/// Lets a copy be used again, on whichever thread. The service may be gone when this returns.
void CopyService::give_back(Pending& pending) noexcept {
  pending.clear();
  pending.next = ended_.load(std::memory_order_relaxed);
  while (!ended_.compare_exchange_weak(pending.next, &pending, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

hsa_status_t CopyService::submit(const Copy& copy, std::span<void* const> destinations,
                                 std::span<const hsa_signal_t> starts) {
  driver::log_debug(HSAM_LOG_COPY, "a copy of {} bytes is submitted, which waits for {} signals",
                    copy.bytes(), starts.size());
  Pending& pending = take_unused();
  bool is_submitted = false;
  const Finally settle([&] {
    if (is_submitted) return;
    ended_copies_.fetch_add(1, std::memory_order_release);
    give_back(pending);
  });
  pending.prepare(copy, destinations, starts);
  is_submitted = begin_at_once(pending);
  if (is_submitted) return HSA_STATUS_SUCCESS;
  {
    // The thread is started first, so that every queued copy is sure to be carried out.
    const auto lock = driver::lock_logged(mutex_, "the copies");
    if (!has_thread()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    submitted_.add(pending);
    is_submitted = true;
  }
  hsam_waiter_kick(&waiter_);
  return HSA_STATUS_SUCCESS;
}

bool CopyService::idle() const {
  // In this order, so that a copy that begins meanwhile counts as one that has not ended.
  const uint64_t ended = ended_copies_.load(std::memory_order_acquire);
  return begun_copies_.load(std::memory_order_relaxed) == ended;
}

/// Begins a copy on the calling thread, if nothing stands in its way and an agent makes it.
bool CopyService::begin_at_once(Pending& pending) noexcept {
  const CopyShape& shape = pending.copy.shape;
  if (pending.destinations != 1 || shape.row == 0 || shape.rows * shape.layers > rows_at_once ||
      !pending.starts.empty())
    return false;
  if (pending.copy.timed) pending.started = hsam_timestamp();
  if (!begin(pending, pending.first)) return false;
  end_part(pending, HSA_STATUS_SUCCESS);  // all have begun
  return true;
}

/// Starts the thread unless it runs already. Returns false if it cannot be started.
bool CopyService::has_thread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] {
      name_thread("heddle-copies");
      run();
    });
    driver::log_debug(HSAM_LOG_RESOURCE, "the thread of copies starts");
    return true;
  } catch (const std::system_error& error) {
    driver::log_error("no thread for copies: {}", error.what());
    return false;
  }
}

/// Returns whether there were any.
bool CopyService::take_submitted() {
  Row submitted;
  {
    std::lock_guard lock(mutex_);
    submitted = std::exchange(submitted_, {});
  }
  const bool any = submitted.first != nullptr;
  while (Pending* const pending = submitted.take()) pending_.add(*pending);
  return any;
}

void CopyService::disarm(Start& start) {
  if (start.armed) (void)hsam_wait_disarm(&start.record);
  start.armed = false;
  start.signal = nullptr;
}

/// Looks at the start signals of a copy, and watches those that are not 0 yet. The application may destroy a
/// signal as soon as it has been seen with the value 0, or the copy has begun, so that nothing watches it
/// then.
bool CopyService::may_start(Pending& pending) {
  bool ready = true;
  for (Start& start : pending.starts) {
    if (start.signal == nullptr) continue;
    if (!start.armed) {
      hsam_wait_arm(&start.record, &waiter_, start.signal, HSA_SIGNAL_CONDITION_EQ, 0);
      start.armed = true;
    }
    if (hsam_wait_is_met(&start.record) || hsam_signal_load_scacquire(start.signal) == 0)
      disarm(start);
    else
      ready = false;
  }
  return ready;
}

/// Begins all copies that may start, and carries out those that no agent makes by itself.
bool CopyService::start_ready() {
  bool any = false;
  Row all = std::exchange(pending_, {});
  while (Pending* const pending = all.take()) {
    if (may_start(*pending)) {
      carry_out(*pending);
      any = true;
    } else {
      pending_.add(*pending);
    }
  }
  return any;
}

/// Has an agent begin the copy to a destination; false if none makes it by itself.
bool CopyService::begin(const Pending& pending, Part& part) noexcept {
  const Copy& wanted = pending.copy;
  const CopyShape& shape = wanted.shape;
  hsam_copy copy{};
  copy.to = part.destination;
  copy.from = wanted.source;
  copy.row = shape.row;
  copy.rows = shape.rows;
  copy.layers = shape.layers;
  copy.to_pitch = shape.destination_pitch;
  copy.to_slice = shape.destination_slice;
  copy.from_pitch = shape.source_pitch;
  copy.from_slice = shape.source_slice;
  return client_.start_copy(copy, part);
}

/// Copies here, row by row, and waits.
hsa_status_t CopyService::copy_to(void* destination, const Copy& copy) noexcept try {
  const CopyShape& shape = copy.shape;
  for (size_t layer = 0; layer < shape.layers; ++layer) {
    auto* to = static_cast<std::byte*>(destination) + layer * shape.destination_slice;
    const auto* from = static_cast<const std::byte*>(copy.source) + layer * shape.source_slice;
    for (size_t row = 0; row < shape.rows; ++row) {
      const hsa_status_t status = client_.copy(to, from, shape.row);
      if (status != HSA_STATUS_SUCCESS) return status;
      to += shape.destination_pitch;
      from += shape.source_pitch;
    }
  }
  return HSA_STATUS_SUCCESS;
} catch (const std::bad_alloc&) {
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
} catch (...) {
  return HSA_STATUS_ERROR;
}

/// Has an agent make the copy to a destination, or copies here if none does.
void CopyService::carry_out(Pending& pending, Part& part) noexcept {
  if (pending.copy.shape.row == 0)
    end_part(pending, HSA_STATUS_SUCCESS);
  else if (!begin(pending, part))
    end_part(pending, copy_to(part.destination, pending.copy));
}

void CopyService::carry_out(Pending& pending) noexcept {
  if (pending.copy.timed) pending.started = hsam_timestamp();
  if (pending.destinations != 0) carry_out(pending, pending.first);
  for (Part& other : pending.others) carry_out(pending, other);
  end_part(pending, HSA_STATUS_SUCCESS);  // all have begun
}

/// Takes note that a part has ended, on whichever thread. The last one ends the copy. Whoever sees its
/// completion finds the service idle if this was the last copy.
void CopyService::end_part(Pending& pending, hsa_status_t status) noexcept {
  // The signal comes while the counters are fetched.
  if (pending.copy.completion) hsam_prefetch_for_write(pending.copy.completion);
  hsa_status_t none = HSA_STATUS_SUCCESS;
  if (status != HSA_STATUS_SUCCESS) pending.status.compare_exchange_strong(none, status);
  if (pending.left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  pending.service.ended_copies_.fetch_add(1, std::memory_order_release);
  complete(pending);
  give_back(pending);
}

/// Tells whoever waits for the copy.
void CopyService::complete(const Pending& pending) noexcept {
  const Copy& copy = pending.copy;
  const hsa_status_t status = pending.status.load(std::memory_order_relaxed);
  if (status != HSA_STATUS_SUCCESS)
    driver::log_error("a copy of {} bytes failed with status {:#x}", copy.bytes(),
                      static_cast<unsigned>(status));
  if (copy.completion == nullptr) return;
  if (copy.timed) hsam_signal_set_times(copy.completion, pending.started, hsam_timestamp());
  if (status == HSA_STATUS_SUCCESS)
    (void)hsam_signal_subtract_screlease(copy.completion, 1);
  else
    // Waiters must not take this for success. As in other asynchronous copies of the platform, a negative
    // value tells them of the failure.
    hsam_signal_store_screlease(copy.completion, -1);
}

/// Returns whether something has happened before the time for polling was over.
bool CopyService::poll() const noexcept {
  const uint64_t start = hsam_timestamp();
  unsigned step = 0;
  do {
    if (__atomic_load_n(&waiter_.word, __ATOMIC_ACQUIRE) != HSAM_WAITER_AWAKE) return true;
  } while (hsam_spin(step++, start, poll_time, UINT64_MAX));
  return false;
}

void CopyService::run() {
  bool is_busy = false;
  for (;;) {
    hsam_waiter_reset(&waiter_);
    // What a copy waits for often ends soon after it has been submitted.
    is_busy |= take_submitted();
    {
      std::lock_guard lock(mutex_);
      if (stop_) break;
    }
    if (start_ready()) {
      is_busy = true;
      continue;
    }
    if (!is_busy || !poll()) hsam_waiter_sleep(&waiter_, UINT64_MAX);
    is_busy = false;
  }
  for (Pending* pending = pending_.first; pending; pending = pending->next)
    for (Start& start : pending->starts) disarm(start);
}

}  // namespace heddle::runtime
