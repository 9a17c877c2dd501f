// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

TEST(Memory, IsAllocatedAndFreed) {
  void* memory = nullptr;
  HIP_OK(hipMalloc(&memory, 100));
  ASSERT_NE(memory, nullptr);
  HIP_OK(hipFree(memory));
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
  HIP_OK(hipFree(nullptr));
  memory = &memory;
  HIP_OK(hipMalloc(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc(&memory, SIZE_MAX), hipErrorOutOfMemory);
  EXPECT_EQ(hipMalloc(&memory, SIZE_MAX / 4), hipErrorOutOfMemory);
  HIP_OK(hipExtMallocWithFlags(&memory, 100, hipDeviceMallocUncached));
  HIP_OK(hipFree(memory));
  EXPECT_EQ(hipExtMallocWithFlags(&memory, 100, 0x80), hipErrorInvalidValue);
}

TEST(Memory, OfTheHostIsFreedAsSuch) {
  void* host = nullptr;
  HIP_OK(hipHostMalloc(&host, 1000, hipHostMallocMapped));
  EXPECT_EQ(hipFree(host), hipErrorInvalidValue);
  unsigned flags = 0;
  HIP_OK(hipHostGetFlags(&flags, host));
  EXPECT_EQ(flags, static_cast<unsigned>(hipHostMallocMapped));
  void* device = nullptr;
  HIP_OK(hipHostGetDevicePointer(&device, static_cast<char*>(host) + 10, 0));
  EXPECT_EQ(device, static_cast<char*>(host) + 10);
  HIP_OK(hipHostFree(host));
  EXPECT_EQ(hipHostFree(host), hipErrorInvalidValue);
  EXPECT_EQ(hipHostMalloc(&host, 10, 0x100), hipErrorInvalidValue);
  EXPECT_EQ(hipHostMalloc(&host, 10, hipHostMallocCoherent | hipHostMallocNonCoherent), hipErrorInvalidValue);
}

TEST(Memory, ThatIsManagedIsSharedWithKernels) {
  int* managed = nullptr;
  HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 8 * sizeof(int), hipMemAttachGlobal));
  managed[0] = 0;
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, managed, 5));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(managed[1], 5);
  HIP_OK(hipFree(managed));
  EXPECT_EQ(hipMallocManaged(reinterpret_cast<void**>(&managed), 0, hipMemAttachGlobal),
            hipErrorInvalidValue);
}

TEST(Memory, ThatAnotherThreadHasFreedIsForgotten) {
  hipPointerAttribute_t attributes{};
  std::array<char, 64> host{};
  for (size_t size = 64; size <= 65536; size *= 4) {
    char* memory = nullptr;
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&memory), size));
    // This thread knows both addresses now.
    HIP_OK(hipMemcpy(memory, host.data(), host.size(), hipMemcpyHostToDevice));
    EXPECT_EQ(hipMemcpy(memory, memory + size / 2, size, hipMemcpyDefault), hipErrorInvalidValue);
    std::thread([&] { HIP_OK(hipFree(memory)); }).join();
    EXPECT_EQ(hipPointerGetAttributes(&attributes, memory), hipErrorInvalidValue);
    HIP_OK(hipHostRegister(host.data(), host.size(), hipHostRegisterDefault));
    HIP_OK(hipPointerGetAttributes(&attributes, host.data() + 5));
    HIP_OK(hipHostUnregister(host.data()));
    EXPECT_EQ(hipPointerGetAttributes(&attributes, host.data() + 5), hipErrorInvalidValue);
  }
}

