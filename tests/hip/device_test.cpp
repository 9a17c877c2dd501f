// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "hip_test.h"

// A function that does not exist yet; it only returns an error.
extern "C" hipError_t hipRemoveActivityCallback(uint32_t id);

namespace heddle::hip_tests {
namespace {

TEST(Device, HasProperties) {
  int count = 0;
  HIP_OK(hipGetDeviceCount(&count));
  ASSERT_GE(count, 1);
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  EXPECT_NE(properties.name[0], '\0');
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_GE(properties.maxThreadsPerBlock, 256);
  EXPECT_GT(properties.totalGlobalMem, 0U);
  EXPECT_GE(properties.sharedMemPerBlock, 32U << 10);
  EXPECT_GT(properties.multiProcessorCount, 0);
  EXPECT_EQ(hipGetDeviceProperties(&properties, count), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
  int value = 0;
  HIP_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT_EQ(value, 32);
  HIP_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT_EQ(value, properties.multiProcessorCount);
  HIP_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWallClockRate, 0));
  EXPECT_GT(value, 0);
  EXPECT_EQ(value, properties.clockInstructionRate);  // kernels have one clock
  EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(5000), 0), hipErrorInvalidValue);
}

TEST(Device, HasTheSamePropertiesInBothLayouts) {
  hipDeviceProp_tR0600 now{};
  hipDeviceProp_tR0000 old{};
  HIP_OK(hipGetDevicePropertiesR0600(&now, 0));
  HIP_OK(hipGetDevicePropertiesR0000(&old, 0));
  EXPECT_STREQ(now.name, old.name);
  EXPECT_STREQ(now.gcnArchName, old.gcnArchName);
  EXPECT_EQ(now.totalGlobalMem, old.totalGlobalMem);
  EXPECT_EQ(now.pageableMemoryAccessUsesHostPageTables, old.pageableMemoryAccessUsesHostPageTables);
  EXPECT_EQ(now.maxTexture3D[2], old.maxTexture3D[2]);
  int device = -1;
  HIP_OK(hipChooseDeviceR0000(&device, &old));
  EXPECT_EQ(device, 0);
  HIP_OK(hipChooseDevice(&device, &now));
  EXPECT_EQ(device, 0);
  hipUUID uuid{};
  HIP_OK(hipDeviceGetUuid(&uuid, 0));
  EXPECT_EQ(std::memcmp(&uuid, &now.uuid, sizeof uuid), 0);
}

TEST(Device, HasAttributesForItsNewerProperties) {
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  const std::pair<hipDeviceAttribute_t, int> expected[] = {
      {hipDeviceAttributeMaxSurface2D, properties.maxSurface2D[0]},
      {hipDeviceAttributeMaxTexture2DLayered, properties.maxTexture2DLayered[0]},
      {hipDeviceAttributeUnifiedAddressing, properties.unifiedAddressing},
      {hipDeviceAttributeHostRegisterSupported, 1},
      {hipDeviceAttributeVirtualMemoryManagementSupported, 1},
      {hipDeviceAttributeMaxTextureCubemap, 0}};
  for (const auto& [attribute, value] : expected) {
    int told = -1;
    EXPECT_EQ(hipDeviceGetAttribute(&told, attribute, 0), hipSuccess) << attribute;
    EXPECT_EQ(told, value) << attribute;
  }
}

TEST(Device, FindsFunctionsByTheirNames) {
  void* found = nullptr;
  hipDriverProcAddressQueryResult status = HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  HIP_OK(hipGetProcAddress("hipRuntimeGetVersion", &found, HIP_VERSION, 0, &status));
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SUCCESS);
  int version = 0;
  HIP_OK(reinterpret_cast<hipError_t (*)(int*)>(found)(&version));
  EXPECT_EQ(version / 10000000, 5);
  void *ordinary = nullptr, *of_thread = nullptr;
  HIP_OK(hipGetProcAddress("hipMemcpy", &ordinary, HIP_VERSION, hipEnableLegacyStream));
  HIP_OK(hipGetProcAddress("hipMemcpy", &of_thread, HIP_VERSION, hipEnablePerThreadDefaultStream));
  EXPECT_NE(ordinary, of_thread);
  HIP_OK(hipGetProcAddress("hipGetDeviceProperties", &found, HIP_VERSION, 0));
  hipDeviceProp_t properties{};
  HIP_OK(reinterpret_cast<hipError_t (*)(hipDeviceProp_t*, int)>(found)(&properties, 0));
  EXPECT_EQ(properties.warpSize, 32);
  HIP_OK(hipGetProcAddress("hipExtModuleLaunchKernel", &found, HIP_VERSION, 0));  // whose symbol is C++
  EXPECT_EQ(hipGetProcAddress("hipNothing", &found, HIP_VERSION, 0, &status), hipErrorNotFound);
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(hipGetProcAddress(nullptr, &found, HIP_VERSION, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGetProcAddress("hipMalloc", nullptr, HIP_VERSION, 0), hipErrorInvalidValue);
}

