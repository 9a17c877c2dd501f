// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An HSA queue whose packets are executed one after the other.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hip/core/launch_record.h"
#include "hip/core/marker.h"

namespace heddle::hip {

enum class QueuePriority : int8_t { high = -1, normal = 0, low = 1 };

/// Every packet has the barrier bit, so that packets complete in their order. All but markers have the same
/// completion signal, which each decrements. It begins so high that it never reaches 0; what is missing to
/// that is the number of packets that are complete, and a launch needs no signal of its own.
///
/// Functions that submit are called by one thread at a time (Device::lock). The others are thread safe.
class Queue {
 public:
  /// `units` is a mask of the compute units to use; empty for all. Throws Failure.
  Queue(Device& device, QueuePriority priority, std::span<const uint32_t> units,
        hsa_queue_type_t type = HSA_QUEUE_TYPE_MULTI);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Returns memory for the arguments of the dispatch that is submitted next, aligned to 64 bytes, which may
  /// wait until an earlier dispatch no longer needs its arguments. In front of it is a LaunchRecord, which is
  /// all zero in queues that are not cooperative; in others the caller fills it in.
  void* arguments(size_t size);
  static LaunchRecord& record_of(void* arguments) { return static_cast<LaunchRecord*>(arguments)[-1]; }
  /// Keeps an object until the packet that is submitted next is complete.
  void keep(std::shared_ptr<const void> object);
  /// Submits a dispatch, whose header, arguments and completion signal are set here. Returns its number.
  uint64_t dispatch(const hsa_kernel_dispatch_packet_t& packet, void* arguments);
  /// Lets all later packets wait for markers, at most `most_dependencies`. Returns the number of the packet.
  static constexpr size_t most_dependencies = 5;
  uint64_t wait_for(std::span<const MarkerPointer> markers);
  /// Between these, packets become visible to the agent by and by, not one by one.
  void begin_batch() { batched_ = 0; }
  void end_batch();
  /// Lets the marker be reached when all packets before are complete.
  void mark(const Marker& marker);
  /// Returns the number of the last packet that was submitted, 0 if there is none.
  uint64_t submitted() const { return submitted_; }

  bool completed(uint64_t number) const {
    return counter_start - hsa_signal_load_scacquire(counter_) >= static_cast<hsa_signal_value_t>(number);
  }
  /// Waits until a packet is complete, or the queue has failed.
  void wait(uint64_t number) const;
  /// Ends all waits, now and later, because the device has failed.
  void abandon();
  hsa_queue_t* handle() const { return queue_; }

 private:
  static constexpr hsa_signal_value_t counter_start = hsa_signal_value_t{1} << 61;

  struct LargeArguments {
    uint64_t number;
    void* address;
  };
  struct Retained {
    uint64_t number;
    std::shared_ptr<const void> object;
  };

  template <typename Packet>
  void write(const Packet& packet, uint16_t setup, uint16_t type);
  void release_complete();
  void ring();
  void tell_of_batch();

  Device& device_;
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t counter_{};
  uint64_t submitted_ = 0;
  std::optional<uint32_t> batched_;  // packets of the current batch that the agent was not told of
  uint64_t last_index_ = 0;
  std::byte* slots_ = nullptr;
  std::deque<LargeArguments> large_arguments_;
  std::deque<Retained> retained_;
};

}  // namespace heddle::hip
