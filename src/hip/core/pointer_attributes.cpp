// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/pointer_attributes.h"

#include <algorithm>
#include <iterator>

#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

struct Subject {
  const Allocation& allocation;
  void* address;
  hipPointerAttribute_t attributes;
};

template <typename T>
void store(void* data, T value) {
  *static_cast<T*>(data) = value;
}

struct Row {
  hipPointer_attribute attribute;
  void (*write)(const Subject& subject, void* data);
};

constexpr Row rows[] = {
    {HIP_POINTER_ATTRIBUTE_CONTEXT,
     [](const Subject& s, void* data) {
       const bool known = s.allocation.base != nullptr;
       auto* const device =
           known ? Runtime::get().devices()[static_cast<size_t>(s.allocation.device)].get() : nullptr;
       store(data, reinterpret_cast<hipCtx_t>(device));
     }},
    {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
     [](const Subject& s, void* data) { store(data, static_cast<unsigned>(s.attributes.memoryType)); }},
    {HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
     [](const Subject& s, void* data) { store(data, s.attributes.devicePointer); }},
    {HIP_POINTER_ATTRIBUTE_HOST_POINTER,
     [](const Subject& s, void* data) { store(data, s.attributes.hostPointer); }},
    {HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
     [](const Subject& s, void* data) { store(data, s.allocation.synchronous ? 1U : 0U); }},
    {HIP_POINTER_ATTRIBUTE_BUFFER_ID,
     [](const Subject& s, void* data) {
       store(data, reinterpret_cast<unsigned long long>(s.allocation.base));
     }},
    {HIP_POINTER_ATTRIBUTE_IS_MANAGED,
     [](const Subject& s, void* data) { store(data, s.attributes.isManaged != 0 ? 1U : 0U); }},
    {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
     [](const Subject& s, void* data) { store(data, s.attributes.device); }},
    {HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE, [](const Subject&, void* data) { store(data, 0U); }},
    {HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
     [](const Subject& s, void* data) { store(data, static_cast<void*>(s.allocation.base)); }},
    {HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
     [](const Subject& s, void* data) { store(data, static_cast<unsigned>(s.allocation.size)); }},
    {HIP_POINTER_ATTRIBUTE_MAPPED,
     [](const Subject& s, void* data) { store(data, s.allocation.base != nullptr ? 1U : 0U); }}};

}  // namespace

hipPointerAttribute_t attributes_of(const Allocation& allocation, const void* address) {
  hipPointerAttribute_t attributes{};
  if (allocation.base == nullptr) return attributes;
  const auto offset = static_cast<const std::byte*>(address) - allocation.base;
  const auto& device = Runtime::get().devices()[static_cast<size_t>(allocation.device)];
  const bool for_host = allocation.on_host();
  attributes.memoryType = for_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  if (allocation.kind == MemoryKind::managed) attributes.memoryType = hipMemoryTypeUnified;
  attributes.device = device->number();
  attributes.devicePointer = static_cast<std::byte*>(allocation.agent_base) + offset;
  attributes.hostPointer = for_host ? allocation.base + offset : nullptr;
  attributes.isManaged = allocation.kind == MemoryKind::managed ? 1 : 0;
  attributes.allocationFlags = allocation.flags;
  return attributes;
}

hipError_t get_attribute(const Allocation& allocation, void* address, hipPointer_attribute attribute,
                         void* data) {
  const auto* const row = std::ranges::find(rows, attribute, &Row::attribute);
  if (row == std::end(rows)) {
    const bool known =
        attribute >= HIP_POINTER_ATTRIBUTE_CONTEXT && attribute <= HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    return known ? hipErrorNotSupported : hipErrorInvalidValue;
  }
  row->write({allocation, address, attributes_of(allocation, address)}, data);
  return hipSuccess;
}

}  // namespace heddle::hip