TEST(Device, IsChosenByEachThread) {
  int count = 0, current = -1;
  HIP_OK(hipGetDeviceCount(&count));
  HIP_OK(hipSetDevice(count - 1));
  std::thread([] {
    int own = -1;
    EXPECT_EQ(hipGetDevice(&own), hipSuccess);
    EXPECT_EQ(own, 0);
  }).join();
  HIP_OK(hipGetDevice(&current));
  EXPECT_EQ(current, count - 1);
  HIP_OK(hipSetDevice(0));
  EXPECT_EQ(hipSetDevice(count), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
  HIP_OK(hipGetDevice(&current));
  EXPECT_EQ(current, 0);
}

TEST(Device, ExecutesOnEachOfThem) {
  int count = 0;
  HIP_OK(hipGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    HIP_OK(hipSetDevice(device));
    const DeviceMemory<int> memory(8);
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), device + 100));
    EXPECT_EQ(memory.values()[1], device + 100);
    hipPointerAttribute_t attributes{};
    HIP_OK(hipPointerGetAttributes(&attributes, memory.data()));
    EXPECT_EQ(attributes.device, device);
  }
  HIP_OK(hipSetDevice(0));
}

TEST(Device, TellsNamesAndVersions) {
  char name[256] = {};
  HIP_OK(hipDeviceGetName(name, sizeof name, 0));
  EXPECT_GT(strlen(name), 0U);
  char id[64] = {};
  HIP_OK(hipDeviceGetPCIBusId(id, sizeof id, 0));
  int device = -1;
  HIP_OK(hipDeviceGetByPCIBusId(&device, id));
  EXPECT_EQ(device, 0);
  int version = 0;
  HIP_OK(hipRuntimeGetVersion(&version));
  EXPECT_EQ(version / 10000000, 5);
  size_t free = 0, total = 0;
  HIP_OK(hipMemGetInfo(&free, &total));
  EXPECT_GT(total, 0U);
  EXPECT_LE(free, total);
  size_t only = 0;
  HIP_OK(hipMemGetInfo(nullptr, &only));
  EXPECT_EQ(only, total);
  only = total + 1;
  HIP_OK(hipMemGetInfo(&only, nullptr));
  EXPECT_LE(only, total);
  HIP_OK(hipMemGetInfo(nullptr, nullptr));
}

TEST(Device, KeepsSettings) {
  unsigned flags = 9;
  HIP_OK(hipSetDeviceFlags(hipDeviceScheduleSpin));
  HIP_OK(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, static_cast<unsigned>(hipDeviceScheduleSpin));
  HIP_OK(hipSetDeviceFlags(hipDeviceScheduleAuto));
  EXPECT_EQ(hipSetDeviceFlags(0x1000), hipErrorInvalidValue);
  size_t size = 0;
  HIP_OK(hipDeviceGetLimit(&size, hipLimitPrintfFifoSize));
  EXPECT_GT(size, 0U);
  EXPECT_EQ(hipDeviceGetLimit(&size, static_cast<hipLimit_t>(77)), hipErrorUnsupportedLimit);
  size_t set = 0;
  HIP_OK(hipDeviceSetLimit(hipLimitPrintfFifoSize, size * 2));
  HIP_OK(hipDeviceGetLimit(&set, hipLimitPrintfFifoSize));
  EXPECT_EQ(set, size * 2);
  HIP_OK(hipDeviceSetLimit(hipLimitPrintfFifoSize, size));
  EXPECT_EQ(hipDeviceSetLimit(static_cast<hipLimit_t>(77), 1), hipErrorUnsupportedLimit);
  hipFuncCache_t config{};
  HIP_OK(hipDeviceSetCacheConfig(hipFuncCachePreferL1));
  HIP_OK(hipDeviceGetCacheConfig(&config));
  EXPECT_EQ(config, hipFuncCachePreferL1);
  HIP_OK(hipDeviceSetCacheConfig(hipFuncCachePreferNone));
}

