// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/memory_hooks.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::check {
namespace {

using Purpose = Allocation::Purpose;
using Role = UsedRange::Role;

uint64_t number(const void* address) { return reinterpret_cast<uint64_t>(address); }

void allocated(Checker& checker, const Call& call, void* address, size_t size, size_t granule,
               Purpose purpose) {
  Allocation allocation;
  allocation.begin = number(address);
  allocation.size = size;
  allocation.capacity = granule > 1 ? (size + granule - 1) / granule * granule : size;
  allocation.purpose = purpose;
  allocation.made = call.event();
  checker.memory.allocate(allocation);
}

/// Returns the value of the completion signal before something that will subtract 1 from it, and adds a
/// finding if it is too small.
int64_t completion_value(Checker& checker, Call& call, uint64_t signal) {
  if (!checker.objects.is_live(Kind::signal, signal)) return 0;
  const int64_t value = value_of(signal);
  const uint64_t due = checker.flights.completions_due(signal, checker.objects) + 1;
  if (value < static_cast<int64_t>(due))
    call.add(
        rules::signal_below_zero,
        fmt::format(
            "the completion signal {:#x} has the value {}, and {} packets and copies in flight subtract 1 "
            "from it",
            signal, value, due),
        life_of(*checker.objects.find(Kind::signal, signal)));
  return value;
}

Flight copy_flight(const Checker& checker, const Call& call, uint64_t completion, int64_t value) {
  Flight flight;
  flight.what = fmt::format("a copy with the completion signal {:#x}", completion);
  flight.completion = completion;
  flight.value = value;
  flight.value_counts = !checker.signals.is_exposed(completion);
  flight.submitted = call.event();
  return flight;
}

void add_copy(Checker& checker, const Call& call, hsa_signal_t completion, std::vector<UsedRange> ranges) {
  if (completion.handle == 0) return;
  Flight flight = copy_flight(checker, call, completion.handle, call.completion_before);
  flight.ranges = std::move(ranges);
  checker.flights.add(std::move(flight));
}

void check_dependencies(Checker& checker, Call& call, uint32_t count, const hsa_signal_t* dependencies) {
  for (uint32_t i = 0; dependencies != nullptr && i < checkable(count); ++i)
    if (dependencies[i].handle != 0) call.add(checker.objects.check(Kind::signal, dependencies[i].handle));
}

/// Returns the memory of one side of a copy of a cuboid; nothing if there is none, or if the runtime refuses
/// it.
std::optional<UsedRange> cuboid(const hsa_pitched_ptr_t* memory, const hsa_dim3_t* offset,
                                const hsa_dim3_t* range, Role role) {
  if (memory == nullptr || offset == nullptr || range == nullptr) return std::nullopt;
  if (memory->base == nullptr || range->x == 0 || range->y == 0 || range->z == 0) return std::nullopt;
  uint64_t row = 0, layer = 0, last = 0;
  if (__builtin_mul_overflow(uint64_t{offset->y} + range->y, memory->pitch, &row) ||
      __builtin_mul_overflow(uint64_t{offset->z} + range->z, memory->slice, &layer) ||
      __builtin_add_overflow(row, layer, &last) || last > UINT64_MAX / 4 ||
      number(memory->base) > UINT64_MAX / 4)
    return std::nullopt;
  UsedRange used = {number(memory->base) + offset->z * memory->slice + offset->y * memory->pitch + offset->x,
                    range->x, role};
  used.rows = range->y;
  used.pitch = memory->pitch;
  used.layers = range->z;
  used.slice = memory->slice;
  return used;
}

}  // namespace

void AllocateRegion::after(Checker& checker, Call& call, hsa_status_t status, hsa_region_t region,
                           size_t size, void** address) {
  if (status != HSA_STATUS_SUCCESS) return;
  uint32_t flags = 0;
  size_t granule = 1;
  (void)api::hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  (void)api::hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE, &granule);
  allocated(checker, call, *address, size, granule,
            (flags & HSA_REGION_GLOBAL_FLAG_KERNARG) != 0 ? Purpose::kernarg : Purpose::data);
}

