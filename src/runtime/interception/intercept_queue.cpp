// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/intercept_queue.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include <hsam/signal.h>

#include "driver/driver.h"
#include "driver/log.h"

namespace heddle::runtime {

namespace {

constexpr uint32_t empty_slot = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;

/// The header of a barrier packet that waits for nothing: it completes when the packet processor meets it.
constexpr uint32_t retry_header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;

hsam_signal* block(hsa_signal_t signal) { return reinterpret_cast<hsam_signal*>(signal.handle); }

uint32_t type_of(uint32_t first_word) { return first_word & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1); }

/// Whether a slot has a packet. A slot that is all 0 at its beginning has been cleared, and will be written.
bool is_ready(uint32_t first_word) {
  return first_word != 0 && type_of(first_word) != HSA_PACKET_TYPE_INVALID;
}

const amd_aql_intercept_marker_t* as_marker(const Packet& packet) {
  const auto& marker = reinterpret_cast<const amd_aql_intercept_marker_t&>(packet);
  const bool is_marker = type_of(packet.words[0]) == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
                         marker.format == AMD_AQL_FORMAT_INTERCEPT_MARKER && marker.callback != nullptr;
  return is_marker ? &marker : nullptr;
}

uint64_t count_markers(const Packet* packets, uint64_t count) {
  return static_cast<uint64_t>(
      std::count_if(packets, packets + count, [](const Packet& p) { return as_marker(p) != nullptr; }));
}

}  // namespace

/// Where the thread is in the list of interceptors.
struct InterceptQueue::Cursor {
  InterceptQueue* queue = nullptr;  ///< null outside of process()
  const Interceptors* interceptors = nullptr;
  size_t level = 0;  ///< the number of interceptors that have not had the packets yet
  uint64_t packet = 0;
};

thread_local InterceptQueue::Cursor InterceptQueue::cursor_;

InterceptQueue::InterceptQueue(hsa_queue_t* upper, hsa_queue_t* lower, hsam_signal* retry)
    : upper_(upper),
      lower_(lower),
      retry_(retry),
      size_(upper->size),
      upper_ring_(static_cast<Packet*>(upper->base_address)),
      lower_ring_(static_cast<Packet*>(lower->base_address)),
      lower_doorbell_(block(lower->doorbell_signal)),
      interceptors_(std::make_shared<Interceptors>()) {
  assert(upper->size == lower->size);
}

void InterceptQueue::add(hsa_amd_queue_intercept_handler handler, void* data) {
  std::lock_guard lock(list_mutex_);
  auto longer = std::make_shared<Interceptors>(*interceptors_);
  longer->push_back({handler, data});
  interceptors_ = std::move(longer);
}

std::shared_ptr<const InterceptQueue::Interceptors> InterceptQueue::interceptors() {
  std::lock_guard lock(list_mutex_);
  return interceptors_;
}

InterceptQueue::Outcome InterceptQueue::process() {
  if (cursor_.queue != nullptr) {
    process_later();
    return Outcome::done;
  }
  std::lock_guard lock(mutex_);
  if (stopped_ || exhausted_) return Outcome::stopped;
  if (!flush()) return Outcome::done;
  while (waiting_.empty() && !exhausted_ && take()) {
  }
  return exhausted_ ? Outcome::exhausted : Outcome::done;
}

void InterceptQueue::process_later() {
  std::lock_guard lock(retry_mutex_);
  if (retry_usable_) hsam_signal_store_screlease(retry_, quiet - 1);
}

InterceptQueue::Outcome InterceptQueue::retry() {
  {
    // What happens after this changes the signal again, and what happened before is seen by process().
    std::lock_guard lock(retry_mutex_);
    if (!retry_usable_) return Outcome::stopped;
    hsam_signal_store_screlease(retry_, quiet);
  }
  return process();
}

bool InterceptQueue::stop() {
  if (cursor_.queue == this) return false;
  std::scoped_lock lock(mutex_, retry_mutex_);
  stopped_ = true;
  retry_usable_ = false;
  return true;
}

void InterceptQueue::resume() {
  std::scoped_lock lock(mutex_, retry_mutex_);
  stopped_ = false;
  retry_usable_ = true;
}

/// Takes one packet from the upper queue. Returns false if none is ready.
bool InterceptQueue::take() {
  Packet* slot = &upper_ring_[next_ & (size_ - 1)];
  // A producer rings after it has written its packet. Packets that another one has not finished come later,
  // with their own ring.
  if (next_ >= __atomic_load_n(driver::Client::write_index(upper_), __ATOMIC_ACQUIRE)) return false;
  const uint32_t first_word = __atomic_load_n(slot->words.data(), __ATOMIC_ACQUIRE);
  if (!is_ready(first_word)) return false;
  Packet packet = *slot;
  packet.words[0] = first_word;
  const std::shared_ptr<const Interceptors> list = interceptors();
  cursor_ = {this, list.get(), list->size(), next_};
  write(&packet, 1);
  cursor_ = {};
  __atomic_store_n(slot->words.data(), empty_slot, __ATOMIC_RELEASE);
  ++next_;
  __atomic_store_n(driver::Client::read_index(upper_), next_, __ATOMIC_RELEASE);
  return true;
}