TEST(Error, IsKeptUntilItIsRead) {
  (void)hipGetLastError();
  EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
  int count = 0;
  HIP_OK(hipGetDeviceCount(&count));
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST(Error, HasNameAndText) {
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
  EXPECT_STREQ(hipGetErrorName(hipSuccess), "hipSuccess");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
  EXPECT_GT(strlen(hipGetErrorString(hipErrorNoBinaryForGpu)), 0U);
  const char* text = nullptr;
  HIP_OK(hipDrvGetErrorName(hipErrorNotReady, &text));
  EXPECT_STREQ(text, "hipErrorNotReady");
  HIP_OK(hipDrvGetErrorString(hipErrorNotReady, &text));
  EXPECT_STREQ(text, hipGetErrorString(hipErrorNotReady));
  EXPECT_EQ(hipDrvGetErrorName(static_cast<hipError_t>(12345), &text), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGetErrorString(hipSuccess, nullptr), hipErrorInvalidValue);
}

TEST(Error, OfFunctionsThatAreNotThere) {
  EXPECT_EQ(hipDeviceGetLimit(nullptr, hipLimitStackSize), hipErrorInvalidValue);
  (void)hipGetLastError();
  EXPECT_EQ(hipRemoveActivityCallback(0), hipErrorNotSupported);
  EXPECT_EQ(hipGetLastError(), hipErrorNotSupported);
}

TEST(Context, IsThatOfItsDevice) {
  hipCtx_t context = nullptr, current = nullptr;
  HIP_OK(hipDevicePrimaryCtxRetain(&context, 0));
  HIP_OK(hipCtxGetCurrent(&current));
  EXPECT_EQ(context, current);
  HIP_OK(hipCtxPushCurrent(context));
  HIP_OK(hipCtxPopCurrent(&current));
  EXPECT_EQ(context, current);
  EXPECT_EQ(hipCtxPopCurrent(&current), hipErrorInvalidContext);
  int none = 0;
  EXPECT_EQ(hipCtxSetCurrent(reinterpret_cast<hipCtx_t>(&none)), hipErrorInvalidContext);
}

// These come last in their process: a fault makes the device useless until it is reset.
TEST(Fault, IsReportedUntilTheDeviceIsReset) {
  HIP_OK(launch(write_kernel, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(8)));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr), hipErrorIllegalAddress);
  HIP_OK(hipDeviceReset());
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr));
  HIP_OK(hipDeviceSynchronize());
}

TEST(Device, HasItsFirstSettingsAfterAReset) {
  HIP_OK(hipSetDeviceFlags(hipDeviceScheduleYield));
  HIP_OK(hipDeviceSetCacheConfig(hipFuncCachePreferL1));
  HIP_OK(hipDeviceReset());
  unsigned flags = 9;
  hipFuncCache_t config{};
  HIP_OK(hipGetDeviceFlags(&flags));
  HIP_OK(hipDeviceGetCacheConfig(&config));
  EXPECT_EQ(flags, static_cast<unsigned>(hipDeviceScheduleAuto));
  EXPECT_EQ(config, hipFuncCachePreferNone);
}

TEST(Fault, MayBeForgottenWhileOtherThreadsWait) {
  std::atomic<bool> over{false};
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i)
    waiting.emplace_back([&] {
      while (!over) (void)hipStreamSynchronize(nullptr);
    });
  for (int round = 0; round < 5; ++round) {
    int* flag = nullptr;  // which the reset frees
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&flag), sizeof *flag, 0));
    *flag = 0;
    HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag));
    HIP_OK(launch(write_kernel, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(8)));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipDeviceReset());
  }
  over = true;
  for (std::thread& thread : waiting) thread.join();
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr));
  HIP_OK(hipDeviceSynchronize());
}

}  // namespace
}  // namespace heddle::hip_tests
