// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all tests of HIP need.
#pragma once

#include <gtest/gtest.h>
#include <hip_functions.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.h"

namespace heddle::hip_tests {

/// A call succeeds.
#define HIP_OK(call) ASSERT_EQ((call), hipSuccess)

/// Memory of the current device.
template <typename T>
class DeviceMemory {
 public:
  explicit DeviceMemory(size_t count) : count_(count) {
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), hipSuccess);
    EXPECT_EQ(hipMemset(data_, 0, count * sizeof(T)), hipSuccess);
  }
  explicit DeviceMemory(const std::vector<T>& values) : DeviceMemory(values.size()) {
    EXPECT_EQ(hipMemcpy(data_, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice), hipSuccess);
  }
  ~DeviceMemory() { EXPECT_EQ(hipFree(data_), hipSuccess); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    EXPECT_EQ(hipMemcpy(result.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost), hipSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// Memory of the host that kernels reach, for flags.
class HostNumber {
 public:
  HostNumber() {
    EXPECT_EQ(hipHostMalloc(reinterpret_cast<void**>(&number_), sizeof *number_, 0), hipSuccess);
    set(0);
  }
  ~HostNumber() { EXPECT_EQ(hipHostFree(number_), hipSuccess); }
  HostNumber(const HostNumber&) = delete;
  HostNumber& operator=(const HostNumber&) = delete;
  int* address() const { return number_; }
  void set(int value) { __atomic_store_n(number_, value, __ATOMIC_RELEASE); }

 private:
  int* number_ = nullptr;
};

/// A number of 8 bytes, as programs allocate it for streams that wait.
class SignalNumber {
 public:
  SignalNumber() {
    EXPECT_EQ(hipExtMallocWithFlags(reinterpret_cast<void**>(&number_), 8, hipMallocSignalMemory),
              hipSuccess);
    set(0);
  }
  ~SignalNumber() { EXPECT_EQ(hipFree(number_), hipSuccess); }
  SignalNumber(const SignalNumber&) = delete;
  SignalNumber& operator=(const SignalNumber&) = delete;
  uint64_t* address() const { return number_; }
  void set(uint64_t value) { __atomic_store_n(number_, value, __ATOMIC_RELEASE); }

 private:
  uint64_t* number_ = nullptr;
};

/// A stream, which is destroyed with the object.
class OwnStream {
 public:
  explicit OwnStream(unsigned flags = hipStreamNonBlocking) {
    EXPECT_EQ(hipStreamCreateWithFlags(&stream_, flags), hipSuccess);
  }
  ~OwnStream() { EXPECT_EQ(hipStreamDestroy(stream_), hipSuccess); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator hipStream_t() const { return stream_; }

 private:
  hipStream_t stream_ = nullptr;
};

class OwnEvent {
 public:
  explicit OwnEvent(unsigned flags = hipEventDefault) {
    EXPECT_EQ(hipEventCreateWithFlags(&event_, flags), hipSuccess);
  }
  ~OwnEvent() { EXPECT_EQ(hipEventDestroy(event_), hipSuccess); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  operator hipEvent_t() const { return event_; }

 private:
  hipEvent_t event_ = nullptr;
};

/// Launches a kernel with arguments of exactly the types that it takes.
template <typename... Arguments>
hipError_t launch(const void* kernel, dim3 groups, dim3 group, size_t dynamic, hipStream_t stream,
                  Arguments... arguments) {
  void* list[] = {static_cast<void*>(&arguments)..., nullptr};
  return hipLaunchKernel(kernel, groups, group, list, dynamic, stream);
}

}  // namespace heddle::hip_tests