TEST(Memory, IsAttachedToStreams) {
  const OwnStream stream;
  void* managed = nullptr;
  HIP_OK(hipMallocManaged(&managed, 100, hipMemAttachHost));
  HIP_OK(hipStreamAttachMemAsync(stream, managed, 0, hipMemAttachSingle));
  HIP_OK(hipStreamAttachMemAsync(nullptr, managed, 100, hipMemAttachGlobal));
  EXPECT_EQ(hipStreamAttachMemAsync(nullptr, managed, 0, hipMemAttachSingle), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamAttachMemAsync(stream, managed, 50, hipMemAttachSingle), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamAttachMemAsync(stream, managed, 0, 7), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamAttachMemAsync(stream, nullptr, 0, hipMemAttachSingle), hipErrorInvalidValue);
  // Memory of the program may be attached if kernels reach it.
  int pageable = 0, own = 0;
  HIP_OK(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
  EXPECT_EQ(hipStreamAttachMemAsync(stream, &own, sizeof own, hipMemAttachSingle),
            pageable != 0 ? hipSuccess : hipErrorInvalidValue);
  EXPECT_EQ(hipStreamAttachMemAsync(stream, &own, 0, hipMemAttachSingle), hipErrorInvalidValue);
  HIP_OK(hipFree(managed));
}

TEST(Memory, TellsItsAttributes) {
  const DeviceMemory<char> memory(100);
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, memory.data() + 99));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, memory.data() + 99);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(attributes.isManaged, 0);
  EXPECT_EQ(hipPointerGetAttributes(&attributes, memory.data() + 100), hipErrorInvalidValue);
  int own = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &own), hipErrorInvalidValue);
  void* base = nullptr;
  size_t size = 0;
  HIP_OK(hipMemGetAddressRange(&base, &size, memory.data() + 50));
  EXPECT_EQ(base, memory.data());
  EXPECT_EQ(size, 100U);
  unsigned type = 0;
  HIP_OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, memory.data()));
  EXPECT_EQ(type, static_cast<unsigned>(hipMemoryTypeDevice));
  EXPECT_EQ(hipPointerGetAttribute(&type, static_cast<hipPointer_attribute>(99), memory.data()),
            hipErrorInvalidValue);
}

/// Returns one attribute of a range of managed memory; -99 if there is none.
int range_attribute(const std::byte* begin, size_t size, hipMemRangeAttribute attribute) {
  int value = -99;
  EXPECT_EQ(hipMemRangeGetAttribute(&value, sizeof value, attribute, begin, size), hipSuccess);
  return value;
}

TEST(Memory, KeepsWhatWasSaidOfItsParts) {
  constexpr size_t size = 4096;
  std::byte* memory = nullptr;
  HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&memory), 4 * size, hipMemAttachGlobal));
  EXPECT_EQ(range_attribute(memory, 4 * size, hipMemRangeAttributePreferredLocation), hipInvalidDeviceId);
  HIP_OK(hipMemAdvise(memory + size, 2 * size, hipMemAdviseSetReadMostly, 0));
  HIP_OK(hipMemAdvise(memory + size, size, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  EXPECT_EQ(range_attribute(memory + size, 2 * size, hipMemRangeAttributeReadMostly), 1);
  EXPECT_EQ(range_attribute(memory, 2 * size, hipMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(range_attribute(memory + size, size, hipMemRangeAttributePreferredLocation), hipCpuDeviceId);
  EXPECT_EQ(range_attribute(memory + size, 2 * size, hipMemRangeAttributePreferredLocation),
            hipInvalidDeviceId);
  HIP_OK(hipMemAdvise(memory, 4 * size, hipMemAdviseUnsetReadMostly, 0));
  EXPECT_EQ(range_attribute(memory + size, size, hipMemRangeAttributeReadMostly), 0);
  HIP_OK(hipMemPrefetchAsync(memory, 4 * size, 0, nullptr));
  EXPECT_EQ(range_attribute(memory, 4 * size, hipMemRangeAttributeLastPrefetchLocation), 0);
  HIP_OK(hipMemAdvise(memory, 4 * size, hipMemAdviseSetCoarseGrain, 0));
  EXPECT_EQ(range_attribute(memory, size, hipMemRangeAttributeCoherencyMode),
            hipMemRangeCoherencyModeCoarseGrain);
  HIP_OK(hipFree(memory));
}

TEST(Memory, TellsWhetherItIsCoherent) {
  const DeviceMemory<int> device(1);
  const HostNumber host;
  const SignalNumber signal;
  const auto mode = [](const void* memory, size_t size) {
    return range_attribute(static_cast<const std::byte*>(memory), size, hipMemRangeAttributeCoherencyMode);
  };
  EXPECT_EQ(mode(device.data(), 4), hipMemRangeCoherencyModeCoarseGrain);
  EXPECT_EQ(mode(host.address(), 4), hipMemRangeCoherencyModeFineGrain);
  EXPECT_EQ(mode(signal.address(), 8), hipMemRangeCoherencyModeFineGrain);
  int value = 0;
  EXPECT_EQ(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, device.data(), 4),
            hipErrorInvalidValue);
  EXPECT_EQ(
      hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeCoherencyMode, device.data(), 5),
      hipErrorInvalidValue);
}

TEST(Memory, KeepsWhatWasSaidOfWholePages) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::byte* memory = nullptr;
  HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&memory), 3 * page + 8, hipMemAttachGlobal));
  ASSERT_EQ(reinterpret_cast<uintptr_t>(memory) % page, 0U);
  HIP_OK(hipMemAdvise(memory + page / 2, page, hipMemAdviseSetReadMostly, 0));
  EXPECT_EQ(range_attribute(memory, 2 * page, hipMemRangeAttributeReadMostly), 1);
  EXPECT_EQ(range_attribute(memory + 2 * page, 1, hipMemRangeAttributeReadMostly), 0);
  HIP_OK(hipMemPrefetchAsync(memory + page / 4, page / 2, 0, nullptr));
  EXPECT_EQ(range_attribute(memory, page, hipMemRangeAttributeLastPrefetchLocation), 0);
  EXPECT_EQ(range_attribute(memory, page + 1, hipMemRangeAttributeLastPrefetchLocation), hipInvalidDeviceId);
  // The last page is the allocation's in part only.
  HIP_OK(hipMemAdvise(memory + 3 * page, 1, hipMemAdviseSetPreferredLocation, 0));
  EXPECT_EQ(range_attribute(memory + 3 * page, 8, hipMemRangeAttributePreferredLocation), 0);
  HIP_OK(hipFree(memory));
  HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&memory), 4 * page, hipMemAttachGlobal));
  EXPECT_EQ(range_attribute(memory, page, hipMemRangeAttributeReadMostly), 0);
  HIP_OK(hipFree(memory));
}

