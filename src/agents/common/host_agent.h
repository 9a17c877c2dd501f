// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver boundary of an agent that executes on the host: what is the same for all of them.
#pragma once

#include <hsam/hsam.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "agents/common/executor.h"
#include "agents/common/launcher.h"
#include "agents/common/packet_checks.h"
#include "agents/common/serial.h"
#include "agents/common/worker_pool.h"

namespace heddle::agents {

/// One agent. It is never destroyed once it is registered, because its queues and threads may outlive every
/// client.
class HostAgent {
 public:
  /// A null `executor` makes an agent without kernel dispatch. At most `threads` helper threads are shared by
  /// all its queues.
  HostAgent(const hsam_host& host, const char* log_source, std::unique_ptr<Executor> executor,
            uint32_t threads, const DispatchLimits& limits);
  /// An agent whose device runs dispatches by itself; the host processes the packets only.
  HostAgent(const hsam_host& host, const char* log_source, std::unique_ptr<Device> device,
            const DispatchLimits& limits);

  /// Sets the interface that registration returned. Must be called before the first message arrives.
  void set_driver(const hsa_generic_driver_interface* driver) { driver_ = driver; }

  HSAM_Error queue_new(int64_t client, int64_t doorbell, int64_t queue, const HSAM_queue_info_str& info,
                       int64_t* out) noexcept;
  HSAM_Error queue_remove(int64_t queue_at_agent);
  HSAM_Error queue_inactivate(int64_t queue_at_agent);
  HSAM_Error queue_set_priority(int64_t queue_at_agent, hsam_queue_priority priority);
  HSAM_Error queue_set_compute_units(int64_t queue_at_agent, std::span<const uint32_t> mask) noexcept;
  HSAM_Error code_load(const void* code_object, size_t size, const hsam_variable_address* variables,
                       uint32_t count, int64_t* out) noexcept;
  HSAM_Error code_unload(int64_t code_at_agent);
  HSAM_Error code_kernel(int64_t code_at_agent, uint32_t kernel, uint64_t* kernel_object);
  HSAM_Error code_function(int64_t code_at_agent, uint32_t function, uint64_t* function_handle);
  HSAM_Error code_extent(int64_t code_at_agent, uint64_t* base, uint64_t* size);

 private:
  void log(hsam_log_level level, const std::string& message) const;
  Result<std::unique_ptr<Launcher>, Error> make_launcher(int64_t client);

  const hsam_host& host_;
  const char* log_source_;
  const hsa_generic_driver_interface* driver_ = nullptr;
  // One of the two, or none.
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Device> device_;
  CodeLoader* const loader_;  ///< that one
  std::unique_ptr<WorkerPool> pool_;
  DispatchLimits limits_;
  const SerialMode serial_;
  SerialTurn turn_;
};

/// Runs the body of hsam_agent_driver_main, which says whether the agents are registered, and returns what
/// that function returns. A lack of memory becomes an error, so that no exception reaches the driver.
template <typename Body>
int driver_main(Body body) noexcept {
  try {
    return body() ? HSAM_Done : HSAM_Invalid;
  } catch (const std::bad_alloc&) {
    return HSAM_OutOfResources;
  }
}

/// The limits that an ISA's description announces.
DispatchLimits limits_of(const hsam_isa_description& isa);

/// The messages of the driver do not say which agent they are for, so each agent needs functions of its own.
/// Each agent has an instance of this template, told apart by `Tag`.
template <typename Tag>
class HostAgentMessages {
 public:
  static inline HostAgent* agent = nullptr;

  /// Registers `made` under `config`; false if the driver refuses. An agent from an earlier attempt, which
  /// the driver has forgotten, is destroyed.
  static bool register_agent(const hsam_host& host, const hsa_agent_driver_config& config,
                             std::unique_ptr<HostAgent> made) {
    delete std::exchange(agent, made.release());
    hsa_generic_driver_config driver_config = {};
    const hsa_generic_driver_interface* driver = host.register_agent(&interface(), &config, &driver_config);
    if (driver) agent->set_driver(driver);
    return driver != nullptr;
  }

 private:
  static const hsa_agent_driver_interface& interface() {
    static const hsa_agent_driver_interface table = make();
    return table;
  }

  static hsa_agent_driver_interface make() {
    hsa_agent_driver_interface t = {};
    t.client_new = [](int64_t client, void*, void*, int64_t* out) {
      *out = client;
      return HSAM_Done;
    };
    t.client_remove = [](int64_t, void*) { return HSAM_Done; };
    // Signals are used through hsam/signal.h; their messages are not asked for (wants_signal_messages).
    t.signal_new = [](int64_t, int64_t signal, hsa_signal_object*, hsa_root_dest_node*, void*, int64_t* out) {
      *out = signal;
      return HSAM_Done;
    };
    t.signal_remove = [](int64_t, int64_t, void*) { return HSAM_Done; };
    t.unblock_destination = [](int64_t, int64_t) {};
    t.signal_group_new = [](int64_t, int64_t group, int32_t, const int64_t*, hsa_signal_group_object*,
                            hsa_signal_group_destination*, void*, int64_t* out) {
      *out = group;
      return HSAM_Done;
    };
    t.signal_group_remove = [](int64_t, int64_t, void*) { return HSAM_Done; };
    t.queue_new = [](int64_t client, int64_t doorbell, int64_t queue, HSAM_queue_info_str info, void*,
                     int64_t* out) { return agent->queue_new(client, doorbell, queue, info, out); };
    t.queue_remove = [](int64_t, int64_t queue, void*) { return agent->queue_remove(queue); };
    // All memory is the host's and coherent, so there is nothing to do except to copy.
    t.memory_allocation = [](int64_t, void*, int32_t, hsam_segment, int32_t, void*) { return HSAM_Done; };
    t.memory_free = [](int64_t, void*, void*) { return HSAM_Done; };
    t.memory_acquire = [](int64_t, void*, hsam_access_permission, void*) { return HSAM_Done; };
    t.memory_release = [](int64_t, void*, void*) { return HSAM_Done; };
    t.memory_copy = [](int64_t, void* to, const void* from, int32_t size, void*) {
      if (size < 0) return HSAM_Invalid;
      __builtin_memmove(to, from, static_cast<size_t>(size));
      return HSAM_Done;
    };
    t.tail_size = sizeof t;
    t.queue_inactivate = [](int64_t, int64_t queue, void*) { return agent->queue_inactivate(queue); };
    t.code_load = [](int64_t, const void* object, size_t size, const hsam_variable_address* variables,
                     uint32_t count, void*,
                     int64_t* out) { return agent->code_load(object, size, variables, count, out); };
    t.code_unload = [](int64_t, int64_t code, void*) { return agent->code_unload(code); };
    t.code_kernel = [](int64_t, int64_t code, uint32_t kernel, uint64_t* out) {
      return agent->code_kernel(code, kernel, out);
    };
    t.code_function = [](int64_t, int64_t code, uint32_t function, uint64_t* out) {
      return agent->code_function(code, function, out);
    };
    t.queue_set_priority = [](int64_t, int64_t queue, hsam_queue_priority priority, void*) {
      return agent->queue_set_priority(queue, priority);
    };
    t.queue_set_compute_units = [](int64_t, int64_t queue, const uint32_t* mask, uint32_t words, void*) {
      return agent->queue_set_compute_units(queue, {mask, words});
    };
    t.code_extent = [](int64_t, int64_t code, uint64_t* base, uint64_t* size) {
      return agent->code_extent(code, base, size);
    };
    return t;
  }
};

}  // namespace heddle::agents
