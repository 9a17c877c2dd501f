// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/capture.h"

#include <algorithm>
#include <array>
#include <set>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip {

std::atomic<int> captures_under_way{0};

namespace {

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto* const all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

/// Calls that would disturb a capture, because they wait for streams or may do so.
constexpr std::array unsafe_functions{
    FunctionId::hipCtxSynchronize,
    FunctionId::hipDeviceReset,
    FunctionId::hipDeviceSynchronize,
    FunctionId::hipExtMallocWithFlags,
    FunctionId::hipFree,
    FunctionId::hipFreeHost,
    FunctionId::hipHostAlloc,
    FunctionId::hipHostFree,
    FunctionId::hipHostMalloc,
    FunctionId::hipHostRegister,
    FunctionId::hipHostUnregister,
    FunctionId::hipMalloc,
    FunctionId::hipMalloc3D,
    FunctionId::hipMallocHost,
    FunctionId::hipMallocManaged,
    FunctionId::hipMallocPitch,
    FunctionId::hipMemAllocHost,
    FunctionId::hipMemAllocPitch,
    FunctionId::hipMemcpy,
    FunctionId::hipMemcpy_spt,
    FunctionId::hipMemcpyWithStream,
    FunctionId::hipMemcpy2D,
    FunctionId::hipMemcpy2D_spt,
    FunctionId::hipMemcpy3D,
    FunctionId::hipMemcpy3D_spt,
    FunctionId::hipMemcpyDtoD,
    FunctionId::hipMemcpyDtoH,
    FunctionId::hipMemcpyHtoD,
    FunctionId::hipMemcpyToSymbol,
    FunctionId::hipMemcpyToSymbol_spt,
    FunctionId::hipMemcpyFromSymbol,
    FunctionId::hipMemcpyFromSymbol_spt,
    FunctionId::hipMemset,
    FunctionId::hipMemset_spt,
    FunctionId::hipMemset2D,
    FunctionId::hipMemset2D_spt,
    FunctionId::hipMemset3D,
    FunctionId::hipMemset3D_spt,
    FunctionId::hipMemsetD8,
    FunctionId::hipMemsetD16,
    FunctionId::hipMemsetD32,
    FunctionId::hipModuleUnload,
    FunctionId::hipStreamSynchronize,
    FunctionId::hipStreamSynchronize_spt,
};

/// Those of them that use the default stream. A blocking stream that is captured bars it, which they report.
constexpr std::array functions_of_default_stream{
    FunctionId::hipMemcpy,         FunctionId::hipMemcpy2D,         FunctionId::hipMemcpy3D,
    FunctionId::hipMemcpyDtoD,     FunctionId::hipMemcpyDtoH,       FunctionId::hipMemcpyHtoD,
    FunctionId::hipMemcpyToSymbol, FunctionId::hipMemcpyFromSymbol, FunctionId::hipMemset,
    FunctionId::hipMemset2D,       FunctionId::hipMemset3D,         FunctionId::hipMemsetD8,
    FunctionId::hipMemsetD16,      FunctionId::hipMemsetD32,
};

/// Returns the capture of a stream that is captured, as an owner.
std::shared_ptr<Capture> owned_capture_of(const Stream& stream) {
  for (const auto& capture : captures())
    if (capture.get() == stream.capture.load()) return capture;
  return nullptr;
}

[[noreturn]] void refuse(Capture& capture, hipError_t code, const char* why) {
  capture.invalidate();
  throw Failure(code, why);
}

void forget(Capture& capture) {
  for (const auto& [stream, end] : capture.ends) stream->capture.store(nullptr);
  std::erase_if(captures(), [&](const auto& own) { return own.get() == &capture; });
  captures_under_way.store(static_cast<int>(captures().size()));
}

/// Destroys the graph of a capture that failed, or gives it back to the program.
void drop_graph(Capture& capture) {
  capture.graph().captures = false;
  if (!capture.of_program()) GraphHandles::get().graphs.take(handle_of(capture.graph()));
}

/// Whether the origin depends on all that other streams have last, or the program has released it.
bool is_joined(const Capture& capture) {
  std::set<const GraphNode*> before;
  std::vector<const GraphNode*> open;
  const auto& last = capture.ends.at(&capture.origin());
  open.insert(open.end(), last.begin(), last.end());
  open.insert(open.end(), capture.released.begin(), capture.released.end());
  while (!open.empty()) {
    const GraphNode* const node = open.back();
    open.pop_back();
    if (before.insert(node).second)
      open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::ranges::all_of(capture.ends, [&](const auto& entry) {
    return std::ranges::all_of(entry.second, [&](const GraphNode* node) { return before.contains(node); });
  });
}

std::vector<GraphNode*> nodes_with(const Graph& graph, const std::vector<uint64_t>& ids) {
  std::vector<GraphNode*> found;
  for (const auto& node : graph.nodes())
    if (std::ranges::find(ids, node->id) != ids.end()) found.push_back(node.get());
  return found;
}

/// Whether the calling thread must not make unsafe calls while the capture is under way.
bool forbids_unsafe_calls(const Capture& capture, hipStreamCaptureMode thread_mode) {
  if (thread_mode == hipStreamCaptureModeRelaxed || capture.mode() == hipStreamCaptureModeRelaxed)
    return false;
  if (capture.thread() == std::this_thread::get_id()) return true;
  return thread_mode == hipStreamCaptureModeGlobal && capture.mode() == hipStreamCaptureModeGlobal;
}

/// Returns the capture that takes work; null if the stream is not captured.
std::shared_ptr<Capture> capture_for_work(const Stream& stream) {
  auto capture = owned_capture_of(stream);
  if (capture != nullptr && !capture->valid()) throw Failure(hipErrorStreamCaptureInvalidated);
  return capture;
}

/// Whether work is to be captured. Throws Failure, and the capture is invalid, if the host would wait for it.
bool takes_work(const Stream& stream, Waiting waiting) {
  if (!is_captured(stream)) return false;
  const auto held = graphs_lock();
  const auto capture = capture_for_work(stream);
  if (capture == nullptr) return false;
  if (waiting == Waiting::yes)
    refuse(*capture, hipErrorStreamCaptureUnsupported, "the host would wait for work that is only captured");
  return true;
}

/// Whether the default stream of a device would wait for a stream of the capture.
bool bars(const Capture& capture, const Device& device) {
  return std::ranges::any_of(capture.ends, [&](const auto& entry) {
    return entry.first->kind() == StreamKind::blocking && &entry.first->device() == &device;
  });
}

hipPitchedPtr pitched(const Block& block, const BlockSize& size) {
  const size_t pitch = block.pitch != 0 ? block.pitch : size.width;
  return {block.address, pitch, size.width, block.slice != 0 ? block.slice / pitch : size.height};
}

}  // namespace

Capture::Capture(Stream& origin, hipStreamCaptureMode mode, const std::shared_ptr<Graph>& graph)
    : origin_(origin),
      mode_(mode),
      graph_(graph != nullptr ? graph : std::make_shared<Graph>(Graph::Visible::yes)),
      of_program_(graph != nullptr) {
  graph_->captures = true;
}

void begin_capture(Stream& stream, hipStreamCaptureMode mode, const std::shared_ptr<Graph>& graph,
                   std::vector<GraphNode*> behind) {
  const auto held = graphs_lock();
  if (stream.kind() == StreamKind::legacy_default) throw Failure(hipErrorStreamCaptureUnsupported);
  if (is_captured(stream)) throw Failure(hipErrorIllegalState);
  auto capture = std::make_shared<Capture>(stream, mode, graph);
  capture->ends[&stream] = std::move(behind);
  if (!capture->of_program()) GraphHandles::get().graphs.add(capture->graph_pointer());
  stream.capture.store(capture.get());
  captures().push_back(std::move(capture));
  captures_under_way.store(static_cast<int>(captures().size()));
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  const auto held = graphs_lock();
  const auto capture = owned_capture_of(stream);
  if (capture == nullptr) throw Failure(hipErrorIllegalState);
  if (&capture->origin() != &stream) refuse(*capture, hipErrorStreamCaptureUnmatched, "another stream began");
  if (capture->mode() != hipStreamCaptureModeRelaxed && capture->thread() != std::this_thread::get_id())
    throw Failure(hipErrorStreamCaptureWrongThread);
  const bool joined = is_joined(*capture);
  forget(*capture);
  if (!capture->valid() || !joined) {
    drop_graph(*capture);
    throw Failure(capture->valid() ? hipErrorStreamCaptureUnjoined : hipErrorStreamCaptureInvalidated);
  }
  capture->graph().captures = false;
  return capture->graph_pointer();
}

void leave_capture(Stream& stream) {
  if (!is_captured(stream)) return;
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  const auto capture = owned_capture_of(stream);
  if (capture == nullptr) return;
  capture->invalidate();
  if (&capture->origin() == &stream) {
    ended = capture->graph().all_kept();
    forget(*capture);
    drop_graph(*capture);
    return;
  }
  capture->ends.erase(&stream);
  stream.capture.store(nullptr);
}

void leave_capture(const GraphNode& node) {
  for (const auto& capture : captures()) {
    for (auto& [stream, end] : capture->ends) std::erase(end, &node);
    std::erase(capture->released, &node);
  }
}

GraphNode& record_work(Work work, Stream& stream) {
  const auto held = graphs_lock();
  const auto capture = capture_for_work(stream);
  if (capture == nullptr) throw Failure(hipErrorIllegalState);
  auto& end = capture->ends.at(&stream);
  GraphNode& node = capture->graph().add(std::move(work), stream.device(), end);
  end = {&node};
  return node;
}

bool record_launch(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
                   const void* host, Stream& stream, const KernelAttributes& attributes) {
  if (!takes_work(stream, Waiting::no)) return false;
  const auto held = graphs_lock();
  record_work(std::make_shared<const KernelNode>(host, function, shape, arguments), stream).attributes =
      attributes;
  return true;
}

bool record_copy(void* to, const void* from, size_t size, hipMemcpyKind kind, Stream& stream,
                 Waiting waiting) {
  if (!takes_work(stream, waiting)) return false;
  record_work(CopyBytes{to, from, size, kind}, stream);
  return true;
}

bool record_copy(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind,
                 Stream& stream, Waiting waiting) {
  if (!takes_work(stream, waiting)) return false;
  hipMemcpy3DParms params{};
  params.dstPtr = pitched(to, size);
  params.srcPtr = pitched(from, size);
  params.extent = {size.width, size.height, size.depth};
  params.kind = kind;
  record_work(params, stream);
  return true;
}

bool record_fill(const Block& to, const BlockSize& size, Pattern pattern, Stream& stream, Waiting waiting) {
  if (!takes_work(stream, waiting)) return false;
  for (size_t z = 0; z < size.depth; ++z) {
    hipMemsetParams params{};
    params.dst = to.address + z * to.slice;
    params.elementSize = static_cast<unsigned>(pattern.element_size);
    params.width = size.width / pattern.element_size;
    params.height = size.height;
    params.pitch = to.pitch;
    params.value = pattern.value;
    record_work(params, stream);
  }
  return true;
}

bool record_event(Event& event, Stream& stream) {
  if (!takes_work(stream, Waiting::no)) return false;
  const auto held = graphs_lock();
  const auto capture = capture_for_work(stream);
  if (capture == nullptr) return false;
  auto point = std::make_shared<CapturedPoint>();
  point->capture = capture;
  for (const GraphNode* const node : capture->ends.at(&stream)) point->nodes.push_back(node->id);
  event.set_captured(std::move(point));
  return true;
}

bool record_wait(Stream& stream, const Event& event) {
  const auto point = event.captured();
  if (point == nullptr && !is_captured(stream)) return false;
  const auto held = graphs_lock();
  const auto own = capture_for_work(stream);
  if (point == nullptr) {
    if (own == nullptr) return false;
    if (event.recorded()) refuse(*own, hipErrorStreamCaptureIsolation, "the event is not of the capture");
    return true;
  }
  const auto capture = point->capture.lock();
  if (capture == nullptr) throw Failure(hipErrorCapturedEvent, "the capture of the event has ended");
  if (own != nullptr && own != capture) {
    capture->invalidate();
    refuse(*own, hipErrorStreamCaptureMerge, "stream and event belong to different captures");
  }
  if (stream.kind() == StreamKind::legacy_default)
    refuse(*capture, hipErrorStreamCaptureImplicit, "the default stream cannot be captured");
  auto& end = capture->ends[&stream];
  for (GraphNode* const node : nodes_with(capture->graph(), point->nodes))
    if (std::ranges::find(end, node) == end.end()) end.push_back(node);
  stream.capture.store(capture.get());
  return true;
}

void refuse_if_captured(Stream& stream) {
  if (!is_captured(stream)) return;
  const auto held = graphs_lock();
  if (const auto capture = owned_capture_of(stream))
    refuse(*capture, hipErrorStreamCaptureUnsupported, "the stream is captured");
}

void refuse_if_captured(const Event& event) {
  const auto point = event.captured();
  if (point == nullptr) return;
  const auto held = graphs_lock();
  if (const auto capture = point->capture.lock()) capture->invalidate();
  throw Failure(hipErrorCapturedEvent);
}

void refuse_if_captured(const Device& device) {
  if (captures_under_way.load(std::memory_order_relaxed) == 0) return;
  const auto held = graphs_lock();
  bool found = false;
  for (const auto& capture : captures())
    if (std::ranges::any_of(capture->ends,
                            [&](const auto& end) { return &end.first->device() == &device; })) {
      capture->invalidate();
      found = true;
    }
  if (found) throw Failure(hipErrorStreamCaptureUnsupported, "a stream of the device is captured");
}

Capture* capture_of(const Stream& stream) { return stream.capture.load(); }

bool default_stream_is_barred(const Device& device) {
  const auto held = graphs_lock();
  return std::ranges::any_of(captures(), [&](const auto& capture) { return bars(*capture, device); });
}

void refuse_default_stream(const Device& device) {
  if (captures_under_way.load(std::memory_order_relaxed) == 0) return;
  const auto held = graphs_lock();
  if (!default_stream_is_barred(device)) return;
  for (const auto& capture : captures())
    if (bars(*capture, device)) capture->invalidate();
  throw Failure(hipErrorStreamCaptureImplicit, "the default stream would wait for a captured stream");
}

void refuse_unsafe_call(FunctionId id) {
  if (std::ranges::find(unsafe_functions, id) == unsafe_functions.end()) return;
  const auto held = graphs_lock();
  if (std::ranges::find(functions_of_default_stream, id) != functions_of_default_stream.end())
    refuse_default_stream(Runtime::get().device());
  bool found = false;
  for (const auto& capture : captures())
    if (forbids_unsafe_calls(*capture, this_thread().capture_mode)) {
      capture->invalidate();
      found = true;
    }
  if (found) throw Failure(hipErrorStreamCaptureUnsupported, "streams are captured");
}

}  // namespace heddle::hip
