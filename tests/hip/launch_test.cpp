// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <string>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

TEST(Launch, PassesScalarsPointersAndStructures) {
  std::vector<float> from(1000);
  std::iota(from.begin(), from.end(), 0.0F);
  const DeviceMemory<float> input(from), output(from.size());
  HIP_OK(launch(scale_kernel, dim3(4), dim3(256), 0, nullptr, output.data(),
                static_cast<const float*>(input.data()), static_cast<int>(from.size()),
                Scale{3, 0.5, {1, 2, 4}}));
  const std::vector<float> result = output.values();
  for (size_t i = 0; i < from.size(); ++i) ASSERT_EQ(result[i], from[i] * 3 + 0.5F + 4) << i;
}

TEST(Launch, GivesDynamicGroupMemory) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  const DeviceMemory<int> memory(values);
  HIP_OK(launch(reverse_kernel, dim3(1), dim3(64), 64 * sizeof(int), nullptr, memory.data(), 64));
  std::vector<int> expected(values.rbegin(), values.rend());
  EXPECT_EQ(memory.values(), expected);
}

TEST(Launch, NumbersWorkItemsInThreeDimensions) {
  const dim3 groups(3, 2, 4), group(4, 5, 2);
  const DeviceMemory<int> memory(size_t{12} * 10 * 8);
  HIP_OK(launch(ids_kernel, groups, group, 0, nullptr, memory.data()));
  const auto ids = memory.values();
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 12; ++x)
        ASSERT_EQ(ids[static_cast<size_t>((z * 10 + y) * 12 + x)], x + 1000 * y + 1000000 * z);
}

TEST(Launch, ReadsAndWritesVariablesOfDeviceCode) {
  const int before = *managed_number_address();
  const DeviceMemory<int> memory(6);
  const int table[4] = {10, 20, 30, 40};
  HIP_OK(hipMemcpyToSymbol(table_symbol, table, sizeof table, 0, hipMemcpyHostToDevice));
  HIP_OK(launch(variables_kernel, dim3(1), dim3(1), 0, nullptr, memory.data()));
  EXPECT_EQ(memory.values(), (std::vector<int>{10, 20, 30, 40, before, 5}));
  EXPECT_EQ(*managed_number_address(), before + 1);
  int changed[4] = {};
  HIP_OK(hipMemcpyFromSymbol(changed, table_symbol, 2 * sizeof(int), 2 * sizeof(int), hipMemcpyDeviceToHost));
  EXPECT_EQ(changed[0], 31);
  EXPECT_EQ(changed[1], 41);
}

TEST(Launch, RefusesShapesThatTheDeviceCannotHave) {
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  const auto most = static_cast<uint32_t>(properties.maxThreadsPerBlock);
  EXPECT_EQ(launch(empty_kernel, dim3(0), dim3(1), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1, 1, 0), dim3(1), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(0), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(most + 1), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(most, 2), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(UINT32_MAX), dim3(2), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), properties.sharedMemPerBlock + 1, nullptr),
            hipErrorInvalidValue);
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(most), properties.sharedMemPerBlock, nullptr), hipSuccess);
  HIP_OK(hipDeviceSynchronize());
}

TEST(Launch, RefusesGridsBeyondTheLimitThatDevicesName) {
  EXPECT_EQ(launch(empty_kernel, dim3(0x80000000U), dim3(1), 0, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(empty_kernel, dim3(1, 0x80000000U), dim3(1), 0, nullptr), hipErrorInvalidConfiguration);
}

TEST(Launch, RefusesWorkGroupsBeyondTheBoundsOfTheKernel) {
  const DeviceMemory<int> output(128);
  int* to = output.data();
  void* arguments[] = {static_cast<void*>(&to)};
  EXPECT_EQ(hipLaunchKernel(bounded_kernel, dim3(1), dim3(65), arguments, 0, nullptr), hipErrorLaunchFailure);
  EXPECT_EQ(hipLaunchKernel(bounded_kernel, dim3(1), dim3(16, 8), arguments, 0, nullptr),
            hipErrorLaunchFailure);
  HIP_OK(hipDeviceSynchronize());
  HIP_OK(hipLaunchKernel(bounded_kernel, dim3(2), dim3(64), arguments, 0, nullptr));
  EXPECT_EQ(output.values()[127], 127);
  hipFuncAttributes attributes{};
  HIP_OK(hipFuncGetAttributes(&attributes, bounded_kernel));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64);
  static_cast<void>(hipGetLastError());
}

