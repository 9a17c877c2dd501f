// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "hip/core/device.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"

namespace heddle::hip {
namespace {

// A dispatch in flight has a slot for its arguments. Larger arguments, which are rare, are allocated.
constexpr uint32_t packet_count = 1024;
constexpr size_t slot_size = sizeof(LaunchRecord) + 256;

constexpr uint16_t header_of(uint16_t type) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

hsa_amd_queue_priority_t hsa_priority(QueuePriority priority) {
  if (priority == QueuePriority::high) return HSA_AMD_QUEUE_PRIORITY_HIGH;
  return priority == QueuePriority::low ? HSA_AMD_QUEUE_PRIORITY_LOW : HSA_AMD_QUEUE_PRIORITY_NORMAL;
}

void on_error(hsa_status_t status, hsa_queue_t*, void* device) { static_cast<Device*>(device)->fail(status); }

}  // namespace

Queue::Queue(Device& device, QueuePriority priority, std::span<const uint32_t> units, hsa_queue_type_t type)
    : device_(device) {
  const uint32_t size = std::min(packet_count, device.properties().largest_queue);
  check(hsa_queue_create(device.agent(), size, type, on_error, &device, UINT32_MAX, UINT32_MAX, &queue_),
        "hsa_queue_create", hipErrorOutOfMemory);
  try {
    check(hsa_signal_create(counter_start, 0, nullptr, &counter_), "hsa_signal_create", hipErrorOutOfMemory);
    slots_ = static_cast<std::byte*>(device.allocate_arguments(packet_count * slot_size));
    std::memset(slots_, 0, packet_count * slot_size);
    if (priority != QueuePriority::normal)
      check(hsa_amd_queue_set_priority(queue_, hsa_priority(priority)), "hsa_amd_queue_set_priority");
    if (!units.empty())
      check(hsa_amd_queue_cu_set_mask(queue_, static_cast<uint32_t>(units.size() * 32), units.data()),
            "hsa_amd_queue_cu_set_mask", hipErrorInvalidValue);
  } catch (...) {
    hsa_queue_destroy(queue_);
    if (counter_.handle != 0) hsa_signal_destroy(counter_);
    hsa_amd_memory_pool_free(slots_);
    throw;
  }
  device.queues().add(*this);
  if (device.failure() != hipSuccess) abandon();
  log(LogLevel::info, log_queue, fmt::format("created queue {} of {} packets", queue_->id, size));
}

Queue::~Queue() {
  device_.queues().remove(*this);
  hsa_queue_destroy(queue_);
  hsa_signal_destroy(counter_);
  hsa_amd_memory_pool_free(slots_);
  for (const LargeArguments& large : large_arguments_) hsa_amd_memory_pool_free(large.address);
}

void* Queue::arguments(size_t size) {
  release_complete();
  const uint64_t number = submitted_ + 1;
  if (size > slot_size - sizeof(LaunchRecord)) {
    large_arguments_.push_back({number, nullptr});
    log_lazily(LogLevel::debug, log_resource,
               [&] { return fmt::format("allocates {} bytes for arguments", size); });
    void* memory = nullptr;
    try {
      memory = device_.allocate_arguments(sizeof(LaunchRecord) + size);
    } catch (...) {
      large_arguments_.pop_back();
      throw;
    }
    large_arguments_.back().address = memory;
    auto* const record = new (memory) LaunchRecord();
    return record + 1;
  }
  // The slot of this number was that of the packet `packet_count` before.
  if (number > packet_count && !completed(number - packet_count)) {
    tell_of_batch();
    log_lazily(LogLevel::debug, log_resource,
               [&] { return fmt::format("queue {} has all memory for arguments in use", queue_->id); });
    wait(number - packet_count);
  }
  return slots_ + number % packet_count * slot_size + sizeof(LaunchRecord);
}

void Queue::keep(std::shared_ptr<const void> object) {
  retained_.push_back({submitted_ + 1, std::move(object)});
}

namespace {

std::string described(const hsa_kernel_dispatch_packet_t& packet) {
  return fmt::format("dispatch of {:#x}: grid {} x {} x {}, groups {} x {} x {}, {} bytes of group memory",
                     packet.kernel_object, packet.grid_size_x, packet.grid_size_y, packet.grid_size_z,
                     packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z,
                     packet.group_segment_size);
}

std::string described(const hsa_barrier_and_packet_t& packet) {
  return fmt::format("barrier-AND on {:#x}, {:#x}, {:#x}, {:#x}, {:#x}", packet.dep_signal[0].handle,
                     packet.dep_signal[1].handle, packet.dep_signal[2].handle, packet.dep_signal[3].handle,
                     packet.dep_signal[4].handle);
}

/// Returns the bytes of a packet with its first word, which is not in it yet.
std::string raw(const void* packet, uint32_t first) {
  std::array<uint32_t, 16> words{};
  std::memcpy(words.data(), packet, sizeof words);
  words[0] = first;
  return fmt::format("{:08x}", fmt::join(words, " "));
}

}  // namespace

uint64_t Queue::dispatch(const hsa_kernel_dispatch_packet_t& packet, void* arguments) {
  hsa_kernel_dispatch_packet_t own = packet;
  own.kernarg_address = arguments;
  own.completion_signal = counter_;
  write(own, packet.setup, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  return ++submitted_;
}

uint64_t Queue::wait_for(std::span<const MarkerPointer> markers) {
  assert(markers.size() <= most_dependencies);
  log_lazily(LogLevel::debug, log_command_detail,
             [&] { return fmt::format("lets queue {} wait for {} markers", queue_->id, markers.size()); });
  hsa_barrier_and_packet_t packet{};
  for (size_t i = 0; i < markers.size(); ++i) {
    retained_.push_back({submitted_ + 1, markers[i]});
    packet.dep_signal[i] = markers[i]->signal();
  }
  packet.completion_signal = counter_;
  write(packet, 0, HSA_PACKET_TYPE_BARRIER_AND);
  return ++submitted_;
}

void Queue::mark(const Marker& marker) {
  log_lazily(LogLevel::debug, log_command_detail,
             [&] { return fmt::format("marks the end of the work of queue {}", queue_->id); });
  hsa_barrier_and_packet_t packet{};
  packet.completion_signal = marker.signal();
  write(packet, 0, HSA_PACKET_TYPE_BARRIER_AND);
}

template <typename Packet>
void Queue::write(const Packet& packet, uint16_t setup, uint16_t type) {
  static_assert(sizeof(Packet) == 64);
  const uint64_t index = hsa_queue_load_write_index_relaxed(queue_);
  while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) {
    if (device_.failure() != hipSuccess) throw Failure(device_.failure());
    tell_of_batch();
    log_lazily(LogLevel::debug, log_resource, [&] { return fmt::format("queue {} is full", queue_->id); });
    // Waits, with a limit because packets of markers do not change the counter, until any packet completes.
    constexpr uint64_t ticks = 20000;
    hsa_signal_wait_scacquire(counter_, HSA_SIGNAL_CONDITION_LT, hsa_signal_load_relaxed(counter_), ticks,
                              HSA_WAIT_STATE_BLOCKED);
  }
  auto* const slot = static_cast<std::byte*>(queue_->base_address) + index % queue_->size * sizeof(Packet);
  const uint32_t first = header_of(type) | uint32_t{setup} << 16;
  std::memcpy(slot + sizeof first, reinterpret_cast<const std::byte*>(&packet) + sizeof first,
              sizeof packet - sizeof first);
  hsa_queue_store_write_index_relaxed(queue_, index + 1);
  // The header makes the packet valid, and therefore comes last.
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), first, __ATOMIC_RELEASE);
  log_lazily(LogLevel::debug, log_aql,
             [&] { return fmt::format("queue {} packet {}: {}", queue_->id, index, described(packet)); });
  log_lazily(LogLevel::debug, log_aql_bytes,
             [&] { return fmt::format("queue {} packet {}: {}", queue_->id, index, raw(&packet, first)); });
  last_index_ = index;
  constexpr uint32_t most_untold = 32;  // so that the agent begins before a long batch is complete
  if (batched_ && ++*batched_ < most_untold) return;
  ring();
}

