// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "hip/core/failure.h"
#include "hip/core/kernel_output.h"
#include "hip/core/log.h"
#include "hip/core/meeting_point.h"
#include "hip/core/memory_pool.h"
#include "hip/core/stream.h"

namespace heddle::hip {
namespace {

struct Pools {
  hsa_amd_memory_pool_t coarse{}, fine{};
};

hsa_status_t note_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto& pools = *static_cast<Pools*>(data);
  hsa_amd_segment_t segment{};
  bool allowed = false;
  uint32_t flags = 0;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  if (segment != HSA_AMD_SEGMENT_GLOBAL || !allowed) return HSA_STATUS_SUCCESS;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0 && pools.coarse.handle == 0)
    pools.coarse = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0 && pools.fine.handle == 0)
    pools.fine = pool;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

bool PeerAccess::enable(int peer) {
  const std::scoped_lock lock(mutex_);
  return enabled_.insert(peer).second;
}

bool PeerAccess::disable(int peer) {
  const std::scoped_lock lock(mutex_);
  return enabled_.erase(peer) != 0;
}

bool PeerAccess::enabled(int peer) const {
  const std::scoped_lock lock(mutex_);
  return enabled_.contains(peer);
}

Device::Device(int number, hsa_agent_t agent, hsa_agent_t host, hsa_amd_memory_pool_t kernarg_pool)
    : number_(number),
      agent_(agent),
      host_(host),
      kernarg_pool_(kernarg_pool),
      properties_(properties_of(agent)) {
  find_pools();
}

Device::~Device() = default;

