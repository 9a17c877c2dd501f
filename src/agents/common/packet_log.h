// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the log says about the packets of a queue (subjects aql, wait and kernel).
#pragma once

#include <cstdint>

#include <hsam/hsam.h>

#include "agents/common/executor.h"

namespace heddle::agents {

/// The log of one queue. Thread safe. A message that is not shown costs a load and a test.
class PacketLog {
 public:
  /// `host` is null, or outlives the object, as `source` does. `queue_id` is hsa_queue_t::id.
  PacketLog(const hsam_host* host, const char* source, uint64_t queue_id)
      : host_(host), source_(source), queue_id_(queue_id) {
    if (host != nullptr && hsam_can_log_about(host) != 0) logged_ = host->logged;
  }

  /// A packet has been taken from the queue. `packet` is a copy of its 64 bytes.
  void taken(uint64_t packet_id, const void* packet) const noexcept {
    if (shows(HSAM_LOG_AQL)) write_taken(packet_id, packet);
  }
  /// A barrier packet waits for this many signals, or for one of them.
  void waits(uint64_t packet_id, uint32_t signals, bool any) const noexcept {
    if (shows(HSAM_LOG_WAIT)) write_waits(packet_id, signals, any);
  }
  /// A barrier packet is complete after this time (ticks).
  void waited(uint64_t packet_id, uint64_t time) const noexcept {
    if (shows(HSAM_LOG_WAIT)) write_waited(packet_id, time);
  }
  /// A packet has to wait for the dispatches of other queues (HEDDLE_SERIALIZE).
  void waits_for_turn(uint64_t packet_id) const noexcept {
    if (shows(HSAM_LOG_WAIT)) write_waits_for_turn(packet_id);
  }
  void launched(const KernelDispatch& dispatch) const noexcept {
    if (shows(HSAM_LOG_KERNEL)) write_launched(dispatch);
  }
  /// A dispatch has ended after this time (ticks), with this many threads.
  bool shows_kernels() const noexcept { return shows(HSAM_LOG_KERNEL); }
  void ended(const KernelDispatch& dispatch, uint64_t time, uint32_t threads,
             hsa_status_t status) const noexcept {
    if (shows(HSAM_LOG_KERNEL)) write_ended(dispatch, time, threads, status);
  }

 private:
  bool shows(hsam_log_subject subject) const noexcept {
    return (__atomic_load_n(logged_, __ATOMIC_RELAXED) & hsam_log_bit(HSAM_LOG_DEBUG, subject)) != 0;
  }
  void write_taken(uint64_t packet_id, const void* packet) const noexcept;
  void write_waits(uint64_t packet_id, uint32_t signals, bool any) const noexcept;
  void write_waited(uint64_t packet_id, uint64_t time) const noexcept;
  void write_waits_for_turn(uint64_t packet_id) const noexcept;
  void write_launched(const KernelDispatch& dispatch) const noexcept;
  void write_ended(const KernelDispatch& dispatch, uint64_t time, uint32_t threads,
                   hsa_status_t status) const noexcept;
  template <typename... Arguments>
  void write(hsam_log_subject subject, const char* format, Arguments... arguments) const noexcept;

  static constexpr uint32_t nothing_ = 0;
  const uint32_t* logged_ = &nothing_;  ///< what the log shows, as hsam_host::logged
  const hsam_host* host_;
  const char* source_;
  uint64_t queue_id_;
};

}  // namespace heddle::agents
