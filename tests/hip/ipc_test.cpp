// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and events that two processes share: a test starts its own program again, with the handle in the
// environment.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "hip_test.h"
#include "other_process.h"

namespace heddle::hip_tests {
namespace {

constexpr const char* variable = "HIP_TEST_IPC_HANDLE";
constexpr const char* event_variable = "HIP_TEST_IPC_EVENT";

/// The other process: appends to the memory with a kernel.
TEST(IpcOther, DISABLED_Process) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "the test Ipc.MemoryIsSharedWithAnotherProcess runs this";
  int* shared = nullptr;
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&shared), handle_in<hipIpcMemHandle_t>(text), 0));
  void* base = nullptr;
  size_t size = 0;
  HIP_OK(hipMemGetAddressRange(&base, &size, shared));
  EXPECT_EQ(size, 100 * sizeof(int));
  EXPECT_EQ(static_cast<int*>(base) + 10, shared);
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, shared, 42));
  HIP_OK(hipDeviceSynchronize());
  int values[3] = {};
  HIP_OK(hipMemcpy(values, shared, sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 41);
  EXPECT_EQ(hipFree(base), hipErrorInvalidValue);
  // A handle that is opened again gives the same memory, which stays until it was closed as often.
  int* again = nullptr;
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&again), handle_in<hipIpcMemHandle_t>(text), 0));
  EXPECT_EQ(again, shared);
  HIP_OK(hipIpcCloseMemHandle(again));
  HIP_OK(hipMemcpy(values, shared, sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[1], 41);
  HIP_OK(hipIpcCloseMemHandle(shared));
  EXPECT_EQ(hipIpcCloseMemHandle(shared), hipErrorInvalidValue);
}

TEST(Ipc, MemoryIsSharedWithAnotherProcess) {
  const DeviceMemory<int> memory(100);
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data() + 10, 41));
  HIP_OK(hipDeviceSynchronize());
  hipIpcMemHandle_t handle{};
  HIP_OK(hipIpcGetMemHandle(&handle, memory.data() + 10));
  ASSERT_EQ(setenv(variable, text_of(handle).c_str(), 1), 0);
  const int status = run_in_other_process("IpcOther.DISABLED_Process");
  unsetenv(variable);
  EXPECT_EQ(status, 0);
  const auto values = memory.values();
  EXPECT_EQ(values[10], 2);
  EXPECT_EQ(values[12], 42);
}

constexpr const char* pool_variable = "HIP_TEST_POOL";

/// The other process: gets two pieces of memory of a pool by its descriptor and their pointers.
TEST(IpcOther, DISABLED_Pool) {
  const char* const file = std::getenv(pool_variable);
  const char* const first = std::getenv(variable);
  const char* const second = std::getenv(event_variable);
  if (file == nullptr || first == nullptr || second == nullptr)
    GTEST_SKIP() << "the test Ipc.PoolsAreShared runs this";
  hipMemPool_t pool = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): this is how the interface takes a descriptor
  void* const handle = reinterpret_cast<void*>(static_cast<intptr_t>(std::stoi(file)));
  HIP_OK(hipMemPoolImportFromShareableHandle(&pool, handle, hipMemHandleTypePosixFileDescriptor, 0));
  std::vector<int*> memory;
  for (const char* const text : {first, second}) {
    auto data = handle_in<hipMemPoolPtrExportData>(text);
    void* imported = nullptr;
    HIP_OK(hipMemPoolImportPointer(&imported, pool, &data));
    memory.push_back(static_cast<int*>(imported));
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.back(), 42));
  }
  HIP_OK(hipDeviceSynchronize());
  auto data = handle_in<hipMemPoolPtrExportData>(first);
  void* again = nullptr;
  HIP_OK(hipMemPoolImportPointer(&again, pool, &data));
  EXPECT_EQ(again, memory[0]);
  void* refused = nullptr;
  EXPECT_EQ(hipMallocFromPoolAsync(&refused, 100, pool, nullptr), hipErrorInvalidValue);
  const OwnStream stream;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  EXPECT_EQ(hipMallocFromPoolAsync(&refused, 100, pool, stream), hipErrorInvalidValue);
  hipGraph_t graph = nullptr;
  HIP_OK(hipStreamEndCapture(stream, &graph));
  HIP_OK(hipGraphDestroy(graph));
  EXPECT_EQ(hipDeviceSetMemPool(0, pool), hipErrorInvalidValue);
  HIP_OK(hipFree(again));
  HIP_OK(hipFree(memory[0]));
  EXPECT_EQ(hipFree(memory[0]), hipErrorInvalidValue);
  HIP_OK(hipFreeAsync(memory[1], nullptr));
  HIP_OK(hipMemPoolDestroy(pool));
}