TEST(Memory, TellsSeveralAttributesOfARange) {
  void* memory = nullptr;
  HIP_OK(hipMallocManaged(&memory, 100, hipMemAttachGlobal));
  HIP_OK(hipMemAdvise(memory, 100, hipMemAdviseSetAccessedBy, 0));
  int devices[2] = {}, mostly_read = -1;
  void* data[] = {devices, &mostly_read};
  size_t sizes[] = {sizeof devices, sizeof mostly_read};
  hipMemRangeAttribute wanted[] = {hipMemRangeAttributeAccessedBy, hipMemRangeAttributeReadMostly};
  HIP_OK(hipMemRangeGetAttributes(data, sizes, wanted, 2, memory, 100));
  EXPECT_EQ(devices[0], 0);
  EXPECT_EQ(devices[1], hipInvalidDeviceId);
  EXPECT_EQ(mostly_read, 0);
  sizes[1] = 8;
  EXPECT_EQ(hipMemRangeGetAttributes(data, sizes, wanted, 2, memory, 100), hipErrorInvalidValue);
  EXPECT_EQ(hipMemRangeGetAttributes(data, sizes, wanted, 0, memory, 100), hipErrorInvalidValue);
  EXPECT_EQ(hipMemRangeGetAttribute(devices, 4, wanted[1], memory, 101), hipErrorInvalidValue);
  EXPECT_EQ(hipMemRangeGetAttribute(devices, 4, wanted[1], devices, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAdvise(memory, 100, hipMemAdviseSetAccessedBy, 1000), hipErrorInvalidDevice);
  HIP_OK(hipFree(memory));
}

TEST(Memory, KeepsWhetherItsCopiesWait) {
  const DeviceMemory<int> memory(4);
  unsigned value = 1;
  HIP_OK(hipPointerSetAttribute(&value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.data()));
  value = 0;
  HIP_OK(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.data() + 1));
  EXPECT_EQ(value, 1U);
  EXPECT_EQ(hipPointerSetAttribute(&value, HIP_POINTER_ATTRIBUTE_MAPPED, memory.data()),
            hipErrorInvalidValue);
  EXPECT_EQ(hipPointerSetAttribute(&value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, &value),
            hipErrorInvalidDevicePointer);
}

TEST(Memory, OfTheProgramCanBeRegistered) {
  std::vector<int> own(1000, 0);
  HIP_OK(hipHostRegister(own.data(), own.size() * sizeof(int), hipHostRegisterDefault));
  EXPECT_EQ(hipHostRegister(own.data(), 4, hipHostRegisterDefault), hipErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  HIP_OK(hipHostGetDevicePointer(&device, own.data(), 0));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(device), 9));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(own[1], 9);
  HIP_OK(hipHostUnregister(own.data()));
  EXPECT_EQ(hipHostUnregister(own.data()), hipErrorHostMemoryNotRegistered);
}

