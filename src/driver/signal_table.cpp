// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/signal_table.h"

#include <cassert>

#include <hsam/signal.h>

#include "driver/services.h"
#include "support/align.h"

namespace heddle::driver {
namespace {

constexpr size_t block_size = 64;
static_assert(sizeof(hsam_signal) == block_size);

// The greatest number of signals. Only addresses are reserved; pages are committed when they are used. The
// number is halved until the system grants the reservation.
constexpr size_t most_signals = size_t{4} << 20;
constexpr size_t least_signals = 4096;

// The number of freed slots that are kept unused, so that a stale handle is recognised for some time.
constexpr size_t resting = 1024;

constexpr size_t no_index = SIZE_MAX;

// Blocks of a segment of shared signals. As many follow it for the local parts.
constexpr size_t segment_blocks = HSAM_SHARED_SEGMENT_SIZE / block_size;

const hsam_signal_hooks hooks = {.destination_unreachable = signal_destination_unreachable};

}  // namespace

SignalTable& SignalTable::instance() {
  // The table is never destroyed, since threads may still send to signals during static destruction.
  static SignalTable& table = *new SignalTable;
  return table;
}

void SignalTable::set_capacity(uint32_t destinations) {
  std::lock_guard lock(mutex_);
  if (destinations_ == 0) destinations_ = destinations;
}

bool SignalTable::map() {
  size_t bytes = offsetof(hsa_signal_object, root_dest_array) + destinations_ * sizeof(hsa_root_dest_node);
  object_size_ = align_up(bytes, block_size);
  for (size_t count = most_signals; count >= least_signals; count /= 2) {
    blocks_ = Mapping::create(count * block_size, HSAM_SHARED_SEGMENT_SIZE);
    objects_ = Mapping::create(count * object_size_);
    entries_ = Mapping::create(count * sizeof(Entry));
    if (blocks_ && objects_ && entries_) {
      capacity_.store(count, std::memory_order_release);
      return true;
    }
  }
  return false;
}

hsam_signal* SignalTable::create(int64_t value, Kind kind, int64_t client,
                                 std::span<const Agent* const> destinations) {
  std::lock_guard lock(mutex_);
  if (capacity_.load(std::memory_order_relaxed) == 0 && !map()) return nullptr;
  if (destinations.size() > destinations_) return nullptr;
  size_t index;
  if (used_ < capacity_.load(std::memory_order_relaxed) && free_count_ < resting) {
    index = used_++;
  } else if (free_count_ != 0) {
    index = first_free_;
    first_free_ = this->entry(index).next_free;
    --free_count_;
  } else {
    return nullptr;
  }

  hsam_signal* signal = block(index);
  // These pointers are the same for all signals of the block, and before the first signal no sender can be
  // reading them.
  Entry& entry = this->entry(index);
  if (entry.generation == 0) object(index)->signal_value_ptr = reinterpret_cast<uint64_t*>(&signal->value);
  prepare(*signal, *object(index), destinations);
  uint32_t flags = ++entry.generation << HSAM_SIGNAL_GENERATION_SHIFT;
  if (kind == Kind::doorbell) flags |= HSAM_SIGNAL_DOORBELL;
  __atomic_store_n(&signal->flags, flags, __ATOMIC_SEQ_CST);
  __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
  entry.client.store(client, std::memory_order_relaxed);
  entry.kind.store(kind, std::memory_order_release);
  return signal;
}

/// A sender that was delayed may still be reading the block's previous signal. Therefore all stores are
/// atomic, and the lock word, the list of waiters and its count keep the values that the previous signal left
/// in them (free, empty, 0).
void SignalTable::prepare(hsam_signal& signal, hsa_signal_object& object,
                          std::span<const Agent* const> destinations) {
  for (size_t i = 0; i < destinations.size(); ++i) {
    hsa_root_dest_node& root = object.root_dest_array[i];
    uint64_t flags = static_cast<uint64_t>(destinations[i]->device_driver_id()) << HSAM_ROOT_DRIVER_ID_SHIFT;
    __atomic_store_n(&root.flags, flags, __ATOMIC_RELAXED);
    __atomic_store_n(&root.internal_data_ptr, nullptr, __ATOMIC_RELAXED);
    __atomic_store_n(&root.next_dest_hier, nullptr, __ATOMIC_RELAXED);
    __atomic_store_n(&root.next_group_hier, nullptr, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&object.number_of_dests, static_cast<uint32_t>(destinations.size()), __ATOMIC_RELAXED);
  __atomic_store_n(&signal.object, &object, __ATOMIC_RELAXED);
  __atomic_store_n(&signal.hooks, &hooks, __ATOMIC_RELAXED);
  __atomic_store_n(&signal.attached, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&signal.start_timestamp, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&signal.end_timestamp, 0, __ATOMIC_RELAXED);
}

std::byte* SignalTable::reserve_segment() {
  std::lock_guard lock(mutex_);
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  if (capacity == 0 && !map()) return nullptr;
  // The blocks between the last one that was used and the segment are not used any more.
  const size_t first = align_up(used_, segment_blocks);
  if (first + 2 * segment_blocks > capacity_.load(std::memory_order_relaxed)) return nullptr;
  used_ = first + 2 * segment_blocks;
  return reinterpret_cast<std::byte*>(block(first));
}

void SignalTable::open_shared(hsam_signal* signal, int64_t client,
                              std::span<const Agent* const> destinations) {
  std::lock_guard lock(mutex_);
  const size_t index = index_of(reinterpret_cast<uintptr_t>(signal));
  assert(index != no_index && destinations.size() <= destinations_);
  hsa_signal_object* object = this->object(index + segment_blocks);
  if (object->signal_value_ptr == nullptr)  // otherwise an earlier signal of the block has set it
    object->signal_value_ptr = reinterpret_cast<uint64_t*>(&signal->value);
  prepare(*block(index + segment_blocks), *object, destinations);
  entry(index).client.store(client, std::memory_order_relaxed);
  entry(index).kind.store(Kind::shared, std::memory_order_release);
}

void SignalTable::close_shared(hsam_signal* signal) {
  std::lock_guard lock(mutex_);
  const size_t index = index_of(reinterpret_cast<uintptr_t>(signal));
  assert(index != no_index && entry(index).kind.load(std::memory_order_relaxed) == Kind::shared);
  entry(index).kind.store(Kind::none, std::memory_order_release);
}

bool SignalTable::destroy(uint64_t handle, Kind kind) {
  std::lock_guard lock(mutex_);
  size_t index = index_of(handle);
  if (index == no_index) return false;
  if (entry(index).kind.load(std::memory_order_relaxed) != kind) return false;
  entry(index).kind.store(Kind::none, std::memory_order_release);
  if (free_count_++ == 0)
    first_free_ = index;
  else
    entry(last_free_).next_free = static_cast<uint32_t>(index);
  last_free_ = index;
  return true;
}

/// Resets the table in the child of a fork. The parent's live signals stay valid. Slots that were free are
/// not used again, because a thread of the parent may have been sending to a destroyed signal while it held
/// that signal's lock.
void SignalTable::forget_parent() noexcept {
  abandon(mutex_);
  free_count_ = 0;
  if (capacity_.load(std::memory_order_relaxed) != 0) return;
  for (Mapping* half_made : {&blocks_, &objects_, &entries_}) abandon(*half_made);
}

size_t SignalTable::index_of(uint64_t handle) const {
  size_t capacity = capacity_.load(std::memory_order_acquire);
  if (capacity == 0) return no_index;
  uint64_t offset = handle - reinterpret_cast<uintptr_t>(blocks_.base());
  return offset % block_size == 0 && offset / block_size < capacity ? offset / block_size : no_index;
}

SignalTable::Kind SignalTable::kind(uint64_t handle) const {
  size_t index = index_of(handle);
  if (index == no_index) return Kind::none;
  return entry(index).kind.load(std::memory_order_acquire);
}

int64_t SignalTable::client(uint64_t handle) const {
  size_t index = index_of(handle);
  if (index == no_index) return 0;
  return entry(index).client.load(std::memory_order_relaxed);
}

hsam_signal* SignalTable::find(const hsa_signal_object* object) const {
  size_t capacity = capacity_.load(std::memory_order_acquire);
  if (capacity == 0) return nullptr;
  uintptr_t offset = reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(objects_.base());
  size_t index = offset / object_size_;
  if (offset % object_size_ != 0 || index >= capacity) return nullptr;
  if (entry(index).kind.load(std::memory_order_acquire) != Kind::none) return block(index);
  // The objects of shared signals are those of their local parts.
  if (index < segment_blocks) return nullptr;
  index -= segment_blocks;
  return entry(index).kind.load(std::memory_order_acquire) == Kind::shared ? block(index) : nullptr;
}

uint64_t SignalTable::next_of(int64_t client, uint64_t after) const {
  std::lock_guard lock(mutex_);
  for (size_t i = after == 0 ? 0 : index_of(after) + 1; i < used_; ++i) {
    const Kind kind = entry(i).kind.load(std::memory_order_relaxed);
    if ((kind == Kind::application || kind == Kind::shared) &&
        entry(i).client.load(std::memory_order_relaxed) == client)
      return reinterpret_cast<uintptr_t>(block(i));
  }
  return 0;
}

}  // namespace heddle::driver
