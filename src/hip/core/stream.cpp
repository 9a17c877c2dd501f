// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// A function of the host that waits for its turn.
struct HostFunction {
  std::function<void(const MarkerPointer&)> function;
  MarkerPointer before;  // what it waits for; kept alive until it runs
  MarkerPointer after;
};

bool run_host_function(hsa_signal_value_t, void* data) {
  const std::unique_ptr<HostFunction> own(static_cast<HostFunction*>(data));
  own->function(own->after);
  return false;
}

}  // namespace

Stream::Stream(Device& device, StreamKind kind, QueuePriority priority, std::span<const uint32_t> units)
    : device_(device),
      kind_(kind),
      priority_(priority),
      units_(units.begin(), units.end()),
      queue_(choose_queue()) {
  device_.add_stream(*this);
}

Stream::~Stream() {
  leave_capture(*this);
  finish();
  device_.remove_stream(*this);
  finish();  // other threads may have marked the end of the work until the stream was removed
}

std::shared_ptr<Queue> Stream::choose_queue() {
  if (units_.empty()) return device_.queue_for(priority_);
  return std::make_shared<Queue>(device_, priority_, units_);
}

std::shared_ptr<Queue> Stream::replace_queue() {
  last_packet_ = 0;
  last_marker_ = nullptr;
  return std::exchange(queue_, choose_queue());
}

bool Stream::complete() const {
  return last_marker_ != nullptr ? last_marker_->done() : queue_->completed(last_packet_);
}

void Stream::retain(MarkerPointer until, MarkerPointer kept) {
  while (!retained_.empty() && retained_.front().until->done()) retained_.pop_front();
  retained_.push_back({std::move(until), std::move(kept)});
}

/// Work of the legacy default stream begins after all work of blocking streams, and theirs after its work.
void Stream::order_with_default_stream() {
  if (kind_ == StreamKind::non_blocking || device_.streams().size() == 1) return;
  if (kind_ == StreamKind::blocking) {
    Stream& first = device_.default_stream();
    if (!first.complete()) wait_for(first.mark());
    return;
  }
  for (Stream* const other : device_.streams())
    if (other->kind_ == StreamKind::blocking && !other->complete()) wait_for(other->mark());
}

void Stream::wait_for(std::span<const MarkerPointer> markers) {
  const auto held = device_.lock();
  std::vector<MarkerPointer> open;
  for (const MarkerPointer& marker : markers)
    if (marker != nullptr && marker != last_marker_ && !marker->done()) open.push_back(marker);
  if (open.empty()) return;
  if (last_marker_ != nullptr && !last_marker_->done()) open.insert(open.begin(), last_marker_);
  for (std::span<const MarkerPointer> rest = open; !rest.empty();) {
    const size_t count = std::min(rest.size(), Queue::most_dependencies);
    last_packet_ = queue_->wait_for(rest.first(count));
    rest = rest.subspan(count);
  }
  last_marker_ = nullptr;
}

void Stream::begin() {
  const auto held = device_.lock();
  check_usable();
  order_with_default_stream();
}

void Stream::Batch::launch(const hsa_kernel_dispatch_packet_t& packet, std::span<const std::byte> arguments) {
  void* const own = stream_.queue_->arguments(arguments.size());
  if (!arguments.empty()) std::memcpy(own, arguments.data(), arguments.size());
  stream_.last_packet_ = stream_.queue_->dispatch(packet, own);
}

/// Throws Failure if the device has failed, and for work that a capture cannot take as a node.
void Stream::check_usable() const {
  if (device_.failure() != hipSuccess) throw Failure(device_.failure());
  if (capture.load(std::memory_order_relaxed) != nullptr) throw Failure(hipErrorStreamCaptureUnsupported);
}

/// Prepares the queue for a packet of this stream.
void Stream::begin_packet() {
  check_usable();
  order_with_default_stream();
  if (last_marker_ == nullptr) return;
  if (!last_marker_->done()) queue_->wait_for(std::span(&last_marker_, 1));
  last_marker_ = nullptr;
}

MarkerPointer Stream::mark(bool always) {
  const auto held = device_.lock();
  if (!always && complete()) return nullptr;
  if (last_marker_ != nullptr && !last_marker_->done()) return last_marker_;
  if (complete()) {
    auto now = std::make_shared<Marker>(device_, Marker::Kind::host);
    now->finish();
    return now;
  }
  auto marker = std::make_shared<Marker>(device_, Marker::Kind::packet);
  submit_marked(marker, nullptr, [&] { queue_->mark(*marker); });
  return marker;
}

/// Keeps a marker until it is reached, and what it waits for, and submits the work behind which it is. The
/// order matters: work cannot be taken back if there is no memory to keep its marker.
template <typename Submit>
void Stream::submit_marked(const MarkerPointer& after, MarkerPointer before, Submit submit) {
  retain(after, std::move(before));
  try {
    submit();
  } catch (...) {
    forget(*after);
    throw;
  }
}

/// Forgets a marker that nothing will reach: what the stream has noted last must be its newest work.
void Stream::forget(Marker& marker) {
  marker.finish();
  std::erase_if(retained_, [&](const Retained& retained) { return retained.until.get() == &marker; });
}

