// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/memory_pool.h"

#include <algorithm>
#include <limits>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// Pools ask the device for multiples of this.
constexpr size_t chunk_size = size_t{2} << 20;

size_t rounded(size_t size, size_t to) {
  if (size > std::numeric_limits<size_t>::max() - to) throw Failure(hipErrorOutOfMemory);
  return (size + to - 1) / to * to;
}

}  // namespace

MemoryPool::MemoryPool(Device& device, const PoolSharing& sharing, size_t most)
    : device_(device),
      sharing_(sharing),
      limit_(most == 0 ? std::numeric_limits<size_t>::max()
                       : most / PoolHeap::granularity * PoolHeap::granularity) {
  device_.pools().add(*this);
}

MemoryPool::~MemoryPool() {
  device_.pools().remove(*this);
  for (std::byte* const chunk : heap_.chunks()) hsa_amd_memory_pool_free(chunk);
}

void MemoryPool::share(std::byte* chunk) {
  if (others_.empty()) return;
  std::vector<hsa_agent_t> agents{device_.agent()};
  for (const auto& [number, agent] : others_) agents.push_back(agent);
  check(hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr, chunk),
        "hsa_amd_agents_allow_access", hipErrorInvalidValue);
}

/// Returns how much to ask the device for, and gives it back what nobody uses if the limit leaves no room.
size_t MemoryPool::room_for(size_t size) {
  if (size > limit_) throw Failure(hipErrorOutOfMemory, "this is more than the pool may reserve");
  if (heap_.reserved() > limit_ - size) {
    heap_.settle();
    for (std::byte* const chunk : heap_.remove_chunks(limit_ - size, PoolHeap::Keep::at_most))
      hsa_amd_memory_pool_free(chunk);
  }
  if (heap_.reserved() > limit_ - size) throw Failure(hipErrorOutOfMemory, "the pool may not reserve more");
  return std::min(rounded(size, chunk_size), limit_ - heap_.reserved());
}

void MemoryPool::grow(size_t size) {
  void* chunk = nullptr;
  const size_t whole = room_for(size);
  check(hsa_amd_memory_pool_allocate(device_.pool(), whole, 0, &chunk), "hsa_amd_memory_pool_allocate",
        hipErrorOutOfMemory);
  auto* const address = static_cast<std::byte*>(chunk);
  try {
    share(address);
    heap_.add_chunk(address, whole);
  } catch (...) {
    hsa_amd_memory_pool_free(chunk);
    throw;
  }
  most_reserved_ = std::max<uint64_t>(most_reserved_, heap_.reserved());
}

std::byte* MemoryPool::find_block(size_t size, Stream& stream) {
  MarkerPointer until;
  if (flags_.opportunistic != 0) heap_.settle();
  std::byte* found = heap_.take_pending(size, stream, false, until);
  if (found == nullptr) found = heap_.take(size);
  if (found != nullptr) return found;
  // A stream that waits for an event behind the end of another's use waits no longer for this.
  if (flags_.internal_dependencies != 0) found = heap_.take_pending(size, stream, true, until);
  if (found != nullptr && until != nullptr) stream.wait_for(until);
  return found;
}

std::pair<std::byte*, size_t> MemoryPool::chunk_of(const std::byte* address) {
  const std::scoped_lock lock(mutex_);
  return heap_.chunk_of(address);
}

void MemoryPool::refuse_if_imported() const {
  if (sharing_.imported)
    throw Failure(hipErrorInvalidValue, "only the process that has the pool can allocate of it");
}

std::byte* MemoryPool::allocate(size_t size, Stream& stream) {
  refuse_if_imported();
  const size_t whole = rounded(size, PoolHeap::granularity);
  const std::scoped_lock lock(mutex_);
  std::byte* address = find_block(whole, stream);
  if (address == nullptr) {
    grow(whole);
    address = heap_.take(whole);
  }
  try {
    Runtime::get().memory().add({address, size, MemoryKind::pooled, device_.number(), 0, address, this});
  } catch (...) {
    heap_.give(address, &stream, nullptr);
    throw;
  }
  most_used_ = std::max<uint64_t>(most_used_, heap_.used());
  if (keeps_itself_ == nullptr) keeps_itself_ = shared_from_this();
  return address;
}

void MemoryPool::free(std::byte* address, Stream* stream) {
  std::shared_ptr<MemoryPool> last;  // destroys the pool, maybe, after it is unlocked
  MarkerPointer until = stream == nullptr ? nullptr : stream->mark();
  const std::scoped_lock lock(mutex_);
  heap_.give(address, stream, std::move(until));
  if (heap_.used() == 0) last = std::move(keeps_itself_);
}

void MemoryPool::trim(size_t keep) {
  const std::scoped_lock lock(mutex_);
  heap_.settle();
  for (std::byte* const chunk : heap_.remove_chunks(keep)) hsa_amd_memory_pool_free(chunk);
}