TEST(Ipc, PoolsAreShared) {
  constexpr hipMemPoolProps shareable{hipMemAllocationTypePinned,
                                      hipMemHandleTypePosixFileDescriptor,
                                      {hipMemLocationTypeDevice, 0},
                                      nullptr,
                                      0,
                                      {}};
  hipMemPool_t pool = nullptr;
  HIP_OK(hipMemPoolCreate(&pool, &shareable));
  int file = -1;
  HIP_OK(hipMemPoolExportToShareableHandle(static_cast<void*>(&file), pool,
                                           hipMemHandleTypePosixFileDescriptor, 0));
  ASSERT_GE(file, 0);
  const int inherited = dup(file);  // without the flag that closes it in the other process
  close(file);
  ASSERT_EQ(setenv(pool_variable, std::to_string(inherited).c_str(), 1), 0);
  std::vector<int*> memory;
  for (const char* const name : {variable, event_variable}) {
    void* allocated = nullptr;
    HIP_OK(hipMallocFromPoolAsync(&allocated, 100 * sizeof(int), pool, nullptr));
    HIP_OK(hipMemset(allocated, 0, 100 * sizeof(int)));
    hipMemPoolPtrExportData data{};
    HIP_OK(hipMemPoolExportPointer(&data, allocated));
    ASSERT_EQ(setenv(name, text_of(data).c_str(), 1), 0);
    memory.push_back(static_cast<int*>(allocated));
  }
  EXPECT_EQ(run_in_other_process("IpcOther.DISABLED_Pool"), 0);
  for (int* const one : memory) {
    int values[2] = {};
    HIP_OK(hipMemcpy(values, one, sizeof values, hipMemcpyDeviceToHost));
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 42);
    HIP_OK(hipFree(one));
  }
  for (const char* const name : {variable, event_variable, pool_variable}) unsetenv(name);
  close(inherited);
  HIP_OK(hipMemPoolDestroy(pool));
}

TEST(Ipc, SharingOfPoolsIsChecked) {
  hipMemPool_t pool = nullptr, imported = nullptr;
  HIP_OK(hipDeviceGetDefaultMemPool(&pool, 0));
  int file = -1;
  constexpr auto by_file = hipMemHandleTypePosixFileDescriptor;
  void* const where = static_cast<void*>(&file);
  EXPECT_EQ(hipMemPoolExportToShareableHandle(where, pool, by_file, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolExportToShareableHandle(where, nullptr, by_file, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolExportToShareableHandle(nullptr, pool, by_file, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolExportToShareableHandle(where, pool, hipMemHandleTypeNone, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolImportFromShareableHandle(&imported, nullptr, hipMemHandleTypeNone, 0),
            hipErrorInvalidValue);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): this is how the interface takes a descriptor
  void* const none = reinterpret_cast<void*>(intptr_t{-1});
  EXPECT_EQ(hipMemPoolImportFromShareableHandle(&imported, none, by_file, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolImportFromShareableHandle(nullptr, none, by_file, 0), hipErrorInvalidValue);
  void* memory = nullptr;
  HIP_OK(hipMallocAsync(&memory, 100, nullptr));
  hipMemPoolPtrExportData data{};
  EXPECT_EQ(hipMemPoolExportPointer(&data, memory), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolExportPointer(nullptr, memory), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolExportPointer(&data, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolImportPointer(&memory, pool, &data), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolImportPointer(&memory, nullptr, &data), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolImportPointer(nullptr, pool, &data), hipErrorInvalidValue);
  HIP_OK(hipFree(memory));
}

TEST(Ipc, ChecksItsArguments) {
  const DeviceMemory<int> memory(100);
  hipIpcMemHandle_t handle{};
  EXPECT_EQ(hipIpcGetMemHandle(nullptr, memory.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcGetMemHandle(&handle, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcGetMemHandle(&handle, &handle), hipErrorInvalidDevicePointer);
  const HostNumber host;
  EXPECT_EQ(hipIpcGetMemHandle(&handle, host.address()), hipErrorInvalidDevicePointer);
  void* opened = nullptr;
  EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, 0), hipErrorInvalidValue);
  HIP_OK(hipIpcGetMemHandle(&handle, memory.data()));
  EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, 0), hipErrorInvalidContext);
  EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, 7), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcOpenMemHandle(nullptr, handle, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcCloseMemHandle(memory.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcCloseMemHandle(nullptr), hipErrorInvalidValue);
}

/// The other process: the event is not reached before a kernel of the first process ends, for which it lets a
/// kernel of its own wait. Then it records the event itself.
TEST(IpcOther, DISABLED_Event) {
  const char* const memory = std::getenv(variable);
  const char* const text = std::getenv(event_variable);
  if (memory == nullptr || text == nullptr) GTEST_SKIP() << "the test Ipc.EventsAreShared runs this";
  int* shared = nullptr;
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&shared), handle_in<hipIpcMemHandle_t>(memory), 0));
  hipEvent_t event = nullptr;
  HIP_OK(hipIpcOpenEventHandle(&event, handle_in<hipIpcEventHandle_t>(text)));
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  const OwnStream stream;
  HIP_OK(hipStreamWaitEvent(stream, event, 0));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, shared + 1, 43));
  // The kernel of the first process waits for this word.
  const int go = 1;
  HIP_OK(hipMemcpy(shared, &go, sizeof go, hipMemcpyHostToDevice));
  HIP_OK(hipEventSynchronize(event));
  HIP_OK(hipEventQuery(event));
  HIP_OK(hipEventRecord(event, stream));
  HIP_OK(hipEventSynchronize(event));
  float time = 0;
  EXPECT_EQ(hipEventElapsedTime(&time, event, event), hipErrorInvalidHandle);
  HIP_OK(hipEventDestroy(event));
  HIP_OK(hipIpcCloseMemHandle(shared));
}