TEST(Launch, RefusesWhatIsNoKernel) {
  const int none = 0;
  EXPECT_EQ(launch(&none, dim3(1), dim3(1), 0, nullptr), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(nullptr, dim3(1), dim3(1), 0, nullptr), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipLaunchKernel(count_kernel, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidValue);
}

TEST(Launch, KeepsTheArgumentsOfEveryLaunch) {
  // More launches than a queue has packets, so that memory for arguments is used again.
  constexpr int launches = 3000;
  const DeviceMemory<int> memory(launches + 1);
  for (int i = 0; i < launches; ++i)
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), i));
  const auto values = memory.values();
  ASSERT_EQ(values[0], launches);
  for (int i = 0; i < launches; ++i) ASSERT_EQ(values[static_cast<size_t>(i) + 1], i);
}

/// Such arguments have memory of their own, which is freed when a later launch finds the kernel complete.
TEST(Launch, PassesManyArguments) {
  const DeviceMemory<int> memory(1);
  ManyNumbers numbers{};
  constexpr int launches = 100;
  for (int i = 0; i < launches; ++i) {
    numbers.values[0] = i;
    numbers.values[std::size(numbers.values) - 1] = 1000;
    HIP_OK(launch(many_numbers_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), numbers));
  }
  EXPECT_EQ(memory.values()[0], launches * (launches - 1) / 2 + 1000 * launches);
}

TEST(Launch, ComesFromManyThreads) {
  constexpr int threads = 8, launches = 200;
  const DeviceMemory<unsigned long long> counter(1);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      const OwnStream own;
      for (int i = 0; i < launches; ++i)
        EXPECT_EQ(
            launch(count_kernel, dim3(2), dim3(32), 0, t % 2 == 0 ? own : hipStream_t{}, counter.data(), 1U),
            hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(own), hipSuccess);
    });
  for (std::thread& thread : running) thread.join();
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(counter.values()[0], static_cast<unsigned long long>(threads) * launches * 64);
}

/// What early_return_kernel stores for one group.
std::vector<int> expected_of_early_return(const std::vector<int>& rounds) {
  constexpr size_t lanes = 32;
  std::vector<int> result(2 * rounds.size());
  int count = 0;
  for (int round = 0; round < 16; ++round) {
    std::vector<int> active(rounds.size() / lanes + 1);
    for (size_t i = 0; i < rounds.size(); ++i) {
      if (rounds[i] > round) ++active[i / lanes];
    }
    count = std::accumulate(active.begin(), active.end(), count);
    for (size_t i = 0; i < rounds.size(); ++i) {
      if (rounds[i] <= round) continue;
      result[2 * i] += count;
      result[2 * i + 1] += active[i / lanes];
    }
  }
  return result;
}

TEST(Launch, WorkItemsMayReturnBeforeBarriers) {
  int (*const patterns[])(int) = {[](int i) { return i % 2; },      // every second one, at one barrier
                                  [](int i) { return i * 7 % 5; },  // each after its own number of rounds
                                  [](int i) { return i / 32 % 2 == 0 ? 3 : 0; },  // whole waves
                                  [](int i) { return i / 32; },  // whole waves, one after the other
                                  [](int i) { return 9 - i / 32; },
                                  [](int i) { return i == 0 ? 3 : 0; },  // all but one
                                  [](int i) { return i % 128 == 77 ? 3 : 0; },
                                  [](int i) { return i == 17 ? 0 : 3; },  // one
                                  [](int) { return 0; },
                                  [](int) { return 2; }};
  for (size_t pattern = 0; pattern < std::size(patterns); ++pattern)
    for (const unsigned group : {1U, 33U, 256U}) {
      constexpr unsigned groups = 3;
      std::vector<int> rounds, expected;
      for (unsigned i = 0; i < group; ++i) rounds.push_back(patterns[pattern](static_cast<int>(i)));
      const std::vector<int> of_group = expected_of_early_return(rounds);
      rounds.resize(size_t{groups} * group);
      for (unsigned i = group; i < groups * group; ++i) rounds[i] = rounds[i - group];
      for (unsigned i = 0; i < groups; ++i) expected.insert(expected.end(), of_group.begin(), of_group.end());
      const DeviceMemory<int> input(rounds), output(expected.size());
      HIP_OK(launch(early_return_kernel, dim3(groups), dim3(group), 0, nullptr, output.data(),
                    static_cast<const int*>(input.data())));
      HIP_OK(hipDeviceSynchronize());
      EXPECT_EQ(output.values(), expected) << "groups of " << group << ", pattern " << pattern;
    }
}

