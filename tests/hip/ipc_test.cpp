// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that two processes share: a test starts its own program again, with the handle in the environment.
#include <cstdlib>
#include <cstring>
#include <string>

#include "hip_test.h"
#include "other_process.h"

namespace heddle::hip_tests {
namespace {

constexpr const char* variable = "HIP_TEST_IPC_HANDLE";

std::string text_of(const hipIpcMemHandle_t& handle) {
  std::string text;
  for (const char byte : handle.reserved) {
    const auto value = static_cast<unsigned char>(byte);
    text += {"0123456789abcdef"[value >> 4], "0123456789abcdef"[value & 15]};
  }
  return text;
}

hipIpcMemHandle_t handle_in(const std::string& text) {
  hipIpcMemHandle_t handle{};
  for (size_t i = 0; i < sizeof handle && 2 * i + 1 < text.size(); ++i)
    handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

/// The other process: appends to the memory with a kernel.
TEST(IpcOther, DISABLED_Process) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "the test Ipc.MemoryIsSharedWithAnotherProcess runs this";
  int* shared = nullptr;
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&shared), handle_in(text), 0));
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

}  // namespace
}  // namespace heddle::hip_tests
