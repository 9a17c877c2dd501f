// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of the driver.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "driver/driver.h"
#include "driver/queue_memory.h"
#include "support/align.h"

namespace heddle::driver {

/// The layout of a queue's block of memory: the two indices, each on a cache line of its own, the header,
/// which clients see, and the ring. Offsets and sizes are in bytes.
struct QueueLayout {
  static constexpr size_t write_index = 0;
  static constexpr size_t read_index = 64;
  static constexpr size_t header = 128;
  size_t ring;
  size_t total;
  QueueLayout(uint32_t packets, uint32_t private_part)
      : ring(align_up(header + sizeof(hsa_user_mode_queue) + private_part, 64)),
        total(ring + size_t{packets} * 64) {}
};

/// The driver's own record of a queue. The driver never reads it back from the header, which user code can
/// overwrite.
class Queue {
 public:
  /// Writes header, indices and ring into `block`, which is 64-byte aligned.
  Queue(std::byte* block, const QueueLayout& layout, const hsa_queue_t& header);
  ~Queue();

  hsa_queue_t* header() const { return reinterpret_cast<hsa_queue_t*>(block_ + QueueLayout::header); }
  std::byte* block() const { return block_; }
  HSAM_queue_info_str info() const;
  const hsa_queue_t& contents() const { return contents_; }

  /// Takes the callback, its data and how to call it from the request.
  void set_callback(const QueueRequest& request) {
    callback_ = request.callback;
    data_ = request.data;
    invoke_ = request.invoke;
    on_memory_fault_ = request.on_memory_fault;
  }

  /// Runtime 2.5.5.4: delivers the first error unless the queue was inactivated before. The callback gets a
  /// thread of its own, so that it delays neither the agent nor the callbacks of other queues.
  void fail(hsa_status_t status, std::string_view message,
            const std::optional<MemoryFault>& fault = std::nullopt);
  /// Stops the delivery of errors that occur later.
  void inactivate();
  /// Discards an error that has not been delivered yet and waits for a running callback. Returns false if the
  /// calling thread is that callback's.
  bool quiesce();
  /// Reports whether there was an error from which the process may not recover.
  bool failed_fatally() const;

  // Set when the queue is created and constant afterwards.
  const Agent* agent = nullptr;  ///< null for soft queues
  int64_t handle = 0;
  int64_t handle_at_agent = 0;
  QueueBlock memory;  ///< the block, unless a client has chosen its region
  bool from_region = false;

  std::mutex requests;  ///< held during requests to the agent about this queue
  /// The compute units that the queue may use, as a mask; guarded by `requests`. Empty for soft queues.
  std::vector<uint32_t> compute_units;

 private:
  void deliver(hsa_status_t status, const std::optional<MemoryFault>& fault);

  std::byte* const block_;
  const size_t ring_offset_;
  const hsa_queue_t contents_;
  QueueCallback* callback_ = nullptr;
  void* data_ = nullptr;
  void (*invoke_)(QueueCallback*, hsa_status_t, hsa_queue_t*, void*) = nullptr;
  void (*on_memory_fault_)(const Agent&, const MemoryFault&) = nullptr;

  mutable std::mutex mutex_;
  bool active_ = true;
  bool discarded_ = false;  // errors are no longer delivered
  bool fatal_ = false;
  std::thread delivery_;
};

}  // namespace heddle::driver
