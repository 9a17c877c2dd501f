// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools, and allocation in the order of streams.
#include <cstring>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

constexpr hipMemPoolProps on_device{
    hipMemAllocationTypePinned, hipMemHandleTypeNone, {hipMemLocationTypeDevice, 0}, nullptr, 0, {}};

/// A pool, which is destroyed with the object.
class OwnPool {
 public:
  explicit OwnPool(size_t most = 0) {
    hipMemPoolProps properties = on_device;
    properties.maxSize = most;
    EXPECT_EQ(hipMemPoolCreate(&pool_, &properties), hipSuccess);
  }
  ~OwnPool() { EXPECT_EQ(hipMemPoolDestroy(pool_), hipSuccess); }
  OwnPool(const OwnPool&) = delete;
  OwnPool& operator=(const OwnPool&) = delete;
  operator hipMemPool_t() const { return pool_; }

  uint64_t number(hipMemPoolAttr attribute) const {
    uint64_t value = 0;
    EXPECT_EQ(hipMemPoolGetAttribute(pool_, attribute, &value), hipSuccess);
    return value;
  }
  void set(hipMemPoolAttr attribute, uint64_t value) const {
    EXPECT_EQ(hipMemPoolSetAttribute(pool_, attribute, &value), hipSuccess);
  }
  void set_flag(hipMemPoolAttr attribute, int value) const {
    EXPECT_EQ(hipMemPoolSetAttribute(pool_, attribute, &value), hipSuccess);
  }
  void* allocate(size_t size, hipStream_t stream) const {
    void* memory = nullptr;
    EXPECT_EQ(hipMallocFromPoolAsync(&memory, size, pool_, stream), hipSuccess);
    return memory;
  }

 private:
  hipMemPool_t pool_ = nullptr;
};

TEST(MemoryPool, AllocatesInTheOrderOfAStream) {
  const OwnStream stream;
  int* memory = nullptr;
  HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 100 * sizeof(int), stream));
  HIP_OK(hipMemsetAsync(memory, 0, 100 * sizeof(int), stream));
  for (int i = 0; i < 10; ++i) HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, i));
  int values[100] = {};
  HIP_OK(hipMemcpyAsync(values, memory, sizeof values, hipMemcpyDeviceToHost, stream));
  HIP_OK(hipFreeAsync(memory, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(values[0], 10);
  EXPECT_EQ(values[10], 9);
  EXPECT_EQ(hipFreeAsync(memory, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipFreeAsync(nullptr, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocAsync(nullptr, 4, stream), hipErrorInvalidValue);
  void* none = static_cast<void*>(&memory);
  HIP_OK(hipMallocAsync(&none, 0, stream));
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(hipMallocAsync(&none, SIZE_MAX, stream), hipErrorOutOfMemory);
  EXPECT_EQ(hipMallocAsync(&none, SIZE_MAX / 4, stream), hipErrorOutOfMemory);
  EXPECT_EQ(hipMallocFromPoolAsync(&none, 4, nullptr, stream), hipErrorInvalidValue);
}

TEST(MemoryPool, MemoryIsCheckedAndDescribedLikeAnyOther) {
  const OwnPool pool;
  const OwnStream stream;
  char* const memory = static_cast<char*>(pool.allocate(100, stream));
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, memory + 99));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(hipMemset(memory, 0, 101), hipErrorInvalidValue);
  EXPECT_EQ(hipFreeAsync(memory + 1, stream), hipErrorInvalidValue);
  HIP_OK(hipFree(memory));
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemCurrent), 0U);
  void* other = nullptr;
  HIP_OK(hipMalloc(&other, 10));
  HIP_OK(hipFreeAsync(other, stream));
  EXPECT_EQ(hipFree(other), hipErrorInvalidValue);
}

TEST(MemoryPool, MemoryIsReusedWithinAStream) {
  const OwnPool pool;
  const OwnStream stream;
  HostNumber flag;
  void* const first = pool.allocate(1000, stream);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  HIP_OK(hipFreeAsync(first, stream));
  // The work that may use the memory is not complete, but what follows comes after it.
  EXPECT_EQ(pool.allocate(1000, stream), first);
  HIP_OK(hipFreeAsync(first, stream));
  void* const part = pool.allocate(256, stream);
  EXPECT_EQ(part, first);
  void* const rest = pool.allocate(512, stream);
  EXPECT_EQ(rest, static_cast<char*>(first) + 256);
  flag.set(1);
  HIP_OK(hipFreeAsync(part, stream));
  HIP_OK(hipFreeAsync(rest, stream));
  HIP_OK(hipStreamSynchronize(stream));
}