/// All cooperative kernels of a device have one queue. It waits for the stream, and the stream for it.
Stream::CooperativeLaunch::CooperativeLaunch(Stream& stream, const hsa_kernel_dispatch_packet_t& packet,
                                             std::span<const std::byte> arguments,
                                             std::shared_ptr<const void> kept)
    : stream_(stream), held_(stream.device_.lock()), packet_(packet) {
  stream.check_usable();
  stream.order_with_default_stream();
  const MarkerPointer before = stream.mark();
  auto after = std::make_shared<Marker>(stream.device_, Marker::Kind::packet);
  Queue& queue = stream.device_.cooperative_queue();
  if (before != nullptr) queue.wait_for(std::span(&before, 1));
  arguments_ = queue.arguments(arguments.size());
  if (!arguments.empty()) std::memcpy(arguments_, arguments.data(), arguments.size());
  if (kept != nullptr) queue.keep(std::move(kept));
  stream.retain(after, before);
  after_ = std::move(after);
}

void Stream::CooperativeLaunch::submit(const LaunchRecord& record) {
  Queue& queue = stream_.device_.cooperative_queue();
  Queue::record_of(arguments_) = record;
  queue.dispatch(packet_, arguments_);
  queue.mark(*after_);
  submitted_ = true;
  stream_.last_marker_ = after_;
}

Stream::CooperativeLaunch::~CooperativeLaunch() {
  if (!submitted_) stream_.forget(*after_);
}

void Stream::copy(void* to, const void* from, size_t size) {
  const auto held = device_.lock();
  check_usable();
  order_with_default_stream();
  const MarkerPointer before = mark();
  auto after = std::make_shared<Marker>(device_, Marker::Kind::copy);
  hsa_signal_t dependency{};
  if (before != nullptr) dependency = before->signal();
  const auto agents = Runtime::get().copy_agents(device_, to, from);
  submit_marked(after, before, [&] {
    check(hsa_amd_memory_async_copy(to, agents.to, from, agents.from, size, before != nullptr ? 1 : 0,
                                    &dependency, after->signal()),
          "hsa_amd_memory_async_copy", hipErrorInvalidValue);
  });
  last_marker_ = std::move(after);
}

void Stream::run(std::function<void()> function, AtOnce at_once) {
  auto held = device_.lock();
  check_usable();
  order_with_default_stream();
  if (at_once == AtOnce::yes && complete()) {
    held.unlock();
    function();
    return;
  }
  run_until([function = std::move(function)](const MarkerPointer& marker) {
    function();
    marker->finish();
  });
}

void Stream::run_until(std::function<void(const MarkerPointer&)> function) {
  const auto held = device_.lock();
  check_usable();
  order_with_default_stream();
  const MarkerPointer before = mark(true);
  auto after = std::make_shared<Marker>(device_, Marker::Kind::host);
  auto data = std::make_unique<HostFunction>(HostFunction{std::move(function), before, after});
  submit_marked(after, before, [&] {
    check(hsa_amd_signal_async_handler(before->signal(), HSA_SIGNAL_CONDITION_LT, 1, run_host_function,
                                       data.get()),
          "hsa_amd_signal_async_handler");
  });
  static_cast<void>(data.release());  // the handler owns it now
  last_marker_ = std::move(after);
}

bool Stream::finished() const { return complete() && (retained_.empty() || retained_.back().until->done()); }

bool Stream::idle() {
  const auto held = device_.lock();
  bool is_idle = finished();
  // A wait for the default stream of the device is one for all streams that block.
  if (kind_ == StreamKind::legacy_default)
    is_idle = is_idle && std::ranges::all_of(device_.streams(), [](const Stream* other) {
                return other->kind_ != StreamKind::blocking || other->complete();
              });
  if (device_.failure() != hipSuccess) throw Failure(device_.failure());
  return is_idle;
}

void Stream::finish() {
  auto held = device_.lock();
  const MarkerPointer marker = last_marker_;
  const std::shared_ptr<const Queue> queue = queue_;  // which Device::reset() may replace meanwhile
  const uint64_t packet = last_packet_;
  // The packet of an event comes after the work that it marks, and the event must be ready, too.
  const MarkerPointer newest = retained_.empty() ? nullptr : retained_.back().until;
  held.unlock();
  if (marker != nullptr)
    marker->wait();
  else
    queue->wait(packet);
  if (newest != nullptr) newest->wait();
}

void Stream::synchronize() {
  bool is_over = false;
  {
    // The host waits as work in the stream would: the legacy default stream for all blocking streams.
    const auto held = device_.lock();
    if (kind_ == StreamKind::legacy_default) order_with_default_stream();
    is_over = finished();
  }
  settle(is_over);
}

void Stream::take_turn() {
  bool is_over = false;
  {
    const auto held = device_.lock();
    check_usable();
    order_with_default_stream();
    is_over = finished();
  }
  settle(is_over);
}

/// The end of a wait for all work, which may be over without waiting.
void Stream::settle(bool is_over) {
  if (!is_over) finish();
  // A kernel that failed may have printed before, for example the message of a failed assertion.
  device_.print_output();
  if (device_.failure() != hipSuccess) throw Failure(device_.failure());
  device_.trim_pools();
}

}  // namespace heddle::hip
