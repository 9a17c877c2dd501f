// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace heddle::conformance {
namespace {

std::atomic<int64_t> next_handle{5000};

/// "Physical" memory is an anonymous file; its number, which is not 0, stands in the upper half, and the
/// offset in the lower one.
uint64_t number_of(void* physical) { return reinterpret_cast<uintptr_t>(physical); }
int file_of(void* physical) { return static_cast<int>(number_of(physical) >> 32); }

}  // namespace

/// The functions that the plugin may call.
struct Services {
  static const hsa_generic_driver_interface* register_agent(const hsa_agent_driver_interface* interface,
                                                            const hsa_agent_driver_config* config,
                                                            hsa_generic_driver_config* out) {
    if (interface == nullptr || config == nullptr || out == nullptr) return nullptr;
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    RegisteredAgent& agent = host.agents_.emplace_back();
    std::memset(static_cast<void*>(&agent.interface), 0, sizeof agent.interface);
    std::memset(static_cast<void*>(&agent.config), 0, sizeof agent.config);
    std::memcpy(static_cast<void*>(&agent.interface), interface,
                std::min(interface->tail_size, sizeof *interface));
    std::memcpy(static_cast<void*>(&agent.config), config, std::min(config->tail_size, sizeof *config));
    agent.device_driver_id = static_cast<uint16_t>(host.agents_.size());
    *out = {HSAM_VERSION_MAJOR, HSAM_VERSION_MINOR, agent.device_driver_id};
    return &table();
  }

  static void reply(HSAM_Error code, void* cookie) {
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    auto found = host.pending_.find(cookie);
    if (found == host.pending_.end() || found->second != HSAM_Async || code == HSAM_Async)
      ++host.stray_replies_;
    else
      found->second = code;
    host.changed_.notify_all();
  }

  static void queue_error(int64_t, int64_t queue, hsa_status_t status, const char* message) {
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    host.errors_[queue].push_back({status, message == nullptr ? "" : message});
    host.changed_.notify_all();
  }

  static int is_signal(int64_t, uint64_t signal) {
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    auto found = host.signals_.find(signal);
    return found != host.signals_.end() && found->second->live;
  }

  static void log(hsam_log_level level, const char* source, const char* message) {
    if (std::getenv("HEDDLE_LOG") != nullptr) std::fprintf(stderr, "%s: %d: %s\n", source, level, message);
  }

