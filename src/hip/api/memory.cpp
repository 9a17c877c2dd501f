// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation of memory.
#include <algorithm>
#include <limits>

#include "functions.h"
#include "hip/core/allocate.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

/// Rows of pitched memory begin at multiples of this.
constexpr size_t pitch_alignment = 256;

/// Allocates rows. Throws Failure, also for sizes whose product is too large for memory.
void* allocate_rows(size_t& pitch, size_t width, size_t rows) {
  if (width > std::numeric_limits<size_t>::max() - pitch_alignment) throw Failure(hipErrorInvalidValue);
  const size_t row = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  size_t size = 0;
  if (__builtin_mul_overflow(row, rows, &size)) throw Failure(hipErrorOutOfMemory);
  Device& device = Runtime::get().device();
  pitch = row;
  return allocate_device_memory(device, size, device.pool(), 0);
}

}  // namespace

hipError_t hipMalloc(void** ptr, size_t size) {
  if (ptr == nullptr) return hipErrorInvalidValue;
  *ptr = nullptr;
  Device& device = Runtime::get().device();
  if (size != 0) *ptr = allocate_device_memory(device, size, device.pool(), 0);
  return hipSuccess;
}

hipError_t hipExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags) {
  // Streams wait for values in any memory; what HIP wants of memory for them is that it is one number.
  const bool signal = flags == hipMallocSignalMemory;
  const bool known = flags == hipDeviceMallocDefault || flags == hipDeviceMallocFinegrained ||
                     flags == hipDeviceMallocUncached || signal;
  if (ptr == nullptr || !known || (signal && sizeBytes != sizeof(uint64_t))) return hipErrorInvalidValue;
  *ptr = nullptr;
  Device& device = Runtime::get().device();
  const auto pool = flags != hipDeviceMallocDefault ? device.fine_pool() : device.pool();
  if (sizeBytes != 0) *ptr = allocate_device_memory(device, sizeBytes, pool, flags);
  return hipSuccess;
}

hipError_t hipFree(void* ptr) {
  free_memory(ptr, false);
  return hipSuccess;
}

hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags) {
  constexpr unsigned known = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                             hipHostMallocNumaUser | hipHostMallocCoherent | hipHostMallocNonCoherent;
  constexpr unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if (ptr == nullptr || (flags & ~known) != 0 || (flags & both) == both) return hipErrorInvalidValue;
  *ptr = nullptr;
  Device& device = Runtime::get().device();
  if (size != 0) *ptr = allocate_host_memory(device, size, MemoryKind::host, flags);
  return hipSuccess;
}

hipError_t hipHostAlloc(void** ptr, size_t size, unsigned int flags) {
  return hipHostMalloc(ptr, size, flags);
}

hipError_t hipMallocHost(void** ptr, size_t size) { return hipHostMalloc(ptr, size, hipHostMallocDefault); }

hipError_t hipMemAllocHost(void** ptr, size_t size) { return hipHostMalloc(ptr, size, hipHostMallocDefault); }

hipError_t hipHostFree(void* ptr) {
  free_memory(ptr, true);
  return hipSuccess;
}

hipError_t hipFreeHost(void* ptr) { return hipHostFree(ptr); }

hipError_t hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags) {
  if (dev_ptr == nullptr || size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
    return hipErrorInvalidValue;
  *dev_ptr = allocate_host_memory(Runtime::get().device(), size, MemoryKind::managed, flags);
  return hipSuccess;
}

hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
  if (ptr == nullptr || pitch == nullptr) return hipErrorInvalidValue;
  *ptr = nullptr;
  *pitch = 0;
  if (width != 0 && height != 0) *ptr = allocate_rows(*pitch, width, height);
  return hipSuccess;
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* dptr, size_t* pitch, size_t widthInBytes, size_t height,
                            unsigned int elementSizeBytes) {
  const bool fits = elementSizeBytes == 4 || elementSizeBytes == 8 || elementSizeBytes == 16;
  if (!fits || widthInBytes == 0 || height == 0) return hipErrorInvalidValue;
  return hipMallocPitch(dptr, pitch, widthInBytes, height);
}

hipError_t hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent) {
  if (pitchedDevPtr == nullptr) return hipErrorInvalidValue;
  *pitchedDevPtr = {nullptr, 0, extent.width, extent.height};
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return hipSuccess;
  size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return hipErrorOutOfMemory;
  pitchedDevPtr->ptr = allocate_rows(pitchedDevPtr->pitch, extent.width, rows);
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  const Device& device = Runtime::get().device();
  uint64_t available = device.properties().memory_size;
  hsa_agent_get_info(device.agent(), static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_MEMORY_AVAIL),
                     &available);
  const size_t whole = device.properties().memory_size;
  if (total != nullptr) *total = whole;
  if (free != nullptr) *free = std::min<size_t>(available, whole);
  return hipSuccess;
}

hipError_t hipHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags) {
  constexpr unsigned known = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                             hipExtHostRegisterCoarseGrained;
  if (hostPtr == nullptr || sizeBytes == 0 || (flags & ~known) != 0) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  const Device& device = runtime.device();
  if (runtime.memory().find(hostPtr)) return hipErrorHostMemoryAlreadyRegistered;
  std::vector<hsa_agent_t> agents = runtime.agents();
  void* agent_address = nullptr;
  check(
      hsa_amd_memory_lock(hostPtr, sizeBytes, agents.data(), static_cast<int>(agents.size()), &agent_address),
      "hsa_amd_memory_lock", hipErrorInvalidValue);
  auto* const base = static_cast<std::byte*>(hostPtr);
  runtime.memory().add({base, sizeBytes, MemoryKind::registered, device.number(), flags, agent_address});
  return hipSuccess;
}

hipError_t hipHostUnregister(void* hostPtr) {
  if (hostPtr == nullptr) return hipErrorInvalidValue;
  MemoryMap& map = Runtime::get().memory();
  const auto found = map.find(hostPtr);
  if (!found || found->base != hostPtr || found->kind != MemoryKind::registered)
    return hipErrorHostMemoryNotRegistered;
  Runtime::synchronize_all();
  map.take(hostPtr);
  check(hsa_amd_memory_unlock(hostPtr), "hsa_amd_memory_unlock", hipErrorInvalidValue);
  return hipSuccess;
}

}  // namespace heddle::hip::api