TEST(MemoryPool, AFreeOfABlockingStreamFollowsTheDefaultStream) {
  const OwnPool pool;
  const OwnStream stream(hipStreamDefault);
  HostNumber flag;
  void* const memory = pool.allocate(1000, stream);
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag.address()));
  HIP_OK(hipFreeAsync(memory, stream));
  HIP_OK(hipMemPoolTrimTo(pool, 0));
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), size_t{2} << 20) << "the kernel may still use it";
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 0U);
}

TEST(MemoryPool, MemoryOfBusyStreamsIsReusedOnlyAsAllowed) {
  const OwnPool pool;
  const OwnStream busy, other;
  HostNumber flag;
  void* const first = pool.allocate(4096, busy);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, busy, flag.address()));
  HIP_OK(hipFreeAsync(first, busy));
  pool.set_flag(hipMemPoolReuseAllowInternalDependencies, 0);
  const size_t all = size_t{2} << 20;
  void* const second = pool.allocate(all - 4096, other);
  void* const third = pool.allocate(4096, other);
  EXPECT_NE(third, first);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 2 * all);
  // With a dependency, the stream waits for the other one.
  pool.set_flag(hipMemPoolReuseAllowInternalDependencies, 1);
  void* const fourth = pool.allocate(all - 4096, other);
  void* const fifth = pool.allocate(4096, other);
  EXPECT_EQ(fifth, first);
  EXPECT_EQ(hipStreamQuery(other), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(other));
  for (void* const memory : {second, third, fourth, fifth}) HIP_OK(hipFreeAsync(memory, other));
  HIP_OK(hipStreamSynchronize(other));
}

TEST(MemoryPool, MemoryIsReusedBehindEvents) {
  const OwnPool pool;
  const OwnStream producer, consumer;
  const OwnEvent event;
  const size_t all = size_t{2} << 20;
  pool.set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  int* const first = static_cast<int*>(pool.allocate(all, producer));
  HIP_OK(hipMemsetAsync(first, 0, 1000, producer));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, producer, first, 7));
  HIP_OK(hipFreeAsync(first, producer));
  HIP_OK(hipEventRecord(event, producer));
  HIP_OK(hipStreamWaitEvent(consumer, event, 0));
  int* const second = static_cast<int*>(pool.allocate(all, consumer));
  EXPECT_EQ(second, first);
  HIP_OK(hipMemsetAsync(second, 0, 1000, consumer));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, consumer, second, 9));
  int values[2] = {};
  HIP_OK(hipMemcpyAsync(values, second, sizeof values, hipMemcpyDeviceToHost, consumer));
  HIP_OK(hipFreeAsync(second, consumer));
  HIP_OK(hipStreamSynchronize(consumer));
  EXPECT_EQ(values[0] * 10 + values[1], 19);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemHigh), all);
}

TEST(MemoryPool, KeepsWhatItsThresholdSays) {
  const OwnPool pool;
  const OwnStream stream;
  const size_t chunk = size_t{2} << 20;
  void* memory = pool.allocate(chunk + 1, stream);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 2 * chunk);
  EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemCurrent), chunk + 256);
  HIP_OK(hipFreeAsync(memory, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 0U);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemHigh), 2 * chunk);
  EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemHigh), chunk + 256);
  pool.set(hipMemPoolAttrUsedMemHigh, 0);
  pool.set(hipMemPoolAttrReservedMemHigh, 0);
  EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemHigh), 0U);
  pool.set(hipMemPoolAttrReleaseThreshold, chunk);
  memory = pool.allocate(10, stream);
  void* const more = pool.allocate(chunk, stream);
  HIP_OK(hipFreeAsync(memory, stream));
  HIP_OK(hipFreeAsync(more, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), chunk);
  HIP_OK(hipMemPoolTrimTo(pool, 0));
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 0U);
}