TEST(Launch, PrintsWhatKernelsPrint) {
  testing::internal::CaptureStdout();
  HIP_OK(launch(print_kernel, dim3(1), dim3(1), 0, nullptr, 42));
  HIP_OK(hipDeviceSynchronize());
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "kernel says 42\n");
}

TEST(Launch, TakesConfigurationsFromAStack) {
  EXPECT_EQ(__hipPushCallConfiguration(dim3(2), dim3(3), 4, hipStreamPerThread), hipSuccess);
  EXPECT_EQ(__hipPushCallConfiguration(dim3(5), dim3(6), 7, nullptr), hipSuccess);
  dim3 grid, group;
  size_t dynamic = 0;
  hipStream_t stream = nullptr;
  EXPECT_EQ(__hipPopCallConfiguration(&grid, &group, &dynamic, &stream), hipSuccess);
  EXPECT_EQ(grid.x, 5U);
  EXPECT_EQ(dynamic, 7U);
  EXPECT_EQ(__hipPopCallConfiguration(&grid, &group, &dynamic, &stream), hipSuccess);
  EXPECT_EQ(group.x, 3U);
  EXPECT_EQ(stream, hipStreamPerThread);
}

TEST(Launch, TakesAConfiguration) {
  const DeviceMemory<int> memory(4);
  int* to = memory.data();
  int value = 7;
  void* arguments[] = {static_cast<void*>(&to), &value};
  hipLaunchAttribute attributes[2] = {};
  attributes[0].id = hipLaunchAttributePriority;
  attributes[1].id = hipLaunchAttributeCooperative;
  hipLaunchConfig_t config{dim3(1), dim3(1), 0, nullptr, attributes, 2};
  HIP_OK(hipLaunchKernelExC(&config, append_kernel, arguments));
  attributes[1].value.cooperative = 1;
  HIP_OK(hipLaunchKernelExC(&config, append_kernel, arguments));
  hipFunction_t function = nullptr;
  HIP_OK(hipGetFuncBySymbol(&function, append_kernel));
  const HIP_LAUNCH_CONFIG of_function{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 0};
  HIP_OK(hipDrvLaunchKernelEx(&of_function, function, arguments, nullptr));
  EXPECT_EQ(memory.values(), (std::vector<int>{3, 7, 7, 7}));
  attributes[0].id = static_cast<hipLaunchAttributeID>(77);
  EXPECT_EQ(hipLaunchKernelExC(&config, append_kernel, arguments), hipErrorInvalidValue);
  EXPECT_EQ(hipLaunchKernelExC(nullptr, append_kernel, arguments), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGetFuncBySymbol(&function, &value), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipGetFuncBySymbol(nullptr, append_kernel), hipErrorInvalidValue);
}

TEST(Launch, CollectsArgumentsOneByOne) {
  const DeviceMemory<int> memory(8);
  int* const address = memory.data();
  const int value = 77;
  HIP_OK(hipConfigureCall(dim3(1), dim3(1), 0, nullptr));
  HIP_OK(hipSetupArgument(&address, sizeof address, 0));
  HIP_OK(hipSetupArgument(&value, sizeof value, sizeof address));
  HIP_OK(hipLaunchByPtr(append_kernel));
  EXPECT_EQ(memory.values()[1], 77);
  EXPECT_EQ(hipLaunchByPtr(append_kernel), hipErrorMissingConfiguration);
}

}  // namespace
}  // namespace heddle::hip_tests
