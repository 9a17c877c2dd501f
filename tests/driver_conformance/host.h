// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A generic driver for one plugin under test. It uses nothing of heddle but include/hsam, so that it judges
// any agent driver by the interface alone.
#pragma once

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::conformance {

struct RegisteredAgent {
  hsa_agent_driver_interface interface;
  hsa_agent_driver_config config;
  uint16_t device_driver_id;
  bool dispatches_kernels() const { return (config.features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0; }
};

struct QueueError {
  hsa_status_t status;
  std::string message;
};

class Host {
 public:
  static Host& get();

  /// Opens the plugin and lets it register its agents. Returns an empty string on success, else the reason of
  /// the failure.
  std::string open(const std::string& plugin);
  const std::deque<RegisteredAgent>& agents() const { return agents_; }
  /// The first agent that dispatches kernels; null if there is none.
  const RegisteredAgent* kernel_agent() const;
  /// Whether to check what existing HSA programs rely on, too.
  bool for_existing_programs = false;
  /// Contents of the code object file with the plugin's empty kernel; empty if none was given.
  std::vector<char> code;

  /// Sends the request function(arguments..., cookie) and returns its answer, for which it waits if the agent
  /// replies later. A function that the agent lacks counts as HSAM_Not_Supported (hsam.h).
  template <typename... Parameters, typename... Arguments>
  HSAM_Error ask(HSAM_Error (*function)(Parameters...), Arguments... arguments) {
    if (function == nullptr) return HSAM_Not_Supported;
    return ask([&](void* cookie) { return function(arguments..., cookie); });
  }
  /// Does the same for functions whose last parameters are a cookie and a handle, or an address, which the
  /// agent stores.
  template <typename Handle, typename... Parameters, typename... Arguments>
  HSAM_Error ask_for_handle(Handle* handle, HSAM_Error (*function)(Parameters...), Arguments... arguments) {
    if (function == nullptr) return HSAM_Not_Supported;
    return ask([&](void* cookie) { return function(arguments..., cookie, handle); });
  }
  /// Time limit for events that must happen, in seconds: more than any machine takes.
  static constexpr double patience = 600;
  /// Returns the errors of a queue so far. Waits up to `seconds` for the first one.
  std::vector<QueueError> errors(int64_t queue, double seconds = 0);
  /// Returns the number of replies that no request waited for.
  int stray_replies() const;

  /// Makes a signal whose block lives as long as the process, as the blocks of a generic driver do.
  /// is_signal() no longer accepts the signal after end_signal(). `unblock` is called when a sender finds the
  /// agent's destination INACTIVE (MVA 2.7.3).
  hsam_signal* make_signal(int64_t value, uint16_t device_driver_id, std::function<void()> unblock);
  void end_signal(hsam_signal* signal);

 private:
  friend struct Services;
  struct alignas(64) Block {
    hsam_signal signal{};
    hsa_signal_object object{};
    bool live = true;
    std::function<void()> unblock;
  };

  HSAM_Error ask(const std::function<HSAM_Error(void* cookie)>& send);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RegisteredAgent> agents_;
  std::map<void*, HSAM_Error> pending_;  // cookie -> answer, HSAM_Async while there is none
  uintptr_t last_cookie_ = 0;
  int stray_replies_ = 0;
  std::map<int64_t, std::vector<QueueError>> errors_;
  std::map<uint64_t, std::unique_ptr<Block>> signals_;
  std::map<void*, size_t> mapped_;  // memory that agents have been given
};

/// A client of one agent.
class ConformanceClient {
 public:
  explicit ConformanceClient(const RegisteredAgent& agent);
  ~ConformanceClient() { remove(); }
  HSAM_Error answer() const { return answer_; }
  HSAM_Error remove();
  int64_t handle() const { return handle_; }  // the generic driver's handle
  int64_t at_agent() const { return handle_at_agent_; }

 private:
  const RegisteredAgent& agent_;
  int64_t handle_;
  int64_t handle_at_agent_ = 0;
  HSAM_Error answer_;
  bool open_;
};

/// A signal that has been announced to the agent.
class ConformanceSignal {
 public:
  ConformanceSignal(const RegisteredAgent& agent, const ConformanceClient& client, int64_t value);
  ~ConformanceSignal();
  hsam_signal* get() const { return signal_; }
  hsa_signal_t handle() const { return {reinterpret_cast<uintptr_t>(signal_)}; }
  int64_t load() const { return hsam_signal_load_scacquire(signal_); }
  void store(int64_t value) { hsam_signal_store_screlease(signal_, value); }
  int64_t at_agent() const { return at_agent_; }
  /// Waits until the signal has the value. Returns false after `seconds`.
  bool becomes(int64_t value, double seconds = Host::patience) const {
    return hsam_signal_wait_scacquire(signal_, HSA_SIGNAL_CONDITION_EQ, value,
                                      static_cast<uint64_t>(seconds * HSAM_TIMESTAMP_FREQUENCY),
                                      HSA_WAIT_STATE_BLOCKED) == value;
  }

 private:
  const RegisteredAgent& agent_;
  const ConformanceClient& client_;
  hsam_signal* signal_;
  int64_t at_agent_;
};

/// A queue in memory of the test, and the ways in which applications fill it.
class ConformanceQueue {
 public:
  ConformanceQueue(const RegisteredAgent& agent, const ConformanceClient& client, uint32_t size);
  ~ConformanceQueue() { remove(); }
  HSAM_Error answer() const { return answer_; }
  HSAM_Error inactivate();
  HSAM_Error remove();
  int64_t handle() const { return handle_; }
  uint32_t size() const { return size_; }
  uint64_t read_index() const { return __atomic_load_n(&indices_[0].value, __ATOMIC_ACQUIRE); }

  uint64_t reserve() { return __atomic_fetch_add(&indices_[1].value, 1, __ATOMIC_SEQ_CST); }
  bool has_room_for(uint64_t id) const { return id < read_index() + size_; }
  /// Fills the slot except for header and setup, which publish() then stores.
  template <typename Packet>
  void fill(uint64_t id, const Packet& packet) {
    static_assert(sizeof(Packet) == 64);
    std::memcpy(slot(id) + 4, reinterpret_cast<const char*>(&packet) + 4, 60);
  }
  template <typename Packet>
  void publish(uint64_t id, const Packet& packet) {
    uint32_t head;
    std::memcpy(&head, &packet, 4);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot(id)), head, __ATOMIC_RELEASE);
  }
  void ring(uint64_t value) { doorbell_->store(static_cast<int64_t>(value)); }
  /// Reserves a slot, waits until it is free, fills it, publishes the packet and rings the doorbell.
  template <typename Packet>
  uint64_t submit(const Packet& packet) {
    uint64_t id = reserve();
    while (!has_room_for(id)) sched_yield();
    fill(id, packet);
    publish(id, packet);
    ring(id);
    return id;
  }
  uint32_t head(uint64_t id) const {
    return __atomic_load_n(reinterpret_cast<const uint32_t*>(slot(id)), __ATOMIC_ACQUIRE);
  }
  /// Returns the memory of header and ring, for tests that damage it.
  hsa_user_mode_queue* header() const { return reinterpret_cast<hsa_user_mode_queue*>(memory_.get()); }

 private:
  struct alignas(64) Index {
    uint64_t value = 0;
  };
  char* slot(uint64_t id) const { return memory_.get() + ring_ + (id & (size_ - 1)) * 64; }

  const RegisteredAgent& agent_;
  const ConformanceClient& client_;
  uint32_t size_;
  size_t ring_;
  std::unique_ptr<char, void (*)(void*)> memory_;
  Index indices_[2];  // read, write
  std::unique_ptr<ConformanceSignal> doorbell_;
  int64_t handle_;
  int64_t handle_at_agent_ = 0;
  HSAM_Error answer_;
  bool open_;
};

}  // namespace heddle::conformance