void AllocatePool::after(Checker& checker, Call& call, hsa_status_t status, hsa_amd_memory_pool_t pool,
                         size_t size, uint32_t, void** address) {
  if (status != HSA_STATUS_SUCCESS) return;
  uint32_t flags = 0;
  size_t granule = 1;
  (void)api::hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  (void)api::hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule);
  allocated(checker, call, *address, size, granule,
            (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0 ? Purpose::kernarg : Purpose::data);
}

void FreeMemory::before(Checker& checker, Call& call, void* address) {
  call.add(checker.memory.check_free(number(address)));
  const Allocation* allocation = checker.memory.find(number(address));
  if (allocation == nullptr || allocation->begin != number(address)) return;
  checker.flights.check_memory(*allocation, checker.objects, call.findings);
  checker.memory.free(number(address), call.event());
  call.ended = true;
}

void FreeMemory::after(Checker& checker, Call& call, hsa_status_t status, void* address) {
  if (status != HSA_STATUS_SUCCESS && call.ended) checker.memory.keep(number(address));
}

void AttachMemory::after(Checker& checker, Call& call, hsa_status_t status, const hsa_amd_ipc_memory_t*,
                         size_t size, uint32_t, const hsa_agent_t*, void** address) {
  if (status == HSA_STATUS_SUCCESS) allocated(checker, call, *address, size, 1, Purpose::unknown);
}

void MapBuffer::after(Checker& checker, Call& call, hsa_status_t status, uint32_t, hsa_agent_t*, int,
                      uint32_t, size_t* size, void** address, size_t*, const void**) {
  if (status == HSA_STATUS_SUCCESS) allocated(checker, call, *address, *size, 1, Purpose::unknown);
}

void MapVirtual::after(Checker& checker, Call& call, hsa_status_t status, void* address, size_t size, size_t,
                       hsa_amd_vmem_alloc_handle_t, uint64_t) {
  if (status == HSA_STATUS_SUCCESS) allocated(checker, call, address, size, 1, Purpose::unknown);
}

void UnmapVirtual::before(Checker& checker, Call& call, void* address, size_t) {
  const Allocation* allocation = checker.memory.find(number(address));
  if (allocation == nullptr || allocation->begin != number(address)) return;
  checker.flights.check_memory(*allocation, checker.objects, call.findings);
  checker.memory.free(number(address), call.event());
}

void LockMemory::after(Checker& checker, Call& call, hsa_status_t status, void* address, size_t, hsa_agent_t*,
                       int, void**) {
  if (status == HSA_STATUS_SUCCESS) checker.memory.lock(number(address), call.event());
}

void LockToPool::after(Checker& checker, Call& call, hsa_status_t status, void* address, size_t, hsa_agent_t*,
                       int, hsa_amd_memory_pool_t, uint32_t, void**) {
  if (status == HSA_STATUS_SUCCESS) checker.memory.lock(number(address), call.event());
}

void UnlockMemory::before(Checker& checker, Call& call, void* address) {
  if (address != nullptr && !checker.memory.unlock(number(address)))
    call.add(rules::lock_balance, fmt::format("the memory at {} is not locked", address));
}

void RegisterMemory::after(Checker& checker, Call&, hsa_status_t status, void* address, size_t size) {
  if (status == HSA_STATUS_SUCCESS && address != nullptr)
    checker.memory.register_range(number(address), size);
}

void DeregisterMemory::before(Checker& checker, Call& call, void* address, size_t size) {
  if (address != nullptr && !checker.memory.deregister_range(number(address), size))
    call.add(rules::registration_balance, fmt::format("{} bytes at {} are not registered", size, address));
}

