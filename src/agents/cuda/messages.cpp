// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the generic driver calls. All messages but client_new name a client at the agent, and so
// the agent; of client_new each agent has a function of its own.
#include "agents/cuda/messages.h"

#include <array>
#include <new>
#include <utility>

namespace heddle::cuda {
namespace {

GpuAgent* registered[agents_max];
uint16_t numbers[agents_max];  ///< the generic driver's, of the registered agents

/// A client at an agent, behind the handle.
struct Client {
  GpuAgent& agent;
  int64_t handle;  ///< the generic driver's
};
Client& client_of(int64_t handle) { return *reinterpret_cast<Client*>(handle); }
GpuAgent& agent_of(int64_t handle) { return client_of(handle).agent; }
agents::HostAgent& queues_of(int64_t handle) { return agent_of(handle).queues(); }

template <size_t number>
HSAM_Error client_new(int64_t client, void*, void*, int64_t* out) {
  auto* made = new (std::nothrow) Client{*registered[number], client};
  if (!made) return HSAM_OutOfResources;
  *out = reinterpret_cast<int64_t>(made);
  return HSAM_Done;
}

template <size_t... numbers>
constexpr auto client_functions(std::index_sequence<numbers...>) {
  return std::array{&client_new<numbers>...};
}

HSAM_Error client_remove(int64_t client, void*) {
  delete &client_of(client);
  return HSAM_Done;
}

// ---- signals, which are used through hsam/signal.h

void add_signals(hsa_agent_driver_interface& t) {
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
}

// ---- memory

HSAM_Error memory_allocation(int64_t client, void* base, int32_t size, hsam_segment segment, int32_t, void*) {
  if (size < 0) return HSAM_Invalid;
  // That of another agent, since this one provides its own (region_allocate). It may lie in no file.
  if (segment == HSAM_SEGMENT_READONLY) return HSAM_Done;
  return agent_of(client).memory_allocation(client_of(client).handle, base, static_cast<uint64_t>(size),
                                            segment == HSAM_SEGMENT_SYSTEM);
}
HSAM_Error memory_free(int64_t client, void* base, void*) {
  agent_of(client).memory_free(base);
  return HSAM_Done;
}
HSAM_Error memory_copy(int64_t client, void* to, const void* from, int32_t size, void*) {
  return size < 0 ? HSAM_Invalid : agent_of(client).memory_copy(to, from, static_cast<uint64_t>(size));
}

/// The agent of this driver to which the generic driver has given a number; null if it is no agent of this
/// one.
GpuAgent* agent_with(uint16_t device_driver_id) {
  for (uint32_t i = 0; i < agents_max && registered[i]; ++i)
    if (numbers[i] == device_driver_id) return registered[i];
  return nullptr;
}

HSAM_Error peer_access(int64_t client, uint16_t device_driver_id, uint32_t* access) {
  const GpuAgent* const owner = agent_with(device_driver_id);
  *access = owner ? agent_of(client).peer_access(*owner) : 0;
  return HSAM_Done;
}
HSAM_Error peer_allow(int64_t client, uint16_t device_driver_id, void*) {
  GpuAgent* const peer = agent_with(device_driver_id);
  return peer ? agent_of(client).peer_allow(*peer) : HSAM_Invalid;
}

void add_memory(hsa_agent_driver_interface& t) {
  t.memory_allocation = memory_allocation;
  t.memory_free = memory_free;
  // What kernels have written is visible when their dispatches have ended, and copies wait for what they
  // copy.
  t.memory_acquire = [](int64_t, void*, hsam_access_permission, void*) { return HSAM_Done; };
  t.memory_release = [](int64_t, void*, void*) { return HSAM_Done; };
  t.memory_copy = memory_copy;
  t.memory_copy_start = [](int64_t client, const hsam_copy* copy, void* cookie) {
    return agent_of(client).memory_copy_start(*copy, cookie);
  };
  t.peer_access = peer_access;
  t.peer_allow = peer_allow;
  t.region_allocate = [](int64_t client, uint64_t memory_id, uint64_t size, uint64_t alignment, void*,
                         void** out) {
    return agent_of(client).region_allocate(memory_id, size, alignment, out);
  };
  t.region_free = [](int64_t client, void* address, void*) { return agent_of(client).region_free(address); };
}

// ---- queues and code

void add_queues(hsa_agent_driver_interface& t) {
  t.queue_new = [](int64_t client, int64_t doorbell, int64_t queue, HSAM_queue_info_str info, void*,
                   int64_t* out) {
    if (const HSAM_Error opened = agent_of(client).open(); opened != HSAM_Done) return opened;
    return queues_of(client).queue_new(client_of(client).handle, doorbell, queue, info, out);
  };
  t.queue_remove = [](int64_t client, int64_t queue, void*) { return queues_of(client).queue_remove(queue); };
  t.queue_inactivate = [](int64_t client, int64_t queue, void*) {
    return queues_of(client).queue_inactivate(queue);
  };
}

void add_code(hsa_agent_driver_interface& t) {
  t.code_load = [](int64_t client, const void* object, size_t size, const hsam_variable_address* variables,
                   uint32_t count, void*, int64_t* out) {
    if (const HSAM_Error opened = agent_of(client).open(); opened != HSAM_Done) return opened;
    return queues_of(client).code_load(object, size, variables, count, out);
  };
  t.code_unload = [](int64_t client, int64_t code, void*) { return queues_of(client).code_unload(code); };
  t.code_kernel = [](int64_t client, int64_t code, uint32_t kernel, uint64_t* out) {
    return queues_of(client).code_kernel(code, kernel, out);
  };
  t.code_function = [](int64_t client, int64_t code, uint32_t function, uint64_t* out) {
    return queues_of(client).code_function(code, function, out);
  };
  t.code_extent = [](int64_t client, int64_t code, uint64_t* base, uint64_t* size) {
    return queues_of(client).code_extent(code, base, size);
  };
}

hsa_agent_driver_interface interface_of(uint32_t number) {
  static constexpr auto client_new_of = client_functions(std::make_index_sequence<agents_max>());
  hsa_agent_driver_interface t = {};
  t.tail_size = sizeof t;
  t.client_new = client_new_of[number];
  t.client_remove = client_remove;
  add_signals(t);
  add_memory(t);
  add_queues(t);
  add_code(t);
  return t;
}

}  // namespace

bool register_agent(const hsam_host& host, std::unique_ptr<GpuAgent> agent) {
  const uint32_t number = agent->description().config().agent_id;
  if (number >= agents_max) return false;
  delete std::exchange(registered[number], agent.release());
  const hsa_agent_driver_interface messages = interface_of(number);
  hsa_generic_driver_config out = {};
  const hsa_generic_driver_interface* driver =
      host.register_agent(&messages, &registered[number]->description().config(), &out);
  numbers[number] = out.device_driver_id;
  if (driver) registered[number]->set_driver(driver);
  return driver != nullptr;
}

}  // namespace heddle::cuda
