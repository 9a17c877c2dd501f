// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue in memory and a generic driver that records errors, for tests of packet processors without a
// runtime.
#pragma once

#include <hsam/activity.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>
#include <xmmintrin.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::agents::test {

/// Waits for something, for some seconds at most.
template <typename Condition>
bool becomes_true(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A signal owned by the test. Its block is never freed, because a sender may still look at it after the
/// value has changed. The generic driver reuses blocks, but never frees them either.
class Signal {
 public:
  explicit Signal(int64_t initial = 1) : block_(allocate()) {
    block_->object.signal_value_ptr = reinterpret_cast<uint64_t*>(&block_->signal.value);
    block_->signal.object = &block_->object;
    block_->signal.value = initial;
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  hsam_signal* get() { return &block_->signal; }
  hsa_signal_t handle() { return {reinterpret_cast<uint64_t>(get())}; }
  int64_t load() const { return hsam_signal_load_scacquire(&block_->signal); }
  void store(int64_t value) { hsam_signal_store_screlease(get(), value); }
  void wait_until_watched() const {
    while (__atomic_load_n(&block_->signal.waiters, __ATOMIC_SEQ_CST) == 0) std::this_thread::yield();
  }
  uint64_t start() const { return block_->signal.start_timestamp; }
  uint64_t end() const { return block_->signal.end_timestamp; }
  /// Waits for the value. Returns false after 600 s, which is more than any machine takes.
  bool becomes(int64_t wanted) {
    return hsam_signal_wait_scacquire(get(), HSA_SIGNAL_CONDITION_EQ, wanted, 600 * HSAM_TIMESTAMP_FREQUENCY,
                                      HSA_WAIT_STATE_ACTIVE) == wanted;
  }

 private:
  struct alignas(64) Block {
    hsam_signal signal = {};
    hsa_signal_object object = {};
  };
  static Block* allocate() {
    static std::mutex mutex;
    static auto* blocks = new std::deque<Block>;
    std::lock_guard lock(mutex);
    return &blocks->emplace_back();
  }
  Block* block_;
};

struct QueueError {
  int64_t queue;
  hsa_status_t status;
  std::string message;
  unsigned float_environment = 0;  ///< MXCSR of the thread that reported the error
};

/// The generic driver's side of the interface. There is one for the process, because the interface passes no
/// context.
class FakeDriver {
 public:
  static FakeDriver& get() {
    static FakeDriver driver;
    return driver;
  }
  const hsa_generic_driver_interface* interface() const { return &interface_; }

  /// Says which activities (a mask) somebody observes.
  void observe(uint32_t kinds) { __atomic_store_n(&observed_, kinds, __ATOMIC_RELAXED); }
  /// Returns the records of a queue's activities so far.
  std::vector<hsam_activity> activities_of(int64_t queue) {
    std::lock_guard lock(mutex_);
    std::vector<hsam_activity> found;
    for (const hsam_activity& activity : activities_)
      if (activity.queue_handle == queue) found.push_back(activity);
    return found;
  }

  /// Returns the error of a queue, or status SUCCESS if none is reported within `time`. The default is more
  /// than any machine takes.
  QueueError error_of(int64_t queue, std::chrono::milliseconds time = std::chrono::minutes(10)) {
    std::unique_lock lock(mutex_);
    const auto find = [&] {
      for (auto it = errors_.begin(); it != errors_.end(); ++it)
        if (it->queue == queue) return it;
      return errors_.end();
    };
    arrived_.wait_for(lock, time, [&] { return find() != errors_.end(); });
    const auto it = find();
    if (it == errors_.end()) return {queue, HSA_STATUS_SUCCESS, {}, 0};
    QueueError error = *it;
    errors_.erase(it);
    return error;
  }

 private:
  FakeDriver() {
    interface_.tail_size = sizeof interface_;
    interface_.queue_error = [](int64_t, int64_t queue, hsa_status_t status, const char* message) {
      FakeDriver& self = get();
      std::lock_guard lock(self.mutex_);
      self.errors_.push_back({queue, status, message ? message : "", _mm_getcsr()});
      self.arrived_.notify_all();
    };
    interface_.is_signal = [](int64_t, uint64_t signal) { return static_cast<int>(signal % 64 == 0); };
    interface_.timestamp = [] { return hsam_timestamp(); };
    interface_.observed_activities = &observed_;
    interface_.report_activity = [](const hsam_activity* activity) {
      FakeDriver& self = get();
      std::lock_guard lock(self.mutex_);
      self.activities_.push_back(*activity);
    };
  }

  hsa_generic_driver_interface interface_ = {};
  uint32_t observed_ = 0;
  std::vector<hsam_activity> activities_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<QueueError> errors_;
};

/// Ring, indices and doorbell of one queue, and the ways in which applications fill it.
class FakeQueue {
 public:
  explicit FakeQueue(uint32_t size = 64) : ring_(size) {
    static int64_t next = 1000;
    id_ = next++;
    header_.queue.type = HSA_QUEUE_TYPE_MULTI;
    header_.queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
    header_.queue.base_address = ring_.data();
    header_.queue.doorbell_signal = doorbell_.handle();
    header_.queue.size = size;
    header_.write_index_ptr = &write_;
    header_.read_index_ptr = &read_;
    for (Slot& slot : ring_) slot.words[0] = HSA_PACKET_TYPE_INVALID;
  }

  HSAM_queue_info_str info() {
    HSAM_queue_info_str info = {};
    info.queue_header_user_addr = &header_;
    info.payload_user_addr = ring_.data();
    info.size = header_.queue.size;
    info.read_index_ptr_kern_addr = &read_;
    info.write_index_ptr_kern_addr = &write_;
    info.type = HSA_QUEUE_TYPE_MULTI;
    return info;
  }
  int64_t id() const { return id_; }
  hsam_signal* doorbell() { return doorbell_.get(); }
  uint64_t read_index() const { return __atomic_load_n(&read_, __ATOMIC_ACQUIRE); }

  uint64_t reserve(uint64_t count = 1) { return __atomic_fetch_add(&write_, count, __ATOMIC_ACQ_REL); }
  /// Waits for a free slot and writes the packet to it, except for header and setup.
  template <typename Packet>
  void fill(uint64_t id, const Packet& packet) {
    while (id >= read_index() + ring_.size()) std::this_thread::yield();
    std::memcpy(reinterpret_cast<char*>(&slot(id)) + 4, reinterpret_cast<const char*>(&packet) + 4, 60);
  }
  template <typename Packet>
  void publish(uint64_t id, const Packet& packet) {
    uint32_t head;
    std::memcpy(&head, &packet, 4);
    __atomic_store_n(&slot(id).words[0], head, __ATOMIC_RELEASE);
  }
  void ring(int64_t value) { doorbell_.store(value); }
  template <typename Packet>
  uint64_t submit(const Packet& packet) {
    const uint64_t id = reserve();
    fill(id, packet);
    publish(id, packet);
    ring(static_cast<int64_t>(id));
    return id;
  }
  uint32_t head(uint64_t id) { return __atomic_load_n(&slot(id).words[0], __ATOMIC_ACQUIRE); }

 private:
  struct alignas(64) Slot {
    uint32_t words[16] = {};
  };
  Slot& slot(uint64_t id) { return ring_[id % ring_.size()]; }

  std::vector<Slot> ring_;
  Signal doorbell_{0};
  uint64_t write_ = 0;
  uint64_t read_ = 0;
  int64_t id_ = 0;
  hsa_user_mode_queue header_ = {};
};

constexpr uint16_t header(hsa_packet_type_t type, bool barrier = false) {
  return static_cast<uint16_t>(type | (barrier ? 1 << HSA_PACKET_HEADER_BARRIER : 0) |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

inline hsa_kernel_dispatch_packet_t dispatch(uint64_t kernel_object, uint32_t grid, uint16_t group,
                                             Signal* completion = nullptr, bool barrier = false) {
  hsa_kernel_dispatch_packet_t p = {};
  p.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier);
  p.setup = 1;
  p.workgroup_size_x = group;
  p.workgroup_size_y = p.workgroup_size_z = 1;
  p.grid_size_x = grid;
  p.grid_size_y = p.grid_size_z = 1;
  p.kernel_object = kernel_object;
  if (completion) p.completion_signal = completion->handle();
  return p;
}

inline hsa_barrier_and_packet_t barrier_packet(hsa_packet_type_t type, std::vector<Signal*> dependencies,
                                               Signal* completion = nullptr, bool barrier = false) {
  hsa_barrier_and_packet_t p = {};
  p.header = header(type, barrier);
  for (size_t i = 0; i < dependencies.size(); ++i)
    if (dependencies[i]) p.dep_signal[i] = dependencies[i]->handle();
  if (completion) p.completion_signal = completion->handle();
  return p;
}

}  // namespace heddle::agents::test
