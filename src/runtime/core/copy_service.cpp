// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/copy_service.h"

#include <new>
#include <system_error>
#include <utility>

#include "driver/log.h"
#include "driver/logged_lock.h"
#include "support/thread_name.h"

namespace heddle::runtime {
namespace {

/// How long the thread polls when it has been given a copy or has begun one, in ticks: programs often submit
/// one copy after the other, and to wake a thread takes as long as a small copy to a GPU.
constexpr uint64_t poll_time = HSAM_TIMESTAMP_FREQUENCY / 1'000'000 * 50;
/// A copy of more rows is left to the thread, because to submit it may take longer than programs expect.
constexpr size_t rows_at_once = 64;

}  // namespace

CopyService::Part::Part(Pending& of)
    : StartedCopy([](StartedCopy& part, hsa_status_t status) noexcept {
        Pending& pending = static_cast<Part&>(part).whole;
        pending.service.end_part(pending, status);
      }),
      whole(of) {}

CopyService::Pending::Pending(CopyService& of, Copy wanted)
    : service(of), copy(std::move(wanted)), starts(copy.starts.size()), left(copy.destinations.size() + 1) {
  for (size_t i = 0; i < starts.size(); ++i) starts[i].signal = copy.starts[i];
  for (size_t i = 0; i < copy.destinations.size(); ++i) parts.emplace_back(*this);
}

CopyService::~CopyService() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  hsam_waiter_kick(&waiter_);
  if (thread_.joinable()) thread_.join();
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return underway_.empty(); });
}

hsa_status_t CopyService::submit(Copy copy) {
  driver::log_debug(HSAM_LOG_COPY, "a copy of {} bytes is submitted, which waits for {} signals",
                    copy.shape.row * copy.shape.rows * copy.shape.layers, copy.starts.size());
  std::list<Pending> submission;
  submission.emplace_back(*this, std::move(copy));
  submission.front().place = submission.begin();
  if (begin_at_once(submission)) return HSA_STATUS_SUCCESS;
  {
    // The thread is started first, so that every queued copy is sure to be carried out.
    const auto lock = driver::lock_logged(mutex_, "the copies");
    if (!has_thread()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    submitted_.splice(submitted_.end(), submission);
  }
  hsam_waiter_kick(&waiter_);
  return HSA_STATUS_SUCCESS;
}

/// Begins a copy on the calling thread, if nothing stands in its way and an agent makes it.
bool CopyService::begin_at_once(std::list<Pending>& submission) {
  Pending& pending = submission.front();
  const CopyShape& shape = pending.copy.shape;
  if (pending.parts.size() != 1 || shape.row == 0 || shape.rows * shape.layers > rows_at_once) return false;
  for (const hsam_signal* start : pending.copy.starts)
    if (hsam_signal_load_scacquire(start) != 0) return false;
  {
    const auto lock = driver::lock_logged(mutex_, "the copies");
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    underway_.splice(underway_.end(), submission);
  }
  if (begin_next(pending)) {
    end_part(pending, HSA_STATUS_SUCCESS);  // all have begun
    return true;
  }
  std::lock_guard lock(mutex_);
  unfinished_.fetch_sub(1, std::memory_order_relaxed);
  submission.splice(submission.end(), underway_, pending.place);
  if (underway_.empty()) ended_.notify_all();
  return false;
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
  std::lock_guard lock(mutex_);
  if (submitted_.empty()) return false;
  pending_.splice(pending_.end(), submitted_);
  return true;
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
  for (auto next = pending_.begin(); next != pending_.end();) {
    const auto ready = next++;
    if (!may_start(*ready)) continue;
    {
      std::lock_guard lock(mutex_);
      underway_.splice(underway_.end(), pending_, ready);
    }
    carry_out(*ready);
    any = true;
  }
  return any;
}

/// Has an agent begin the copy to the next destination; false if none makes it by itself.
bool CopyService::begin_next(Pending& pending) noexcept {
  const CopyShape& shape = pending.copy.shape;
  if (pending.begun == 0 && pending.copy.timed) pending.started = hsam_timestamp();
  hsam_copy copy{};
  copy.to = pending.copy.destinations[pending.begun];
  copy.from = pending.copy.source;
  copy.row = shape.row;
  copy.rows = shape.rows;
  copy.layers = shape.layers;
  copy.to_pitch = shape.destination_pitch;
  copy.to_slice = shape.destination_slice;
  copy.from_pitch = shape.source_pitch;
  copy.from_slice = shape.source_slice;
  return client_.start_copy(copy, *std::next(pending.parts.begin(), static_cast<ptrdiff_t>(pending.begun)));
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

/// Has agents make the copy where they do so by themselves, and copies here where not.
void CopyService::carry_out(Pending& pending) noexcept {
  const Copy& copy = pending.copy;
  for (; pending.begun < copy.destinations.size(); ++pending.begun) {
    if (copy.shape.row != 0 && begin_next(pending)) continue;
    end_part(pending,
             copy.shape.row == 0 ? HSA_STATUS_SUCCESS : copy_to(copy.destinations[pending.begun], copy));
  }
  end_part(pending, HSA_STATUS_SUCCESS);  // all have begun
}

/// Takes note that a part has ended, on whichever thread. The last one ends the copy.
void CopyService::end_part(Pending& pending, hsa_status_t status) noexcept {
  hsa_status_t none = HSA_STATUS_SUCCESS;
  if (status != HSA_STATUS_SUCCESS) pending.status.compare_exchange_strong(none, status);
  if (pending.left.fetch_sub(1, std::memory_order_acq_rel) == 1) end(pending);
}

void CopyService::end(Pending& pending) noexcept {
  // Whoever sees the completion finds the service idle if this was the last copy.
  unfinished_.fetch_sub(1, std::memory_order_release);
  complete(pending.copy, pending.started, pending.status);
  std::list<Pending> ended;
  std::lock_guard lock(mutex_);
  ended.splice(ended.end(), underway_, pending.place);
  if (underway_.empty()) ended_.notify_all();
}

/// Tells whoever waits for the copy.
void CopyService::complete(const Copy& copy, uint64_t started, hsa_status_t status) noexcept {
  if (status != HSA_STATUS_SUCCESS)
    driver::log_error("a copy of {} bytes failed with status {:#x}",
                      copy.shape.row * copy.shape.rows * copy.shape.layers, static_cast<unsigned>(status));
  if (copy.completion == nullptr) return;
  if (copy.timed) hsam_signal_set_times(copy.completion, started, hsam_timestamp());
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
  for (Pending& pending : pending_)
    for (Start& start : pending.starts) disarm(start);
}

}  // namespace heddle::runtime