TEST(Ipc, EventsAreShared) {
  const DeviceMemory<int> memory(100);
  hipEvent_t event = nullptr;
  HIP_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  HIP_OK(hipEventQuery(event));
  const OwnStream stream;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, memory.data()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory.data() + 1, 42));
  HIP_OK(hipEventRecord(event, stream));
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  hipIpcMemHandle_t memory_handle{};
  HIP_OK(hipIpcGetMemHandle(&memory_handle, memory.data()));
  hipIpcEventHandle_t handle{};
  HIP_OK(hipIpcGetEventHandle(&handle, event));
  ASSERT_EQ(setenv(variable, text_of(memory_handle).c_str(), 1), 0);
  ASSERT_EQ(setenv(event_variable, text_of(handle).c_str(), 1), 0);
  const int status = run_in_other_process("IpcOther.DISABLED_Event");
  unsetenv(variable);
  unsetenv(event_variable);
  EXPECT_EQ(status, 0);
  if (status != 0) {  // so that the kernel ends in any case
    const int go = 1;
    HIP_OK(hipMemcpyAsync(memory.data(), &go, sizeof go, hipMemcpyHostToDevice, OwnStream()));
  }
  // The other process has recorded the event behind its kernel.
  HIP_OK(hipEventSynchronize(event));
  HIP_OK(hipEventQuery(event));
  const auto values = memory.values();
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], 42);
  EXPECT_EQ(values[3], 43);
  HIP_OK(hipEventDestroy(event));
}

TEST(Ipc, ChecksHandlesOfEvents) {
  hipEvent_t event = nullptr, opened = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
  HIP_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  hipIpcEventHandle_t handle{};
  EXPECT_EQ(hipIpcGetEventHandle(nullptr, event), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcGetEventHandle(&handle, nullptr), hipErrorInvalidValue);
  const OwnEvent ordinary(hipEventDisableTiming);
  EXPECT_EQ(hipIpcGetEventHandle(&handle, ordinary), hipErrorInvalidHandle);
  EXPECT_EQ(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidValue);
  HIP_OK(hipIpcGetEventHandle(&handle, event));
  EXPECT_EQ(hipIpcOpenEventHandle(nullptr, handle), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidContext);
  HIP_OK(hipEventDestroy(event));
  EXPECT_EQ(hipIpcGetEventHandle(&handle, event), hipErrorInvalidHandle);
}

}  // namespace
}  // namespace heddle::hip_tests
