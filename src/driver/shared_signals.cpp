// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/shared_signals.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "driver/log.h"
#include "driver/memory_file.h"
#include "driver/signal_table.h"
#include "support/thread_name.h"

namespace heddle::driver {
namespace {

constexpr uint32_t handle_magic = 0x53415348;  // "HSAS"
constexpr size_t segment_size = HSAM_SHARED_SEGMENT_SIZE;
constexpr size_t header_blocks = 64;  // as many blocks as signals of that size would take
constexpr size_t slots = segment_size / sizeof(hsam_signal) - header_blocks;
// A file that cannot shrink: an access to a page that another process has cut off would end this process.
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

void log_failure(const char* what) { log_error("{}: {}", what, std::generic_category().message(errno)); }

}  // namespace

/// The beginning of a segment.
struct SharedSignals::Header {
  hsam_shared_header wake;
  uint64_t identity;  ///< a random number that tells this segment from all others
  /// For each signal the number of processes that use it; 0 if the block is free.
  uint32_t users[slots];
};

/// A segment that is mapped in this process.
struct SharedSignals::Segment {
  std::byte* base = nullptr;
  bool own = false;  ///< this process creates signals in it
  Descriptor file;
  std::atomic<bool> ending = false;  ///< asks the thread to end
  std::thread thread;
  size_t live = 0;                     ///< signals that this process uses
  std::array<uint32_t, slots> uses{};  ///< of each signal by this process

