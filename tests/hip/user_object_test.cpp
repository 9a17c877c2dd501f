// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of programs that graphs keep alive.
#include <atomic>
#include <chrono>
#include <climits>
#include <future>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// Threads of the library also end objects.
using Counter = std::atomic<int>;

void count_end(void* ends) { ++*static_cast<Counter*>(ends); }

hipUserObject_t made(void* pointer, unsigned references, hipHostFn_t destroy = count_end) {
  hipUserObject_t object = nullptr;
  EXPECT_EQ(hipUserObjectCreate(&object, pointer, destroy, references, hipUserObjectNoDestructorSync),
            hipSuccess);
  return object;
}

hipGraph_t empty_graph() {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  return graph;
}

/// A graph that holds the only reference to an object.
hipGraph_t graph_with(void* pointer, hipHostFn_t destroy = count_end) {
  const auto graph = empty_graph();
  EXPECT_EQ(hipGraphRetainUserObject(graph, made(pointer, 1, destroy), 1, hipGraphUserObjectMove),
            hipSuccess);
  return graph;
}

/// Adds a copy of a graph, which then ends, to another. Returns the node.
hipGraphNode_t add_child(hipGraph_t graph, hipGraph_t child) {
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(child), hipSuccess);
  return node;
}

hipGraphExec_t executable_of(hipGraph_t graph) {
  hipGraphExec_t executable = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
  return executable;
}

TEST(UserObject, EndsWithItsLastReference) {
  Counter ends = 0;
  const auto object = made(&ends, 2);
  HIP_OK(hipUserObjectRetain(object, 3));
  HIP_OK(hipUserObjectRelease(object, 4));
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(hipUserObjectRelease(object, 2), hipErrorInvalidValue);
  HIP_OK(hipUserObjectRelease(object, 1));
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(hipUserObjectRelease(object, 1), hipErrorInvalidValue);
}

TEST(UserObject, IsKeptByGraphs) {
  Counter ends = 0;
  const auto object = made(&ends, 1);
  const auto graph = empty_graph();
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
  Counter ends = 0;
  const auto object = made(&ends, 1);
  const auto graph = empty_graph();
  EXPECT_EQ(hipGraphRetainUserObject(graph, object, 2, hipGraphUserObjectMove), hipErrorInvalidValue);
  HIP_OK(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
  hipGraph_t clone = nullptr;
  HIP_OK(hipGraphClone(&clone, graph));
  const auto executable = executable_of(graph);
  HIP_OK(hipGraphDestroy(graph));
  HIP_OK(hipGraphDestroy(clone));
  EXPECT_EQ(ends, 0);
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_EQ(ends, 1);
}

/// What a function of a graph uses: an object, and how many objects had ended when the function was called.
struct Used {
  Counter ends = 0;
  int ends_before = -1;
};

/// Launches a graph that uses an object behind a wait, and destroys everything before the wait ends.
void expect_object_to_outlive_its_graph(hipGraph_t graph, Used& used) {
  SignalNumber number;
  const OwnStream stream;
  const auto use = [](void* data) {
    auto& given = *static_cast<Used*>(data);
    given.ends_before = given.ends;
  };
  const hipHostNodeParams params{use, &used};
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &params), hipSuccess);
  const auto executable = executable_of(graph);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipStreamWaitValue64(stream, number.address(), 1, hipStreamWaitValueEq, ~uint64_t{0}),
            hipSuccess);
  EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(used.ends, 0);
  number.set(1);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(used.ends_before, 0);
  EXPECT_EQ(used.ends, 1);
}

TEST(UserObject, OutlivesItsGraphWhileALaunchUsesIt) {
  Used used;
  expect_object_to_outlive_its_graph(graph_with(&used.ends), used);
}

TEST(UserObject, OutlivesAGraphInItsGraphWhileALaunchUsesIt) {
  Used used;
  const auto graph = empty_graph();
  add_child(graph, graph_with(&used.ends));
  expect_object_to_outlive_its_graph(graph, used);
}

TEST(UserObject, IsTakenOverWhenAGraphIsUpdated) {
  Counter before = 0, after = 0;
  const auto graph = graph_with(&before), other = graph_with(&after);
  const auto executable = executable_of(graph);
  HIP_OK(hipGraphDestroy(graph));
  hipGraphNode_t failing = nullptr;
  hipGraphExecUpdateResult result{};
  HIP_OK(hipGraphExecUpdate(executable, other, &failing, &result));
  EXPECT_EQ(before, 1);
  HIP_OK(hipGraphDestroy(other));
  EXPECT_EQ(after, 0);
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
}

