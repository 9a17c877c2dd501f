// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/intercept_queues.h"

#include <link.h>
#include <algorithm>

#include <hsam/signal.h>

#include "driver/log.h"
#include "runtime/core/calls_under_way.h"
#include "runtime/core/runtime.h"
#include "support/exception_safety.h"

namespace heddle::runtime {

namespace {

hsam_signal* block(hsa_signal_t signal) { return reinterpret_cast<hsam_signal*>(signal.handle); }

/// The addresses of a library.
struct Extent {
  uintptr_t inside;  ///< an address in the library, by which it is found
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool contains(uintptr_t address) const { return begin <= address && address < end; }
};

/// Stores the extent of the library if it is the one that is looked for, and then returns 1, which ends the
/// search.
int match_library(dl_phdr_info* library, size_t, void* data) {
  auto& wanted = *static_cast<Extent*>(data);
  Extent extent{wanted.inside, UINTPTR_MAX, 0};
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& header = library->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    extent.begin = std::min<uintptr_t>(extent.begin, library->dlpi_addr + header.p_vaddr);
    extent.end = std::max<uintptr_t>(extent.end, library->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  if (!extent.contains(wanted.inside)) return 0;
  wanted = extent;
  return 1;
}

/// Reports whether the code at an address is the runtime's and not an agent's.
bool is_in_runtime(const void* code) {
  static const Extent runtime = [] {
    Extent extent{reinterpret_cast<uintptr_t>(&match_library)};
    dl_iterate_phdr(match_library, &extent);
    return extent;
  }();
  return runtime.contains(reinterpret_cast<uintptr_t>(code));
}

/// Memory for the packets that programs write: the first memory of the host in which they can allocate.
const driver::Region* region_for_packets(const driver::Client& client) {
  for (const driver::Region* region : client.agents().front()->regions())
    if (region->description.segment == HSAM_SEGMENT_GLOBAL && region->description.runtime_alloc_allowed)
      return region;
  return nullptr;
}

/// Whether a queue stays although it was to be destroyed: its own callback or interceptor was to do so. To
/// look whether there is a queue at its address would not do, because that may be another one by then.
bool stays(hsa_status_t destroyed) { return destroyed == HSA_STATUS_ERROR; }

}  // namespace

struct InterceptQueues::Entry {
  driver::QueueCallback* callback = nullptr;
  void* data = nullptr;
  hsa_queue_t* lower = nullptr;
  hsa_queue_t* upper = nullptr;
  hsa_signal_t doorbell{};
  hsa_signal_t retry{};
  std::shared_ptr<InterceptQueue> queue;
  bool is_being_destroyed = false;  // guarded by mutex_

