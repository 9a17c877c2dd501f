// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/device_memory.h"

#include <algorithm>
#include <cassert>

#include "agents/cuda/description.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t granule = device_memory_granule;
/// Allocations end at multiples of this, so that each begins at one. Vector accesses of kernels have 16
/// bytes, and the transactions of the memory more.
constexpr uint64_t least_alignment = 256;
/// The window has more addresses than the GPU has memory, because holes between allocations take addresses
/// only.
constexpr uint64_t addresses_for_each_byte = 4;
/// Where the driver is asked to reserve the windows of the GPUs: it follows the wish only in a part of the
/// address space in which mmap does not put anything by itself.
constexpr DeviceAddress first_window = 0x4000'0000'0000;
constexpr uint64_t window_distance = uint64_t{1} << 40;
/// GPUs with greater numbers never get access to others; there are no more agents, either.
constexpr DeviceNumber peers_max = 64;

MemoryAccess access_of(DeviceNumber gpu) {
  MemoryAccess access;
  access.location.device = gpu;
  return access;
}

}  // namespace

Driven<std::unique_ptr<DeviceMemory>> DeviceMemory::create(GpuContext& context, uint32_t number) {
  const DriverApi& api = context.api();
  const uint64_t size = align_up(addresses_for_each_byte * std::max(context.gpu().memory, granule), granule);
  DeviceAddress window = 0;
  if (auto done = context.call(api.memory_reserve, &window, size, granule,
                               first_window + number * window_distance, 0ull);
      !done)
    return done.error();
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(context, number, window, size));
}

DeviceMemory::DeviceMemory(GpuContext& context, uint32_t number, DeviceAddress window, uint64_t size)
    : context_(context),
      number_(number),
      window_(window),
      window_size_(size),
      generation_(context.generation()),
      unmapped_(window, size) {
  accesses_.push_back(access_of(context.number()));
}

bool DeviceMemory::is_where_wanted() const {
  return window_ == first_window + number_ * window_distance && window_size_ <= window_distance;
}

DeviceMemory::~DeviceMemory() {
  OpenMemories::instance().remove(*this);
  while (!units_.empty()) remove_unit(units_.begin()->first);
  static_cast<void>(context_.call(context_.api().memory_unreserve, window_, window_size_));
}

void DeviceMemory::give_back(const DriverApi& lost) noexcept {
  std::lock_guard lock(mutex_);
  for (auto& [base, unit] : units_) {
    static_cast<void>(lost.memory_unmap(base, unit.size));
    static_cast<void>(lost.memory_release(unit.physical));
    unit.physical = 0;
  }
}

Driven<void> DeviceMemory::restore() {
  const DriverApi& api = context_.api();
  std::lock_guard lock(mutex_);
  DeviceAddress window = 0;
  if (auto done =
          context_.call(api.memory_reserve, &window, size_t{window_size_}, size_t{granule}, window_, 0ull);
      !done)
    return done;
  assert(window == window_);  // the functions of another process see to that
  generation_ = context_.generation();
  accesses_ = {access_of(context_.number())};
  allowed_ = 0;
  for (auto& [base, unit] : units_) {
    auto physical = map(base, unit.size);
    if (!physical) return physical.error();
    unit.physical = *physical;
  }
  return {};
}

/// Puts physical memory behind addresses of the window.
Driven<MemoryHandle> DeviceMemory::map(DeviceAddress base, uint64_t size) {
  const DriverApi& api = context_.api();
  MemoryProperties properties;
  properties.location.device = context_.number();
  MemoryHandle physical = 0;
  if (auto done = context_.call(api.memory_create, &physical, size, &properties, 0ull); !done)
    return done.error();
  auto mapped = api.call(api.memory_map, base, size, size_t{0}, physical, 0ull);
  if (mapped) {
    mapped = give_access(base, size);
    if (mapped) return physical;
    static_cast<void>(api.memory_unmap(base, size));
  }
  static_cast<void>(api.memory_release(physical));
  return mapped.error();
}

/// Lets all GPUs that are to have access use mapped memory. Needs mutex_.
Driven<void> DeviceMemory::give_access(DeviceAddress base, uint64_t size) const {
  return context_.api().call(context_.api().memory_access, base, size, accesses_.data(), accesses_.size());
}

