// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of graphics interoperation refuse bad arguments as such, and good ones because there is nothing
// behind.
#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

hipExternalMemoryHandleDesc memory_handle() {
  hipExternalMemoryHandleDesc handle{
      .type = hipExternalMemoryHandleTypeOpaqueFd, .handle = {}, .size = 4096, .flags = 0};
  handle.handle.fd = 0;
  return handle;
}

hipExternalSemaphoreHandleDesc semaphore_handle() {
  hipExternalSemaphoreHandleDesc handle{
      .type = hipExternalSemaphoreHandleTypeOpaqueFd, .handle = {}, .flags = 0};
  handle.handle.fd = 0;
  return handle;
}

/// What stands for an object that some other library may have made.
void* object() {
  static int something = 0;
  return &something;
}

TEST(Interoperation, RefusesMemory) {
  hipExternalMemory_t memory = nullptr;
  const hipExternalMemoryHandleDesc good = memory_handle();
  EXPECT_EQ(hipImportExternalMemory(&memory, &good), hipErrorNotSupported);
  EXPECT_EQ(hipGetLastError(), hipErrorNotSupported);
  EXPECT_EQ(hipImportExternalMemory(nullptr, &good), hipErrorInvalidValue);
  EXPECT_EQ(hipImportExternalMemory(&memory, nullptr), hipErrorInvalidValue);
  const auto import = [&](auto change) {
    hipExternalMemoryHandleDesc handle = good;
    change(handle);
    return hipImportExternalMemory(&memory, &handle);
  };
  EXPECT_EQ(import([](auto& handle) { handle.handle.fd = -1; }), hipErrorInvalidValue);
  EXPECT_EQ(import([](auto& handle) { handle.size = 0; }), hipErrorInvalidValue);
  EXPECT_EQ(import([](auto& handle) { handle.flags = 2; }), hipErrorInvalidValue);
  EXPECT_EQ(import([](auto& handle) { handle.type = static_cast<hipExternalMemoryHandleType>(8); }),
            hipErrorInvalidValue);
  EXPECT_EQ(import([](auto& handle) {
              handle.type = hipExternalMemoryHandleTypeD3D12Heap;
              handle.handle.win32 = {};
            }),
            hipErrorInvalidValue);
  void* address = nullptr;
  const hipExternalMemoryBufferDesc part{.offset = 0, .size = 16, .flags = 0},
      nothing{.offset = 0, .size = 0, .flags = 0};
  EXPECT_EQ(hipExternalMemoryGetMappedBuffer(&address, object(), &part), hipErrorNotSupported);
  EXPECT_EQ(hipExternalMemoryGetMappedBuffer(&address, object(), &nothing), hipErrorInvalidValue);
  EXPECT_EQ(hipExternalMemoryGetMappedBuffer(nullptr, object(), &part), hipErrorInvalidValue);
  EXPECT_EQ(hipExternalMemoryGetMappedBuffer(&address, nullptr, &part), hipErrorInvalidValue);
  EXPECT_EQ(hipExternalMemoryGetMappedBuffer(&address, object(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipDestroyExternalMemory(object()), hipErrorNotSupported);
  EXPECT_EQ(hipDestroyExternalMemory(nullptr), hipErrorInvalidValue);
}

TEST(Interoperation, RefusesSemaphores) {
  hipExternalSemaphore_t semaphore = nullptr;
  hipExternalSemaphoreHandleDesc handle = semaphore_handle();
  EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &handle), hipErrorNotSupported);
  EXPECT_EQ(hipImportExternalSemaphore(nullptr, &handle), hipErrorInvalidValue);
  EXPECT_EQ(hipImportExternalSemaphore(&semaphore, nullptr), hipErrorInvalidValue);
  handle.flags = 1;
  EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &handle), hipErrorInvalidValue);
  handle = semaphore_handle();
  handle.type = static_cast<hipExternalSemaphoreHandleType>(5);
  EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &handle), hipErrorInvalidValue);
  const hipExternalSemaphore_t list[] = {object(), nullptr};
  const hipExternalSemaphoreSignalParams signal[2] = {};
  const hipExternalSemaphoreWaitParams wait[2] = {};
  EXPECT_EQ(hipSignalExternalSemaphoresAsync(list, signal, 1, nullptr), hipErrorNotSupported);
  EXPECT_EQ(hipSignalExternalSemaphoresAsync(list, signal, 2, nullptr), hipErrorInvalidValue)
      << "one is null";
  EXPECT_EQ(hipSignalExternalSemaphoresAsync(list, signal, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipSignalExternalSemaphoresAsync(nullptr, signal, 1, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipSignalExternalSemaphoresAsync(list, nullptr, 1, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipWaitExternalSemaphoresAsync(list, wait, 1, nullptr), hipErrorNotSupported);
  EXPECT_EQ(hipWaitExternalSemaphoresAsync(list, wait, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipWaitExternalSemaphoresAsync(nullptr, wait, 1, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipWaitExternalSemaphoresAsync(list, nullptr, 1, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipDestroyExternalSemaphore(object()), hipErrorNotSupported);
  EXPECT_EQ(hipDestroyExternalSemaphore(nullptr), hipErrorInvalidValue);
}

TEST(Interoperation, RefusesResourcesOfOpenGl) {
  constexpr unsigned unknown_flag = 16, texture_2d = 0x0DE1;
  unsigned count = 0;
  int devices[4] = {};
  EXPECT_EQ(hipGLGetDevices(&count, devices, 4, hipGLDeviceListAll), hipErrorNotSupported);
  EXPECT_EQ(hipGLGetDevices(nullptr, devices, 4, hipGLDeviceListAll), hipErrorInvalidValue);
  EXPECT_EQ(hipGLGetDevices(&count, nullptr, 4, hipGLDeviceListAll), hipErrorInvalidValue);
  EXPECT_EQ(hipGLGetDevices(&count, devices, 0, hipGLDeviceListAll), hipErrorInvalidValue);
  EXPECT_EQ(hipGLGetDevices(&count, devices, 4, static_cast<hipGLDeviceList>(3 + 1)), hipErrorInvalidValue);
  hipGraphicsResource* made = nullptr;
  EXPECT_EQ(hipGraphicsGLRegisterBuffer(&made, 1, hipGraphicsRegisterFlagsReadOnly), hipErrorNotSupported);
  EXPECT_EQ(hipGraphicsGLRegisterBuffer(nullptr, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsGLRegisterBuffer(&made, 1, unknown_flag), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsGLRegisterImage(&made, 1, texture_2d, 0), hipErrorNotSupported);
  EXPECT_EQ(hipGraphicsGLRegisterImage(nullptr, 1, texture_2d, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsGLRegisterImage(&made, 1, 7, 0), hipErrorInvalidValue) << "no target";
  EXPECT_EQ(hipGraphicsGLRegisterImage(&made, 1, texture_2d, unknown_flag), hipErrorInvalidValue);
}

TEST(Interoperation, RefusesToMapResources) {
  auto* const resource = static_cast<hipGraphicsResource*>(object());
  hipGraphicsResource_t list[] = {resource, nullptr};
  for (const auto map : {hipGraphicsMapResources, hipGraphicsUnmapResources}) {
    EXPECT_EQ(map(1, list, nullptr), hipErrorNotSupported);
    EXPECT_EQ(map(2, list, nullptr), hipErrorInvalidValue) << "one is null";
    EXPECT_EQ(map(0, list, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(map(-1, list, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(map(1, nullptr, nullptr), hipErrorInvalidValue);
  }
  void* address = nullptr;
  size_t size = 0;
  hipArray_t array = nullptr;
  EXPECT_EQ(hipGraphicsResourceGetMappedPointer(&address, &size, resource), hipErrorNotSupported);
  EXPECT_EQ(hipGraphicsResourceGetMappedPointer(nullptr, &size, resource), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsResourceGetMappedPointer(&address, nullptr, resource), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsResourceGetMappedPointer(&address, &size, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsSubResourceGetMappedArray(&array, resource, 0, 0), hipErrorNotSupported);
  EXPECT_EQ(hipGraphicsSubResourceGetMappedArray(nullptr, resource, 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsSubResourceGetMappedArray(&array, nullptr, 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphicsUnregisterResource(resource), hipErrorNotSupported);
  EXPECT_EQ(hipGraphicsUnregisterResource(nullptr), hipErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::hip_tests