void Copy::before(Checker& checker, Call& call, void* to, const void* from, size_t size) {
  call.add(checker.memory.check_range(number(to), size, "the destination"));
  call.add(checker.memory.check_range(number(from), size, "the source"));
}

void Fill::before(Checker& checker, Call& call, void* to, uint32_t, size_t words) {
  if (words <= SIZE_MAX / 4) call.add(checker.memory.check_range(number(to), words * 4, "the destination"));
}

void AsyncCopy::check(Checker& checker, Call& call, void* to, const void* from, size_t size, uint32_t count,
                      const hsa_signal_t* dependencies, hsa_signal_t completion) {
  Copy::before(checker, call, to, from, size);
  check_dependencies(checker, call, count, dependencies);
  if (size != 0) call.completion_before = completion_value(checker, call, completion.handle);
}

void AsyncCopy::started(Checker& checker, Call& call, hsa_status_t status, void* to, const void* from,
                        size_t size, hsa_signal_t completion) {
  if (status != HSA_STATUS_SUCCESS || size == 0) return;
  add_copy(checker, call, completion,
           {{number(from), size, Role::source}, {number(to), size, Role::destination}});
}

void CopyRectangle::before(Checker& checker, Call& call, const hsa_pitched_ptr_t* to,
                           const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from,
                           const hsa_dim3_t* from_offset, const hsa_dim3_t* range, hsa_agent_t,
                           hsa_amd_copy_direction_t, uint32_t count, const hsa_signal_t* dependencies,
                           hsa_signal_t completion) {
  const auto destination = cuboid(to, to_offset, range, Role::destination);
  const auto source = cuboid(from, from_offset, range, Role::source);
  if (destination)
    call.add(checker.memory.check_range(destination->begin, destination->extent(), "the destination"));
  if (source) call.add(checker.memory.check_range(source->begin, source->extent(), "the source"));
  check_dependencies(checker, call, count, dependencies);
  if (destination && source) call.completion_before = completion_value(checker, call, completion.handle);
}

void CopyRectangle::after(Checker& checker, Call& call, hsa_status_t status, const hsa_pitched_ptr_t* to,
                          const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from,
                          const hsa_dim3_t* from_offset, const hsa_dim3_t* range, hsa_agent_t,
                          hsa_amd_copy_direction_t, uint32_t, const hsa_signal_t*, hsa_signal_t completion) {
  if (status != HSA_STATUS_SUCCESS) return;
  const auto destination = cuboid(to, to_offset, range, Role::destination);
  const auto source = cuboid(from, from_offset, range, Role::source);
  if (destination && source) add_copy(checker, call, completion, {*source, *destination});
}

void CopyMultiple::before(Checker& checker, Call& call, uint64_t count, size_t size, hsa_location_t* to,
                          hsa_location_t from, hsa_agent_t*, hsa_signal_t, hsa_signal_t completion) {
  call.add(checker.memory.check_range(number(from.address), size, "the source"));
  for (uint64_t i = 0; to != nullptr && i < checkable(count); ++i)
    call.add(checker.memory.check_range(number(to[i].address), size, "a destination"));
  if (size != 0 && count != 0 && completion.handle != 0)
    call.completion_before = completion_value(checker, call, completion.handle);
}

void CopyMultiple::after(Checker& checker, Call& call, hsa_status_t status, uint64_t count, size_t size,
                         hsa_location_t* to, hsa_location_t from, hsa_agent_t*, hsa_signal_t,
                         hsa_signal_t completion) {
  if (status != HSA_STATUS_SUCCESS || size == 0 || count == 0) return;
  std::vector<UsedRange> ranges = {{number(from.address), size, Role::source}};
  for (uint64_t i = 0; i < checkable(count); ++i)
    ranges.push_back({number(to[i].address), size, Role::destination});
  add_copy(checker, call, completion, std::move(ranges));
}

}  // namespace heddle::check
