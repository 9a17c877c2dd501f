// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "hip_test.h"
#include "other_process.h"

namespace heddle::hip_tests {
namespace {

using Memory = hipMemGenericAllocationHandle_t;

constexpr const char* variable = "HIP_TEST_MEMORY_FILE";

hipMemAllocationProp properties(hipMemAllocationHandleType handles = hipMemHandleTypeNone) {
  hipMemAllocationProp made{};
  made.type = hipMemAllocationTypePinned;
  made.requestedHandleType = handles;
  made.location = {hipMemLocationTypeDevice, 0};
  return made;
}

hipMemAccessDesc access(hipMemAccessFlags flags) { return {{hipMemLocationTypeDevice, 0}, flags}; }

class VirtualMemory : public testing::Test {
 protected:
  void SetUp() override {
    const hipMemAllocationProp wanted = properties();
    HIP_OK(hipMemGetAllocationGranularity(&size_, &wanted, hipMemAllocationGranularityMinimum));
    ASSERT_GE(size_, 4096U);
    HIP_OK(hipMemAddressReserve(&range_, ranges * size_, 0, nullptr, 0));
    HIP_OK(hipMemCreate(&memory_, size_, &wanted, 0));
  }
  void TearDown() override {
    if (memory_ != nullptr) EXPECT_EQ(hipMemRelease(memory_), hipSuccess);
    EXPECT_EQ(hipMemAddressFree(range_, ranges * size_), hipSuccess);
  }

  /// The first number of a part of the reserved addresses, which is as large as the memory.
  int* part(size_t index) const { return reinterpret_cast<int*>(static_cast<char*>(range_) + index * size_); }
  void map(size_t index, Memory memory, hipMemAccessFlags flags = hipMemAccessFlagsProtReadWrite) {
    HIP_OK(hipMemMap(part(index), size_, 0, memory, 0));
    const hipMemAccessDesc wanted = access(flags);
    if (flags != hipMemAccessFlagsProtNone) HIP_OK(hipMemSetAccess(part(index), size_, &wanted, 1));
  }
  void unmap(size_t index) { EXPECT_EQ(hipMemUnmap(part(index), size_), hipSuccess); }

  static constexpr size_t ranges = 3;
  size_t size_ = 0;
  void* range_ = nullptr;
  Memory memory_ = nullptr;
};

TEST_F(VirtualMemory, KernelsAndCopiesSeeItAtEachAddress) {
  map(0, memory_);
  map(2, memory_);
  HIP_OK(hipMemset(part(0), 0, size_));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, part(0), 41));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, part(2), 42));
  HIP_OK(hipDeviceSynchronize());
  int values[3] = {};
  HIP_OK(hipMemcpy(values, part(0), sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 41);
  EXPECT_EQ(values[2], 42);
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, part(2) + 5));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, part(2) + 5);
  void* base = nullptr;
  size_t size = 0;
  HIP_OK(hipMemGetAddressRange(&base, &size, part(2) + 5));
  EXPECT_EQ(base, part(2));
  EXPECT_EQ(size, size_);
  EXPECT_EQ(hipFree(part(0)), hipErrorInvalidValue);
  unmap(0);
  unmap(2);
}

