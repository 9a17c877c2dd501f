// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of what devices have done, as tools ask for them.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

constexpr unsigned dispatches = 0, copies = 1, barriers = 2, operations = 3;
constexpr uint32_t kernel = 0x11F0, to_host = 0x11F3, to_device = 0x11F4, between_devices = 0x11F5,
                   rows_between_devices = 0x1203, fill = 0x1207;

/// What tools expect of a record.
struct Record {
  uint32_t domain, kind, operation;
  uint64_t correlation, begin, end;
  int32_t device;
  uint64_t queue;
  union {
    uint64_t bytes;
    const char* kernel_name;
  };
};

/// A tool. Records come on other threads, some after the work was waited for.
class Tool {
 public:
  explicit Tool(std::initializer_list<unsigned> wanted) {
    current = this;
    hipInitActivityCallback(reinterpret_cast<void*>(submitted), reinterpret_cast<void*>(completed), this);
    for (const unsigned operation : wanted) EXPECT_TRUE(hipEnableActivityCallback(operation, true));
  }
  ~Tool() {
    for (unsigned operation = 0; operation < operations; ++operation)
      EXPECT_TRUE(hipEnableActivityCallback(operation, false));
    wait_for(numbers_.size());
    hipInitActivityCallback(nullptr, nullptr, nullptr);
    current = nullptr;
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  /// Waits until there are so many records, and returns them in the order of their submission.
  std::vector<Record> wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return records_.size() >= count; });
    auto sorted = records_;
    std::ranges::sort(sorted, {}, &Record::correlation);
    return sorted;
  }
  std::vector<uint64_t> numbers() const { return numbers_; }

 private:
  static void submitted(uint64_t correlation) { current->numbers_.push_back(correlation); }
  static void completed(uint32_t operation, void* record, void* argument) {
    auto& tool = *static_cast<Tool*>(argument);
    Record seen{};
    std::memcpy(&seen, record, sizeof seen);
    EXPECT_EQ(seen.operation, operation);
    const std::scoped_lock lock(tool.mutex_);
    tool.records_.push_back(seen);
    tool.changed_.notify_all();
  }

  static inline Tool* current = nullptr;
  std::vector<uint64_t> numbers_;  // only this thread submits
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Record> records_;
};

TEST(Activity, OfKernelsIsRecorded) {
  const DeviceMemory<int> memory(64);
  const OwnStream stream;
  Tool tool{dispatches};
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory.data(), 1));
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, stream));
  HIP_OK(hipMemsetAsync(memory.data(), 0, 4, stream)) << "not enabled";
  HIP_OK(hipStreamSynchronize(stream));
  const auto records = tool.wait_for(2);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(tool.numbers(), (std::vector{records[0].correlation, records[1].correlation}));
  EXPECT_NE(std::string(records[0].kernel_name).find("append"), std::string::npos);
  EXPECT_NE(std::string(records[1].kernel_name).find("empty"), std::string::npos);
  for (const Record& record : records) {
    EXPECT_EQ(record.domain, 2U);
    EXPECT_EQ(record.kind, kernel);
    EXPECT_EQ(record.device, 0);
    EXPECT_LE(record.begin, record.end);
  }
  EXPECT_LE(records[0].begin, records[1].begin);
}

TEST(Activity, OfCopiesIsRecorded) {
  const DeviceMemory<int> first(64), second(64);
  const OwnStream stream;
  std::vector<int> host(64);
  Tool tool{copies};
  HIP_OK(hipMemcpy(first.data(), host.data(), 256, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpyAsync(second.data(), first.data(), 128, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemcpy2DAsync(second.data(), 32, first.data(), 32, 16, 8, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemsetAsync(first.data(), 1, 64, stream));
  HIP_OK(hipMemcpyAsync(host.data(), second.data(), 32, hipMemcpyDeviceToHost, stream));
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, stream)) << "not enabled";
  HIP_OK(hipStreamSynchronize(stream));
  const auto records = tool.wait_for(5);
  ASSERT_EQ(records.size(), 5U);
  std::vector<uint32_t> kinds;
  std::vector<uint64_t> sizes;
  for (const Record& record : records) {
    kinds.push_back(record.kind);
    sizes.push_back(record.bytes);
    EXPECT_LE(record.begin, record.end);
  }
  EXPECT_EQ(kinds, (std::vector{to_device, between_devices, rows_between_devices, fill, to_host}));
  EXPECT_EQ(sizes, (std::vector<uint64_t>{256, 128, 128, 64, 32}));
}

TEST(Activity, LastsAsLongAsItsWork) {
  HostNumber flag;
  const OwnStream stream;
  const OwnEvent before, after;
  Tool tool{dispatches};
  HIP_OK(hipEventRecord(before, stream));
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  HIP_OK(hipEventRecord(after, stream));
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  const auto records = tool.wait_for(1);
  float elapsed = 0;
  HIP_OK(hipEventElapsedTime(&elapsed, before, after));
  // The events are around what is recorded.
  EXPECT_LE(static_cast<double>(records[0].end - records[0].begin),
            static_cast<double>(elapsed) * 1e6 + 1000);
}

TEST(Activity, IsNotRecordedUnlessItIsWanted) {
  const DeviceMemory<int> memory(4);
  Tool tool{barriers};
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr));
  HIP_OK(hipMemset(memory.data(), 0, 4));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_TRUE(tool.numbers().empty());
}

TEST(Activity, OfFailedDevicesEndsToo) {
  Tool tool{dispatches};
  HIP_OK(launch(write_kernel, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(uintptr_t{64})));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(tool.wait_for(1).size(), 1U);
  HIP_OK(hipDeviceReset());
}

TEST(Activity, HasNames) {
  EXPECT_STREQ(hipGetCmdName(kernel), "KernelExecution");
  EXPECT_STREQ(hipGetCmdName(to_device), "CopyHostToDevice");
  EXPECT_STREQ(hipGetCmdName(1), "unknown");
  EXPECT_FALSE(hipEnableActivityCallback(operations, true));
}

}  // namespace
}  // namespace heddle::hip_tests