TEST(UserObject, IsTakenOverWhenAGraphInAGraphIsReplaced) {
  Counter before = 0, after = 0;
  const auto graph = empty_graph(), other = graph_with(&after);
  const auto node = add_child(graph, graph_with(&before));
  const auto executable = executable_of(graph);
  HIP_OK(hipGraphExecChildGraphNodeSetParams(executable, node, other));
  HIP_OK(hipGraphDestroy(other));
  EXPECT_EQ(before, 0);
  HIP_OK(hipGraphDestroy(graph));
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 0);
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_EQ(after, 1);
}

/// An object whose function waits until another thread has called functions of graphs.
struct Asking {
  bool answered = false;
  std::future<void> answer;
};

void ask(void* data) {
  auto& asking = *static_cast<Asking*>(data);
  asking.answer =
      std::async(std::launch::async, [] { EXPECT_EQ(hipGraphDestroy(empty_graph()), hipSuccess); });
  asking.answered = asking.answer.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

TEST(UserObject, EndsWithoutLockWhenGraphsAreDestroyed) {
  Asking of_graph, of_node, of_executable;
  HIP_OK(hipGraphDestroy(graph_with(&of_graph, ask)));
  EXPECT_TRUE(of_graph.answered);
  const auto graph = empty_graph();
  HIP_OK(hipGraphDestroyNode(add_child(graph, graph_with(&of_node, ask))));
  EXPECT_TRUE(of_node.answered);
  HIP_OK(hipGraphDestroy(graph));
  const auto launchable = graph_with(&of_executable, ask);
  const auto executable = executable_of(launchable);
  HIP_OK(hipGraphDestroy(launchable));
  EXPECT_FALSE(of_executable.answered);
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_TRUE(of_executable.answered);
}

TEST(UserObject, EndsWithoutLockWhenAGraphIsUpdated) {
  Asking asking;
  const auto graph = graph_with(&asking, ask), nothing = empty_graph();
  const auto executable = executable_of(graph);
  HIP_OK(hipGraphDestroy(graph));
  EXPECT_FALSE(asking.answered);
  hipGraphNode_t failing = nullptr;
  hipGraphExecUpdateResult result{};
  HIP_OK(hipGraphExecUpdate(executable, nothing, &failing, &result));
  EXPECT_TRUE(asking.answered);
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(nothing));
}

TEST(UserObject, EndsWithoutLockWhenAGraphInAGraphIsReplaced) {
  Asking asking;
  const auto graph = empty_graph(), nothing = empty_graph(), changed = graph_with(&asking, ask);
  const auto node = add_child(graph, empty_graph());
  const auto executable = executable_of(graph);
  HIP_OK(hipGraphExecChildGraphNodeSetParams(executable, node, changed));
  HIP_OK(hipGraphDestroy(changed));
  EXPECT_FALSE(asking.answered);
  HIP_OK(hipGraphExecChildGraphNodeSetParams(executable, node, nothing));
  EXPECT_TRUE(asking.answered);
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(nothing));
  HIP_OK(hipGraphDestroy(graph));
}

/// Captures a launch of a graph that holds the only reference to an object; the graph then ends.
void capture_graph_with(Asking& asking, hipStream_t stream) {
  const auto graph = graph_with(&asking, ask);
  const auto executable = executable_of(graph);
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_FALSE(asking.answered);
}

TEST(UserObject, EndsWithoutLockWhenACaptureFails) {
  Asking of_invalid, of_destroyed;
  hipStream_t stream = nullptr;
  HIP_OK(hipStreamCreate(&stream));
  capture_graph_with(of_invalid, stream);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorStreamCaptureUnsupported);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_TRUE(of_invalid.answered);
  capture_graph_with(of_destroyed, stream);
  HIP_OK(hipStreamDestroy(stream));
  EXPECT_TRUE(of_destroyed.answered);
}

TEST(UserObject, RefusesBadArguments) {
  Counter ends = 0;
  hipUserObject_t object = nullptr;
  EXPECT_EQ(hipUserObjectCreate(nullptr, &ends, count_end, 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, nullptr, 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, count_end, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, &ends, count_end, 1, 0), hipErrorInvalidValue);
  object = made(&ends, 1);
  EXPECT_EQ(hipUserObjectRetain(object, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectRetain(object, INT_MAX), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectRetain(nullptr, 1), hipErrorInvalidValue);
  const auto graph = empty_graph();
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