TEST(Copy, ChecksItsArguments) {
  const DeviceMemory<char> memory(64);
  char own[128] = {};
  EXPECT_EQ(hipMemcpy(memory.data(), own, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory.data() + 60, own, 5, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(own, memory.data() + 60, 5, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(nullptr, own, 1, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory.data(), nullptr, 1, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory.data(), own, 1, static_cast<hipMemcpyKind>(17)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault), hipSuccess);
}

TEST(Copy, BetweenDevicesMayForgoComputeUnits) {
  const DeviceMemory<int> from({1, 2, 3}), to(3);
  HIP_OK(hipMemcpy(to.data(), from.data(), 3 * sizeof(int), hipMemcpyDeviceToDeviceNoCU));
  EXPECT_EQ(to.values(), from.values());
}

TEST(Copy, InAStreamIsInItsOrder) {
  constexpr size_t count = 100000;
  int* host = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&host), count * sizeof(int), 0));
  std::iota(host, host + count, 1);
  const DeviceMemory<int> first(count), second(count);
  const OwnStream stream;
  HIP_OK(hipMemcpyAsync(first.data(), host, count * sizeof(int), hipMemcpyHostToDevice, stream));
  HIP_OK(hipMemcpyAsync(second.data(), first.data(), count * sizeof(int), hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemsetAsync(first.data(), 0, sizeof(int), stream));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, first.data(), -5));
  HIP_OK(hipMemcpyAsync(host, first.data(), 2 * sizeof(int), hipMemcpyDeviceToHost, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(host[0], 1);
  EXPECT_EQ(host[1], -5);
  const auto values = second.values();
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], static_cast<int>(i) + 1);
  HIP_OK(hipHostFree(host));
}

/// Memory of the program is read and written before the call returns, but not before the work that the stream
/// follows.
TEST(Copy, ToTheProgramFollowsTheDefaultStream) {
  const DeviceMemory<int> memory(2);
  const OwnStream stream(hipStreamDefault);
  for (const hipStream_t own : {hipStream_t{stream}, hipStreamPerThread}) {
    HIP_OK(hipMemset(memory.data(), 0, 2 * sizeof(int)));
    HostNumber flag;
    HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag.address()));
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), 42));
    std::thread opening([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      flag.set(1);
    });
    int values[2] = {};
    EXPECT_EQ(hipMemcpyAsync(values, memory.data(), sizeof values, hipMemcpyDeviceToHost, own), hipSuccess);
    opening.join();
    EXPECT_EQ(values[1], 42);
    HIP_OK(hipDeviceSynchronize());
  }
}

TEST(Copy, WithinTheHostIsWaitedFor) {
  HostNumber flag, from, to;
  from.set(7);
  const OwnStream stream;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  std::thread opening([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flag.set(1);
  });
  EXPECT_EQ(hipMemcpyAsync(to.address(), from.address(), sizeof(int), hipMemcpyHostToHost, stream),
            hipSuccess);
  EXPECT_EQ(*to.address(), 7);
  EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
  opening.join();
}

/// A copy or fill of more bytes than there are addresses must not wrap around.
TEST(Copy, OfAbsurdSizesIsRefused) {
  const DeviceMemory<char> memory(4096);
  constexpr size_t huge = SIZE_MAX / 2 + 1;
  const hipPitchedPtr pitched{memory.data(), 64, 64, 8};
  for (const hipExtent extent :
       {hipExtent{SIZE_MAX, 1, 1}, hipExtent{64, SIZE_MAX, 1}, hipExtent{64, 1, SIZE_MAX},
        hipExtent{64, huge / 32, huge / 256}, hipExtent{64, huge / 32 + 1, 1}}) {
    EXPECT_NE(hipMemset3D(pitched, 1, extent), hipSuccess);
    hipMemcpy3DParms copy{};
    copy.srcPtr = copy.dstPtr = pitched;
    copy.extent = extent;
    copy.kind = hipMemcpyDeviceToDevice;
    EXPECT_NE(hipMemcpy3D(&copy), hipSuccess);
  }
  EXPECT_NE(hipMemset2D(memory.data(), huge, 1, 64, 3), hipSuccess);
}

