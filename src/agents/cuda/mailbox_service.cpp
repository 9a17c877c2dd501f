// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/mailbox_service.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "agents/cuda/guarded_access.h"
#include "support/thread_name.h"

namespace heddle::cuda {
namespace {

using ptx_kernel::MailboxSlot;

constexpr uint64_t microsecond = agents::ticks_per_microsecond;
/// How long the thread polls after a request.
constexpr uint64_t poll_time = 100 * microsecond;
/// Then it sleeps for this part of the time since the last request, so that it is late by a small part only.
constexpr uint64_t sleep_part = 32;
constexpr uint64_t shortest_sleep = 20 * microsecond, longest_sleep = 500 * microsecond;

/// A copy of the request in a slot, each word of which is read once. A kernel may write the slot meanwhile.
MailboxSlot request_in(const MailboxSlot& slot) {
  const auto read = [](const auto& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); };
  MailboxSlot request = {};
  request.kind = read(slot.kind);
  request.operation = read(slot.operation);
  request.is_signed = read(slot.is_signed);
  request.size = read(slot.size);
  request.address = read(slot.address);
  request.value = read(slot.value);
  request.second = read(slot.second);
  return request;
}

}  // namespace

MailboxService::MailboxService(const MailboxWork& work)
    : work_(work), requests_(work.owner, waits_), held_(work.slots.size()) {}

Result<std::unique_ptr<MailboxService>, Error> MailboxService::start(const MailboxWork& work) {
  std::unique_ptr<MailboxService> service(new MailboxService(work));
  try {
    service->thread_ = std::thread([self = service.get()] {
      name_thread("heddle-mailbox");
      self->run();
    });
  } catch (const std::system_error& error) {
    return Error{std::string("no thread to serve a queue: ") + error.what()};
  }
  return service;
}

MailboxService::~MailboxService() {
  if (!thread_.joinable()) return;
  ending_ = true;
  hsam_waiter_kick(&waiter_);
  thread_.join();
}

void MailboxService::serve_until(uint64_t dispatches) {
  until_ = dispatches;
  hsam_waiter_kick(&waiter_);
}

bool MailboxService::is_busy() const {
  return __atomic_load_n(work_.progress, __ATOMIC_ACQUIRE) < until_.load() &&
         __atomic_load_n(work_.stop, __ATOMIC_ACQUIRE) == 0 && !failure();
}

void MailboxService::run() {
  agents::wake_precisely();
  bool was_busy = false;
  while (true) {
    // A kick from now on ends the next sleep.
    hsam_waiter_reset(&waiter_);
    if (ending_) return;
    const bool busy = is_busy();
    if (busy && !was_busy) {
      install_access_guard();
      last_request_ = hsam_timestamp();
      polling_.emplace(last_request_ + poll_time);
    }
    was_busy = busy;
    if (!busy) {
      // Work-items that waited have ended.
      waits_.clear();
      hsam_waiter_sleep(&waiter_, UINT64_MAX);
    } else if (look()) {
      last_request_ = hsam_timestamp();
      polling_.emplace(last_request_ + poll_time);
    } else if (!polling_->pause()) {
      rest();
    }
  }
}

/// The earliest deadline of the waits that hold slots. The others are looked at when their work-items ask.
uint64_t MailboxService::deadline() const {
  uint64_t earliest = UINT64_MAX;
  if (held_count_ == 0) return earliest;
  for (const uint64_t wait : held_)
    if (wait != 0) earliest = std::min(earliest, waits_.deadline(wait));
  return earliest;
}

/// Sleeps for a short time, or until a wait ends.
void MailboxService::rest() {
  const uint64_t now = hsam_timestamp();
  const uint64_t time = std::clamp((now - last_request_) / sleep_part, shortest_sleep, longest_sleep);
  hsam_waiter_sleep(&waiter_, std::min(now + time, deadline()));
}

/// Looks at all slots; true if any of them had something to do.
bool MailboxService::look() {
  bool found = false;
  for (size_t i = 0; i < work_.slots.size() && !failure(); ++i)
    if (__atomic_load_n(&work_.slots[i].state, __ATOMIC_ACQUIRE) == MailboxSlot::posted)
      found = look_at(i) || found;
  return found;
}

/// Goes on with a slot that has a request. Half of the slots at most are held by waits; the work-items of
/// others have to ask again, so that there is always room for those whose requests end the waits.
bool MailboxService::look_at(size_t slot) try {
  uint64_t wait = held_[slot];
  const bool is_new = wait == 0;
  if (is_new) {
    const auto answer = requests_.perform(request_in(work_.slots[slot]));
    if (!answer) {
      fail(answer.error());
      return true;
    }
    if (answer->wait == 0) {
      post(slot, *answer);
      return true;
    }
    wait = answer->wait;
  }
  if (const auto value = waits_.take(wait)) {
    post(slot, {static_cast<uint64_t>(*value), 0});
  } else if (is_new && held_count_ < work_.slots.size() / 2) {
    held_[slot] = wait;
    ++held_count_;
  } else if (is_new) {
    post(slot, {0, wait});
  } else {
    return false;
  }
  return true;
} catch (const std::bad_alloc&) {
  fail(agents::out_of_memory());
  return true;
}

void MailboxService::post(size_t slot, const HostAnswer& answer) {
  MailboxSlot& to = work_.slots[slot];
  to.result = answer.result;
  to.wait = answer.wait;
  if (held_[slot] != 0) --held_count_;
  held_[slot] = 0;
  __atomic_store_n(&to.state, uint64_t{MailboxSlot::answered}, __ATOMIC_RELEASE);
}

/// Nobody answers the work-item; it ends when it sees the stop.
void MailboxService::fail(agents::Failure failure) noexcept {
  failure_ = {__atomic_load_n(work_.progress, __ATOMIC_ACQUIRE), std::move(failure)};
  failed_.store(&failure_, std::memory_order_release);
  __atomic_store_n(work_.stop, 1u, __ATOMIC_RELEASE);
}

}  // namespace heddle::cuda
