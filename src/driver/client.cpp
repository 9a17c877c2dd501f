// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsam/signal.h>

#include "driver/activity.h"
#include "driver/connections.h"
#include "driver/driver.h"
#include "driver/log.h"
#include "driver/memory.h"
#include "driver/messages.h"
#include "driver/page_watch.h"
#include "driver/queue.h"
#include "driver/queues.h"
#include "driver/registry.h"
#include "driver/services.h"
#include "driver/shared_signals.h"
#include "driver/signal_table.h"
#include "driver/signals.h"
#include "driver/small_heap.h"
#include "driver/started_copy.h"

namespace heddle::driver {
namespace {

/// Reports that an allocation was made or freed. `info` describes it while it existed.
void report_memory(ActivityKind kind, const std::optional<MemoryInfo>& info) noexcept {
  if (!info || info->region == nullptr) return;
  Activity activity;
  activity.kind = kind;
  activity.begin = activity.end = hsam_timestamp();
  activity.region = info->region;
  activity.address = reinterpret_cast<uintptr_t>(info->base);
  activity.bytes = info->size;
  Activities::report(activity);
}

void log_signal(const char* what, uint64_t handle, int64_t value) noexcept {
  if (handle == 0) return;  // it could not be made, which the caller reports
  log_debug(HSAM_LOG_SIGNAL, "signal {:#x} is {}, value {}", handle, what, value);
}

double microseconds(uint64_t ticks) { return static_cast<double>(ticks) * HSAM_TIMESTAMP_NANOSECONDS / 1000; }

/// Whether somebody observes copies, or the log shows them.
bool copies_are_reported() noexcept {
  return Activities::is_observed(ActivityKind::copy) || LogSelection::shows(HSAM_LOG_DEBUG, HSAM_LOG_COPY);
}

/// Describes a copy that begins now.
Activity copy_activity(const Client& client, const void* to, const void* from) {
  Activity activity;
  activity.kind = ActivityKind::copy;
  if (const auto info = client.find(to)) activity.region = info->region;
  activity.address = reinterpret_cast<uintptr_t>(to);
  activity.source = reinterpret_cast<uintptr_t>(from);
  activity.begin = hsam_timestamp();
  return activity;
}

/// Reports a copy of `activity.bytes` that ends now, with its status.
void report_copy(Activity& activity) noexcept {
  const uint64_t size = activity.bytes;
  activity.end = hsam_timestamp();
  if (activity.status != HSA_STATUS_SUCCESS) activity.bytes = 0;
  if (Activities::is_observed(ActivityKind::copy)) Activities::report(activity);
  log_debug(HSAM_LOG_COPY, "{} bytes from {:#x} to {:#x}: status {:#x} after {:.1f} us", size,
            activity.source, activity.address, static_cast<unsigned>(activity.status),
            microseconds(activity.end - activity.begin));
}

}  // namespace

struct Client::State {
  explicit State(int64_t handle, const Registry& registry)
      : connections(handle, registry.agents()),
        signals(connections),
        memory(connections, registry.regions()),
        queues(connections, signals, memory) {}