void Device::find_pools() {
  Pools pools;
  check(hsa_amd_agent_iterate_memory_pools(agent_, note_pool, &pools), "hsa_amd_agent_iterate_memory_pools");
  pool_ = pools.coarse.handle != 0 ? pools.coarse : pools.fine;
  fine_pool_ = pools.fine.handle != 0 ? pools.fine : pools.coarse;
  if (pool_.handle == 0) throw Failure(hipErrorNoDevice, properties_.name + " has no memory for programs");
  hsa_amd_memory_pool_get_info(pool_, HSA_AMD_MEMORY_POOL_INFO_SIZE, &properties_.memory_size);
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  hsa_amd_agent_memory_pool_get_info(host_, pool_, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
  properties_.host_reaches_memory = access == HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
}

void* Device::allocate_arguments(size_t size) {
  void* address = nullptr;
  check(hsa_amd_memory_pool_allocate(kernarg_pool_, size, 0, &address), "memory for arguments",
        hipErrorOutOfMemory);
  const hsa_status_t status = hsa_amd_agents_allow_access(1, &agent_, nullptr, address);
  if (status != HSA_STATUS_SUCCESS) {
    hsa_amd_memory_pool_free(address);
    check(status, "hsa_amd_agents_allow_access");
  }
  return address;
}

void Device::start() {
  if (started_.load(std::memory_order_acquire)) return;
  const auto held = lock();
  if (default_stream_ != nullptr) return;
  default_stream_ = std::make_shared<Stream>(*this, StreamKind::legacy_default, QueuePriority::normal);
  started_.store(true, std::memory_order_release);
}

std::shared_ptr<Queue> Device::queue_for(QueuePriority priority) {
  const auto held = lock();
  auto& special = priority == QueuePriority::high ? high_queue_ : low_queue_;
  if (priority != QueuePriority::normal) {
    if (special == nullptr) special = std::make_shared<Queue>(*this, priority, std::span<const uint32_t>());
    return special;
  }
  return least_used_queue();
}

Queue& Device::cooperative_queue() {
  const auto held = lock();
  if (cooperative_queue_ == nullptr)
    cooperative_queue_ = std::make_unique<Queue>(*this, QueuePriority::normal, std::span<const uint32_t>(),
                                                 HSA_QUEUE_TYPE_COOPERATIVE);
  return *cooperative_queue_;
}

/// Streams that share a queue wait for each other, even for a kernel that waits for the host. So no two do
/// before there are more streams than queues. The streams of branches have work only while graphs run.
const std::shared_ptr<Queue>& Device::least_used_queue() {
  const auto is_branch = [&](const Stream* stream) {
    return std::ranges::any_of(branch_streams_, [&](const auto& branch) { return branch.get() == stream; });
  };
  const auto users = [&](const std::shared_ptr<Queue>& queue) {
    return std::ranges::count_if(
        streams_, [&](const Stream* stream) { return stream->uses(*queue) && !is_branch(stream); });
  };
  const auto best = std::ranges::min_element(queues_, {}, users);
  if (best != queues_.end() && (users(*best) == 0 || queues_.size() == environment.hardware_queues))
    return *best;
  queues_.push_back(std::make_shared<Queue>(*this, QueuePriority::normal, std::span<const uint32_t>()));
  return queues_.back();
}

Stream& Device::branch_stream(size_t number) {
  const auto held = lock();
  if (branch_streams_.size() <= number) branch_streams_.resize(number + 1);
  auto& stream = branch_streams_[number];
  if (stream == nullptr)
    stream = std::make_shared<Stream>(*this, StreamKind::non_blocking, QueuePriority::normal);
  return *stream;
}

void Device::add_stream(Stream& stream) {
  const auto held = lock();
  streams_.push_back(&stream);
}

void Device::remove_stream(Stream& stream) {
  const auto held = lock();
  std::erase(streams_, &stream);
}

/// Waits without the lock, which other threads may need to let the work go on.
void Device::finish_streams() {
  std::vector<std::shared_ptr<Stream>> streams;
  std::vector<MarkerPointer> ends;
  {
    const auto held = lock();
    for (Stream* const stream : streams_) {
      // A stream that another thread is destroying can no longer be shared, but its work may still run.
      if (auto shared = stream->weak_from_this().lock())
        streams.push_back(std::move(shared));
      else if (auto end = stream->mark())
        ends.push_back(std::move(end));
    }
  }
  for (const auto& stream : streams) stream->finish();
  for (const auto& end : ends) end->wait();
}

void Device::synchronize() {
  finish_streams();
  // A kernel that failed may have printed before, for example the message of a failed assertion.
  print_output();
  if (failure() != hipSuccess) throw Failure(failure());
  trim_pools();
}

void Device::trim_pools() {
  pools_.for_each([](MemoryPool& pool) { pool.trim_to_threshold(); });
  graph_memories_.for_each([](GraphMemory& memory) { memory.settle(); });
}

void Device::reset() {
  log(LogLevel::debug, log_misc, "resets a device");
  finish_streams();
  print_output();
  const auto held = lock();
  settings_.reset();
  if (failure() == hipSuccess) return;
  // Queues that have failed are replaced; streams that others hold get new ones. Threads that still wait for
  // an old queue keep it until they have seen that the wait is over.
  auto old_queues = std::move(queues_);
  auto old_high = std::move(high_queue_);
  auto old_low = std::move(low_queue_);
  auto old_cooperative = std::move(cooperative_queue_);
  queues_.clear();
  std::vector<std::shared_ptr<Queue>> replaced;
  replaced.reserve(streams_.size());
  // What ends the waits must not meet the new queues. The old ones are destroyed after this lock, because
  // that waits for their error callbacks, which take it.
  const std::scoped_lock ended(failing_);
  failure_.store(hipSuccess, std::memory_order_release);
  for (Stream* const stream : streams_) replaced.push_back(stream->replace_queue());
}

void Device::print_output() {
  if (Listing<KernelOutput>::none_exist()) return;
  const auto held = lock();
  for (const Stream* const stream : streams_)
    if (!stream->complete()) return;
  outputs_.for_each([](KernelOutput& output) { output.print(); });
}

void Device::note_failure(hipError_t code) noexcept {
  hipError_t none = hipSuccess;
  failure_.compare_exchange_strong(none, code);
}

void Device::fail(hsa_status_t status) noexcept {
  const std::scoped_lock failing(failing_);
  note_failure(hipErrorLaunchFailure);  // unless a memory fault was reported before
  log(LogLevel::error, log_queue, text_of(status));
  meeting_points_.for_each([](MeetingPoint& point) { point.break_up(); });
  outputs_.for_each([](KernelOutput& output) { output.obey_abort(); });
  queue_list_.for_each([](Queue& queue) { queue.abandon(); });
  markers_.for_each([](Marker& marker) {
    if (!marker.done()) marker.finish();
  });
}

}  // namespace heddle::hip
