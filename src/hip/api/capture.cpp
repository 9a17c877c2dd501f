// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of streams.
#include "hip/core/capture.h"

#include <algorithm>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip::api {
namespace {

bool is_mode(hipStreamCaptureMode mode) {
  return mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed;
}

/// Returns the stream about whose capture the program asks: asking does not disturb captures.
std::shared_ptr<Stream> asked_stream(hipStream_t handle) {
  if (handle != nullptr) return Runtime::get().stream(handle);
  Device& device = Runtime::get().device();
  if (default_stream_is_barred(device)) throw Failure(hipErrorStreamCaptureImplicit);
  return device.default_stream().shared_from_this();
}

hipStreamCaptureStatus status_of(const Capture* capture) {
  if (capture == nullptr) return hipStreamCaptureStatusNone;
  return capture->valid() ? hipStreamCaptureStatusActive : hipStreamCaptureStatusInvalidated;
}

/// Returns the handles of what a stream depends on, which stay valid until the next such call.
const std::vector<hipGraphNode_t>& show_ends(Capture& capture, Stream& stream) {
  auto& shown = capture.shown[&stream];
  shown.clear();
  for (GraphNode* const node : capture.ends.at(&stream)) shown.push_back(handle_of(*node));
  return shown;
}

}  // namespace

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  if (!is_mode(mode)) return hipErrorInvalidValue;
  if (stream == nullptr) return hipErrorStreamCaptureUnsupported;
  begin_capture(*Runtime::get().stream(stream), mode);
  return hipSuccess;
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* /*dependencyData*/, size_t numDependencies,
                                        hipStreamCaptureMode mode) {
  if (!is_mode(mode) || (dependencies == nullptr) != (numDependencies == 0)) return hipErrorInvalidValue;
  if (stream == nullptr) return hipErrorStreamCaptureUnsupported;
  const auto target = Runtime::get().stream(stream);
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  if (found->captures) return hipErrorInvalidValue;
  auto behind = find_nodes(*found, dependencies, numDependencies);
  begin_capture(*target, mode, found, std::move(behind));
  return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph) {
  if (pGraph == nullptr) return hipErrorInvalidValue;
  if (stream == nullptr) return hipErrorIllegalState;
  *pGraph = nullptr;
  KeptByGraph ended;  // destroyed when the lock is released
  const auto target = Runtime::get().stream(stream);
  const auto held = graphs_lock();
  if (const Capture* const capture = capture_of(*target)) ended = capture->graph().all_kept();
  *pGraph = handle_of(*end_capture(*target));
  return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
  if (pCaptureStatus == nullptr) return hipErrorInvalidValue;
  const auto asked = asked_stream(stream);
  const auto held = graphs_lock();
  *pCaptureStatus = status_of(capture_of(*asked));
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                   unsigned long long* pId) {
  return hipStreamGetCaptureInfo_v2(stream, pCaptureStatus, pId, nullptr, nullptr, nullptr);
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
                                      unsigned long long* id_out, hipGraph_t* graph_out,
                                      const hipGraphNode_t** dependencies_out, size_t* numDependencies_out) {
  if (captureStatus_out == nullptr) return hipErrorInvalidValue;
  const auto asked = asked_stream(stream);
  const auto held = graphs_lock();
  Capture* const capture = capture_of(*asked);
  *captureStatus_out = status_of(capture);
  if (*captureStatus_out != hipStreamCaptureStatusActive) return hipSuccess;
  const auto& ends = show_ends(*capture, *asked);
  if (id_out != nullptr) *id_out = capture->id();
  if (graph_out != nullptr) *graph_out = handle_of(capture->graph());
  if (dependencies_out != nullptr) *dependencies_out = ends.data();
  if (numDependencies_out != nullptr) *numDependencies_out = ends.size();
  return hipSuccess;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies,
                                              size_t numDependencies, unsigned int flags) {
  if (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)
    return hipErrorInvalidValue;
  const auto target = asked_stream(stream);
  const auto held = graphs_lock();
  Capture* const capture = capture_of(*target);
  if (status_of(capture) != hipStreamCaptureStatusActive) return hipErrorIllegalState;
  const auto nodes = find_nodes(capture->graph(), dependencies, numDependencies);
  auto& end = capture->ends.at(target.get());
  if (flags == hipStreamSetCaptureDependencies) {
    capture->released.insert(capture->released.end(), end.begin(), end.end());
    end.clear();
  }
  for (GraphNode* const node : nodes)
    if (std::ranges::find(end, node) == end.end()) end.push_back(node);
  return hipSuccess;
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  if (mode == nullptr || !is_mode(*mode)) return hipErrorInvalidValue;
  std::swap(*mode, this_thread().capture_mode);
  return hipSuccess;
}

}  // namespace heddle::hip::api
