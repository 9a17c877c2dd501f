// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs can ask of addresses.
#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/pointer_attributes.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

Allocation allocation_at(const void* address, hipError_t otherwise = hipErrorInvalidValue) {
  const auto found = address == nullptr ? std::nullopt : Runtime::get().memory().find(address);
  if (!found) throw Failure(otherwise);
  return *found;
}

}  // namespace

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr) {
  if (attributes == nullptr) return hipErrorInvalidValue;
  *attributes = {};
  *attributes = attributes_of(allocation_at(ptr), ptr);
  return hipSuccess;
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
  if (data == nullptr) return hipErrorInvalidValue;
  return get_attribute(allocation_at(ptr), ptr, attribute, data);
}

/// The attribute is only kept for queries: operations that it makes synchronous in HIP are so without it.
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
  if (value == nullptr || ptr == nullptr || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return hipErrorInvalidValue;
  const bool set = *static_cast<const unsigned*>(value) != 0;
  return Runtime::get().memory().set_synchronous(ptr, set) ? hipSuccess : hipErrorInvalidDevicePointer;
}

hipError_t hipDrvPointerGetAttributes(unsigned int numAttributes, hipPointer_attribute* attributes,
                                      void** data, hipDeviceptr_t ptr) {
  if (numAttributes == 0 || attributes == nullptr || data == nullptr) return hipErrorInvalidValue;
  const auto found = Runtime::get().memory().find(ptr);
  for (unsigned i = 0; i < numAttributes; ++i) {
    if (data[i] == nullptr) return hipErrorInvalidValue;
    const hipError_t result = get_attribute(found.value_or(Allocation{}), ptr, attributes[i], data[i]);
    if (result != hipSuccess) return result;
  }
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned int flags) {
  if (devPtr == nullptr || hstPtr == nullptr || flags != 0) return hipErrorInvalidValue;
  const Allocation allocation = allocation_at(hstPtr);
  if (!allocation.on_host()) return hipErrorInvalidValue;
  *devPtr = attributes_of(allocation, hstPtr).devicePointer;
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned int* flagsPtr, void* hostPtr) {
  if (flagsPtr == nullptr) return hipErrorInvalidValue;
  const Allocation allocation = allocation_at(hostPtr);
  if (allocation.kind != MemoryKind::host && allocation.kind != MemoryKind::registered)
    return hipErrorInvalidValue;
  *flagsPtr = allocation.flags;
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr) {
  if (pbase == nullptr || psize == nullptr) return hipErrorInvalidValue;
  const Allocation allocation = allocation_at(dptr, hipErrorNotFound);
  *pbase = allocation.base;
  *psize = allocation.size;
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void* ptr, size_t* size) {
  if (size == nullptr) return hipErrorInvalidValue;
  *size = ptr == nullptr ? 0 : allocation_at(ptr).size;
  return hipSuccess;
}

}  // namespace heddle::hip::api
