// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/queues.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <tuple>

#include <fmt/ranges.h>
#include <hsam/signal.h>

#include "driver/activity.h"
#include "driver/compute_unit_mask.h"
#include "driver/log.h"
#include "driver/logged_lock.h"
#include "driver/memory.h"
#include "driver/messages.h"
#include "driver/queue.h"
#include "driver/registry.h"
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

constexpr uint32_t known_features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH | HSA_QUEUE_FEATURE_AGENT_DISPATCH;
constexpr uint32_t largest_soft_queue = 1u << 26;

// Queue ids and handles are never used twice in a process.
std::atomic<uint64_t> next_queue_id{0};
std::atomic<int64_t> next_queue_handle{1};

/// Only agents have cooperative queues.
bool is_soft_queue_type(hsa_queue_type32_t type) {
  return type == HSA_QUEUE_TYPE_MULTI || type == HSA_QUEUE_TYPE_SINGLE;
}
bool is_agent_queue_type(hsa_queue_type32_t type) {
  return is_soft_queue_type(type) || type == HSA_QUEUE_TYPE_COOPERATIVE;
}

/// Returns success, or why an agent gets no queue: the reasons that only the agent's description tells are
/// logged.
hsa_status_t check(const QueueRequest& request) {
  const hsa_agent_driver_config& config = request.agent->config();
  if (!is_agent_queue_type(request.type) || !std::has_single_bit(request.size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if ((config.features & known_features) == 0 || config.queues_max == 0) {
    log_warning("agent '{}' has no queues: it takes no packets", config.name);
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  }
  if (config.queue_type == HSA_QUEUE_TYPE_SINGLE && request.type == HSA_QUEUE_TYPE_MULTI) {
    log_warning("agent '{}' has no queues for several producers", config.name);
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  }
  if (config.cooperative_queues == 0 && request.type == HSA_QUEUE_TYPE_COOPERATIVE) {
    log_warning("agent '{}' has no cooperative queues", config.name);
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  }
  if (request.size > config.queue_max_size) {
    log_warning("agent '{}' has queues of at most {} packets, not {}", config.name, config.queue_max_size,
                request.size);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return HSA_STATUS_SUCCESS;
}

void log_units(const Queue& queue, const UnitMask& units) {
  log_info(HSAM_LOG_QUEUE, "queue {} gets compute units {:08x}", queue.contents().id, fmt::join(units, " "));
}

/// MVA defines only for queue_inactivate, not for queue_remove, what happens to running waves. Both are
/// answered when no wave is left.
void remove_at_agent(const Queue& queue, int64_t client_at_agent) {
  const HSAM_Error inactivated =
      Requests::send(*queue.agent, "queue_inactivate", &hsa_agent_driver_interface::queue_inactivate,
                     client_at_agent, queue.handle_at_agent);
  const HSAM_Error removed =
      Requests::send(*queue.agent, "queue_remove", &hsa_agent_driver_interface::queue_remove, client_at_agent,
                     queue.handle_at_agent);
  if (inactivated != HSAM_Done || removed != HSAM_Done)
    log_error("agent '{}' failed to remove queue {}: {}, {}", queue.agent->config().name, queue.contents().id,
              name_of(inactivated), name_of(removed));
}

/// Applies HSA_CU_MASK to a new queue; a queue that its agent cannot restrict uses all units. Nothing is
/// thrown, because the agent has the queue already.
hsa_status_t restrict_to_usable_units(Queue& queue, int64_t client_at_agent) noexcept {
  const UnitMask& usable = Registry::instance().usable_units(*queue.agent);
  const std::lock_guard lock(queue.requests);
  if (usable == queue.compute_units) return HSA_STATUS_SUCCESS;
  log_units(queue, usable);
  const HSAM_Error answer = Requests::send(
      *queue.agent, "queue_set_compute_units", &hsa_agent_driver_interface::queue_set_compute_units,
      client_at_agent, queue.handle_at_agent, usable.data(), static_cast<uint32_t>(usable.size()));
  if (answer == HSAM_Done) std::ranges::copy(usable, queue.compute_units.begin());
  if (answer != HSAM_Not_Supported) return to_status(answer);
  log_warning("agent '{}' cannot restrict queues: queue {} uses all compute units in spite of HSA_CU_MASK",
              queue.agent->config().name, queue.contents().id);
  return HSA_STATUS_SUCCESS;
}

/// Tells observers of the creation, failure or destruction of an agent's queue.
void report(ActivityKind kind, const Queue& queue, hsa_status_t status = HSA_STATUS_SUCCESS) noexcept {
  if (queue.agent == nullptr || !Activities::is_observed(kind)) return;
  Activity activity;
  activity.kind = kind;
  activity.status = status;
  activity.begin = activity.end = hsam_timestamp();
  activity.agent = queue.agent;
  activity.queue_id = queue.contents().id;
  activity.signal = queue.contents().doorbell_signal.handle;
  Activities::report(activity);
}

}  // namespace

Queues::Queues(Connections& connections, Signals& signals, Memory& memory)
    : connections_(connections),
      signals_(signals),
      memory_(memory),
      blocks_(memory, memory.region_of_queues()),
      count_(connections.agents().size()) {
  for (const Agent* agent : connections.agents()) {
    const hsa_agent_driver_config& config = agent->config();
    lock_all_payloads_ |= config.safe_all_payload || config.safe_all_headers || config.safe_all_memory;
  }
}

Queues::~Queues() = default;

StatusOr<hsa_queue_t*> Queues::create(const QueueRequest& request) {
  if (hsa_status_t status = check(request); status != HSA_STATUS_SUCCESS) return status;
  const hsa_agent_driver_config& config = request.agent->config();
  uint32_t& count = count_[request.agent->index()];
  {
    std::lock_guard lock(mutex_);
    if (count >= config.queues_max) {
      log_warning("agent '{}' has at most {} queues", config.name, config.queues_max);
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    ++count;
  }
  // If a later step fails or throws, the reservation is released.
  bool created = false;
  const Finally give_up([&] {
    if (created) return;
    std::lock_guard lock(mutex_);
    --count;
  });

  uint32_t size = std::max(request.size, config.queue_min_size);
  QueueLayout layout(size, config.destination_private_size);
  QueueBlock memory = blocks_.allocate(layout.total, lock_all_payloads_ || config.safe_own_payload);
  if (!memory) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  // MVA 4.2: the doorbell's only destination is the agent.
  const Agent* destination[] = {request.agent};
  auto doorbell = signals_.create(0, SignalTable::Kind::doorbell, destination);
  if (!doorbell) return doorbell.error();
  const Finally destroy_doorbell([&] {
    if (!created) signals_.destroy(doorbell->handle, SignalTable::Kind::doorbell);
  });

  hsa_queue_t header{};
  header.type = request.type;
  header.features = config.features & known_features;
  header.doorbell_signal = *doorbell;
  header.size = size;
  header.id = next_queue_id.fetch_add(1, std::memory_order_relaxed);
  auto queue = std::make_shared<Queue>(memory.base(), layout, header);
  queue->memory = std::move(memory);
  queue->set_callback(request);
  auto connected = connect(queue, request);
  if (!connected) return connected.error();
  created = true;
  report(ActivityKind::queue_creation, *queue);
  log_info(HSAM_LOG_QUEUE, "queue {} of agent '{}' is created: {} packets", header.id, config.name, size);
  return queue->header();
}

StatusOr<std::shared_ptr<Queue>> Queues::connect(std::shared_ptr<Queue> queue, const QueueRequest& request) {
  const Agent& agent = *request.agent;
  int64_t client_at_agent;
  if (HSAM_Error answer = connections_.open(agent, &client_at_agent); answer != HSAM_Done)
    return to_status(answer);
  queue->agent = &agent;
  queue->compute_units = all_units(agent.config().compute_unit_count);
  queue->handle = next_queue_handle.fetch_add(1, std::memory_order_relaxed);
  HSAM_queue_info_str info = queue->info();
  info.private_segment_size = request.private_segment_size;
  info.group_segment_size = request.group_segment_size;
  // The queue is registered first, so that an error that the agent reports at once finds it.
  insert(queue);
  bool accepted = false;
  const Finally forget([&] {
    if (!accepted) erase(*queue);
  });
  HSAM_Error answer = Requests::send_for_handle(
      agent, "queue_new", &hsa_agent_driver_interface::queue_new, &queue->handle_at_agent, client_at_agent,
      signals_.handle_at_agent(queue->contents().doorbell_signal.handle, agent), queue->handle, info);
  if (answer != HSAM_Done) {
    log_error("agent '{}' refuses a queue: queue_new was answered {}", agent.config().name, name_of(answer));
    return answer == HSAM_Not_Supported ? HSA_STATUS_ERROR_INVALID_QUEUE_CREATION : to_status(answer);
  }
  const hsa_status_t restricted = restrict_to_usable_units(*queue, client_at_agent);
  accepted = restricted == HSA_STATUS_SUCCESS;
  if (accepted) return queue;
  remove_at_agent(*queue, client_at_agent);
  return restricted;
}

StatusOr<hsa_queue_t*> Queues::create_soft(const Region& region, uint32_t size, hsa_queue_type32_t type,
                                           uint32_t features, hsa_signal_t doorbell) {
  if (!is_soft_queue_type(type) || !std::has_single_bit(size) || size > largest_soft_queue || features == 0 ||
      (features & ~known_features) != 0 ||
      SignalTable::instance().kind(doorbell.handle) == SignalTable::Kind::none ||
      region.description.segment != HSAM_SEGMENT_GLOBAL || !region.description.runtime_alloc_allowed ||
      Memory::is_at_agent(region))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  QueueLayout layout(size, 0);
  auto block = memory_.allocate(region, layout.total, 64, Backing::automatic);
  if (!block) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  bool created = false;
  const Finally give_back([&] {
    if (!created) (void)memory_.free(*block);
  });
  hsa_queue_t header{};
  header.type = type;
  header.features = features;
  header.doorbell_signal = doorbell;
  header.size = size;
  header.id = next_queue_id.fetch_add(1, std::memory_order_relaxed);
  auto queue = std::make_shared<Queue>(static_cast<std::byte*>(*block), layout, header);
  queue->from_region = true;
  queue->handle = next_queue_handle.fetch_add(1, std::memory_order_relaxed);
  insert(queue);
  created = true;
  log_info(HSAM_LOG_QUEUE, "soft queue {} is created: {} packets", header.id, size);
  return queue->header();
}

void Queues::insert(const std::shared_ptr<Queue>& queue) {
  std::lock_guard lock(mutex_);
  const auto by_address = by_address_.emplace(queue->header(), queue).first;
  bool inserted = false;
  const Finally take_back([&] {
    if (!inserted) by_address_.erase(by_address);
  });
  by_handle_.emplace(queue->handle, queue);
  inserted = true;
}

void Queues::erase(const Queue& queue) {
  std::lock_guard lock(mutex_);
  by_address_.erase(queue.header());
  by_handle_.erase(queue.handle);
}

std::shared_ptr<Queue> Queues::find(const hsa_queue_t* queue) const {
  const auto lock = lock_logged(mutex_, "the queues");
  auto found = by_address_.find(queue);
  return found == by_address_.end() ? nullptr : found->second;
}

const Agent* Queues::agent_of(const hsa_queue_t* queue) const {
  std::shared_ptr<Queue> found = find(queue);
  return found == nullptr ? nullptr : found->agent;
}

/// Sends a request about a queue to its agent. The caller holds Queue::requests.
template <typename Member, typename... Arguments>
hsa_status_t Queues::request(const Queue& queue, const char* message, Member member, Arguments... arguments) {
  if (find(queue.header()).get() != &queue) return HSA_STATUS_ERROR_INVALID_QUEUE;  // destroyed meanwhile
  int64_t client_at_agent;
  if (!connections_.find(*queue.agent, &client_at_agent)) return HSA_STATUS_ERROR;
  return to_status(
      Requests::send(*queue.agent, message, member, client_at_agent, queue.handle_at_agent, arguments...));
}

hsa_status_t Queues::set_priority(const hsa_queue_t* address, hsam_queue_priority priority) {
  const std::shared_ptr<Queue> queue = find(address);
  if (queue == nullptr || queue->agent == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  const auto lock = lock_logged(queue->requests, "the requests of a queue");
  log_info(HSAM_LOG_QUEUE, "queue {} gets priority {}", queue->contents().id,
           static_cast<unsigned>(priority));
  return request(*queue, "queue_set_priority", &hsa_agent_driver_interface::queue_set_priority, priority);
}

hsa_status_t Queues::set_compute_units(const hsa_queue_t* address, std::span<const uint32_t> mask) {
  const std::shared_ptr<Queue> queue = find(address);
  if (queue == nullptr || queue->agent == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  const uint32_t units = queue->agent->config().compute_unit_count;
  UnitMask wanted = mask.empty() ? all_units(units) : UnitMask(mask.begin(), mask.end());
  keep_units(wanted, units);
  const bool reduced = restrict_units(wanted, Registry::instance().usable_units(*queue->agent));
  if (is_empty(wanted)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto lock = lock_logged(queue->requests, "the requests of a queue");
  log_units(*queue, wanted);
  const hsa_status_t status =
      request(*queue, "queue_set_compute_units", &hsa_agent_driver_interface::queue_set_compute_units,
              const_cast<const uint32_t*>(wanted.data()), static_cast<uint32_t>(wanted.size()));
  if (status != HSA_STATUS_SUCCESS) return status;
  queue->compute_units.swap(wanted);
  return reduced ? HSA_STATUS_CU_MASK_REDUCED : HSA_STATUS_SUCCESS;
}

StatusOr<UnitMask> Queues::compute_units(const hsa_queue_t* address) const {
  const std::shared_ptr<Queue> queue = find(address);
  if (queue == nullptr || queue->agent == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  std::lock_guard lock(queue->requests);
  return queue->compute_units;
}

bool Queues::identify(int64_t queue_handle, const Agent** agent, uint64_t* id) const {
  std::lock_guard lock(mutex_);
  const auto found = by_handle_.find(queue_handle);
  if (found == by_handle_.end()) return false;
  *agent = found->second->agent;
  *id = found->second->contents().id;
  return true;
}

std::vector<uint64_t> Queues::ids_of(const Agent& agent) const {
  std::vector<uint64_t> ids;
  std::lock_guard lock(mutex_);
  for (const auto& [handle, queue] : by_handle_)
    if (queue->agent == &agent) ids.push_back(queue->contents().id);
  return ids;
}

uint64_t Queues::waiting_packets(const Agent& agent) const {
  uint64_t packets = 0;
  std::lock_guard lock(mutex_);
  for (const auto& [handle, queue] : by_handle_) {
    if (queue->agent != &agent) continue;
    // The read index comes first, because it never passes the write index. Programs can store anything,
    // though.
    const uint64_t read = __atomic_load_n(Client::read_index(queue->header()), __ATOMIC_ACQUIRE);
    const uint64_t write = __atomic_load_n(Client::write_index(queue->header()), __ATOMIC_ACQUIRE);
    packets += write > read ? write - read : 0;
  }
  return packets;
}

hsa_status_t Queues::inactivate(hsa_queue_t* address) {
  if (address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::shared_ptr<Queue> queue = find(address);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  queue->inactivate();
  log_info(HSAM_LOG_QUEUE, "queue {} becomes inactive", queue->contents().id);
  if (queue->agent == nullptr) return HSA_STATUS_SUCCESS;
  const auto lock = lock_logged(queue->requests, "the requests of a queue");
  return request(*queue, "queue_inactivate", &hsa_agent_driver_interface::queue_inactivate);
}

hsa_status_t Queues::destroy(hsa_queue_t* address) {
  if (address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::shared_ptr<Queue> queue = find(address);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (!queue->quiesce()) {
    log_warning("queue {} cannot be destroyed by its own callback", queue->contents().id);
    return HSA_STATUS_ERROR;
  }
  return tear_down(*queue);
}

hsa_status_t Queues::tear_down(Queue& queue) {
  const auto requests = lock_logged(queue.requests, "the requests of a queue");
  {
    // Only one of several concurrent callers removes the queue.
    std::lock_guard lock(mutex_);
    if (by_address_.erase(queue.header()) == 0) return HSA_STATUS_ERROR_INVALID_QUEUE;
  }
  if (queue.agent != nullptr) {
    int64_t client_at_agent;
    if (connections_.find(*queue.agent, &client_at_agent)) remove_at_agent(queue, client_at_agent);
    signals_.destroy(queue.contents().doorbell_signal.handle, SignalTable::Kind::doorbell);
  }
  {
    std::lock_guard lock(mutex_);
    if (queue.agent != nullptr) --count_[queue.agent->index()];
    by_handle_.erase(queue.handle);
  }
  report(ActivityKind::queue_destruction, queue);
  log_info(HSAM_LOG_QUEUE, "queue {} is destroyed after {} packets", queue.contents().id,
           __atomic_load_n(Client::read_index(queue.header()), __ATOMIC_RELAXED));
  if (queue.from_region) memory_.free(queue.block());
  return queue.failed_fatally() ? HSA_STATUS_ERROR_FATAL : HSA_STATUS_SUCCESS;
}

void Queues::destroy_all() {
  for (int64_t last = 0;;) {
    std::shared_ptr<Queue> queue;
    {
      std::lock_guard lock(mutex_);
      const auto next = by_handle_.upper_bound(last);
      if (next == by_handle_.end()) return;
      std::tie(last, queue) = *next;
    }
    if (queue->quiesce()) tear_down(*queue);
  }
}

void Queues::report_error(int64_t queue_handle, hsa_status_t status, const char* message,
                          const std::optional<MemoryFault>& fault) {
  std::shared_ptr<Queue> queue;
  {
    std::lock_guard lock(mutex_);
    auto found = by_handle_.find(queue_handle);
    if (found != by_handle_.end()) queue = found->second;
  }
  if (queue == nullptr)
    return log_error("an agent reports an error of queue {:#x}, which does not exist", queue_handle);
  report(ActivityKind::queue_failure, *queue, status);
  queue->fail(status, message == nullptr ? "" : message, fault);
}

}  // namespace heddle::driver
