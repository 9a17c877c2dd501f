// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of HIP: work of a device that is done in the order in which it is submitted.
#pragma once

#include <hip/runtime/types.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <span>

#include "hip/core/device.h"
#include "hip/core/environment.h"

namespace heddle::hip {

class Capture;

enum class StreamKind : uint8_t {
  legacy_default,  ///< the device's own, which waits for all blocking streams, and they for it
  blocking,
  non_blocking
};

/// A stream is a position in one of the device's queues, which it may share with others. Kernels are packets
/// of the queue. Cooperative kernels, copies and functions of the host are not: they wait for a marker in the
/// queue, and have a marker for which the queue waits as soon as a packet is to follow them. Thus a stream
/// whose work is complete costs nothing to wait for, and a stream of kernels needs one packet for each.
///
/// All functions are thread safe: those that submit hold the lock of the device.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  /// `units` is a mask of the compute units to use; empty for all. Throws Failure.
  Stream(Device& device, StreamKind kind, QueuePriority priority, std::span<const uint32_t> units = {});
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  StreamKind kind() const { return kind_; }
  QueuePriority priority() const { return priority_; }
  std::span<const uint32_t> units() const { return units_; }
  /// Returns the number by which HSA knows the queue of the stream.
  uint64_t queue_id() {
    const auto held = device_.lock();
    return queue_->handle()->id;
  }

  /// Submits a kernel. `pack` is called with memory for the arguments, `size` bytes.
  template <typename Pack>
  void launch(const hsa_kernel_dispatch_packet_t& packet, size_t size, Pack pack) {
    const auto held = device_.lock();
    begin_packet();
    void* const arguments = queue_->arguments(size);
    pack(static_cast<std::byte*>(arguments));
    last_packet_ = queue_->dispatch(packet, arguments);
  }

  /// A kernel whose work-groups are all in progress at the same time. The constructor does all that may fail
  /// for want of something; submit() then gives the kernel to the device, with what it can know of its
  /// launch. Until the object is destroyed, nothing else uses the device's streams.
  class CooperativeLaunch {
   public:
    /// Keeps an object until the kernel has ended. Throws Failure.
    CooperativeLaunch(Stream& stream, const hsa_kernel_dispatch_packet_t& packet,
                      std::span<const std::byte> arguments, std::shared_ptr<const void> kept);
    ~CooperativeLaunch();
    CooperativeLaunch(const CooperativeLaunch&) = delete;
    CooperativeLaunch& operator=(const CooperativeLaunch&) = delete;
    /// Throws Failure if the device has failed.
    void submit(const LaunchRecord& record);

   private:
    Stream& stream_;
    std::unique_lock<std::recursive_mutex> held_;
    hsa_kernel_dispatch_packet_t packet_;
    void* arguments_ = nullptr;
    MarkerPointer after_;
    bool submitted_ = false;
  };

  /// Kernels that are submitted together: until the batch ends, nothing else uses the device's streams.
  class Batch {
   public:
    explicit Batch(Stream& stream) : stream_(stream), held_(stream.device_.lock()) {
      stream_.begin_packet();
      stream_.queue_->begin_batch();
    }
    ~Batch() { stream_.queue_->end_batch(); }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void launch(const hsa_kernel_dispatch_packet_t& packet, std::span<const std::byte> arguments);

   private:
    Stream& stream_;
    std::unique_lock<std::recursive_mutex> held_;
  };

  /// Submits a copy between any memory that HSA knows. Returns at once.
  void copy(void* to, const void* from, size_t size);

  /// Submits a function of the host, which runs on a thread of HSA after the work before it, and before the
  /// work behind it; if the stream has nothing to do and `at_once` allows it, on this thread before the call
  /// returns. It must not use the stream, and must not throw.
  enum class AtOnce : bool { no, yes };
  void run(std::function<void()> function, AtOnce at_once);

  /// Calls a function as run() does, with a marker: the work behind it begins when somebody finishes the
  /// marker.
  void run_until(std::function<void(const MarkerPointer&)> function);

  /// Lets later work of the stream wait for a marker, or for several. Null stands for one that is reached.
  void wait_for(const MarkerPointer& marker) { wait_for(std::span(&marker, 1)); }
  void wait_for(std::span<const MarkerPointer> markers);
  /// Lets later work follow that of the default stream, or of all blocking streams, as a launch would.
  void begin();
  /// Returns a marker that is reached when all work up to now is complete; null if it is complete already and
  /// `always` does not want one that tells the time.
  MarkerPointer mark(bool always = false);

  /// Whether all work is complete. Called with the lock of the device.
  bool complete() const;
  /// Whether finish() would return at once. Called with the lock of the device.
  bool finished() const;
  /// Whether all work is complete. Throws Failure if the device failed.
  bool idle();
  /// Waits until all work up to now is complete, and does nothing else.
  void finish();
  /// Waits until all work up to now is complete; prints what kernels have printed. Throws Failure if the
  /// device failed.
  void synchronize();
  /// Waits until the host may do work in the place of the stream: what begin() and then synchronize() do.
  void take_turn();
  /// Takes another queue, because that of the stream has failed, and returns the former one. The stream has
  /// no work.
  std::shared_ptr<Queue> replace_queue();
  /// Whether its packets go to the queue. The caller holds the lock of the device.
  bool uses(const Queue& queue) const { return queue_.get() == &queue; }

  /// The capture that records what the stream is given instead of its being done; null if there is none.
  /// Changes with graphs_lock() held.
  std::atomic<Capture*> capture{nullptr};

 private:
  struct Retained {
    MarkerPointer until, kept;
  };

  std::shared_ptr<Queue> choose_queue();
  void check_usable() const;
  void settle(bool is_over);
  void order_with_default_stream();
  void begin_packet();
  void retain(MarkerPointer until, MarkerPointer kept);
  void forget(Marker& marker);
  template <typename Submit>
  void submit_marked(const MarkerPointer& after, MarkerPointer before, Submit submit);

  Device& device_;
  StreamKind kind_;
  QueuePriority priority_;
  std::vector<uint32_t> units_;
  std::shared_ptr<Queue> queue_;
  uint64_t last_packet_ = 0;
  MarkerPointer last_marker_;  // a copy or function that follows the last packet
  std::deque<Retained> retained_;
};

/// Work that the host submits meanwhile is waited for, before or after it or both, as AMD_SERIALIZE_KERNEL
/// and AMD_SERIALIZE_COPY want it.
class Serialized {
 public:
  Serialized(Stream& stream, uint32_t when) : stream_(stream), when_(when) {
    if ((when_ & serialize_before) != 0) stream_.finish();
  }
  ~Serialized() {
    if ((when_ & serialize_after) != 0) stream_.finish();
  }
  Serialized(const Serialized&) = delete;
  Serialized& operator=(const Serialized&) = delete;

 private:
  Stream& stream_;
  uint32_t when_;
};

}  // namespace heddle::hip