void MemoryPool::trim_to_threshold() {
  const std::scoped_lock lock(mutex_);
  if (heap_.reserved() <= threshold_ || heap_.reserved() == heap_.used()) return;
  heap_.settle();
  for (std::byte* const chunk : heap_.remove_chunks(threshold_)) hsa_amd_memory_pool_free(chunk);
}

int* MemoryPool::flag(hipMemPoolAttr attribute) {
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
      return &flags_.follow_events;
    case hipMemPoolReuseAllowOpportunistic:
      return &flags_.opportunistic;
    case hipMemPoolReuseAllowInternalDependencies:
      return &flags_.internal_dependencies;
    default:
      return nullptr;
  }
}

void MemoryPool::get(hipMemPoolAttr attribute, void* value) {
  const std::scoped_lock lock(mutex_);
  if (const int* const found = flag(attribute)) {
    *static_cast<int*>(value) = *found;
    return;
  }
  auto& number = *static_cast<uint64_t*>(value);
  switch (attribute) {
    case hipMemPoolAttrReleaseThreshold:
      number = threshold_;
      break;
    case hipMemPoolAttrReservedMemCurrent:
      number = heap_.reserved();
      break;
    case hipMemPoolAttrReservedMemHigh:
      number = most_reserved_;
      break;
    case hipMemPoolAttrUsedMemCurrent:
      number = heap_.used();
      break;
    case hipMemPoolAttrUsedMemHigh:
      number = most_used_;
      break;
    default:
      throw Failure(hipErrorInvalidValue, "pools have no such attribute");
  }
}

void MemoryPool::set(hipMemPoolAttr attribute, const void* value) {
  const std::scoped_lock lock(mutex_);
  if (int* const found = flag(attribute)) {
    *found = *static_cast<const int*>(value) != 0 ? 1 : 0;
    return;
  }
  const bool high = attribute == hipMemPoolAttrReservedMemHigh || attribute == hipMemPoolAttrUsedMemHigh;
  if (!high && attribute != hipMemPoolAttrReleaseThreshold)
    throw Failure(hipErrorInvalidValue, "this attribute of a pool cannot be set");
  const uint64_t number = *static_cast<const uint64_t*>(value);
  if (high && number != 0) throw Failure(hipErrorInvalidValue, "a high-water mark can only be set to 0");
  if (!high)
    threshold_ = number;
  else
    (attribute == hipMemPoolAttrReservedMemHigh ? most_reserved_ : most_used_) = 0;
}

hipMemAccessFlags MemoryPool::access(const Device& device) {
  const std::scoped_lock lock(mutex_);
  const bool has = &device == &device_ || others_.contains(device.number());
  return has ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
}

void MemoryPool::set_access(const Device& device, hipMemAccessFlags flags) {
  if (flags == hipMemAccessFlagsProtRead)
    throw Failure(hipErrorNotSupported, "access is for reads and writes, or there is none");
  if (flags != hipMemAccessFlagsProtNone && flags != hipMemAccessFlagsProtReadWrite)
    throw Failure(hipErrorInvalidValue, "there is no such access");
  const std::scoped_lock lock(mutex_);
  if (&device == &device_) {
    if (flags == hipMemAccessFlagsProtNone)
      throw Failure(hipErrorInvalidValue, "a device keeps access to its own memory");
    return;
  }
  if (flags == hipMemAccessFlagsProtNone)
    others_.erase(device.number());
  else
    others_[device.number()] = device.agent();
  for (std::byte* const chunk : heap_.chunks()) share(chunk);
}

std::shared_ptr<MemoryPool> default_pool(Device& device) {
  const auto own = [&] {
    const auto held = device.lock();
    return device.pool_choice().own;
  };
  if (auto pool = own()) return pool;
  // Pools are made without the lock of their device, which they take themselves in the end.
  auto made = std::make_shared<MemoryPool>(device);
  const auto held = device.lock();
  auto& pool = device.pool_choice().own;
  if (pool == nullptr) pool = made;
  return pool;
}

std::shared_ptr<MemoryPool> current_pool(Device& device) {
  {
    const auto held = device.lock();
    if (device.pool_choice().chosen != nullptr) return device.pool_choice().chosen;
  }
  return default_pool(device);
}

std::shared_ptr<MemoryPool> find_pool(hipMemPool_t handle) {
  auto pool = handle == nullptr ? nullptr : Runtime::get().memory_pools().find(handle);
  if (pool == nullptr) throw Failure(hipErrorInvalidValue, "there is no such pool");
  return pool;
}

hipMemPool_t handle_of(const std::shared_ptr<MemoryPool>& pool) {
  return Runtime::get().memory_pools().add(pool);
}

}  // namespace heddle::hip
