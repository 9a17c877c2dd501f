// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual memory: addresses, memory, and mappings of the one to the other.
#include "hip/core/virtual_memory.h"

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

VirtualMemory& virtual_memory() { return Runtime::get().virtual_memory(); }

Device& device_at(const hipMemLocation& location) {
  const size_t count = Runtime::get().devices().size();
  if (location.type != hipMemLocationTypeDevice || location.id < 0 ||
      static_cast<size_t>(location.id) >= count)
    throw Failure(hipErrorInvalidValue, "the location is no device");
  return Runtime::get().device(location.id);
}

bool is_access(hipMemAccessFlags flags) {
  return flags == hipMemAccessFlagsProtNone || flags == hipMemAccessFlagsProtRead ||
         flags == hipMemAccessFlagsProtReadWrite;
}

/// Returns the device of memory with these properties. Throws Failure: InvalidValue, NotSupported.
Device& checked_device(const hipMemAllocationProp* properties) {
  if (properties == nullptr || properties->type != hipMemAllocationTypePinned)
    throw Failure(hipErrorInvalidValue, "memory without an address is of the type Pinned");
  Device& device = device_at(properties->location);
  const auto handles = static_cast<unsigned>(properties->requestedHandleType);
  if (handles > (hipMemHandleTypePosixFileDescriptor | hipMemHandleTypeWin32 | hipMemHandleTypeWin32Kmt))
    throw Failure(hipErrorInvalidValue, "there are no such handles");
  if (handles > hipMemHandleTypePosixFileDescriptor || properties->compressionType != 0 ||
      properties->usage != 0)
    throw Failure(hipErrorNotSupported, "handles of Windows, compression and special uses are not supported");
  return device;
}

hipError_t reserved_addresses(hsa_status_t status) {
  check(status, "virtual addresses", hipErrorInvalidValue);
  return hipSuccess;
}

}  // namespace

hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* prop,
                                          hipMemAllocationGranularity_flags option) {
  if (granularity == nullptr ||
      (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended))
    return hipErrorInvalidValue;
  *granularity = granularity_of(checked_device(prop), option);
  return hipSuccess;
}

hipError_t hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* addr,
                                unsigned long long flags) {
  if (ptr == nullptr || flags != 0) return hipErrorInvalidValue;
  return reserved_addresses(
      hsa_amd_vmem_address_reserve_align(ptr, size, reinterpret_cast<uintptr_t>(addr), alignment, 0));
}

hipError_t hipMemAddressFree(void* devPtr, size_t size) {
  if (devPtr == nullptr || size == 0) return hipErrorInvalidValue;
  return reserved_addresses(hsa_amd_vmem_address_free(devPtr, size));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size,
                        const hipMemAllocationProp* prop, unsigned long long flags) {
  if (handle == nullptr || size == 0 || flags != 0) return hipErrorInvalidValue;
  Device& device = checked_device(prop);
  if (size % granularity_of(device, hipMemAllocationGranularityMinimum) != 0) return hipErrorInvalidValue;
  *handle = virtual_memory().create(device, size, *prop);
  return hipSuccess;
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  virtual_memory().release(handle);
  return hipSuccess;
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr) {
  if (handle == nullptr || addr == nullptr) return hipErrorInvalidValue;
  *handle = virtual_memory().retain(addr);
  return hipSuccess;
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* prop,
                                                   hipMemGenericAllocationHandle_t handle) {
  if (prop == nullptr) return hipErrorInvalidValue;
  *prop = virtual_memory().properties(handle);
  return hipSuccess;
}

hipError_t hipMemExportToShareableHandle(void* shareableHandle, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType, unsigned long long flags) {
  if (shareableHandle == nullptr || handleType != hipMemHandleTypePosixFileDescriptor || flags != 0)
    return hipErrorInvalidValue;
  *static_cast<int*>(shareableHandle) = virtual_memory().export_file(handle);
  return hipSuccess;
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* osHandle,
                                           hipMemAllocationHandleType shHandleType) {
  if (handle == nullptr || osHandle == nullptr || shHandleType != hipMemHandleTypePosixFileDescriptor)
    return hipErrorInvalidValue;
  *handle = virtual_memory().import(Runtime::get().device(), *static_cast<const int*>(osHandle));
  return hipSuccess;
}

hipError_t hipMemMap(void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  if (ptr == nullptr || size == 0 || offset != 0 || flags != 0) return hipErrorInvalidValue;
  virtual_memory().map(ptr, size, handle);
  return hipSuccess;
}

hipError_t hipMemUnmap(void* ptr, size_t size) {
  virtual_memory().unmap(ptr, size);
  return hipSuccess;
}

hipError_t hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* desc, size_t count) {
  if (desc == nullptr || count == 0) return hipErrorInvalidValue;
  std::vector<VirtualMemory::DeviceAccess> wanted;
  for (const hipMemAccessDesc& one : std::span(desc, count)) {
    if (!is_access(one.flags)) return hipErrorInvalidValue;
    wanted.emplace_back(&device_at(one.location), one.flags);
  }
  virtual_memory().set_access(ptr, size, wanted);
  return hipSuccess;
}

hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr) {
  if (flags == nullptr || location == nullptr || ptr == nullptr) return hipErrorInvalidValue;
  *flags = static_cast<unsigned long long>(virtual_memory().access(ptr, device_at(*location)));
  return hipSuccess;
}

hipError_t hipMemMapArrayAsync(hipArrayMapInfo* mapInfoList, unsigned int count, hipStream_t stream) {
  if (mapInfoList == nullptr || count == 0) return hipErrorInvalidValue;
  Runtime::get().stream(stream);
  throw Failure(hipErrorNotSupported, "there are no sparse arrays");
}

}  // namespace heddle::hip::api