  Connections connections;
  Signals signals;
  Memory memory;
  Queues queues;
};

StatusOr<std::unique_ptr<Client>> Client::open() {
  Registry& registry = Registry::instance();
  if (!registry.load()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  SignalTable::instance().set_capacity(static_cast<uint32_t>(registry.agents().size()));
  // These singletons are created here, on one thread. If another thread were creating one during a fork, its
  // initialisation would never finish in the child.
  Activities::prepare();
  (void)ReplyTable::instance();
  (void)SharedSignals::instance();
  (void)SlabArena::instance();
  (void)PageWatch::instance();
  auto state = std::make_unique<State>(new_client_handle(), registry);
  std::unique_ptr<Client> client(new Client(std::move(state)));
  State& parts = *client->state_;
  enlist_client(parts.connections.client(),
                {&parts.connections, &parts.signals, &parts.queues, &parts.memory});
  return client;
}

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() {
  // Queues go first, because they execute code, use memory and send signals.
  state_->queues.destroy_all();
  state_->signals.destroy_all();
  state_->memory.free_all();
  PageWatch::instance().forget(state_->connections.client());
  state_->connections.close();
  delist_client(state_->connections.client());
}

std::span<const Agent* const> Client::agents() const { return Registry::instance().agents(); }
std::span<const Region* const> Client::regions() const { return Registry::instance().regions(); }

StatusOr<hsa_signal_t> Client::create_signal(int64_t initial_value, std::span<const Agent* const> consumers) {
  auto signal = state_->signals.create(initial_value, SignalTable::Kind::application, consumers);
  log_signal("created", signal ? signal->handle : 0, initial_value);
  return signal;
}

hsa_status_t Client::destroy_signal(hsa_signal_t signal) {
  if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const SignalTable::Kind kind = SignalTable::instance().kind(signal.handle);
  if (kind != SignalTable::Kind::application && kind != SignalTable::Kind::shared)
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  log_debug(HSAM_LOG_SIGNAL, "signal {:#x} is destroyed", signal.handle);
  return state_->signals.destroy(signal.handle, kind) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

bool Client::is_last_use(hsa_signal_t signal) {
  return SignalTable::instance().kind(signal.handle) != SignalTable::Kind::shared ||
         SharedSignals::instance().is_last_use(signal.handle);
}

StatusOr<hsa_signal_t> Client::create_shared_signal(int64_t initial_value,
                                                    std::span<const Agent* const> consumers) {
  auto signal = state_->signals.create(initial_value, SignalTable::Kind::shared, consumers);
  log_signal("created for several processes", signal ? signal->handle : 0, initial_value);
  return signal;
}

StatusOr<SharedSignalHandle> Client::share_signal(hsa_signal_t signal) {
  SharedSignalHandle handle{};
  if (!SharedSignals::instance().describe(signal.handle, handle)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return handle;
}

StatusOr<hsa_signal_t> Client::attach_signal(const SharedSignalHandle& handle) {
  auto signal = state_->signals.attach(handle);
  log_signal("attached", signal ? signal->handle : 0, 0);
  return signal;
}

bool Client::is_signal(uint64_t handle) {
  return SignalTable::instance().kind(handle) != SignalTable::Kind::none;
}

StatusOr<hsa_signal_group_t> Client::create_signal_group(std::span<const hsa_signal_t> signals,
                                                         std::span<const Agent* const> consumers) {
  return state_->signals.create_group(signals, consumers);
}

hsa_status_t Client::destroy_signal_group(hsa_signal_group_t group) {
  return state_->signals.destroy_group(group);
}

StatusOr<SignalsOfGroup> Client::signals_of(hsa_signal_group_t group) const {
  return state_->signals.signals_of(group);
}

hsa_status_t Client::wait_any(const SignalsOfGroup& signals, const hsa_signal_condition_t* conditions,
                              const int64_t* compares, hsa_wait_state_t hint, hsa_signal_t* signal,
                              int64_t* value) {
  return Signals::wait_any(*signals, conditions, compares, hint, signal, value);
}

StatusOr<hsa_queue_t*> Client::create_queue(const QueueRequest& request) {
  return state_->queues.create(request);
}

StatusOr<hsa_queue_t*> Client::create_soft_queue(const Region& region, uint32_t size, hsa_queue_type32_t type,
                                                 uint32_t features, hsa_signal_t doorbell) {
  return state_->queues.create_soft(region, size, type, features, doorbell);
}

hsa_status_t Client::inactivate_queue(hsa_queue_t* queue) { return state_->queues.inactivate(queue); }
hsa_status_t Client::destroy_queue(hsa_queue_t* queue) { return state_->queues.destroy(queue); }
hsa_status_t Client::set_queue_priority(const hsa_queue_t* queue, hsam_queue_priority priority) {
  return state_->queues.set_priority(queue, priority);
}
hsa_status_t Client::set_queue_compute_units(const hsa_queue_t* queue, std::span<const uint32_t> mask) {
  return state_->queues.set_compute_units(queue, mask);
}
StatusOr<std::vector<uint32_t>> Client::queue_compute_units(const hsa_queue_t* queue) const {
  return state_->queues.compute_units(queue);
}
StatusOr<uint64_t> Client::queue_id(const hsa_queue_t* queue) const {
  const auto found = state_->queues.find(queue);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  return found->contents().id;
}
bool Client::is_queue(const hsa_queue_t* queue) const { return state_->queues.find(queue) != nullptr; }
const Agent* Client::queue_agent(const hsa_queue_t* queue) const { return state_->queues.agent_of(queue); }
std::vector<uint64_t> Client::queue_ids(const Agent& agent) const { return state_->queues.ids_of(agent); }
uint64_t Client::waiting_packets(const Agent& agent) const { return state_->queues.waiting_packets(agent); }

StatusOr<SharedName> Client::share(const void* base) { return state_->memory.share(base); }

StatusOr<SharedPlace> Client::detachable_place_of(const void* base) {
  return state_->memory.detachable_place_of(base);
}

StatusOr<void*> Client::allocate(const Region& region, size_t size, size_t alignment, Backing backing) {
  auto base = state_->memory.allocate(region, size, alignment, backing);
  if (base && Activities::is_observed(ActivityKind::allocation))
    report_memory(ActivityKind::allocation, state_->memory.find(*base));
  if (base)
    log_debug(HSAM_LOG_MEMORY, "{} bytes are allocated at {} in region {}", size, *base, region.index);
  else
    log_debug(HSAM_LOG_MEMORY, "{} bytes of region {} are refused", size, region.index);
  return base;
}
hsa_status_t Client::free(void* base) {
  log_debug(HSAM_LOG_MEMORY, "the allocation at {} is freed", base);
  if (!Activities::is_observed(ActivityKind::release)) return state_->memory.free(base);
  const auto info = state_->memory.find(base);
  const hsa_status_t status = state_->memory.free(base);
  if (status == HSA_STATUS_SUCCESS && base != nullptr) report_memory(ActivityKind::release, info);
  return status;
}
std::optional<MemoryInfo> Client::find(const void* address) const { return state_->memory.find(address); }
hsa_status_t Client::register_memory(void* base, size_t size) {
  log_debug(HSAM_LOG_MEMORY, "{} bytes at {} are registered", size, base);
  return state_->memory.register_memory(base, size);
}
hsa_status_t Client::deregister_memory(void* base, size_t size) {
  log_debug(HSAM_LOG_MEMORY, "{} bytes at {} are deregistered", size, base);
  return state_->memory.deregister_memory(base, size);
}
hsa_status_t Client::assign_agent(void* base, const Agent& agent, hsa_access_permission_t access) {
  log_debug(HSAM_LOG_MEMORY, "the allocation at {} is assigned to agent '{}'", base, agent.config().name);
  return state_->memory.assign_agent(base, agent, access);
}
hsa_status_t Client::copy(void* destination, const void* source, size_t size) {
  if (!copies_are_reported()) return state_->memory.copy(destination, source, size);
  Activity activity = copy_activity(*this, destination, source);
  activity.status = state_->memory.copy(destination, source, size);
  activity.bytes = size;
  report_copy(activity);
  return activity.status;
}

bool Client::start_copy(const hsam_copy& copy, StartedCopy& started) noexcept {
  started.is_reported_ = copies_are_reported();
  if (started.is_reported_) {
    started.activity_ = copy_activity(*this, copy.to, copy.from);
    started.activity_.bytes = copy.row * copy.rows * copy.layers;
  }
  started.on_reply = [](Request& request, HSAM_Error code) noexcept {
    static_cast<StartedCopy&>(request).end(code);
  };
  const HSAM_Error answer = state_->memory.start_copy(copy, started);
  if (answer == HSAM_Not_Supported) return false;
  if (answer != HSAM_Async) started.end(answer);
  return true;
}

void StartedCopy::end(HSAM_Error answer) noexcept {
  const hsa_status_t status = to_status(answer);
  if (is_reported_) {
    activity_.status = status;
    report_copy(activity_);
  }
  ended_(*this, status);
}

bool Client::can_reach(const Agent& agent, const Region& region) {
  return state_->memory.can_reach(agent, region);
}

hsa_status_t Client::allow_peer(const Agent& agent, const Region& region) {
  return state_->memory.allow_peer(agent, region);
}

StatusOr<int64_t> Client::load_code(const Agent& agent, std::span<const std::byte> code_object,
                                    std::span<const hsam_variable_address> variables) {
  int64_t client_at_agent;
  if (HSAM_Error answer = state_->connections.open(agent, &client_at_agent); answer != HSAM_Done)
    return to_status(answer);
  int64_t code = 0;
  HSAM_Error answer = Requests::send_for_handle(
      agent, "code_load", &hsa_agent_driver_interface::code_load, &code, client_at_agent,
      static_cast<const void*>(code_object.data()), code_object.size(), variables.data(),
      static_cast<uint32_t>(variables.size()));
  if (answer == HSAM_Done) {
    log_info(HSAM_LOG_CODE, "agent '{}' has loaded a code object of {} bytes, {} variables",
             agent.config().name, code_object.size(), variables.size());
    return code;
  }
  // A driver that refuses code logs what is wrong with it; this line says at least which message failed.
  log_error("agent '{}' does not load a code object: code_load {} {}", agent.config().name,
            Requests::interface(agent).code_load == nullptr ? "is missing, which counts as" : "was answered",
            name_of(answer));
  if (answer == HSAM_Invalid || answer == HSAM_Not_Supported) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return to_status(answer);
}

hsa_status_t Client::unload_code(const Agent& agent, int64_t code) {
  int64_t client_at_agent;
  if (!state_->connections.find(agent, &client_at_agent)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  log_info(HSAM_LOG_CODE, "agent '{}' unloads a code object", agent.config().name);
  return to_status(
      Requests::send(agent, "code_unload", &hsa_agent_driver_interface::code_unload, client_at_agent, code));
}

StatusOr<uint64_t> Client::kernel_object(const Agent& agent, int64_t code, uint32_t kernel) {
  int64_t client_at_agent;
  auto function = Requests::interface(agent).code_kernel;
  if (function == nullptr || !state_->connections.find(agent, &client_at_agent))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint64_t object = 0;
  HSAM_Error answer = function(client_at_agent, code, kernel, &object);
  if (answer == HSAM_Done && object != 0) return object;
  log_error("agent '{}' gives kernel {} of a code object no kernel object: code_kernel was answered {}",
            agent.config().name, kernel, name_of(answer));
  if (answer != HSAM_Done) return to_status(answer);
  return HSA_STATUS_ERROR;
}

StatusOr<uint64_t> Client::function_handle(const Agent& agent, int64_t code, uint32_t function_number) {
  int64_t client_at_agent;
  auto function = Requests::interface(agent).code_function;
  if (function == nullptr || !state_->connections.find(agent, &client_at_agent))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint64_t handle = 0;
  HSAM_Error answer = function(client_at_agent, code, function_number, &handle);
  if (answer != HSAM_Done) return to_status(answer);
  return handle;
}

std::span<const std::byte> Client::code_extent(const Agent& agent, int64_t code) {
  int64_t client_at_agent;
  auto function = Requests::interface(agent).code_extent;
  if (function == nullptr || !state_->connections.find(agent, &client_at_agent)) return {};
  uint64_t base = 0;
  uint64_t size = 0;
  if (function(client_at_agent, code, &base, &size) != HSAM_Done) return {};
  return {reinterpret_cast<const std::byte*>(base), size};
}

uint64_t timestamp() { return hsam_timestamp(); }
uint64_t timestamp_frequency() { return HSAM_TIMESTAMP_FREQUENCY; }

}  // namespace heddle::driver