/// Passes packets to the next interceptor, or, after the last one, to the lower queue. Interceptors call it.
void InterceptQueue::write(const void* packets, uint64_t count) {
  Cursor& cursor = cursor_;
  if (cursor.queue == nullptr) {
    driver::log_error("packets written after the interceptor has returned are dropped");
    return;
  }
  if (packets == nullptr || count == 0) return;
  if (cursor.level == 0) {
    cursor.queue->submit(static_cast<const Packet*>(packets), count);
    return;
  }
  const Interceptor& next = (*cursor.interceptors)[--cursor.level];
  next.handler(packets, count, cursor.packet, next.data, &InterceptQueue::write);
  ++cursor.level;
}

/// Writes packets to the lower queue, or keeps them if there is no room.
void InterceptQueue::submit(const Packet* packets, uint64_t count) {
  const uint64_t put_now = waiting_.empty() ? put(packets, count) : 0;
  if (put_now == count) return;
  try {
    waiting_.insert(waiting_.end(), packets + put_now, packets + count);
    wait_for_room();
  } catch (const std::bad_alloc&) {
    driver::log_error("queue {} stops: there is no memory for the packets that interceptors have written",
                      upper_->id);
    exhausted_ = true;
  }
}

/// Writes packets that wait. Returns whether none waits any more.
bool InterceptQueue::flush() {
  if (waiting_.empty()) return true;
  const uint64_t put_now = put(waiting_.data(), waiting_.size());
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(put_now));
  if (waiting_.empty()) return true;
  wait_for_room();
  return false;
}

bool InterceptQueue::waits_for_retry() const {
  return __atomic_load_n(driver::Client::read_index(lower_), __ATOMIC_ACQUIRE) < retry_end_;
}

/// The number of packets that fit into the lower queue, beside the barrier packet that tells of room.
uint64_t InterceptQueue::room() const {
  const uint64_t reserved = waits_for_retry() ? 0 : 1;
  const uint64_t free =
      size_ - (lower_next_ - __atomic_load_n(driver::Client::read_index(lower_), __ATOMIC_ACQUIRE));
  return free - std::min(free, reserved);
}

void InterceptQueue::write_body(uint64_t number, const Packet& packet) {
  Packet& slot = lower_ring_[number & (size_ - 1)];
  std::copy(packet.words.begin() + 1, packet.words.end(), slot.words.begin() + 1);
}

void InterceptQueue::write_header(uint64_t number, uint32_t header) {
  __atomic_store_n(lower_ring_[number & (size_ - 1)].words.data(), header, __ATOMIC_RELEASE);
}

/// Gives the agent the packets of the lower queue from `first` on, whose header it writes last: the agent
/// sees all of them or none.
void InterceptQueue::publish(uint64_t first, uint32_t first_header) {
  __atomic_store_n(driver::Client::write_index(lower_), lower_next_, __ATOMIC_RELEASE);
  write_header(first, first_header);
  hsam_signal_store_screlease(lower_doorbell_, static_cast<int64_t>(lower_next_ - 1));
}

/// Has the agent tell when it gets to the place in the lower queue that is the end now.
void InterceptQueue::wait_for_room() {
  if (waits_for_retry()) return;
  hsa_barrier_and_packet_t barrier{};
  barrier.completion_signal.handle = reinterpret_cast<uintptr_t>(retry_);
  Packet packet;
  std::memcpy(&packet, &barrier, sizeof packet);
  write_body(lower_next_, packet);
  retry_end_ = ++lower_next_;
  publish(retry_end_ - 1, retry_header);
}

/// Writes packets to the lower queue: all of them; none if they fit only later, so that packets which one
/// interceptor has written together also come together; or as many as there is room for, if they never fit.
/// Calls the functions of markers, which are not written. Returns how many packets are done.
uint64_t InterceptQueue::put(const Packet* packets, uint64_t count) {
  const uint64_t room = this->room();
  const uint64_t needed = count - count_markers(packets, count);
  if (needed > room && needed < size_) return 0;
  const uint64_t first = lower_next_;
  uint32_t first_header = 0;
  uint64_t done = 0;
  for (; done < count; ++done) {
    const Packet& packet = packets[done];
    if (const amd_aql_intercept_marker_t* marker = as_marker(packet)) {
      marker->callback(marker, lower_, lower_next_);
      continue;
    }
    if (lower_next_ - first == room) break;
    write_body(lower_next_, packet);
    if (lower_next_ == first)
      first_header = packet.words[0];
    else
      write_header(lower_next_, packet.words[0]);
    ++lower_next_;
  }
  if (lower_next_ != first) publish(first, first_header);
  return done;
}

}  // namespace heddle::runtime
