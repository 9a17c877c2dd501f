// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DSP's side of signals and queues: doorbells, and a packet processor for each queue.
#pragma once

#include <hsam/signal.h>

#include <thread>
#include <unordered_map>

#include "kernel.h"

namespace tiny_dsp {

constexpr uint32_t work_group_max = 256;

/// A signal that the DSP may wait on. It lives from signal_new to signal_remove, as nodes must (MVA 3.9.4).
struct Signal {
  hsam_signal* signal;
  hsa_root_dest_node* root;
  uint64_t bell = 0;  // the DSP's doorbell: senders write a 1
  hsa_destination_node node = {0, nullptr, &bell, nullptr};
  hsam_waiter waiter = {HSAM_WAITER_AWAKE};  // of the thread that sleeps for it

  void update(uint64_t state) {
    const uint64_t ring_value = uint64_t{1} << HSAM_ROOT_DOORBELL_VALUE_SHIFT;
    hsam_root_update(signal, root, ring_value | state, &node, nullptr);
  }
};

struct Client {
  const int64_t handle;
  ShadowMemory memory;
  std::mutex mutex = {};                                               // for `kernels`
  std::unordered_map<uint64_t, std::shared_ptr<Kernel>> kernels = {};  // by kernel object
};

class Queue {
 public:
  Queue(const hsa_generic_driver_interface& driver, Client& client, Signal& doorbell, int64_t handle,
        const HSAM_queue_info_str& info)
      : driver_(driver), client_(client), doorbell_(doorbell), handle_(handle), info_(info) {}
  ~Queue() {
    inactivate();
    hsam_root_update(doorbell_.signal, doorbell_.root, 0, nullptr, nullptr);
  }

  void start() {
    doorbell_.update(0);
    thread_ = std::thread([this] { run(); });
  }
  /// Returns when no packet is processed any more. May be called again.
  void inactivate() {
    std::lock_guard lock(joining_);
    stop_ = true;
    hsam_waiter_kick(&doorbell_.waiter);
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Failure {
    hsa_status_t status;
    const char* reason;
  };

  uint32_t* slot() const {
    return static_cast<uint32_t*>(info_.payload_user_addr) + (read_ & (info_.size - 1)) * 16;
  }
  unsigned packet_type() const {
    hsam_signal_load_scacquire(doorbell_.signal);  // what was written before a ring is visible from here on
    const auto* header = reinterpret_cast<uint16_t*>(slot());
    return __atomic_load_n(header, __ATOMIC_ACQUIRE) >> HSA_PACKET_HEADER_TYPE & 0xff;
  }

  void run() {
    try {
      while (!stop_)
        if (const unsigned type = packet_type(); type == HSA_PACKET_TYPE_INVALID)
          wait_for_doorbell();
        else
          process(type);
    } catch (const Failure& failure) {
      driver_.queue_error(client_.handle, handle_, failure.status, failure.reason);
    } catch (const Fault& fault) {
      driver_.client_error(client_.handle, fault.address, fault.is_store, handle_);
    }
  }

  /// Waits as MVA 3.11.1 says: polls the doorbell for a while, then declares itself INACTIVE, so that the
  /// next sender has unblock_destination called, looks once more, and sleeps.
  void wait_for_doorbell() {
    for (int i = 0; i < 4000; ++i) {
      if (__atomic_exchange_n(&doorbell_.bell, 0, __ATOMIC_SEQ_CST) != 0) return;
      hsam_cpu_relax();
    }
    hsam_waiter_reset(&doorbell_.waiter);
    doorbell_.update(HSAM_NODE_STATE_INACTIVE);
    if (!stop_ && packet_type() == HSA_PACKET_TYPE_INVALID) hsam_waiter_sleep(&doorbell_.waiter, UINT64_MAX);
    doorbell_.update(0);
  }

  /// Takes the next packet out of the ring and executes it.
  void process(unsigned type) {
    union {
      hsa_kernel_dispatch_packet_t kernel;
      hsa_agent_dispatch_packet_t agent;
      hsa_barrier_and_packet_t barrier;
    } packet;
    const uint64_t started = driver_.timestamp();
    std::memcpy(&packet, slot(), sizeof packet);
    __atomic_store_n(slot(), HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE, __ATOMIC_RELEASE);
    __atomic_store_n(info_.read_index_ptr_kern_addr, ++read_, __ATOMIC_RELEASE);
    hsam_signal* const completion = checked(packet.barrier.completion_signal);  // all packets have it there
    if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH)
      dispatch(packet.kernel);
    else if (type == HSA_PACKET_TYPE_AGENT_DISPATCH)
      call(packet.agent);
    else if (type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR)
      wait_for_dependencies(packet.barrier, type == HSA_PACKET_TYPE_BARRIER_OR);
    else
      throw Failure{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "the type of the packet is unknown"};
    if (stop_ || completion == nullptr) return;
    __atomic_store_n(&completion->start_timestamp, started, __ATOMIC_RELAXED);
    __atomic_store_n(&completion->end_timestamp, driver_.timestamp(), __ATOMIC_RELAXED);
    hsam_signal_subtract_screlease(completion, 1);
  }