  /// The list of destinations of the doorbell has one.
  void set_unreachable(bool unreachable) const {
    hsa_signal_object* object = block(doorbell)->object;
    hsam_root_update(block(doorbell), object->root_dest_array,
                     unreachable ? uint64_t{HSAM_NODE_STATE_INACTIVE} : 0, nullptr, nullptr);
  }
};

InterceptQueues::InterceptQueues(driver::Client& client, SignalHandlers& handlers)
    : client_(client), handlers_(handlers) {}

InterceptQueues::~InterceptQueues() = default;

/// Is called on any thread that sends to the doorbell of a queue with interceptors.
void InterceptQueues::on_ring(hsa_signal_object* doorbell, int64_t) {
  const bool by_program = is_in_runtime(__builtin_return_address(0));
  const CallUnderWay under_way;
  Runtime* runtime = Runtime::current();
  if (runtime == nullptr) return;
  InterceptQueues& queues = runtime->intercept_queues();
  const std::shared_ptr<InterceptQueue> queue = queues.find(doorbell);
  if (queue == nullptr) return;
  if (by_program)
    queues.finish(*queue, queue->process());
  else
    queue->process_later();
}

/// Is called by the thread of the signal handlers.
bool InterceptQueues::on_retry(hsa_signal_value_t, void* upper) {
  // The call is counted, so that all parts of the runtime exist, but the runtime may be being shut down.
  Runtime* runtime = Runtime::current();
  if (runtime == nullptr) return true;
  InterceptQueues& queues = runtime->intercept_queues();
  const std::shared_ptr<InterceptQueue> queue = queues.find(static_cast<const hsa_queue_t*>(upper));
  if (queue == nullptr) return false;
  const InterceptQueue::Outcome outcome = queue->retry();
  queues.finish(*queue, outcome);
  return outcome == InterceptQueue::Outcome::done;
}

/// Delivers an error of the lower queue, which the program does not know, as one of the upper queue.
void InterceptQueues::on_error(hsa_status_t status, hsa_queue_t*, void* data) {
  const auto& entry = *static_cast<const Entry*>(data);
  entry.callback(status, entry.upper, entry.data);
}

/// Tells the program if a queue has stopped.
void InterceptQueues::finish(const InterceptQueue& queue, InterceptQueue::Outcome outcome) {
  if (outcome != InterceptQueue::Outcome::exhausted) return;
  driver::QueueCallback* callback = nullptr;
  void* data = nullptr;
  {
    std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
      if (entry->queue.get() == &queue) callback = entry->callback, data = entry->data;
  }
  if (callback != nullptr) callback(HSA_STATUS_ERROR_OUT_OF_RESOURCES, queue.upper(), data);
}

std::shared_ptr<InterceptQueue> InterceptQueues::find(const hsa_queue_t* queue) const {
  if (count_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (entry->upper == queue) return entry->queue;
  return nullptr;
}

std::shared_ptr<InterceptQueue> InterceptQueues::find(const hsa_signal_object* doorbell) const {
  std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (block(entry->doorbell)->object == doorbell) return entry->queue;
  return nullptr;
}

bool InterceptQueues::owns(hsa_signal_t signal) const {
  if (count_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [&](const auto& entry) {
    return entry->doorbell.handle == signal.handle || entry->retry.handle == signal.handle;
  });
}

hsa_status_t InterceptQueues::add(const hsa_queue_t* queue, hsa_amd_queue_intercept_handler handler,
                                  void* data) {
  const std::shared_ptr<InterceptQueue> found = find(queue);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  found->add(handler, data);
  return HSA_STATUS_SUCCESS;
}

driver::StatusOr<hsa_queue_t*> InterceptQueues::create(const driver::QueueRequest& request) {
  auto entry = std::make_unique<Entry>();
  bool created = false;
  const Finally give_up([&] {
    if (!created && entry != nullptr) (void)tear_down(*entry);
  });
  if (const hsa_status_t status = build(*entry, request); status != HSA_STATUS_SUCCESS) return status;
  hsa_queue_t* upper = entry->upper;
  {
    std::lock_guard lock(mutex_);
    reserve_one_more(entries_);
    entries_.push_back(std::move(entry));
    count_.store(entries_.size(), std::memory_order_relaxed);
  }
  created = true;
  return upper;
}

/// Makes the two queues and connects them.
hsa_status_t InterceptQueues::build(Entry& entry, const driver::QueueRequest& request) {
  const driver::Region* region = region_for_packets(client_);
  if (region == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  entry.callback = request.callback;
  entry.data = request.data;
  driver::QueueRequest lower_request = request;
  lower_request.callback = request.callback == nullptr ? nullptr : &InterceptQueues::on_error;
  lower_request.data = &entry;
  auto lower = client_.create_queue(lower_request);
  if (!lower) return lower.error();
  entry.lower = *lower;
  const driver::Agent* consumer[] = {client_.agents().front()};
  auto doorbell = client_.create_signal(0, consumer);
  if (!doorbell) return doorbell.error();
  entry.doorbell = *doorbell;
  auto retry = client_.create_signal(InterceptQueue::quiet, {});
  if (!retry) return retry.error();
  entry.retry = *retry;
  auto upper = client_.create_soft_queue(*region, entry.lower->size, request.type, entry.lower->features,
                                         entry.doorbell);
  if (!upper) return upper.error();
  entry.upper = *upper;
  return connect(entry);
}

hsa_status_t InterceptQueues::connect(Entry& entry) {
  static constexpr hsam_signal_hooks hooks = {.destination_unreachable = &InterceptQueues::on_ring};
  entry.queue = std::make_shared<InterceptQueue>(entry.upper, entry.lower, block(entry.retry));
  const hsa_status_t status = handlers_.add(block(entry.retry), HSA_SIGNAL_CONDITION_NE,
                                            InterceptQueue::quiet, &InterceptQueues::on_retry, entry.upper);
  if (status != HSA_STATUS_SUCCESS) return status;
  __atomic_store_n(&block(entry.doorbell)->hooks, &hooks, __ATOMIC_RELAXED);
  entry.set_unreachable(true);
  return HSA_STATUS_SUCCESS;
}

/// Destroys what there is. If the lower queue cannot be destroyed, everything stays.
hsa_status_t InterceptQueues::tear_down(Entry& entry) {
  if (entry.queue != nullptr && !entry.queue->stop()) {
    driver::log_error("queue {} cannot be destroyed by its own interceptor", entry.upper->id);
    return HSA_STATUS_ERROR;
  }
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (entry.lower != nullptr) status = client_.destroy_queue(entry.lower);
  if (stays(status)) {
    if (entry.queue != nullptr) entry.queue->resume();
    return status;
  }
  if (entry.upper != nullptr) (void)client_.destroy_queue(entry.upper);
  if (entry.retry.handle != 0) {
    handlers_.forget(block(entry.retry));
    (void)client_.destroy_signal(entry.retry);
  }
  if (entry.doorbell.handle != 0) {
    if (entry.queue != nullptr) entry.set_unreachable(false);
    (void)client_.destroy_signal(entry.doorbell);
  }
  return status;
}

hsa_status_t InterceptQueues::destroy(hsa_queue_t* queue) {
  Entry* entry = nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, queue, [](const auto& e) { return e->upper; });
    if (found == entries_.end() || (*found)->is_being_destroyed) return HSA_STATUS_ERROR_INVALID_QUEUE;
    entry = found->get();
    entry->is_being_destroyed = true;
  }
  const hsa_status_t status = tear_down(*entry);
  std::lock_guard lock(mutex_);
  if (stays(status)) {
    entry->is_being_destroyed = false;
    return status;
  }
  std::erase_if(entries_, [&](const auto& e) { return e.get() == entry; });
  count_.store(entries_.size(), std::memory_order_relaxed);
  return status;
}

}  // namespace heddle::runtime