  /// Maps memory for an agent; `file` is -1 for memory of the system.
  static HSAM_Error map_memory(int32_t size, int file, off_t offset, void** address) {
    if (size <= 0 || address == nullptr) return HSAM_Invalid;
    const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* memory = mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, flags, file, offset);
    if (memory == MAP_FAILED) return HSAM_OutOfResources;
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    host.mapped_[memory] = static_cast<size_t>(size);
    *address = memory;
    return HSAM_Done;
  }
  static HSAM_Error unmap_memory(void* address) {
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    const auto found = host.mapped_.find(address);
    if (found == host.mapped_.end()) return HSAM_Invalid;
    munmap(address, found->second);
    host.mapped_.erase(found);
    return HSAM_Done;
  }
  static HSAM_Error allocate_physical(int64_t, int32_t size, void** physical) {
    if (size <= 0 || physical == nullptr) return HSAM_Invalid;
    const int file = memfd_create("conformance-physical", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, size) != 0) return HSAM_OutOfResources;
    *physical = reinterpret_cast<void*>(static_cast<uintptr_t>(file) << 32);
    return HSAM_Done;
  }

  /// A sender found a destination INACTIVE.
  static void unreachable(hsa_signal_object* object, int64_t) {
    Host& host = Host::get();
    std::lock_guard lock(host.mutex_);
    const auto found = host.signals_.find(reinterpret_cast<uintptr_t>(object->signal_value_ptr));
    if (found != host.signals_.end() && found->second->live && found->second->unblock)
      found->second->unblock();
  }

  /// Agents of which these cases ask for no large areas get no large areas.
  static void add_large(hsa_generic_driver_interface& t) {
    t.agent_memory_reserve_large = t.agent_memory_allocate_large =
        t.agent_memory_allocate_safe_to_access_large =
            [](int64_t, uint64_t size, void** address) { return map_memory(narrow(size), -1, 0, address); };
    t.agent_memory_unreserve_large =
        t.agent_memory_unmap_large = [](int64_t, void* address, uint64_t) { return unmap_memory(address); };
    t.agent_memory_map_large = [](int64_t client, uint64_t size, void* physical, void** address) {
      return table().agent_memory_map(client, narrow(size), physical, address);
    };
    t.agent_memory_allocate_physical_large = [](int64_t client, uint64_t size, void** physical) {
      return allocate_physical(client, narrow(size), physical);
    };
    t.agent_memory_free_physical_large = [](int64_t client, void* physical, uint64_t size) {
      return table().agent_memory_free_physical(client, physical, narrow(size));
    };
  }
  static int32_t narrow(uint64_t size) { return size > INT32_MAX ? 0 : static_cast<int32_t>(size); }

  static const hsa_generic_driver_interface& table() {
    static const hsa_generic_driver_interface interface = [] {
      hsa_generic_driver_interface t{};
      t.client_error = [](int64_t client, uint64_t, uint32_t, int64_t queue) {
        queue_error(client, queue, HSA_STATUS_ERROR, "client_error");
      };
      t.destination_unreachable = [](int64_t, hsa_signal_object* object, int64_t agent) {
        unreachable(object, agent);
      };
      t.agent_memory_reserve = t.agent_memory_allocate = t.agent_memory_allocate_safe_to_access =
          [](int64_t, int32_t size, void** address) { return map_memory(size, -1, 0, address); };
      t.agent_memory_unreserve = [](int64_t, void* address, int32_t) { return unmap_memory(address); };
      t.agent_memory_free = [](int64_t, void* address) { return unmap_memory(address); };
      t.agent_memory_map = [](int64_t, int32_t size, void* physical, void** address) {
        const auto offset = static_cast<off_t>(number_of(physical) & UINT32_MAX);
        return map_memory(size, file_of(physical), offset, address);
      };
      t.agent_memory_unmap = [](int64_t, void* address, int32_t) { return unmap_memory(address); };
      t.agent_memory_allocate_physical = allocate_physical;
      t.agent_memory_free_physical = [](int64_t, void* physical, int32_t) {
        return close(file_of(physical)) == 0 ? HSAM_Done : HSAM_Invalid;
      };
      t.agent_reply = reply;
      t.launch_dll = [](int64_t, char*) {};
      t.tail_size = sizeof t;
      t.queue_error = queue_error;
      t.is_signal = is_signal;
      t.timestamp = [] { return hsam_timestamp(); };
      add_large(t);
      t.report_page_fault = [](int64_t, uint16_t, void*, uint64_t, uint32_t) { return HSAM_Invalid; };
      t.watch_range = t.unwatch_range = [](int64_t, uint16_t, void*, uint64_t) { return HSAM_Not_Supported; };
      return t;
    }();
    return interface;
  }
};

Host& Host::get() {
  static Host& host = *new Host;  // never destroyed, because agents' threads may outlive static objects
  return host;
}

std::string Host::open(const std::string& plugin) {
  void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  auto main = reinterpret_cast<hsam_agent_driver_main_t>(dlsym(library, HSAM_AGENT_DRIVER_MAIN));
  if (main == nullptr) return std::string("no ") + HSAM_AGENT_DRIVER_MAIN;
  static const hsam_host services = {
      sizeof(hsam_host),
      HSAM_VERSION_MAJOR,
      HSAM_VERSION_MINOR,
      Services::register_agent,
      Services::log,
      [](const char* name) -> const char* { return std::getenv((std::string("HEDDLE_") + name).c_str()); },
      nullptr,
      nullptr};
  int result = main(&services);
  return result == 0 ? "" : "the main function returned " + std::to_string(result);
}

const RegisteredAgent* Host::kernel_agent() const {
  for (const RegisteredAgent& agent : agents_)
    if (agent.dispatches_kernels()) return &agent;
  return nullptr;
}

HSAM_Error Host::ask(const std::function<HSAM_Error(void* cookie)>& send) {
  void* cookie;
  {
    std::lock_guard lock(mutex_);
    cookie = reinterpret_cast<void*>(++last_cookie_);
    pending_[cookie] = HSAM_Async;
  }
  HSAM_Error answer = send(cookie);
  std::unique_lock lock(mutex_);
  if (answer == HSAM_Async) {
    changed_.wait_for(lock, std::chrono::duration<double>(patience),
                      [&] { return pending_[cookie] != HSAM_Async; });
    answer = pending_[cookie];
  } else if (pending_[cookie] != HSAM_Async) {
    ++stray_replies_;
  }
  pending_.erase(cookie);
  return answer;
}

std::vector<QueueError> Host::errors(int64_t queue, double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !errors_[queue].empty(); });
  return errors_[queue];
}

int Host::stray_replies() const {
  std::lock_guard lock(mutex_);
  return stray_replies_;
}