  void expect(bool condition, hsa_status_t status, const char* reason) const {
    if (!condition) throw Failure{status, reason};
  }
  /// Returns the block of a signal; null if there is none.
  hsam_signal* checked(hsa_signal_t signal) const {
    expect(signal.handle == 0 || driver_.is_signal(client_.handle, signal.handle),
           HSA_STATUS_ERROR_INVALID_ARGUMENT, "a signal of the packet does not exist");
    return reinterpret_cast<hsam_signal*>(signal.handle);
  }

  /// A dependency that was 0 once stays satisfied (Runtime 2.6.5.9), so it leaves the list.
  void wait_for_dependencies(const hsa_barrier_and_packet_t& packet, bool any) {
    hsam_signal* waiting[5];
    uint32_t count = 0;
    for (hsa_signal_t dependency : packet.dep_signal)
      if (hsam_signal* const signal = checked(dependency)) waiting[count++] = signal;
    const hsa_signal_condition_t equal[5] = {};
    const int64_t zeros[5] = {};
    hsam_wait_record records[5];
    const uint64_t moment = HSAM_TIMESTAMP_FREQUENCY / 500;  // until it looks at stop_
    for (int64_t value; !stop_ && (any || count != 0);) {
      const uint32_t met =
          hsam_signal_wait_any(count, waiting, equal, zeros, moment, HSA_WAIT_STATE_BLOCKED, records, &value);
      if (met == count) continue;
      if (any) return;
      waiting[met] = waiting[--count];
    }
  }

  void dispatch(const hsa_kernel_dispatch_packet_t& p) {
    const uint32_t grid[] = {p.grid_size_x, p.grid_size_y, p.grid_size_z};
    const uint64_t group[] = {p.workgroup_size_x, p.workgroup_size_y, p.workgroup_size_z};
    bool fits = p.setup % 4 != 0 && group[0] * group[1] * group[2] <= work_group_max;
    for (int i = 0; i < 3; ++i)
      fits = fits && grid[i] != 0 && group[i] != 0 && (i < p.setup % 4 || (grid[i] == 1 && group[i] == 1));
    expect(fits, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "the DSP has no such work-groups or grids");
    std::unique_lock lock(client_.mutex);
    const auto found = client_.kernels.find(p.kernel_object);
    const auto kernel = found == client_.kernels.end() ? nullptr : found->second;
    lock.unlock();
    expect(kernel != nullptr, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel has this kernel object");
    expect(p.group_segment_size == 0, HSA_STATUS_ERROR_INVALID_ALLOCATION, "the DSP has no group memory");
    expect(p.private_segment_size == 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES, "the DSP has no private memory");
    const uint64_t items = uint64_t{grid[0]} * grid[1] * grid[2];
    for (uint64_t item = 0; item < items && !stop_; ++item) {
      uint64_t r[DSP_REGISTERS] = {0, item, reinterpret_cast<uint64_t>(p.kernarg_address)};
      execute(kernel->text, client_.memory, r, stop_);
    }
  }

  void call(const hsa_agent_dispatch_packet_t& packet) {
    expect(packet.type == DSP_SUM, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "the DSP has no such function");
    uint64_t sum = 0;
    uint32_t value;
    for (uint64_t i = 0; i < packet.arg[1] && !stop_; sum += value, ++i)
      client_.memory.access(packet.arg[0] + 4 * i, &value, sizeof value, false);
    client_.memory.access(reinterpret_cast<uint64_t>(packet.return_address), &sum, sizeof sum, true);
  }

  const hsa_generic_driver_interface& driver_;
  Client& client_;
  Signal& doorbell_;
  const int64_t handle_;
  const HSAM_queue_info_str info_;
  uint64_t read_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace tiny_dsp