Driven<void> DeviceMemory::allow(DeviceNumber peer) {
  if (peer < 0 || peer >= peers_max)
    return DriverError{Status::not_supported, "the number of the GPU is too great"};
  const uint64_t bit = uint64_t{1} << peer;
  if (allowed_.load(std::memory_order_acquire) & bit) return {};
  std::lock_guard lock(mutex_);
  if (allowed_.load(std::memory_order_relaxed) & bit) return {};
  if (auto used = context_.use(); !used) return used;
  accesses_.push_back(access_of(peer));
  for (const auto& [base, unit] : units_)
    if (auto given = give_access(base, unit.size); !given) {
      accesses_.pop_back();
      return given;
    }
  allowed_.fetch_or(bit, std::memory_order_release);
  return {};
}

Driven<DeviceAddress> DeviceMemory::add_unit(uint64_t size) {
  const auto base = unmapped_.take(size, granule);
  if (!base) return DriverError{Status::out_of_memory, "the window of addresses of the GPU is full"};
  bool kept = false;
  const Finally give_back([&] {
    if (!kept) unmapped_.give(*base, size);
  });
  auto unit = units_.emplace(*base, Unit{size, 0, 0, FreeRanges(*base, size)}).first;
  auto physical = map(*base, size);
  if (!physical) {
    units_.erase(unit);
    return physical.error();
  }
  unit->second.physical = *physical;
  kept = true;
  return *base;
}

void DeviceMemory::remove_unit(DeviceAddress base) {
  const DriverApi& api = context_.api();
  const auto unit = units_.find(base);
  // Kernels of a driver that was given up may use the memory, which stays with them then.
  if (generation_ == context_.generation()) {
    context_.try_to_use();
    static_cast<void>(api.memory_unmap(base, unit->second.size));
    static_cast<void>(api.memory_release(unit->second.physical));
  }
  unmapped_.give(base, unit->second.size);
  units_.erase(unit);
}

/// Takes memory from one unit; 0 if it has no room.
DeviceAddress DeviceMemory::take_from(DeviceAddress base, Unit& unit, uint64_t size, uint64_t alignment) {
  const auto taken = unit.left.take(size, alignment);
  if (!taken) return 0;
  allocations_.emplace(*taken, Allocation{size, base});
  unit.used += size;
  return *taken;
}

DeviceAddress DeviceMemory::take_from_units(uint64_t size, uint64_t alignment) {
  for (auto& [base, unit] : units_)
    if (const DeviceAddress taken = take_from(base, unit, size, alignment)) return taken;
  return 0;
}

Driven<DeviceAddress> DeviceMemory::allocate(uint64_t size, uint64_t alignment) {
  assert(alignment <= granule);
  std::lock_guard lock(mutex_);
  if (size == 0 || size > window_size_)
    return DriverError{Status::out_of_memory, "no GPU has as much memory"};
  size = align_up(size, least_alignment);
  alignment = std::max(alignment, least_alignment);
  if (const DeviceAddress taken = take_from_units(size, alignment)) return taken;
  auto base = add_unit(align_up(size, granule));
  if (!base) return base.error();
  return take_from(*base, units_.at(*base), size, alignment);
}

bool DeviceMemory::free(DeviceAddress address) {
  std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  const Allocation freed = found->second;
  allocations_.erase(found);
  Unit& unit = units_.at(freed.unit);
  unit.left.give(address, freed.size);
  unit.used -= freed.size;
  if (unit.used == 0) remove_unit(freed.unit);
  return true;
}

/// It lives as long as the process, whose other threads may still use it at the exit.
OpenMemories& OpenMemories::instance() {
  static OpenMemories& made = *new OpenMemories;
  return made;
}

void OpenMemories::forget_parent() noexcept {
  abandon(mutex_);
  abandon(memories_);
}

void OpenMemories::add(DeviceMemory& memory) {
  std::unique_lock lock(mutex_);
  memories_.push_back(&memory);
}

void OpenMemories::remove(DeviceMemory& memory) {
  std::unique_lock lock(mutex_);
  std::erase(memories_, &memory);
}

DeviceMemory* OpenMemories::at(DeviceAddress address) const {
  std::shared_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(memories_, [&](const DeviceMemory* memory) { return memory->contains(address); });
  return found == memories_.end() ? nullptr : *found;
}

}  // namespace heddle::cuda
