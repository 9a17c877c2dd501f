// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures: what streams are given becomes nodes of a graph instead of being done.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "functions.h"
#include "hip/core/copy.h"
#include "hip/core/graph.h"
#include "hip/core/launch.h"

namespace heddle::hip {

/// One capture, from hipStreamBeginCapture() to hipStreamEndCapture(), with all streams that take part.
/// Changes with graphs_lock() held.
class Capture {
 public:
  /// `graph` gets the nodes; a new one if it is null.
  Capture(Stream& origin, hipStreamCaptureMode mode, const std::shared_ptr<Graph>& graph);

  Stream& origin() const { return origin_; }
  hipStreamCaptureMode mode() const { return mode_; }
  std::thread::id thread() const { return thread_; }
  uint64_t id() const { return graph_->id; }
  Graph& graph() const { return *graph_; }
  const std::shared_ptr<Graph>& graph_pointer() const { return graph_; }
  /// Whether the graph was there before the capture, which then does not destroy it when it fails.
  bool of_program() const { return of_program_; }
  bool valid() const { return valid_; }
  void invalidate() { valid_ = false; }

  /// What each stream that takes part depends on next.
  std::map<Stream*, std::vector<GraphNode*>> ends;
  /// The nodes that the program has removed from these lists, which therefore need not be joined.
  std::vector<GraphNode*> released;
  /// The handles that hipStreamGetCaptureInfo_v2() has returned for a stream.
  std::map<Stream*, std::vector<hipGraphNode_t>> shown;

 private:
  Stream& origin_;
  hipStreamCaptureMode mode_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::shared_ptr<Graph> graph_;
  bool of_program_;
  bool valid_ = true;
};

/// A point in a capture at which an event was recorded.
struct CapturedPoint {
  std::weak_ptr<Capture> capture;
  std::vector<uint64_t> nodes;  // ids
};

/// Captures under way, so that calls need no lock to see that there is none.
extern std::atomic<int> captures_under_way;

/// Whether what the stream is given is captured.
inline bool is_captured(const Stream& stream) {
  return stream.capture.load(std::memory_order_relaxed) != nullptr;
}

/// Begins the capture of a stream into a graph of the program, behind some of its nodes, or into a new one.
/// Throws Failure (StreamCaptureUnsupported, IllegalState).
void begin_capture(Stream& stream, hipStreamCaptureMode mode, const std::shared_ptr<Graph>& graph = nullptr,
                   std::vector<GraphNode*> behind = {});
/// Ends it in any case, if the stream is its origin. Throws Failure: IllegalState if the stream is not
/// captured, StreamCapture*.
std::shared_ptr<Graph> end_capture(Stream& stream);
/// Removes a stream that is destroyed from its capture, which is then invalid.
void leave_capture(Stream& stream);

/// Removes a node that is destroyed from what streams depend on.
void leave_capture(const GraphNode& node);

/// Adds a node behind what the stream has in its capture, and returns it. Throws Failure
/// (StreamCaptureInvalidated).
GraphNode& record_work(Work work, Stream& stream);
/// These return false if the stream is not captured. Throw Failure: StreamCaptureUnsupported, and the capture
/// is invalid, if the host would wait.
bool record_launch(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
                   const void* host, Stream& stream, const KernelAttributes& attributes = {});
bool record_copy(void* to, const void* from, size_t size, hipMemcpyKind kind, Stream& stream,
                 Waiting waiting);
bool record_copy(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind,
                 Stream& stream, Waiting waiting);
bool record_fill(const Block& to, const BlockSize& size, Pattern pattern, Stream& stream, Waiting waiting);
bool record_event(Event& event, Stream& stream);
/// Lets a stream wait for an event if one of both is captured: the stream takes part in the capture from then
/// on. Throws Failure: StreamCaptureIsolation, StreamCaptureMerge, CapturedEvent.
bool record_wait(Stream& stream, const Event& event);

/// Throws Failure (StreamCaptureUnsupported), and the capture is invalid, if the stream is captured.
void refuse_if_captured(Stream& stream);
/// The same if any stream of a device is captured, for what waits for all of them.
void refuse_if_captured(const Device& device);
/// Throws Failure (CapturedEvent), and the capture is invalid, if the event was last recorded in a capture.
void refuse_if_captured(const Event& event);
/// Returns the capture of a stream, null if it is not captured. Called with graphs_lock() held.
Capture* capture_of(const Stream& stream);
/// Whether a blocking stream of the device is captured, for which the default stream would wait.
bool default_stream_is_barred(const Device& device);
/// Throws Failure (StreamCaptureImplicit), and the captures are invalid, if a blocking stream of the device
/// is captured, because the default stream would wait for it.
void refuse_default_stream(const Device& device);
/// Throws Failure (StreamCaptureUnsupported), and the captures are invalid, if the function must not be
/// called on this thread while these captures are under way.
void refuse_unsafe_call(FunctionId id);

}  // namespace heddle::hip