TEST(Copy, ByDescriptionStaysInRowsAndLayers) {
  const DeviceMemory<char> from(256), to(256);
  HIP_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = hipMemoryTypeDevice;
  copy.srcDevice = from.data();
  copy.dstDevice = to.data();
  copy.srcPitch = copy.dstPitch = 16;
  copy.WidthInBytes = 8;
  copy.Height = 4;
  copy.Depth = 2;
  HIP_OK(hipMemset(from.data(), 7, 256));
  HIP_OK(hipDrvMemcpy3D(&copy));  // layers without a height have that of the copy
  const auto values = to.values();
  EXPECT_EQ(values[7 * 16 + 7], 7);
  EXPECT_EQ(values[8 * 16], 0);
  const auto refused = [&](auto change) {
    auto changed = copy;
    change(changed);
    EXPECT_EQ(hipDrvMemcpy3D(&changed), hipErrorInvalidValue);
  };
  refused([](auto& c) { c.srcXInBytes = 9; });
  refused([](auto& c) { c.dstXInBytes = 9; });
  refused([](auto& c) { c.srcY = 1; });
  refused([](auto& c) { c.dstY = 1; });
  refused([](auto& c) { c.dstHeight = 3; });
  refused([](auto& c) { c.dstZ = 16; });
  refused([](auto& c) { c.srcDevice = &c; });
  refused([](auto& c) { c.dstDevice = &c; });
  refused([](auto& c) { c.srcMemoryType = hipMemoryTypeArray; });
  refused([](auto& c) { c.srcPitch = 7; });
  refused([](auto& c) { c.dstPitch = 7; });
}

TEST(Copy, ByDescriptionWithoutAPitchHasRowsThatFollowEachOther) {
  const DeviceMemory<char> from({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const DeviceMemory<char> to(12);
  hip_Memcpy2D rows{};
  rows.srcMemoryType = rows.dstMemoryType = hipMemoryTypeDevice;
  rows.srcDevice = from.data();
  rows.dstDevice = to.data();
  rows.srcPitch = 4;
  rows.WidthInBytes = 3;
  rows.Height = 3;
  HIP_OK(hipMemset(to.data(), 99, 12));
  HIP_OK(hipMemcpyParam2D(&rows));
  EXPECT_EQ(to.values(), (std::vector<char>{0, 1, 2, 4, 5, 6, 8, 9, 10, 99, 99, 99}));
  std::swap(rows.srcPitch, rows.dstPitch);
  HIP_OK(hipMemset(to.data(), 99, 12));
  HIP_OK(hipMemcpyParam2D(&rows));
  EXPECT_EQ(to.values(), (std::vector<char>{0, 1, 2, 99, 3, 4, 5, 99, 6, 7, 8, 99}));
  rows.srcXInBytes = 1;
  EXPECT_EQ(hipMemcpyParam2D(&rows), hipErrorInvalidValue);
}

TEST(Copy, OfRowsLeavesWhatIsBetween) {
  constexpr size_t width = 10, height = 7;
  void* rows = nullptr;
  size_t pitch = 0;
  HIP_OK(hipMallocPitch(&rows, &pitch, width, height));
  EXPECT_GE(pitch, width);
  std::vector<char> from(12 * height), to(15 * height, 'x');
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i);
  HIP_OK(hipMemcpy2D(rows, pitch, from.data(), 12, width, height, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy2D(to.data(), 15, rows, pitch, width, height, hipMemcpyDeviceToHost));
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < 15; ++x) ASSERT_EQ(to[y * 15 + x], x < width ? from[y * 12 + x] : 'x');
  EXPECT_EQ(hipMemcpy2D(rows, 5, from.data(), 12, width, height, hipMemcpyHostToDevice),
            hipErrorInvalidPitchValue);
  EXPECT_EQ(hipMemcpy2D(rows, pitch, from.data(), 12, width, height + 1000, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  HIP_OK(hipFree(rows));
}

TEST(Copy, OfRowsInAStreamIsInItsOrder) {
  const OwnStream stream;
  const DeviceMemory<int> from(64), to(64);
  HIP_OK(hipMemset2DAsync(from.data(), 32, 1, 16, 8, stream));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, from.data() + 4, 9));
  HIP_OK(hipMemcpy2DAsync(to.data(), 32, from.data(), 32, 24, 8, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemset2DAsync(from.data(), 32, 2, 24, 8, stream));
  HIP_OK(hipStreamSynchronize(stream));
  const auto values = to.values();
  EXPECT_EQ(values[3], 0x01010101);
  EXPECT_EQ(values[4], 1) << "the kernel had counted";
  EXPECT_EQ(values[5], 9);
  EXPECT_EQ(values[6], 0) << "beside the rows";
  EXPECT_EQ(from.values()[5], 0x02020202);
}

TEST(Copy, OfBlocksTakesPartsOfThem) {
  hipPitchedPtr block{};
  HIP_OK(hipMalloc3D(&block, {16, 4, 3}));
  HIP_OK(hipMemset3D(block, 9, {16, 4, 3}));
  std::vector<char> from(size_t{16} * 4 * 3);
  std::iota(from.begin(), from.end(), 0);
  hipMemcpy3DParms copy{};
  copy.srcPtr = {from.data(), 16, 16, 4};
  copy.srcPos = {2, 1, 1};
  copy.dstPtr = block;
  copy.dstPos = {3, 0, 1};
  copy.extent = {5, 2, 2};
  copy.kind = hipMemcpyHostToDevice;
  HIP_OK(hipMemcpy3D(&copy));
  std::vector<char> to(from.size());
  hipMemcpy3DParms back{};
  back.srcPtr = block;
  back.dstPtr = {to.data(), 16, 16, 4};
  back.extent = {16, 4, 3};
  back.kind = hipMemcpyDeviceToHost;
  HIP_OK(hipMemcpy3D(&back));
  for (size_t z = 0; z < 3; ++z)
    for (size_t y = 0; y < 4; ++y)
      for (size_t x = 0; x < 16; ++x) {
        const bool copied = x >= 3 && x < 8 && y < 2 && z >= 1;
        const char expected = copied ? from[(z * 4 + y + 1) * 16 + x - 1] : 9;
        ASSERT_EQ(to[(z * 4 + y) * 16 + x], expected) << x << ' ' << y << ' ' << z;
      }
  EXPECT_EQ(hipMemcpy3D(nullptr), hipErrorInvalidValue);
  copy.srcPtr.pitch = 4;
  EXPECT_EQ(hipMemcpy3D(&copy), hipErrorInvalidPitchValue);
  copy.srcPtr.pitch = 16;
  copy.srcPos.x = 12;
  EXPECT_EQ(hipMemcpy3D(&copy), hipErrorInvalidValue);
  HIP_OK(hipFree(block.ptr));
}

TEST(Set, FillsWithElementsOfEachSize) {
  const DeviceMemory<unsigned char> memory(64);
  HIP_OK(hipMemset(memory.data(), 0x1AB, 3));
  HIP_OK(hipMemsetD16(memory.data() + 4, 0x1234, 3));
  HIP_OK(hipMemsetD32(memory.data() + 12, 0x01020304, 2));
  HIP_OK(hipMemsetD8(memory.data() + 20, 7, 1));
  const auto bytes = memory.values();
  const std::vector<unsigned char> expected = {0xAB, 0xAB, 0xAB, 0, 0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0,
                                               0,    4,    3,    2, 1,    4,    3,    2,    1,    7,    0};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes.begin()));
  EXPECT_EQ(hipMemset(memory.data(), 0, 65), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(nullptr, 0, 1), hipErrorInvalidValue);
}

