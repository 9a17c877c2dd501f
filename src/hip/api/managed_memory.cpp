// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Managed memory: what programs say about its use, and what they ask of that. It stays where the host and all
// devices reach it, so that advice is kept and has no effect.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

/// Returns the allocation that has a whole range.
std::optional<Allocation> allocation_of(const void* address, size_t size) {
  if (address == nullptr || size == 0) return std::nullopt;
  const auto found = Runtime::get().memory().find(address);
  if (!found) return std::nullopt;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(address) - found->base);
  return size <= found->size - offset ? found : std::nullopt;
}

bool is_managed(const void* address, size_t size) {
  const auto found = allocation_of(address, size);
  return found && found->kind == MemoryKind::managed;
}

/// Whether writes are seen while kernels run.
hipMemRangeCoherencyMode coherency_of(const Allocation& allocation) {
  constexpr unsigned fine = hipDeviceMallocFinegrained | hipMallocSignalMemory;
  return allocation.on_host() || (allocation.flags & fine) != 0 ? hipMemRangeCoherencyModeFineGrain
                                                                : hipMemRangeCoherencyModeCoarseGrain;
}

/// Changes what was said of the pages that a range touches, as far as its allocation reaches: advice is for
/// whole pages, and another allocation may share the first and the last.
void change_pages(const void* address, size_t size, const std::function<void(Advice&)>& function) {
  const auto found = Runtime::get().memory().find(address);
  if (!found) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(found->base), begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = (begin + size + page - 1) / page * page;
  const uintptr_t from = std::max(begin / page * page, first), to = std::min(end, first + found->size);
  Runtime::get().advice().change(reinterpret_cast<const void*>(from), to - from, function);
}

void check_location(int device) {
  if (device != hipCpuDeviceId) Runtime::get().device(device);
}

/// Applies advice to what is known of a part of the memory. Returns false if there is no such advice.
bool apply(hipMemoryAdvise advice, int device, Advice& to) {
  switch (advice) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
      to.read_mostly = advice == hipMemAdviseSetReadMostly;
      return true;
    case hipMemAdviseSetPreferredLocation:
    case hipMemAdviseUnsetPreferredLocation:
      to.preferred = advice == hipMemAdviseSetPreferredLocation ? device : hipInvalidDeviceId;
      return true;
    case hipMemAdviseSetAccessedBy:
      to.accessed_by.insert(device);
      return true;
    case hipMemAdviseUnsetAccessedBy:
      to.accessed_by.erase(device);
      return true;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
      to.coherency = advice == hipMemAdviseSetCoarseGrain ? hipMemRangeCoherencyModeCoarseGrain
                                                          : hipMemRangeCoherencyModeFineGrain;
      return true;
  }
  return false;
}

/// Writes as many devices as there is room for, and hipInvalidDeviceId behind them.
void write_devices(const std::set<int>& devices, std::span<int> to) {
  std::ranges::fill(to, hipInvalidDeviceId);
  std::copy_n(devices.begin(), std::min(devices.size(), to.size()), to.begin());
}

hipError_t write_attribute(const Advice& advice, hipMemRangeAttribute attribute, void* data, size_t size) {
  auto* const numbers = static_cast<int*>(data);
  if (data == nullptr || size == 0 || size % sizeof(int) != 0) return hipErrorInvalidValue;
  if (attribute == hipMemRangeAttributeAccessedBy) {
    write_devices(advice.accessed_by, {numbers, size / sizeof(int)});
    return hipSuccess;
  }
  if (size != sizeof(int)) return hipErrorInvalidValue;
  if (attribute == hipMemRangeAttributeReadMostly)
    *numbers = advice.read_mostly ? 1 : 0;
  else if (attribute == hipMemRangeAttributePreferredLocation)
    *numbers = advice.preferred;
  else if (attribute == hipMemRangeAttributeLastPrefetchLocation)
    *numbers = advice.prefetched_to;
  else if (attribute == hipMemRangeAttributeCoherencyMode)
    *numbers = advice.coherency;
  else
    return hipErrorInvalidValue;
  return hipSuccess;
}

}  // namespace

hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise advice, int device) {
  Advice unused;
  if (!apply(advice, device, unused) || !is_managed(dev_ptr, count)) return hipErrorInvalidValue;
  const bool for_device = advice >= hipMemAdviseSetPreferredLocation && advice <= hipMemAdviseUnsetAccessedBy;
  if (for_device && advice != hipMemAdviseUnsetPreferredLocation) check_location(device);
  change_pages(dev_ptr, count, [&](Advice& part) { apply(advice, device, part); });
  return hipSuccess;
}

hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream) {
  if (dev_ptr == nullptr || count == 0) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  runtime.stream(stream);
  check_location(device);
  if (!is_managed(dev_ptr, count)) return hipErrorInvalidValue;
  change_pages(dev_ptr, count, [&](Advice& part) { part.prefetched_to = device; });
  return hipSuccess;
}

hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute,
                                   const void* dev_ptr, size_t count) {
  const auto found = allocation_of(dev_ptr, count);
  if (!found) return hipErrorInvalidValue;
  if (found->kind == MemoryKind::managed)
    return write_attribute(Runtime::get().advice().common(dev_ptr, count), attribute, data, data_size);
  // This is known of all memory, but nothing else is.
  if (attribute != hipMemRangeAttributeCoherencyMode) return hipErrorInvalidValue;
  Advice advice;
  advice.coherency = coherency_of(*found);
  return write_attribute(advice, attribute, data, data_size);
}

hipError_t hipMemRangeGetAttributes(void** data, size_t* data_sizes, hipMemRangeAttribute* attributes,
                                    size_t num_attributes, const void* dev_ptr, size_t count) {
  if (data == nullptr || data_sizes == nullptr || attributes == nullptr || num_attributes == 0 ||
      !is_managed(dev_ptr, count))
    return hipErrorInvalidValue;
  const Advice advice = Runtime::get().advice().common(dev_ptr, count);
  for (size_t i = 0; i < num_attributes; ++i) {
    const hipError_t result = write_attribute(advice, attributes[i], data[i], data_sizes[i]);
    if (result != hipSuccess) return result;
  }
  return hipSuccess;
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length, unsigned int flags) {
  Runtime& runtime = Runtime::get();
  const auto target = runtime.stream(stream);
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
    return hipErrorInvalidValue;
  // The default stream is not a single one: other streams follow it.
  if (dev_ptr == nullptr || (flags == hipMemAttachSingle && stream == nullptr)) return hipErrorInvalidValue;
  const auto allocation = runtime.memory().find(dev_ptr);
  const bool pageable = target->device().properties().profile == HSA_PROFILE_FULL;
  if (!allocation) return pageable && length != 0 ? hipSuccess : hipErrorInvalidValue;
  if (allocation->kind != MemoryKind::managed || (length != 0 && length != allocation->size))
    return hipErrorInvalidValue;
  return hipSuccess;  // all streams may access all such memory
}

}  // namespace heddle::hip::api