hsam_signal* Host::make_signal(int64_t value, uint16_t device_driver_id, std::function<void()> unblock) {
  static const hsam_signal_hooks hooks = {Services::unreachable};
  auto block = std::make_unique<Block>();
  block->unblock = std::move(unblock);
  block->signal.hooks = &hooks;
  block->signal.value = value;
  block->signal.object = &block->object;
  block->object.signal_value_ptr = reinterpret_cast<uint64_t*>(&block->signal.value);
  block->object.number_of_dests = 1;
  block->object.root_dest_array[0].flags = uint64_t{device_driver_id} << HSAM_ROOT_DRIVER_ID_SHIFT;
  hsam_signal* signal = &block->signal;
  std::lock_guard lock(mutex_);
  signals_[reinterpret_cast<uintptr_t>(signal)] = std::move(block);
  return signal;
}

void Host::end_signal(hsam_signal* signal) {
  std::lock_guard lock(mutex_);
  signals_[reinterpret_cast<uintptr_t>(signal)]->live = false;
}

ConformanceClient::ConformanceClient(const RegisteredAgent& agent) : agent_(agent), handle_(++next_handle) {
  void* user_virtual_space = nullptr;
  answer_ =
      Host::get().ask_for_handle(&handle_at_agent_, agent_.interface.client_new, handle_, user_virtual_space);
  open_ = answer_ == HSAM_Done;
}

HSAM_Error ConformanceClient::remove() {
  if (!open_) return HSAM_Invalid;
  open_ = false;
  return Host::get().ask(agent_.interface.client_remove, handle_at_agent_);
}

ConformanceSignal::ConformanceSignal(const RegisteredAgent& agent, const ConformanceClient& client,
                                     int64_t value)
    : agent_(agent),
      client_(client),
      signal_(Host::get().make_signal(value, agent.device_driver_id,
                                      [this] {
                                        if (agent_.interface.unblock_destination != nullptr)
                                          agent_.interface.unblock_destination(client_.at_agent(), at_agent_);
                                      })),
      at_agent_(static_cast<int64_t>(reinterpret_cast<uintptr_t>(signal_))) {
  if (!agent.config.wants_signal_messages) return;
  Host::get().ask_for_handle(&at_agent_, agent_.interface.signal_new, client_.at_agent(),
                             static_cast<int64_t>(handle().handle), signal_->object,
                             &signal_->object->root_dest_array[0]);
}

ConformanceSignal::~ConformanceSignal() {
  Host::get().end_signal(signal_);  // from now on nobody unblocks the agent
  if (agent_.config.wants_signal_messages)
    Host::get().ask(agent_.interface.signal_remove, client_.at_agent(), at_agent_);
}

ConformanceQueue::ConformanceQueue(const RegisteredAgent& agent, const ConformanceClient& client,
                                   uint32_t size)
    : agent_(agent),
      client_(client),
      size_(size),
      ring_((sizeof(hsa_user_mode_queue) + agent.config.destination_private_size + 63) / 64 * 64),
      memory_(static_cast<char*>(std::aligned_alloc(64, ring_ + size_t{size} * 64)), std::free),
      doorbell_(std::make_unique<ConformanceSignal>(agent, client, 0)),
      handle_(++next_handle) {
  std::memset(memory_.get(), 0, ring_ + size_t{size} * 64);
  hsa_user_mode_queue& header = *this->header();
  header.queue.type = HSA_QUEUE_TYPE_MULTI;
  header.queue.features = agent.config.features;
  header.queue.base_address = memory_.get() + ring_;
  header.queue.doorbell_signal = doorbell_->handle();
  header.queue.size = size;
  header.read_index_ptr = &indices_[0].value;
  header.write_index_ptr = &indices_[1].value;
  for (uint32_t i = 0; i < size; ++i) *reinterpret_cast<uint32_t*>(slot(i)) = HSA_PACKET_TYPE_INVALID;
  HSAM_queue_info_str info{};
  info.queue_header_user_addr = &header;
  info.payload_user_addr = header.queue.base_address;
  info.size = size;
  info.read_index_ptr_kern_addr = header.read_index_ptr;
  info.write_index_ptr_kern_addr = header.write_index_ptr;
  info.type = header.queue.type;
  info.private_segment_size = info.group_segment_size = UINT32_MAX;
  info.callbacks_required_flag = 1;
  answer_ = Host::get().ask_for_handle(&handle_at_agent_, agent_.interface.queue_new, client_.at_agent(),
                                       doorbell_->at_agent(), handle_, info);
  open_ = answer_ == HSAM_Done;
}

HSAM_Error ConformanceQueue::inactivate() {
  return Host::get().ask(agent_.interface.queue_inactivate, client_.at_agent(), handle_at_agent_);
}

HSAM_Error ConformanceQueue::remove() {
  if (!open_) return HSAM_Invalid;
  open_ = false;
  return Host::get().ask(agent_.interface.queue_remove, client_.at_agent(), handle_at_agent_);
}

}  // namespace heddle::conformance
