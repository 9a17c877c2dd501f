// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue whose packets go through functions of tools, the interceptors, before an agent gets them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <hsa/hsa_api_trace.h>
#include <hsam/hsam.h>

namespace heddle::runtime {

struct alignas(64) Packet {
  std::array<uint32_t, 16> words;
};
static_assert(sizeof(Packet) == 64);

/// Two queues: programs write packets to the upper one, a soft queue, and the agent takes packets from the
/// lower one. Whoever rings the upper doorbell takes the packets that are ready, calls the interceptors for
/// each, and writes what they pass on to the lower queue. Packets for which the lower queue has no room wait
/// in memory; a barrier packet, which completes on a signal, then says when the agent has taken packets.
/// Packets that wait keep later ones in the upper queue, so that programs notice a full queue.
class InterceptQueue {
 public:
  /// Both queues and the signal belong to the caller, who calls stop() before destroying them. `retry` has
  /// the value `quiet`, and retry() is to be called when it has another one.
  InterceptQueue(hsa_queue_t* upper, hsa_queue_t* lower, hsam_signal* retry);
  InterceptQueue(const InterceptQueue&) = delete;
  InterceptQueue& operator=(const InterceptQueue&) = delete;

  static constexpr int64_t quiet = 1;

  hsa_queue_t* upper() const { return upper_; }
  hsa_queue_t* lower() const { return lower_; }

  /// Adds an interceptor, which gets packets before those that are there already. std::bad_alloc.
  void add(hsa_amd_queue_intercept_handler handler, void* data);
  enum class Outcome : uint8_t {
    done,
    stopped,    ///< the queue has been stopped
    exhausted,  ///< no memory for packets that interceptors have written; from now on the queue is stopped
  };
  /// Takes the packets that are ready. In an interceptor of any queue it calls process_later() instead.
  Outcome process();
  /// Has process() called by whoever watches the retry signal.
  void process_later();
  /// Is called by whoever watches the retry signal.
  Outcome retry();
  /// Waits until no thread takes packets; none takes any or changes the retry signal afterwards. Returns
  /// false, and does nothing, on a thread that is in an interceptor of this queue.
  bool stop();
  /// Undoes stop().
  void resume();

 private:
  struct Interceptor {
    hsa_amd_queue_intercept_handler handler;
    void* data;
  };
  using Interceptors = std::vector<Interceptor>;
  struct Cursor;

  static void write(const void* packets, uint64_t count);
  std::shared_ptr<const Interceptors> interceptors();
  bool take();
  void submit(const Packet* packets, uint64_t count);
  bool flush();
  uint64_t put(const Packet* packets, uint64_t count);
  uint64_t room() const;
  bool waits_for_retry() const;
  void wait_for_room();
  void write_body(uint64_t number, const Packet& packet);
  void write_header(uint64_t number, uint32_t header);
  void publish(uint64_t first, uint32_t first_header);

  static thread_local Cursor cursor_;

  hsa_queue_t* const upper_;
  hsa_queue_t* const lower_;
  hsam_signal* const retry_;
  // Copies, because programs can overwrite the headers of queues.
  const uint64_t size_;
  Packet* const upper_ring_;
  Packet* const lower_ring_;
  hsam_signal* const lower_doorbell_;

  std::mutex list_mutex_;  // guards interceptors_
  std::shared_ptr<const Interceptors> interceptors_;

  std::mutex retry_mutex_;  // guards retry_usable_
  bool retry_usable_ = true;

  std::mutex mutex_;  // guards the members below, and is held while interceptors run
  bool stopped_ = false;
  uint64_t next_ = 0;        ///< number of the packet of the upper queue that is to be taken next
  uint64_t lower_next_ = 0;  ///< number of the next packet of the lower queue
  uint64_t retry_end_ = 0;   ///< the number after the last barrier packet that tells of room
  std::vector<Packet> waiting_;
  bool exhausted_ = false;
};

}  // namespace heddle::runtime