TEST(MemoryPool, ReservesNoMoreThanItsLimit) {
  const size_t chunk = size_t{2} << 20;
  const OwnPool pool(2 * chunk + 1024 + 1);  // blocks are multiples of 256
  const OwnStream stream;
  pool.set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  void* const first = pool.allocate(chunk, stream);
  void* const second = pool.allocate(chunk + 1024, stream);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 2 * chunk + 1024);
  void* third = &third;
  EXPECT_EQ(hipMallocFromPoolAsync(&third, 1, pool, stream), hipErrorOutOfMemory);
  EXPECT_EQ(third, nullptr);
  EXPECT_EQ(hipMallocFromPoolAsync(&third, 2 * chunk + 1025, pool, stream), hipErrorOutOfMemory);
  HIP_OK(hipFreeAsync(first, stream));
  HIP_OK(hipFreeAsync(second, stream));
  HIP_OK(hipStreamSynchronize(stream));
  // No chunk that the pool kept is large enough, so that it gives them back.
  third = pool.allocate(2 * chunk + 1024, stream);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), 2 * chunk + 1024);
  HIP_OK(hipFreeAsync(third, stream));
  HIP_OK(hipStreamSynchronize(stream));
  // Nor is the one that it kept, and giving that back leaves less than it may reserve.
  const OwnPool other(3 * chunk);
  other.set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  HIP_OK(hipFreeAsync(other.allocate(2 * chunk, stream), stream));
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipFreeAsync(other.allocate(5 * chunk / 2, stream), stream));
  const OwnPool tiny(255);
  EXPECT_EQ(hipMallocFromPoolAsync(&third, 1, tiny, stream), hipErrorOutOfMemory);
}

TEST(MemoryPool, AtItsLimitAStreamWaitsForOneBlock) {
  const size_t chunk = size_t{2} << 20;
  const OwnPool pool(chunk);
  const OwnStream busy, other;
  HostNumber flag;
  void* const halves[] = {pool.allocate(chunk / 2, busy), pool.allocate(chunk / 2, busy)};
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, busy, flag.address()));
  for (void* const half : halves) HIP_OK(hipFreeAsync(half, busy));
  void* found = nullptr;
  EXPECT_EQ(hipMallocFromPoolAsync(&found, chunk, pool, other), hipErrorOutOfMemory);
  found = pool.allocate(chunk / 2, other);
  EXPECT_EQ(hipStreamQuery(other), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipFreeAsync(found, other));
  for (const hipStream_t stream : {static_cast<hipStream_t>(busy), static_cast<hipStream_t>(other)})
    HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipFreeAsync(pool.allocate(chunk, other), other));
  HIP_OK(hipStreamSynchronize(other));
}

TEST(MemoryPool, JoinsWhatIsFree) {
  const OwnPool pool;
  const OwnStream stream;
  pool.set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  void* parts[8] = {};
  for (void*& part : parts) part = pool.allocate(size_t{256} << 10, stream);
  for (const int i : {1, 3, 0, 2, 7, 5, 6, 4}) HIP_OK(hipFreeAsync(parts[i], stream));
  HIP_OK(hipStreamSynchronize(stream));
  void* const whole = pool.allocate(size_t{2} << 20, stream);
  EXPECT_EQ(whole, parts[0]);
  EXPECT_EQ(pool.number(hipMemPoolAttrReservedMemCurrent), size_t{2} << 20);
  HIP_OK(hipFreeAsync(whole, stream));
}

