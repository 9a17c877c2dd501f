// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of programs that graphs keep alive.
#include <climits>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

void count_end(void* ends) { ++*static_cast<int*>(ends); }

hipUserObject_t made(int* ends, unsigned references) {
  hipUserObject_t object = nullptr;
  EXPECT_EQ(hipUserObjectCreate(&object, ends, count_end, references, hipUserObjectNoDestructorSync),
            hipSuccess);
  return object;
}

hipGraph_t empty_graph() {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  return graph;
}

TEST(UserObject, EndsWithItsLastReference) {
  int ends = 0;
  hipUserObject_t const object = made(&ends, 2);
  HIP_OK(hipUserObjectRetain(object, 3));
  HIP_OK(hipUserObjectRelease(object, 4));
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(hipUserObjectRelease(object, 2), hipErrorInvalidValue);
  HIP_OK(hipUserObjectRelease(object, 1));
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(hipUserObjectRelease(object, 1), hipErrorInvalidValue);
}

TEST(UserObject, IsKeptByGraphs) {
  int ends = 0;
  hipUserObject_t const object = made(&ends, 1);
  hipGraph_t const graph = empty_graph();
  HIP_OK(hipGraphRetainUserObject(graph, object, 2, 0));
  HIP_OK(hipUserObjectRelease(object, 1));
  EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 3), hipErrorInvalidValue);
  HIP_OK(hipGraphReleaseUserObject(graph, object, 1));
  EXPECT_EQ(ends, 0);
  HIP_OK(hipGraphReleaseUserObject(graph, object, 1));
  EXPECT_EQ(ends, 1);
  HIP_OK(hipGraphDestroy(graph));
}

TEST(UserObject, MovesToAGraphAndItsCopies) {
  int ends = 0;
  hipUserObject_t const object = made(&ends, 1);
  hipGraph_t const graph = empty_graph();
  EXPECT_EQ(hipGraphRetainUserObject(graph, object, 2, hipGraphUserObjectMove), hipErrorInvalidValue);
  HIP_OK(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
  hipGraph_t clone = nullptr;
  HIP_OK(hipGraphClone(&clone, graph));
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphDestroy(graph));
  HIP_OK(hipGraphDestroy(clone));
  EXPECT_EQ(ends, 0);
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_EQ(ends, 1);
}

TEST(UserObject, RefusesBadArguments) {
  int ends = 0;
  hipUserObject_t object = nullptr;
  EXPECT_EQ(hipUserObjectCreate(nullptr, &ends, count_end, 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, nullptr, 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, count_end, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, count_end, 1, 0), hipErrorInvalidValue);
  object = made(&ends, 1);
  EXPECT_EQ(hipUserObjectRetain(object, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectRetain(object, INT_MAX), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectRetain(nullptr, 1), hipErrorInvalidValue);
  hipGraph_t const graph = empty_graph();
  EXPECT_EQ(hipGraphRetainUserObject(graph, object, 1, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphRetainUserObject(nullptr, object, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 1), hipErrorInvalidValue);
  HIP_OK(hipGraphDestroy(graph));
  EXPECT_EQ(ends, 0);
  HIP_OK(hipUserObjectRelease(object, 1));
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace heddle::hip_tests