TEST_F(VirtualMemory, NeighboursAreOneRange) {
  Memory second = nullptr;
  const hipMemAllocationProp wanted = properties();
  HIP_OK(hipMemCreate(&second, size_, &wanted, 0));
  HIP_OK(hipMemMap(part(0), size_, 0, memory_, 0));
  HIP_OK(hipMemMap(part(1), size_, 0, second, 0));
  const hipMemAccessDesc both = access(hipMemAccessFlagsProtReadWrite);
  HIP_OK(hipMemSetAccess(part(0), 2 * size_, &both, 1));
  std::vector<int> values(2 * size_ / sizeof(int)), found(values.size());
  std::iota(values.begin(), values.end(), 1);
  const OwnStream stream;
  HIP_OK(hipMemcpyAsync(part(0), values.data(), 2 * size_, hipMemcpyHostToDevice, stream));
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipMemcpy(found.data(), part(0), 2 * size_, hipMemcpyDeviceToHost));
  EXPECT_EQ(found, values);
  // Copies between memory that HIP knows take another way.
  const DeviceMemory<int> other(values.size());
  HIP_OK(hipMemcpyAsync(other.data(), part(0), 2 * size_, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemsetAsync(part(0), 1, 2 * size_, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(other.values(), values);
  EXPECT_EQ(hipMemset(part(0), 0, 2 * size_ + 1), hipErrorInvalidValue) << "nothing is mapped behind them";
  HIP_OK(hipMemcpy(found.data(), part(0), 2 * size_, hipMemcpyDeviceToHost));
  EXPECT_TRUE(std::ranges::all_of(found, [](int value) { return value == 0x01010101; }));
  EXPECT_EQ(hipMemUnmap(part(0), size_ / 2), hipErrorInvalidValue);
  HIP_OK(hipMemUnmap(part(0), 2 * size_));
  EXPECT_EQ(hipMemUnmap(part(0), size_), hipErrorInvalidValue);
  HIP_OK(hipMemRelease(second));
}

TEST_F(VirtualMemory, IsAccessedAsItWasSaid) {
  const auto found = [&] {
    unsigned long long flags = 99;
    const hipMemLocation location{hipMemLocationTypeDevice, 0};
    EXPECT_EQ(hipMemGetAccess(&flags, &location, part(0) + 1), hipSuccess);
    return flags;
  };
  const auto set = [&](hipMemAccessFlags flags) {
    const hipMemAccessDesc wanted = access(flags);
    return hipMemSetAccess(part(0), size_, &wanted, 1);
  };
  int value = 7;
  map(0, memory_, hipMemAccessFlagsProtNone);
  EXPECT_EQ(found(), hipMemAccessFlagsProtNone);
  EXPECT_EQ(hipMemcpy(part(0), &value, sizeof value, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(&value, part(0), sizeof value, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_OK(set(hipMemAccessFlagsProtReadWrite));
  EXPECT_EQ(found(), hipMemAccessFlagsProtReadWrite);
  HIP_OK(hipMemcpy(part(0), &value, sizeof value, hipMemcpyHostToDevice));
  HIP_OK(set(hipMemAccessFlagsProtRead));
  EXPECT_EQ(found(), hipMemAccessFlagsProtRead);
  EXPECT_EQ(hipMemset(part(0), 0, size_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(part(0), 64, 0, 32, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy2D(part(0), 64, part(0), 64, 32, 2, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
  value = 0;
  HIP_OK(hipMemcpy(&value, part(0), sizeof value, hipMemcpyDeviceToHost));
  EXPECT_EQ(value, 7);
  HIP_OK(set(hipMemAccessFlagsProtNone));
  EXPECT_EQ(hipMemcpy(&value, part(0), sizeof value, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  unmap(0);
}

TEST_F(VirtualMemory, KernelsWithoutAccessFail) {
  map(0, memory_, hipMemAccessFlagsProtNone);
  HIP_OK(launch(write_kernel, dim3(1), dim3(1), 0, nullptr, part(0)));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  HIP_OK(hipDeviceReset());
  EXPECT_EQ(hipMemUnmap(part(0), size_), hipErrorInvalidValue) << "the reset has done it";
  memory_ = nullptr;
}

TEST_F(VirtualMemory, LivesAsLongAsItIsMapped) {
  map(0, memory_);
  HIP_OK(hipMemset(part(0), 5, size_));
  HIP_OK(hipMemRelease(memory_));
  EXPECT_EQ(hipMemRelease(memory_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(1), size_, 0, memory_, 0), hipErrorInvalidValue);
  Memory again = nullptr;
  HIP_OK(hipMemRetainAllocationHandle(&again, part(0) + 3));
  EXPECT_EQ(again, memory_);
  unmap(0);
  EXPECT_EQ(hipMemRetainAllocationHandle(&again, part(0)), hipErrorInvalidValue);
  map(1, again);
  int value = 0;
  HIP_OK(hipMemcpy(&value, part(1), sizeof value, hipMemcpyDeviceToHost));
  EXPECT_EQ(value, 0x05050505);
  unmap(1);
}

TEST_F(VirtualMemory, TellsItsProperties) {
  hipMemAllocationProp found{};
  HIP_OK(hipMemGetAllocationPropertiesFromHandle(&found, memory_));
  EXPECT_EQ(found.type, hipMemAllocationTypePinned);
  EXPECT_EQ(found.location.type, hipMemLocationTypeDevice);
  EXPECT_EQ(found.location.id, 0);
  EXPECT_EQ(found.requestedHandleType, hipMemHandleTypeNone);
  size_t recommended = 0;
  HIP_OK(hipMemGetAllocationGranularity(&recommended, &found, hipMemAllocationGranularityRecommended));
  EXPECT_EQ(recommended % size_, 0U);
  EXPECT_NE(recommended, 0U);
}

TEST_F(VirtualMemory, IsReleasedWithItsDevice) {
  map(0, memory_);
  HIP_OK(hipDeviceReset());
  EXPECT_EQ(hipMemRelease(memory_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(part(0), size_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(part(0), 0, 0), hipSuccess);
  memory_ = nullptr;
}

TEST_F(VirtualMemory, ReservesWhereItIsWanted) {
  void* aligned = nullptr;
  const size_t alignment = 16 * size_;
  HIP_OK(hipMemAddressReserve(&aligned, size_, alignment, nullptr, 0));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % alignment, 0U);
  HIP_OK(hipMemAddressFree(aligned, size_));
  void* same = nullptr;
  HIP_OK(hipMemAddressReserve(&same, size_, 0, aligned, 0));
  EXPECT_EQ(same, aligned) << "these addresses were free";
  HIP_OK(hipMemAddressFree(same, size_));
  EXPECT_EQ(hipMemAddressFree(same, size_), hipErrorInvalidValue);
}

// ---- other processes ----

/// The other process adds a number to memory that it inherits as a descriptor.
TEST(VirtualMemoryOther, DISABLED_Process) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "the test VirtualMemory.IsSharedWithAnotherProcess runs this";
  int file = static_cast<int>(std::strtol(text, nullptr, 10));
  const hipMemAllocationProp wanted = properties();
  size_t size = 0;
  HIP_OK(hipMemGetAllocationGranularity(&size, &wanted, hipMemAllocationGranularityMinimum));
  Memory memory = nullptr;
  HIP_OK(hipMemImportFromShareableHandle(&memory, &file, hipMemHandleTypePosixFileDescriptor));
  void* address = nullptr;
  HIP_OK(hipMemAddressReserve(&address, size, 0, nullptr, 0));
  HIP_OK(hipMemMap(address, size, 0, memory, 0));
  const hipMemAccessDesc both = access(hipMemAccessFlagsProtReadWrite);
  HIP_OK(hipMemSetAccess(address, size, &both, 1));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(address), 42));
  HIP_OK(hipDeviceSynchronize());
  HIP_OK(hipMemUnmap(address, size));
  HIP_OK(hipMemAddressFree(address, size));
  HIP_OK(hipMemRelease(memory));
}

TEST_F(VirtualMemory, IsSharedWithAnotherProcess) {
  const hipMemAllocationProp wanted = properties(hipMemHandleTypePosixFileDescriptor);
  Memory shared = nullptr;
  HIP_OK(hipMemCreate(&shared, size_, &wanted, 0));
  map(0, shared);
  HIP_OK(hipMemset(part(0), 0, size_));
  int file = -1;
  HIP_OK(hipMemExportToShareableHandle(&file, shared, hipMemHandleTypePosixFileDescriptor, 0));
  const int inherited = fcntl(file, F_DUPFD, 0);  // without FD_CLOEXEC
  ASSERT_GE(inherited, 0);
  ASSERT_EQ(setenv(variable, std::to_string(inherited).c_str(), 1), 0);
  const int status = run_in_other_process("VirtualMemoryOther.DISABLED_Process");
  unsetenv(variable);
  close(inherited);
  close(file);
  EXPECT_EQ(status, 0);
  int values[2] = {};
  HIP_OK(hipMemcpy(values, part(0), sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 42);
  unmap(0);
  HIP_OK(hipMemRelease(shared));
}

// ---- failures ----

TEST_F(VirtualMemory, ChecksWhatIsCreated) {
  const hipMemAllocationProp good = properties();
  const auto create = [&](auto change) {
    hipMemAllocationProp wanted = good;
    change(wanted);
    Memory made = nullptr;
    size_t granularity = 0;
    const hipError_t result = hipMemCreate(&made, size_, &wanted, 0);
    EXPECT_EQ(hipMemGetAllocationGranularity(&granularity, &wanted, hipMemAllocationGranularityMinimum),
              result);
    return result;
  };
  Memory made = nullptr;
  size_t granularity = 0;
  EXPECT_EQ(hipMemCreate(nullptr, size_, &good, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&made, size_, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&made, 0, &good, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&made, size_ - 1, &good, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&made, size_, &good, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&made, SIZE_MAX / size_ * size_, &good, 0), hipErrorOutOfMemory);
  int devices = 0;
  HIP_OK(hipGetDeviceCount(&devices));
  EXPECT_EQ(create([](auto& wanted) { wanted.type = hipMemAllocationTypeInvalid; }), hipErrorInvalidValue);
  EXPECT_EQ(create([](auto& wanted) { wanted.location.type = hipMemLocationTypeInvalid; }),
            hipErrorInvalidValue);
  EXPECT_EQ(create([](auto& wanted) { wanted.location.id = -1; }), hipErrorInvalidValue);
  EXPECT_EQ(create([&](auto& wanted) { wanted.location.id = devices; }), hipErrorInvalidValue);
  EXPECT_EQ(create([](auto& wanted) { wanted.requestedHandleType = hipMemHandleTypeWin32; }),
            hipErrorNotSupported);
  EXPECT_EQ(create([](auto& wanted) { wanted.compressionType = 1; }), hipErrorNotSupported);
  EXPECT_EQ(create([](auto& wanted) { wanted.usage = 1; }), hipErrorNotSupported);
  EXPECT_EQ(hipMemGetAllocationGranularity(nullptr, &good, hipMemAllocationGranularityMinimum),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAllocationGranularity(&granularity, nullptr, hipMemAllocationGranularityMinimum),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemRelease(nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemRelease(reinterpret_cast<Memory>(&made)), hipErrorInvalidValue);
  hipMemAllocationProp found{};
  EXPECT_EQ(hipMemGetAllocationPropertiesFromHandle(nullptr, memory_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAllocationPropertiesFromHandle(&found, nullptr), hipErrorInvalidValue);
}

TEST_F(VirtualMemory, ChecksAddresses) {
  void* address = nullptr;
  EXPECT_EQ(hipMemAddressReserve(nullptr, size_, 0, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, 0, 0, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, size_ - 1, 0, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, size_, 3, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, size_, 0, nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, SIZE_MAX / size_ * size_, 0, nullptr, 0), hipErrorOutOfMemory);
  EXPECT_EQ(hipMemAddressFree(nullptr, size_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressFree(range_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressFree(range_, size_), hipErrorInvalidValue) << "more was reserved";
  map(0, memory_);
  EXPECT_EQ(hipMemAddressFree(range_, ranges * size_), hipErrorInvalidValue) << "memory is mapped there";
  unmap(0);
}

TEST_F(VirtualMemory, ChecksMappings) {
  EXPECT_EQ(hipMemMap(nullptr, size_, 0, memory_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(0), 0, 0, memory_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(0), size_, size_, memory_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(0), size_, 0, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(0), size_, 0, memory_, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(0), 2 * size_, 0, memory_, 0), hipErrorInvalidValue) << "there is less memory";
  EXPECT_EQ(hipMemMap(part(0) + 1, size_, 0, memory_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(part(ranges), size_, 0, memory_, 0), hipErrorInvalidValue) << "not reserved";
  map(0, memory_);
  EXPECT_EQ(hipMemMap(part(0), size_, 0, memory_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(nullptr, size_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(part(0), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(part(0), 2 * size_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(part(1), size_), hipErrorInvalidValue);
  int value = 0;
  HIP_OK(hipMemcpy(&value, part(0), sizeof value, hipMemcpyDeviceToHost)) << "still there";
  unmap(0);
}

TEST_F(VirtualMemory, ChecksAccess) {
  map(0, memory_);
  const auto set = [&](size_t size, hipMemAccessDesc wanted) {
    return hipMemSetAccess(part(0), size, &wanted, 1);
  };
  const hipMemAccessDesc good = access(hipMemAccessFlagsProtReadWrite);
  EXPECT_EQ(hipMemSetAccess(nullptr, size_, &good, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemSetAccess(part(0), size_, nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemSetAccess(part(0), size_, &good, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemSetAccess(part(1), size_, &good, 1), hipErrorInvalidValue) << "nothing is mapped there";
  for (const size_t size : {size_t{0}, size_ - 1, size_ + 1, 2 * size_})
    EXPECT_EQ(set(size, good), hipErrorInvalidValue);
  EXPECT_EQ(set(size_, access(static_cast<hipMemAccessFlags>(2))), hipErrorInvalidValue);
  EXPECT_EQ(set(size_, {{hipMemLocationTypeInvalid, 0}, good.flags}), hipErrorInvalidValue);
  EXPECT_EQ(set(size_, {{hipMemLocationTypeDevice, -1}, good.flags}), hipErrorInvalidValue);
  EXPECT_EQ(set(size_, {{hipMemLocationTypeDevice, 1000}, good.flags}), hipErrorInvalidValue);
  unsigned long long flags = 0;
  const hipMemLocation here{hipMemLocationTypeDevice, 0}, nowhere{hipMemLocationTypeDevice, 1000};
  EXPECT_EQ(hipMemGetAccess(nullptr, &here, part(0)), hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAccess(&flags, nullptr, part(0)), hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAccess(&flags, &here, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAccess(&flags, &nowhere, part(0)), hipErrorInvalidValue);
  EXPECT_EQ(hipMemGetAccess(&flags, &here, part(1)), hipErrorInvalidValue);
  unmap(0);
}

TEST_F(VirtualMemory, ChecksSharedHandles) {
  int file = -1;
  const auto posix = hipMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(hipMemExportToShareableHandle(&file, memory_, posix, 0), hipErrorInvalidValue)
      << "it was not created to be shared";
  Memory shared = nullptr, imported = nullptr;
  const hipMemAllocationProp wanted = properties(posix);
  HIP_OK(hipMemCreate(&shared, size_, &wanted, 0));
  EXPECT_EQ(hipMemExportToShareableHandle(nullptr, shared, posix, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemExportToShareableHandle(&file, nullptr, posix, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemExportToShareableHandle(&file, shared, hipMemHandleTypeWin32, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemExportToShareableHandle(&file, shared, posix, 1), hipErrorInvalidValue);
  EXPECT_EQ(file, -1);
  EXPECT_EQ(hipMemImportFromShareableHandle(&imported, &file, posix), hipErrorInvalidValue);
  HIP_OK(hipMemExportToShareableHandle(&file, shared, posix, 0));
  EXPECT_EQ(hipMemImportFromShareableHandle(nullptr, &file, posix), hipErrorInvalidValue);
  EXPECT_EQ(hipMemImportFromShareableHandle(&imported, nullptr, posix), hipErrorInvalidValue);
  EXPECT_EQ(hipMemImportFromShareableHandle(&imported, &file, hipMemHandleTypeNone), hipErrorInvalidValue);
  int other = open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT_EQ(hipMemImportFromShareableHandle(&imported, &other, posix), hipErrorInvalidValue);
  close(other);
  close(file);
  HIP_OK(hipMemRelease(shared));
}

TEST(VirtualMemoryOfArrays, IsRefused) {
  hipArrayMapInfo info;
  std::memset(&info, 0, sizeof info);
  info.memOperationType = hipMemOperationTypeUnmap;
  EXPECT_EQ(hipMemMapArrayAsync(nullptr, 1, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMapArrayAsync(&info, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMapArrayAsync(&info, 1, nullptr), hipErrorNotSupported);
}

}  // namespace
}  // namespace heddle::hip_tests
