// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls without memory.
#include "hip_test.h"
#include "runtime/failing_memory.h"

namespace heddle::hip_tests {
namespace {

using runtime::test::fail_own_memory;
using runtime::test::Failing;
using runtime::test::nothing_fails;

void count_end(void* ends) { ++*static_cast<int*>(ends); }

TEST(OutOfMemory, LeavesAnObjectToTheProgramThatGaveIt) {
  HIP_OK(hipInit(0));
  for (int allowed = 0; allowed < 100; ++allowed) {
    int ends = 0;
    hipUserObject_t object = nullptr;
    fail_own_memory(allowed, Failing::one);
    const hipError_t result =
        hipUserObjectCreate(&object, &ends, count_end, 1, hipUserObjectNoDestructorSync);
    if (!nothing_fails()) {
      HIP_OK(result);
      HIP_OK(hipUserObjectRelease(object, 1));
      EXPECT_EQ(ends, 1);
      EXPECT_GT(allowed, 0) << "no memory was needed";
      return;
    }
    EXPECT_EQ(result, hipErrorOutOfMemory) << allowed;
    EXPECT_EQ(ends, 0) << allowed;
  }
  ADD_FAILURE() << "there is no end";
}

/// Repeats a call with its first, second, ... allocation failing, until none is left to fail. Other threads,
/// such as those of queues, have memory: their failures would be those of devices. `check` is told whether
/// the call has succeeded, after each.
template <typename Call, typename Check>
void sweep_calls(Call call, Check check) {
  for (int allowed = 0; allowed < 1000; ++allowed) {
    fail_own_memory(allowed, Failing::one);
    const hipError_t result = call();
    const bool failed = nothing_fails();
    if (result != hipSuccess) EXPECT_EQ(result, hipErrorOutOfMemory) << allowed;
    check(result == hipSuccess);
    if (failed) continue;
    EXPECT_EQ(result, hipSuccess);
    EXPECT_GT(allowed, 0) << "no memory was needed";
    return;
  }
  ADD_FAILURE() << "there is no end";
}

uint64_t used_by_graphs(hipGraphMemAttributeType attribute) {
  uint64_t value = ~uint64_t{0};
  EXPECT_EQ(hipDeviceGetGraphMemAttribute(0, attribute, &value), hipSuccess);
  return value;
}

TEST(OutOfMemory, LaunchesOfGraphsLeaveNothingAllocated) {
  hipGraph_t graph = nullptr;
  HIP_OK(hipGraphCreate(&graph, 0));
  void* addresses[2] = {};
  hipGraphNode_t last = nullptr;
  for (void*& address : addresses) {
    hipMemAllocNodeParams params{};
    params.poolProps.allocType = hipMemAllocationTypePinned;
    params.poolProps.location = {hipMemLocationTypeDevice, 0};
    params.bytesize = 4096;
    const hipGraphNode_t before = last;
    HIP_OK(hipGraphAddMemAllocNode(&last, graph, &before, before == nullptr ? 0 : 1, &params));
    address = params.dptr;
  }
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  const OwnStream stream;
  sweep_calls([&] { return hipGraphLaunch(executable, stream); },
              [&](bool launched) {
                if (launched)
                  for (void* const address : addresses) EXPECT_EQ(hipFree(address), hipSuccess);
                EXPECT_EQ(used_by_graphs(hipGraphMemAttrUsedMemCurrent), 0U);
                EXPECT_EQ(hipDeviceGraphMemTrim(0), hipSuccess);
                EXPECT_EQ(used_by_graphs(hipGraphMemAttrReservedMemCurrent), 0U);
              });
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

TEST(OutOfMemory, KernelsWithManyArgumentsAreLaunchedOrNot) {
  const DeviceMemory<int> memory(2);
  const OwnStream stream;
  ManyNumbers numbers{};
  numbers.values[0] = 1;
  numbers.values[std::size(numbers.values) - 1] = 1;
  int launched = 1;
  HIP_OK(launch(many_numbers_kernel, dim3(1), dim3(1), 0, stream, memory.data(), numbers));
  HIP_OK(hipStreamSynchronize(stream));
  sweep_calls(
      [&] { return launch(many_numbers_kernel, dim3(1), dim3(1), 0, stream, memory.data(), numbers); },
      [&](bool succeeded) {
        launched += succeeded ? 1 : 0;
        EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
        EXPECT_EQ(memory.values()[0], 2 * launched);
      });
}

/// The stream is busy, so that each function waits for its turn, and so many that the stream needs memory to
/// remember them.
TEST(OutOfMemory, FunctionsOfAStreamRunIfTheyWereTaken) {
  const OwnStream stream;
  HostNumber go;
  int runs = 0, taken = 0;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, go.address()));
  const auto give_functions = [&] {
    hipError_t result = hipSuccess;
    for (int i = 0; i < 40 && result == hipSuccess; ++i) {
      result = hipLaunchHostFunc(stream, count_end, &runs);
      if (result == hipSuccess) ++taken;
    }
    return result;
  };
  sweep_calls(give_functions, [&](bool) {
    go.set(1);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(runs, taken);
    go.set(0);
    EXPECT_EQ(launch(wait_kernel, dim3(1), dim3(1), 0, stream, go.address()), hipSuccess);
  });
  go.set(1);
  HIP_OK(hipStreamSynchronize(stream));
}

TEST(OutOfMemory, CopiesOfAStreamAreMadeOrNot) {
  const DeviceMemory<int> from(std::vector<int>{7}), to(1);
  const OwnStream stream;
  sweep_calls([&] { return hipMemcpyAsync(to.data(), from.data(), 4, hipMemcpyDeviceToDevice, stream); },
              [&](bool succeeded) {
                EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
                if (succeeded) EXPECT_EQ(to.values()[0], 7);
                EXPECT_EQ(hipMemset(to.data(), 0, 4), hipSuccess);
              });
}

}  // namespace
}  // namespace heddle::hip_tests
