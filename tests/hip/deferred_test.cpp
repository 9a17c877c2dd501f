// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are finalized one by one, when they are first launched.
#include "deferred.h"

#include <algorithm>
#include <set>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

int total() {
  int value = -1;
  EXPECT_EQ(hipMemcpyFromSymbol(&value, steps_total_symbol, sizeof value, 0, hipMemcpyDeviceToHost),
            hipSuccess);
  return value;
}

void set_total(int value) {
  EXPECT_EQ(hipMemcpyToSymbol(steps_total_symbol, &value, sizeof value, 0, hipMemcpyHostToDevice),
            hipSuccess);
}

TEST(Deferred, KernelsShareTheVariablesOfTheirModule) {
  set_total(100);
  const DeviceMemory<int> to(3);
  HIP_OK(run_step(1, to.data(), nullptr));
  HIP_OK(run_step(5, to.data() + 1, nullptr));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(total(), 106);
  set_total(1000);
  HIP_OK(run_step(7, to.data() + 2, nullptr));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(total(), 1007);
  const std::vector<int> steps = to.values();
  EXPECT_EQ(steps[1], steps[0] + 1) << "a static variable that only the module's own code names";
  EXPECT_EQ(steps[2], steps[0] + 2);
}

TEST(Deferred, ThreadsLaunchDifferentKernelsAtFirstUse) {
  set_total(0);
  const DeviceMemory<int> to(step_count);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const OwnStream stream;
      for (int which = t; which < step_count; which += 4)
        EXPECT_EQ(run_step(which, to.data() + which, stream), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total(), step_count * (step_count - 1) / 2);
  const std::vector<int> steps = to.values();
  EXPECT_EQ(std::set<int>(steps.begin(), steps.end()).size(), steps.size()) << "each counted once";
}

TEST(Deferred, ThreadsLaunchOneKernelAtFirstUse) {
  HIP_OK(hipDeviceReset());  // forgets all code
  set_total(0);
  const DeviceMemory<int> to(4);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      EXPECT_EQ(run_step(11, to.data() + t, nullptr), hipSuccess);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total(), 44);
}

TEST(Deferred, AttributesAreThoseOfTheKernel) {
  hipFuncAttributes attributes{};
  HIP_OK(hipFuncGetAttributes(&attributes, step_kernel(3)));
  EXPECT_GT(attributes.maxThreadsPerBlock, 0);
  int groups = 0;
  HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, step_kernel(4), 64, 0));
  EXPECT_GT(groups, 0);
}

TEST(Deferred, FunctionsHaveOneAddressInAllKernels) {
  static_cast<void>(hipGetLastError());  // what a test before may have left
  const DeviceMemory<long> to(4);
  HIP_OK(run_function_pointers(0, to.data()));
  EXPECT_EQ(to.values(), (std::vector<long>{14, 1, 14, 1}));
  HIP_OK(run_function_pointers(1, to.data()));
  EXPECT_EQ(to.values(), (std::vector<long>{49, 1, 49, 1}));
  void* stored = nullptr;
  HIP_OK(hipMemcpyFromSymbol(static_cast<void*>(&stored), stored_function_symbol, sizeof stored, 0,
                             hipMemcpyDeviceToHost));
  EXPECT_NE(stored, nullptr);
}

}  // namespace
}  // namespace heddle::hip_tests
