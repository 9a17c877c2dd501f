// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools, and allocation in the order of streams.
#include "hip/core/memory_pool.h"

#include <random>

#include "functions.h"
#include "hip/core/allocate.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/graph_work.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

Device& device_at(const hipMemLocation& location) {
  if (location.type != hipMemLocationTypeDevice) throw Failure(hipErrorInvalidValue);
  return Runtime::get().device(location.id);
}

/// Returns the stream for a handle. Throws Failure (InvalidHandle), which these functions have for what is
/// none.
std::shared_ptr<Stream> known_stream(hipStream_t handle) {
  Runtime& runtime = Runtime::get();
  if (!is_default_stream(handle) && runtime.streams().find(handle) == nullptr)
    throw Failure(hipErrorInvalidHandle);
  return runtime.stream(handle);
}

/// Adds a node that allocates memory to the capture of a stream, and returns the address.
std::byte* record_allocation(size_t size, Device& device, Stream& stream) {
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, device.number()};
  params.bytesize = size;
  auto memory = GraphMemory::reserve(device, size, {});
  std::byte* const address = memory->address();
  params.dptr = address;
  record_work(AllocateWork{std::move(memory), params, nullptr}, stream);
  return address;
}

/// Adds a node that frees memory to the capture of a stream.
hipError_t record_free(const void* address, Stream& stream) {
  const auto held = graphs_lock();
  const Capture* const capture = capture_of(stream);
  if (capture == nullptr) return hipErrorIllegalState;
  record_work(free_work(capture->graph(), address), stream);
  return hipSuccess;
}

hipError_t allocate(void** address, size_t size, const std::shared_ptr<MemoryPool>& pool, Stream& stream) {
  *address = nullptr;
  if (size == 0) return hipSuccess;
  pool->refuse_if_imported();
  if (is_captured(stream)) {
    *address = record_allocation(size, pool->device(), stream);
    return hipSuccess;
  }
  *address = pool->allocate(size, stream);
  return hipSuccess;
}

/// Frees what is not memory of pools.
hipError_t free_other(const Allocation& allocation, Stream& stream) {
  if (allocation.kind == MemoryKind::graph) {
    free_graph_memory(allocation.base, &stream);
    return hipSuccess;
  }
  stream.synchronize();
  free_memory(allocation.base, false);
  return hipSuccess;
}

}  // namespace

hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  const auto target = known_stream(stream);
  return allocate(dev_ptr, size, current_pool(target->device()), *target);
}

hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  const auto pool = find_pool(mem_pool);
  return allocate(dev_ptr, size, pool, *known_stream(stream));
}

hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
  Runtime& runtime = Runtime::get();
  const auto target = known_stream(stream);
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  if (is_captured(*target)) return record_free(dev_ptr, *target);
  const auto found = runtime.memory().find(dev_ptr);
  if (!found || found->base != dev_ptr) return hipErrorInvalidValue;
  target->begin();  // work in the default stream may use the memory, or that of streams that follow it
  if (found->kind != MemoryKind::pooled) return free_other(*found, *target);
  if (!runtime.memory().take(dev_ptr)) return hipErrorInvalidValue;
  found->pool->free(found->base, target.get());
  return hipSuccess;
}

hipError_t hipMemPoolCreate(hipMemPool_t* mem_pool, const hipMemPoolProps* pool_props) {
  if (mem_pool == nullptr || pool_props == nullptr || pool_props->allocType != hipMemAllocationTypePinned)
    return hipErrorInvalidValue;
  Device& device = device_at(pool_props->location);
  if (pool_props->handleTypes == hipMemHandleTypeNone) {
    *mem_pool = handle_of(std::make_shared<MemoryPool>(device, PoolSharing{}, pool_props->maxSize));
    return hipSuccess;
  }
  if (pool_props->handleTypes != hipMemHandleTypePosixFileDescriptor) return hipErrorNotSupported;
  // Numbers by chance, because pools of different processes must not have the same.
  const PoolSharing sharing{.exported = true, .id = std::random_device{}()};
  *mem_pool = handle_of(std::make_shared<MemoryPool>(device, sharing, pool_props->maxSize));
  return hipSuccess;
}

hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool) {
  const auto pool = find_pool(mem_pool);
  Device& device = pool->device();
  if (pool == default_pool(device)) return hipErrorInvalidValue;
  const auto held = device.lock();
  auto& chosen = device.pool_choice().chosen;
  if (chosen == pool) chosen = nullptr;
  return Runtime::get().memory_pools().take(mem_pool) != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold) {
  find_pool(mem_pool)->trim(min_bytes_to_hold);
  return hipSuccess;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  find_pool(mem_pool)->get(attr, value);
  return hipSuccess;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  find_pool(mem_pool)->set(attr, value);
  return hipSuccess;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list, size_t count) {
  if (desc_list == nullptr || count == 0) return hipErrorInvalidValue;
  const auto pool = find_pool(mem_pool);
  for (size_t i = 0; i < count; ++i) pool->set_access(device_at(desc_list[i].location), desc_list[i].flags);
  return hipSuccess;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t mem_pool, hipMemLocation* location) {
  if (flags == nullptr || location == nullptr) return hipErrorInvalidValue;
  *flags = find_pool(mem_pool)->access(device_at(*location));
  return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
  if (mem_pool == nullptr) return hipErrorInvalidValue;
  *mem_pool = handle_of(default_pool(Runtime::get().device(device)));
  return hipSuccess;
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
  if (mem_pool == nullptr) return hipErrorInvalidValue;
  *mem_pool = handle_of(current_pool(Runtime::get().device(device)));
  return hipSuccess;
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
  Device& owner = Runtime::get().device(device);
  auto pool = find_pool(mem_pool);
  if (pool->sharing().imported) return hipErrorInvalidValue;
  if (&pool->device() != &owner) return hipErrorInvalidDevice;
  const auto held = owner.lock();
  owner.pool_choice().chosen = std::move(pool);
  return hipSuccess;
}

}  // namespace heddle::hip::api
