// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and events of other processes.
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

#include <cstring>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

constexpr uint32_t handle_magic = 0x48495049;

/// What hipIpcMemHandle_t holds.
struct SharedMemory {
  hsa_amd_ipc_memory_t memory;
  uint64_t size;    // of the allocation, as HSA knows it
  uint64_t length;  // of the allocation, as the program asked for it
  uint64_t offset;  // of the program's address
  uint32_t magic;
  int32_t process;
};
static_assert(sizeof(SharedMemory) == sizeof(hipIpcMemHandle_t));

constexpr uint32_t event_magic = 0x48495045;

/// What hipIpcEventHandle_t holds.
struct SharedEvent {
  hsa_amd_ipc_signal_t signal;
  uint32_t magic;
  int32_t process;
  uint32_t unused[6];
};
static_assert(sizeof(SharedEvent) == sizeof(hipIpcEventHandle_t));

uint64_t size_of_allocation(void* base) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  check(hsa_amd_pointer_info(base, &info, nullptr, nullptr, nullptr), "hsa_amd_pointer_info",
        hipErrorInvalidDevicePointer);
  return info.sizeInBytes;
}

SharedMemory read_handle(const hipIpcMemHandle_t& handle) {
  SharedMemory shared{};
  std::memcpy(&shared, &handle, sizeof shared);
  if (shared.magic != handle_magic || shared.length > shared.size || shared.offset >= shared.size)
    throw Failure(hipErrorInvalidValue, "these bytes are no handle of memory");
  if (shared.process == getpid())
    throw Failure(hipErrorInvalidContext, "a process cannot open handles of its own memory");
  return shared;
}

}  // namespace

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr) {
  if (handle == nullptr || devPtr == nullptr) return hipErrorInvalidValue;
  const auto found = Runtime::get().memory().find(devPtr);
  if (!found || found->kind != MemoryKind::device) return hipErrorInvalidDevicePointer;
  SharedMemory shared{};
  shared.size = size_of_allocation(found->base);
  shared.length = found->size;
  shared.offset = static_cast<uint64_t>(static_cast<std::byte*>(devPtr) - found->base);
  shared.magic = handle_magic;
  shared.process = getpid();
  check(hsa_amd_ipc_memory_create(found->base, shared.size, &shared.memory), "hsa_amd_ipc_memory_create",
        hipErrorInvalidDevicePointer);
  std::memcpy(handle, &shared, sizeof shared);
  return hipSuccess;
}

hipError_t hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
  if (devPtr == nullptr || flags != hipIpcMemLazyEnablePeerAccess) return hipErrorInvalidValue;
  const SharedMemory shared = read_handle(handle);
  Runtime& runtime = Runtime::get();
  *devPtr = runtime.imported_memory().open({shared.memory, shared.size, 0, shared.length, false},
                                           runtime.device()) +
            shared.offset;
  return hipSuccess;
}

hipError_t hipIpcCloseMemHandle(void* devPtr) {
  Runtime& runtime = Runtime::get();
  const auto found = devPtr == nullptr ? std::nullopt : runtime.memory().find(devPtr);
  if (!found || found->kind != MemoryKind::imported || found->freeable) return hipErrorInvalidValue;
  // Work may still use the memory.
  Device& device = runtime.device(found->device);
  if (device.failure() == hipSuccess) device.synchronize();
  runtime.imported_memory().close(found->base);
  return hipSuccess;
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  if (handle == nullptr || event == nullptr) return hipErrorInvalidValue;
  const auto found = Runtime::get().events().find(event);
  if (found == nullptr || found->point() == nullptr) return hipErrorInvalidHandle;
  SharedEvent shared{};
  shared.signal = found->point()->handle();
  shared.magic = event_magic;
  shared.process = getpid();
  std::memcpy(handle, &shared, sizeof shared);
  return hipSuccess;
}

hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle) {
  if (event == nullptr) return hipErrorInvalidValue;
  SharedEvent shared{};
  std::memcpy(&shared, &handle, sizeof shared);
  if (shared.magic != event_magic)
    throw Failure(hipErrorInvalidValue, "these bytes are no handle of an event");
  if (shared.process == getpid())
    throw Failure(hipErrorInvalidContext, "a process cannot open handles of its own events");
  Runtime& runtime = Runtime::get();
  constexpr unsigned flags = hipEventInterprocess | hipEventDisableTiming;
  *event = runtime.events().add(
      std::make_shared<Event>(flags, SharedPoint::attach(shared.signal), runtime.device()));
  return hipSuccess;
}

}  // namespace heddle::hip::api
