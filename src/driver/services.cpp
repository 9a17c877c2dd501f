// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/services.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include <hsam/signal.h>

#include "driver/activity.h"
#include "driver/agent_memory.h"
#include "driver/connections.h"
#include "driver/log.h"
#include "driver/memory.h"
#include "driver/messages.h"
#include "driver/page_watch.h"
#include "driver/queues.h"
#include "driver/registry.h"
#include "driver/signals.h"
#include "support/fork_handler.h"

namespace heddle::driver {
namespace {

class ClientDirectory {
 public:
  static ClientDirectory& instance() {
    static ClientDirectory& directory = *new ClientDirectory;
    return directory;
  }

  void insert(int64_t handle, const ClientParts& parts) {
    std::unique_lock lock(mutex_);
    clients_.emplace(handle, parts);
  }
  void erase(int64_t handle) {
    std::unique_lock lock(mutex_);
    clients_.erase(handle);
  }
  /// Calls f(parts) while the client is kept from ending. Returns false if there is no such client.
  template <typename F>
  bool with(int64_t handle, F f) {
    std::shared_lock lock(mutex_);
    auto found = clients_.find(handle);
    if (found == clients_.end()) return false;
    f(found->second);
    return true;
  }

 private:
  /// Empties the directory in the child of a fork.
  void forget_parent() noexcept {
    abandon(mutex_);
    abandon(clients_);
  }