void Queue::ring() {
  log_lazily(LogLevel::debug, log_queue,
             [&] { return fmt::format("queue {} has packets up to {}", queue_->id, last_index_); });
  hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(last_index_));
  if (batched_) batched_ = 0;
}

void Queue::tell_of_batch() {
  if (batched_.value_or(0) != 0) ring();
}

void Queue::end_batch() {
  tell_of_batch();
  batched_.reset();
}

void Queue::release_complete() {
  if (large_arguments_.empty() && retained_.empty()) return;
  const auto complete = static_cast<uint64_t>(counter_start - hsa_signal_load_scacquire(counter_));
  while (!retained_.empty() && retained_.front().number <= complete) retained_.pop_front();
  while (!large_arguments_.empty() && large_arguments_.front().number <= complete) {
    hsa_amd_memory_pool_free(large_arguments_.front().address);
    large_arguments_.pop_front();
  }
}

void Queue::wait(uint64_t number) const {
  log_lazily(LogLevel::debug, log_wait,
             [&] { return fmt::format("waits for packet {} of queue {}", number, queue_->id); });
  const auto bound = counter_start + 1 - static_cast<hsa_signal_value_t>(number);
  while (hsa_signal_wait_scacquire(counter_, HSA_SIGNAL_CONDITION_LT, bound, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED) >= bound) {
  }
}

void Queue::abandon() { hsa_signal_store_screlease(counter_, 0); }

}  // namespace heddle::hip