TEST(MemoryPool, IsChosenForADevice) {
  hipMemPool_t first = nullptr, now = nullptr;
  HIP_OK(hipDeviceGetDefaultMemPool(&first, 0));
  HIP_OK(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(first, now);
  {
    const OwnPool pool;
    HIP_OK(hipDeviceSetMemPool(0, pool));
    HIP_OK(hipDeviceGetMemPool(&now, 0));
    EXPECT_EQ(now, static_cast<hipMemPool_t>(pool));
    void* memory = nullptr;
    HIP_OK(hipMallocAsync(&memory, 1000, nullptr));
    EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemCurrent), 1024U);
    HIP_OK(hipFreeAsync(memory, nullptr));
  }
  HIP_OK(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(first, now);
  EXPECT_EQ(hipMemPoolDestroy(first), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetMemPool(0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetMemPool(&now, 99), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceGetDefaultMemPool(nullptr, 0), hipErrorInvalidValue);
  int supported = 0;
  HIP_OK(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
  EXPECT_EQ(supported, 1);
}

TEST(MemoryPool, ChecksItsArguments) {
  hipMemPool_t handle = nullptr;
  hipMemPoolProps wrong = on_device;
  wrong.allocType = hipMemAllocationTypeInvalid;
  EXPECT_EQ(hipMemPoolCreate(&handle, &wrong), hipErrorInvalidValue);
  wrong = on_device;
  wrong.location.id = 99;
  EXPECT_EQ(hipMemPoolCreate(&handle, &wrong), hipErrorInvalidDevice);
  wrong = on_device;
  wrong.handleTypes = hipMemHandleTypeWin32;
  EXPECT_EQ(hipMemPoolCreate(&handle, &wrong), hipErrorNotSupported);
  EXPECT_EQ(hipMemPoolCreate(nullptr, &on_device), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolCreate(&handle, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolDestroy(nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolTrimTo(nullptr, 0), hipErrorInvalidValue);
  const OwnPool pool;
  uint64_t value = 1;
  EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolGetAttribute(pool, static_cast<hipMemPoolAttr>(99), &value), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolGetAttribute(nullptr, hipMemPoolAttrUsedMemHigh, &value), hipErrorInvalidValue);
  int flag = 0;
  for (const auto attribute : {hipMemPoolReuseFollowEventDependencies, hipMemPoolReuseAllowOpportunistic,
                               hipMemPoolReuseAllowInternalDependencies}) {
    HIP_OK(hipMemPoolGetAttribute(pool, attribute, &flag));
    EXPECT_EQ(flag, 1);
  }
}

TEST(MemoryPool, AccessIsSetForDevices) {
  const OwnPool pool;
  auto flags = hipMemAccessFlagsProtNone;
  hipMemLocation location{hipMemLocationTypeDevice, 0};
  HIP_OK(hipMemPoolGetAccess(&flags, pool, &location));
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  hipMemAccessDesc access{location, hipMemAccessFlagsProtReadWrite};
  HIP_OK(hipMemPoolSetAccess(pool, &access, 1));
  access.flags = hipMemAccessFlagsProtNone;
  EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidValue);
  access.flags = hipMemAccessFlagsProtRead;
  EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorNotSupported);
  access.location.id = 99;
  EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice);
  access.location.type = hipMemLocationTypeInvalid;
  EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolSetAccess(pool, nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolGetAccess(nullptr, pool, &location), hipErrorInvalidValue);
}

TEST(MemoryPool, OutlivesItsHandleWhileItIsUsed) {
  const OwnStream stream;
  hipMemPool_t handle = nullptr;
  HIP_OK(hipMemPoolCreate(&handle, &on_device));
  int* memory = nullptr;
  HIP_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&memory), 64, handle, stream));
  HIP_OK(hipMemPoolDestroy(handle));
  EXPECT_EQ(hipMemPoolDestroy(handle), hipErrorInvalidValue);
  HIP_OK(hipMemsetAsync(memory, 0, 64, stream));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, 3));
  HIP_OK(hipStreamSynchronize(stream));
  int value = 0;
  HIP_OK(hipMemcpy(&value, memory + 1, sizeof value, hipMemcpyDeviceToHost));
  EXPECT_EQ(value, 3);
  HIP_OK(hipFreeAsync(memory, stream));
}

TEST(MemoryPool, IsUsedByManyThreads) {
  const OwnPool pool;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&pool, t] {
      const OwnStream stream;
      for (int round = 0; round < 50; ++round) {
        const size_t count = 64 + static_cast<size_t>(round * 37 + t);
        int* const memory = static_cast<int*>(pool.allocate(count * sizeof(int), stream));
        EXPECT_EQ(hipMemsetAsync(memory, 0, count * sizeof(int), stream), hipSuccess);
        EXPECT_EQ(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, t), hipSuccess);
        EXPECT_EQ(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, round), hipSuccess);
        int values[3] = {};
        EXPECT_EQ(hipMemcpyAsync(values, memory, sizeof values, hipMemcpyDeviceToHost, stream), hipSuccess);
        EXPECT_EQ(hipFreeAsync(memory, stream), hipSuccess);
        EXPECT_EQ(values[0], 2);
        EXPECT_EQ(values[1], t);
        EXPECT_EQ(values[2], round);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool.number(hipMemPoolAttrUsedMemCurrent), 0U);
}

}  // namespace
}  // namespace heddle::hip_tests
