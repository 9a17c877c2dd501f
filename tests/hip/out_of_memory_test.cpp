// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls without memory.
#include "hip_test.h"
#include "runtime/failing_memory.h"

namespace heddle::hip_tests {
namespace {

using runtime::test::fail_memory;
using runtime::test::Failing;
using runtime::test::nothing_fails;

void count_end(void* ends) { ++*static_cast<int*>(ends); }

TEST(OutOfMemory, LeavesAnObjectToTheProgramThatGaveIt) {
  HIP_OK(hipInit(0));
  for (int allowed = 0; allowed < 100; ++allowed) {
    int ends = 0;
    hipUserObject_t object = nullptr;
    fail_memory(allowed, Failing::one);
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

}  // namespace
}  // namespace heddle::hip_tests