  std::shared_mutex mutex_;
  std::unordered_map<int64_t, ClientParts> clients_;
  const ForkHandler fork_handler_{
      [](void* directory) noexcept { static_cast<ClientDirectory*>(directory)->forget_parent(); }, this};
};

template <typename F>
void with_client(const char* message, int64_t handle, F f) {
  if (!ClientDirectory::instance().with(handle, f))
    log_error("{} names client {:#x}, which does not exist", message, handle);
}

void queue_error(int64_t client, int64_t queue, hsa_status_t status, const char* message) {
  log_debug(HSAM_LOG_COMMAND, "queue_error of queue {:#x}: status {:#x}", queue,
            static_cast<unsigned>(status));
  with_client("queue_error", client,
              [&](const ClientParts& parts) { parts.queues->report_error(queue, status, message); });
}

void memory_fault(int64_t client, int64_t queue, uint64_t address, uint32_t causes, const char* message) {
  log_debug(HSAM_LOG_COMMAND, "memory_fault of queue {:#x} at {:#x}", queue, address);
  with_client("memory_fault", client, [&](const ClientParts& parts) {
    parts.queues->report_error(queue, HSA_STATUS_ERROR_FATAL, message, MemoryFault{address, causes});
  });
}

// MVA does not say what follows from a fault that nobody could resolve. Here the queue in which it occurred
// fails permanently.
void client_error(int64_t client, uint64_t address, uint32_t access, int64_t queue) {
  char message[64];
  std::snprintf(message, sizeof message, "memory fault at 0x%llx (access %u)",
                static_cast<unsigned long long>(address), access);
  with_client("client_error", client, [&](const ClientParts& parts) {
    parts.queues->report_error(queue, HSA_STATUS_ERROR_FATAL, message, MemoryFault{address, 0});
  });
}

void destination_unreachable(int64_t client, hsa_signal_object* object, int64_t device_driver_id) {
  // The address comes from memory that the client can write (MVA 2.7.3), so it must be found in the table
  // before it is dereferenced.
  hsam_signal* signal = SignalTable::instance().find(object);
  const Agent* agent = device_driver_id >= 0 && device_driver_id <= UINT16_MAX
                           ? Registry::instance().find(static_cast<uint16_t>(device_driver_id))
                           : nullptr;
  if (signal == nullptr || agent == nullptr) {
    log_warning("destination_unreachable names no live signal, or no agent: {}, {}",
                static_cast<void*>(object), device_driver_id);
    return;
  }
  with_client("destination_unreachable", client, [&](const ClientParts& parts) {
    parts.signals->unblock(reinterpret_cast<uintptr_t>(signal), *agent);
  });
}

void agent_reply(HSAM_Error code, void* cookie) { ReplyTable::instance().reply(code, cookie); }

void launch_dll(int64_t client, char* file) {
  log_debug(HSAM_LOG_MISC, "launch_dll opens {}", file == nullptr ? "" : file);
  with_client("launch_dll", client, [&](const ClientParts&) {
    if (file == nullptr || dlopen(file, RTLD_NOW | RTLD_LOCAL) == nullptr)
      log_error("launch_dll: {} cannot be opened: {}", file == nullptr ? "" : file,
                file == nullptr ? "" : dlerror());
  });
}

int is_signal(int64_t, uint64_t handle) {
  return SignalTable::instance().kind(handle) != SignalTable::Kind::none;
}

uint64_t system_timestamp() { return hsam_timestamp(); }

/// Tells an agent of a change of pages, if the client and the agent know each other.
void update_range(int64_t client, uint16_t device_driver_id, const PageRange& pages,
                  hsam_range_change change) {
  log_debug(HSAM_LOG_MISC, "pages from {:#x} to {:#x} changed ({}), agent {} is told", pages.begin, pages.end,
            static_cast<unsigned>(change), device_driver_id);
  const Agent* agent = Registry::instance().find(device_driver_id);
  if (agent == nullptr) return;
  auto function = Requests::interface(*agent).update_range_on_agent;
  if (function == nullptr) return;
  ClientDirectory::instance().with(client, [&](const ClientParts& parts) {
    int64_t client_at_agent;
    if (parts.connections->find(*agent, &client_at_agent))
      function(client_at_agent, reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, change);
  });
}

HSAM_Error report_page_fault(int64_t client, uint16_t device_driver_id, void* address, uint64_t size,
                             uint32_t access) {
  const PageRange pages = PageRange::around(address, size);
  agent_memory::open_reservation(pages.begin, pages.end - pages.begin);
  const HSAM_Error answer = commit(pages, access != 0);
  if (answer == HSAM_Done) update_range(client, device_driver_id, pages, HSAM_RANGE_COMMITTED);
  return answer;
}

HSAM_Error watch_range(int64_t client, uint16_t device_driver_id, void* address, uint64_t size) {
  HSAM_Error answer = HSAM_Invalid;
  with_client("watch_range", client, [&](const ClientParts&) {
    answer =
        PageWatch::instance().watch(client, device_driver_id, PageRange::around(address, size), update_range);
  });
  return answer;
}

HSAM_Error unwatch_range(int64_t client, uint16_t device_driver_id, void* address, uint64_t size) {
  return PageWatch::instance().unwatch(client, device_driver_id, PageRange::around(address, size));
}

/// Tells observers of an agent's activity. A record of a queue that is gone is dropped.
void report_activity(const hsam_activity* reported) {
  // The agent may have been built when the record had fewer members.
  hsam_activity record{};
  std::memcpy(&record, reported, std::min(reported->size, sizeof record));
  with_client("report_activity", record.client_handle, [&](const ClientParts& parts) {
    Activity activity;
    if (!parts.queues->identify(record.queue_handle, &activity.agent, &activity.queue_id)) return;
    activity.kind = static_cast<ActivityKind>(record.kind);
    activity.status = record.status;
    activity.begin = record.begin;
    activity.end = record.end;
    activity.packet_id = record.packet_id;
    activity.packet_type = record.packet_type;
    activity.compute_unit = record.compute_unit;
    activity.kernel_object = record.kernel_object;
    activity.work_groups = record.work_groups;
    activity.waves = record.waves;
    activity.work_items = record.work_items;
    activity.signal = record.completion_signal;
    activity.event_id = record.event_id;
    activity.event_values = std::span(record.event_values, record.event_value_count);
    Activities::report(activity);
  });
}

HSAM_Error memory_file(int64_t client, const void* address, int32_t* file, uint64_t* offset) {
  HSAM_Error answer = HSAM_Invalid;
  with_client("memory_file", client, [&](const ClientParts& parts) {
    const auto place = parts.memory->place_of(address);
    if (!place) return;
    *file = place->file;
    *offset = place->offset;
    answer = HSAM_Done;
  });
  return answer;
}

std::atomic<int64_t> last_client_handle{0};

}  // namespace

const hsa_generic_driver_interface generic_interface = {
    .client_error = client_error,
    .destination_unreachable = destination_unreachable,
    .agent_memory_reserve = agent_memory::reserve,
    .agent_memory_unreserve = agent_memory::unreserve,
    .agent_memory_allocate = agent_memory::allocate,
    .agent_memory_allocate_safe_to_access = agent_memory::allocate_safe_to_access,
    .agent_memory_free = agent_memory::free,
    .agent_memory_map = agent_memory::map,
    .agent_memory_unmap = agent_memory::unmap,
    .agent_memory_allocate_physical = agent_memory::allocate_physical,
    .agent_memory_free_physical = agent_memory::free_physical,
    .agent_reply = agent_reply,
    .launch_dll = launch_dll,
    .tail_size = sizeof(hsa_generic_driver_interface),
    .queue_error = queue_error,
    .is_signal = is_signal,
    .timestamp = system_timestamp,
    .agent_memory_reserve_large = agent_memory::large::reserve,
    .agent_memory_unreserve_large = agent_memory::large::unreserve,
    .agent_memory_allocate_large = agent_memory::large::allocate,
    .agent_memory_allocate_safe_to_access_large = agent_memory::large::allocate_safe_to_access,
    .agent_memory_map_large = agent_memory::large::map,
    .agent_memory_unmap_large = agent_memory::large::unmap,
    .agent_memory_allocate_physical_large = agent_memory::large::allocate_physical,
    .agent_memory_free_physical_large = agent_memory::large::free_physical,
    .report_page_fault = report_page_fault,
    .watch_range = watch_range,
    .unwatch_range = unwatch_range,
    .memory_fault = memory_fault,
    .observed_activities = Activities::observed_mask(),
    .report_activity = report_activity,
    .memory_file = memory_file,
};

int64_t new_client_handle() { return last_client_handle.fetch_add(1, std::memory_order_relaxed) + 1; }

void enlist_client(int64_t handle, const ClientParts& parts) {
  ClientDirectory::instance().insert(handle, parts);
}
void delist_client(int64_t handle) { ClientDirectory::instance().erase(handle); }

void signal_destination_unreachable(hsa_signal_object* signal, int64_t device_driver_id) {
  hsam_signal* block = SignalTable::instance().find(signal);
  if (block == nullptr) return;  // the signal was destroyed in the meantime
  destination_unreachable(SignalTable::instance().client(reinterpret_cast<uintptr_t>(block)), signal,
                          device_driver_id);
}

}  // namespace heddle::driver