TEST(Set, RefusesMemoryThatHipDoesNotKnow) {
  std::array<unsigned char, 64> own{1, 1};
  EXPECT_EQ(hipMemset(own.data(), 0, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetAsync(own.data(), 0, 2, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(own.data(), 8, 0, 1, 2), hipErrorInvalidValue);
  EXPECT_EQ(own[0], 1);
  EXPECT_EQ(own[1], 1);
  HIP_OK(hipHostRegister(own.data(), own.size(), hipHostRegisterDefault));
  HIP_OK(hipMemset(own.data(), 5, 2));
  EXPECT_EQ(own[1], 5);
  EXPECT_EQ(hipMemset2D(own.data(), 7, 0, 8, 2), hipErrorInvalidValue);
  HIP_OK(hipHostUnregister(own.data()));
}

TEST(Symbol, IsCheckedByItsSize) {
  size_t size = 0;
  HIP_OK(hipGetSymbolSize(&size, table_symbol));
  EXPECT_EQ(size, 4 * sizeof(int));
  void* address = nullptr;
  HIP_OK(hipGetSymbolAddress(&address, table_symbol));
  EXPECT_NE(address, nullptr);
  const int none = 0;
  EXPECT_EQ(hipGetSymbolAddress(&address, &none), hipErrorInvalidSymbol);
  int value = 0;
  EXPECT_EQ(hipMemcpyToSymbol(table_symbol, &value, 4, 13, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToSymbol(table_symbol, &value, 4, 0, hipMemcpyDeviceToHost),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpyFromSymbol(&value, &none, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidSymbol);
}

}  // namespace
}  // namespace heddle::hip_tests