  Header& header() const { return *reinterpret_cast<Header*>(base); }
  uint32_t& users(size_t slot) const { return header().users[slot]; }
  hsam_signal* signal(size_t slot) const {
    return reinterpret_cast<hsam_signal*>(base) + header_blocks + slot;
  }
  size_t slot(uint64_t signal) const {
    return (signal - reinterpret_cast<uintptr_t>(base)) / sizeof(hsam_signal) - header_blocks;
  }
};

SharedSignals& SharedSignals::instance() {
  // As the signal table, this is never destroyed.
  static SharedSignals& signals = *new SharedSignals;
  return signals;
}

/// Returns a record with addresses for a segment: those of another one of which nothing is used any more, or
/// new ones. Null if there are none left.
SharedSignals::Segment* SharedSignals::place() {
  for (Segment& segment : segments_) {
    if (segment.own || segment.live != 0) continue;
    stop(segment);
    return &segment;
  }
  std::list<Segment> made(1);
  made.front().base = SignalTable::instance().reserve_segment();
  if (made.front().base == nullptr) return nullptr;
  segments_.splice(segments_.end(), made);
  return &segments_.back();
}

SharedSignals::Segment* SharedSignals::map(Descriptor& file, bool own) {
  Segment* segment = place();
  if (segment == nullptr) return nullptr;
  if (mmap(segment->base, segment_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.number(), 0) ==
      MAP_FAILED) {
    log_failure("a segment of shared signals cannot be mapped");
    return nullptr;
  }
  segment->own = own;
  segment->file = std::move(file);
  return segment;
}

SharedSignals::Segment* SharedSignals::make_segment() {
  static_assert(sizeof(Header) <= header_blocks * sizeof(hsam_signal));
  static_assert(offsetof(Header, wake) == 0);
  Descriptor file = create_memory_file("heddle-signals", segment_size, seals);
  uint64_t identity = 0;
  if (!file || getrandom(&identity, sizeof identity, 0) != sizeof identity) {
    log_failure("a segment of shared signals cannot be made");
    return nullptr;
  }
  Segment* segment = map(file, true);
  if (segment != nullptr) segment->header().identity = identity;
  return segment;
}

/// Finds a block for one more signal of this process.
bool SharedSignals::find_room(Segment*& segment, size_t& slot) {
  for (Segment& own : segments_) {
    if (!own.own) continue;
    for (slot = 0; slot < slots; ++slot) {
      if (__atomic_load_n(&own.users(slot), __ATOMIC_ACQUIRE) != 0) continue;
      segment = &own;
      return true;
    }
  }
  segment = make_segment();
  slot = 0;
  return segment != nullptr;
}

hsam_signal* SharedSignals::create(int64_t value, int64_t client,
                                   std::span<const Agent* const> destinations) {
  std::lock_guard lock(mutex_);
  Segment* segment = nullptr;
  size_t slot = 0;
  if (!find_room(segment, slot) || !start(*segment)) return nullptr;
  hsam_signal* signal = segment->signal(slot);
  const uint32_t before = __atomic_load_n(&signal->flags, __ATOMIC_RELAXED);
  const uint32_t generation = (before >> HSAM_SIGNAL_GENERATION_SHIFT) + 1;
  __atomic_store_n(&signal->start_timestamp, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&signal->end_timestamp, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&signal->flags, generation << HSAM_SIGNAL_GENERATION_SHIFT | HSAM_SIGNAL_SHARED,
                   __ATOMIC_SEQ_CST);
  __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
  __atomic_store_n(&segment->users(slot), 1, __ATOMIC_RELEASE);
  segment->uses[slot] = 1;
  ++segment->live;
  SignalTable::instance().open_shared(signal, client, destinations);
  return signal;
}

SharedSignals::Segment* SharedSignals::segment_of(uint64_t signal) {
  if (SignalTable::instance().kind(signal) != SignalTable::Kind::shared) return nullptr;
  const uint64_t base = signal & ~uint64_t{segment_size - 1};
  for (Segment& segment : segments_)
    if (reinterpret_cast<uintptr_t>(segment.base) == base) return &segment;
  return nullptr;
}

bool SharedSignals::describe(uint64_t signal, SharedSignalHandle& handle) {
  std::lock_guard lock(mutex_);
  const Segment* segment = segment_of(signal);
  if (segment == nullptr) return false;
  const size_t slot = segment->slot(signal);
  handle = {.magic = handle_magic,
            .process = static_cast<uint32_t>(getpid()),
            .file = static_cast<uint32_t>(segment->file.number()),
            .slot = static_cast<uint32_t>(slot),
            .flags = __atomic_load_n(&segment->signal(slot)->flags, __ATOMIC_RELAXED),
            .reserved = 0,
            .identity = segment->header().identity};
  return true;
}

/// Opens the file of another process. The handle may name any file, such as a device, so that the file is
/// looked at before it is really opened.
StatusOr<SharedSignals::Segment*> SharedSignals::open_segment(const SharedSignalHandle& handle) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.file);
  const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
    log_failure("a shared signal cannot be attached");
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  struct stat status;
  const bool plausible = place && fstat(place.number(), &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_size == static_cast<off_t>(segment_size);
  const std::string again = fmt::format("/proc/self/fd/{}", place.number());
  Descriptor file(plausible ? open(again.c_str(), O_RDWR | O_CLOEXEC) : -1);
  uint64_t identity = 0;
  if (!file || fcntl(file.number(), F_GET_SEALS) != seals ||
      pread(file.number(), &identity, sizeof identity, offsetof(Header, identity)) != sizeof identity ||
      identity != handle.identity) {
    log_warning("process {} has no such shared signal, or does not let this process attach it",
                handle.process);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  Segment* segment = map(file, false);
  if (segment == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return segment;
}

StatusOr<SharedSignals::Segment*> SharedSignals::segment_of(const SharedSignalHandle& handle) {
  if (handle.magic != handle_magic || handle.slot >= slots || (handle.flags & HSAM_SIGNAL_SHARED) == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (Segment& segment : segments_)
    if (segment.file && segment.header().identity == handle.identity) return &segment;
  return open_segment(handle);
}

StatusOr<hsam_signal*> SharedSignals::attach(const SharedSignalHandle& handle, int64_t client,
                                             std::span<const Agent* const> destinations, bool& is_new) {
  std::lock_guard lock(mutex_);
  const auto found = segment_of(handle);
  if (!found) return found.error();
  Segment& segment = **found;
  hsam_signal* signal = segment.signal(handle.slot);
  uint32_t& uses = segment.uses[handle.slot];
  is_new = uses == 0;
  if (is_new) {
    // A signal that nobody uses any more cannot be attached; its block may become another signal at any time.
    uint32_t& users = segment.users(handle.slot);
    uint32_t count = __atomic_load_n(&users, __ATOMIC_ACQUIRE);
    do {
      if (count == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    } while (
        !__atomic_compare_exchange_n(&users, &count, count + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  }
  const bool same = __atomic_load_n(&signal->flags, __ATOMIC_RELAXED) == handle.flags;
  if (!same || !start(segment)) {
    if (is_new) __atomic_fetch_sub(&segment.users(handle.slot), 1, __ATOMIC_ACQ_REL);
    return same ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  ++uses;
  if (!is_new) return signal;
  ++segment.live;
  SignalTable::instance().open_shared(signal, client, destinations);
  return signal;
}

bool SharedSignals::is_last_use(uint64_t signal) {
  std::lock_guard lock(mutex_);
  const Segment* segment = segment_of(signal);
  return segment != nullptr && segment->uses[segment->slot(signal)] == 1;
}

bool SharedSignals::release(uint64_t signal) {
  std::lock_guard lock(mutex_);
  Segment* segment = segment_of(signal);
  if (segment == nullptr) return false;
  const size_t slot = segment->slot(signal);
  assert(segment->uses[slot] != 0);
  if (--segment->uses[slot] != 0) return true;
  SignalTable::instance().close_shared(segment->signal(slot));
  --segment->live;
  __atomic_fetch_sub(&segment->users(slot), 1, __ATOMIC_ACQ_REL);
  return true;
}

// ---- threads ----

/// Starts the thread of a segment unless it runs already.
bool SharedSignals::start(Segment& segment) {
  if (segment.thread.joinable()) return true;
  try {
    segment.thread = std::thread([&segment] {
      name_thread("heddle-relay");
      relay(segment);
    });
    return true;
  } catch (const std::system_error& error) {
    log_error("no thread for shared signals: {}", error.what());
    return false;
  }
}

void SharedSignals::stop(Segment& segment) {
  if (!segment.thread.joinable()) return;
  segment.ending.store(true, std::memory_order_seq_cst);
  hsam_shared_wake(&segment.header().wake);
  segment.thread.join();
  segment.ending.store(false, std::memory_order_relaxed);
}

/// Tests the values of signals against the waiters of this process whenever another process has changed one.
void SharedSignals::relay(Segment& segment) {
  hsam_shared_header& wake = segment.header().wake;
  for (;;) {
    const uint32_t sequence = __atomic_load_n(&wake.sequence, __ATOMIC_SEQ_CST);
    if (segment.ending.load(std::memory_order_seq_cst)) return;
    for (size_t slot = 0; slot < slots; ++slot) {
      hsam_signal* signal = segment.signal(slot);
      hsam_signal* local = hsam_signal_local(signal);
      if (local == signal) continue;  // there has never been a signal in this block
      if (__atomic_load_n(&local->waiters, __ATOMIC_SEQ_CST) != 0) hsam_signal_notify_present(signal);
      if (__atomic_load_n(&local->attached, __ATOMIC_SEQ_CST) != 0) hsam_signal_ring_destinations(local);
    }
    hsam_shared_sleep(&wake, sequence);
  }
}

void SharedSignals::stop() {
  std::lock_guard lock(mutex_);
  for (Segment& segment : segments_) stop(segment);
}

/// Forgets the segments in the child of a fork, which has no threads for them. What the parent uses stays
/// mapped.
void SharedSignals::forget_parent() noexcept {
  abandon(mutex_);
  abandon(segments_);
}

}  // namespace heddle::driver
