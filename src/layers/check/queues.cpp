// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/queues.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "layers/check/calls.h"

namespace heddle::check {
namespace {

const Packet* slot(const Queue& queue, uint64_t index) {
  return static_cast<const Packet*>(queue.header.base_address) + index % queue.header.size;
}

/// Returns a packet that has a header and is waiting in its slot; nothing if it is not complete yet or has
/// been taken. `invalid` tells the two apart.
std::optional<Packet> read(const Queue& queue, uint64_t index, bool* invalid = nullptr) {
  const auto address = reinterpret_cast<uint64_t>(queue.handle);
  const Packet* source = slot(queue, index);
  Packet packet;
  packet.header = __atomic_load_n(&source->header, __ATOMIC_ACQUIRE);
  std::memcpy(reinterpret_cast<char*>(&packet) + sizeof packet.header,
              reinterpret_cast<const char*>(source) + sizeof packet.header,
              sizeof packet - sizeof packet.header);
  const bool has_header = type_of(packet) != HSA_PACKET_TYPE_INVALID;
  // Whoever takes the packet resets the header before anything else.
  const bool steady = __atomic_load_n(&source->header, __ATOMIC_ACQUIRE) == packet.header;
  // A slot holds an older packet until the read index has reached this one.
  const bool is_this = index < api::hsa_queue_load_read_index_relaxed(queue.handle) + queue.header.size;
  const bool waiting = is_waiting(address, index);
  if (invalid != nullptr) *invalid = !has_header && waiting;
  if (!has_header || !steady || !waiting || !is_this) return std::nullopt;
  return packet;
}

bool is_same(const Packet& a, const Packet& b) {
  using Words = std::array<uint64_t, 8>;
  return std::bit_cast<Words>(a) == std::bit_cast<Words>(b);
}

std::string describe(const Packet& packet, uint64_t index, const Kernels& kernels) {
  static constexpr const char* names[] = {"a packet of the vendor", "an invalid packet",
                                          "a kernel dispatch",      "a barrier-AND packet",
                                          "an agent dispatch",      "a barrier-OR packet"};
  const uint32_t type = type_of(packet);
  if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH)
    if (const Kernel* kernel = kernels.find(packet.kernel.kernel_object))
      return fmt::format("a dispatch of {} (packet {})", kernel->name, index);
  return fmt::format("{} (packet {})", type < std::size(names) ? names[type] : "a packet of unknown type",
                     index);
}

void add_ranges(const DispatchMemory& memory, const Packet& packet, Flight& flight) {
  if (memory.kernarg != nullptr)
    flight.ranges.push_back({reinterpret_cast<uint64_t>(packet.kernel.kernarg_address), memory.kernarg_size,
                             UsedRange::Role::kernarg});
  for (const Allocation* allocation : memory.pointed_to)
    flight.ranges.push_back({allocation->begin, allocation->capacity, UsedRange::Role::argument});
}

}  // namespace

void Queues::made(hsa_queue_t* handle, hsa_agent_t agent) {
  Queue queue;
  queue.handle = handle;
  queue.header = *handle;
  queue.agent = agent;
  if (agent.handle != 0) queue.limits = limits_of(agent);
  queue.checked = api::hsa_queue_load_read_index_relaxed(handle);
  queues_[reinterpret_cast<uint64_t>(handle)] = std::move(queue);
}

void Queues::clear() {
  queues_.clear();
  pending_.clear();
  unreleased_.clear();
}

Queue* Queues::find(uint64_t handle) {
  const auto found = queues_.find(handle);
  return found != queues_.end() ? &found->second : nullptr;
}

void Queues::check_store(uint64_t current, uint64_t value, std::vector<Finding>& findings) {
  if (value < current)
    findings.push_back(
        {&rules::write_index, fmt::format("the write index goes back from {} to {}", current, value), {}});
}

void Queues::reserve(Queue& queue, uint64_t begin, uint64_t end, const Event& event,
                     std::vector<Finding>& findings) {
  if (end <= begin) return;
  const uint64_t thread = this_thread();
  const bool is_open =
      queue.reserved_by != 0 && static_cast<int64_t>(queue.reserved_end) - 1 > queue.last_rung;
  if (queue.header.type == HSA_QUEUE_TYPE_SINGLE && is_open && queue.reserved_by != thread)
    findings.push_back({&rules::single_producer,
                        fmt::format("thread {} reserves packet {} of a queue for a single producer, while "
                                    "thread {} has not rung the "
                                    "doorbell for packet {}",
                                    thread, begin, queue.reserved_by, queue.reserved_end - 1),
                        {{fmt::format("reserved by {}", queue.reserved.function), queue.reserved.site}}});
  queue.reserved_by = thread;
  queue.reserved_end = end;
  queue.reserved = event;
  pending_.insert(reinterpret_cast<uint64_t>(queue.handle));
}

void Queues::look(std::vector<Finding>& findings) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    Queue* queue = find(*it);
    const uint64_t limit = queue != nullptr ? api::hsa_queue_load_write_index_relaxed(queue->handle) : 0;
    // The consumer of a soft queue is a part of the program, which may do with packets what it likes.
    if (queue == nullptr || queue->agent.handle == 0 || (queue->checked >= limit && queue->seen.empty())) {
      it = pending_.erase(it);
      continue;
    }
    std::erase_if(queue->seen, [&](const auto& entry) { return !is_waiting(*it, entry.first); });
    // What lies further behind is looked at when the packets before it have gone.
    const uint64_t begin = std::max(queue->checked, api::hsa_queue_load_read_index_relaxed(queue->handle));
    const uint64_t first = queue->seen.empty() ? begin : std::min(begin, queue->seen.begin()->first);
    for (uint64_t index = first; index < std::min(limit, first + 64); ++index) {
      const auto packet = read(*queue, index);
      // Some programs clear a packet, with its header, before they fill it.
      if (!packet || type_of(*packet) == HSA_PACKET_TYPE_VENDOR_SPECIFIC) continue;
      const auto [seen, is_new] = queue->seen.try_emplace(index, *packet);
      if (is_new || is_same(seen->second, *packet)) continue;
      seen->second = *packet;
      findings.push_back(
          {&rules::packet_changed,
           fmt::format("packet {} of queue {} has changed after its header was written; the agent may "
                       "have taken it before",
                       index, queue->header.id),
           {{fmt::format("reserved by {}", queue->reserved.function), queue->reserved.site}}});
    }
    ++it;
  }
}

void Queues::check_doorbell(const Queue& queue, int64_t value, uint64_t limit,
                            std::vector<Finding>& findings) {
  const auto index = static_cast<uint64_t>(value);
  const uint64_t id = queue.header.id;
  if (value < 0 || index >= limit) {
    findings.push_back(
        {&rules::doorbell_not_reserved,
         fmt::format("the doorbell of queue {} is rung for packet {}, and packets before {} have been "
                     "reserved",
                     id, value, limit),
         {}});
    return;
  }
  if (queue.header.type == HSA_QUEUE_TYPE_SINGLE && value < queue.last_rung)
    findings.push_back(
        {&rules::doorbell_order,
         fmt::format("the doorbell of queue {}, which is for a single producer, is rung for packet {} "
                     "after packet {}",
                     id, value, queue.last_rung),
         {}});
  const uint64_t read_index = api::hsa_queue_load_read_index_scacquire(queue.handle);
  bool invalid = false;
  if (index >= read_index + queue.header.size)
    findings.push_back(
        {&rules::queue_overflow,
         fmt::format("packet {} of queue {} has been written, and the slot is in use until the read "
                     "index is {}; it is {}",
                     index, id, index + 1 - queue.header.size, read_index),
         {}});
  else if (!read(queue, index, &invalid) && invalid)
    findings.push_back(
        {&rules::packet_invalid,
         fmt::format("the doorbell of queue {} is rung for packet {}, which has no header yet", id, index),
         {}});
}

void Queues::ring(Queue& queue, int64_t value, const Event& event, PacketContext context, Flights& flights,
                  std::vector<Finding>& findings) {
  context.features = queue.header.features;
  context.agent = queue.agent;
  context.limits = queue.limits;
  const uint64_t limit = api::hsa_queue_load_write_index_scacquire(queue.handle);
  // The doorbell of a soft queue is a signal of the program, which may use it for other things, too.
  if (queue.agent.handle != 0) check_doorbell(queue, value, limit, findings);
  queue.last_rung = std::max(queue.last_rung, value);
  const uint64_t read_index = api::hsa_queue_load_read_index_scacquire(queue.handle);
  queue.checked = std::max(queue.checked, read_index);
  const uint64_t end = std::min(limit, read_index + queue.header.size);
  for (uint64_t i = queue.checked; i < end; ++i) {
    if (queue.checked_ahead.contains(i)) continue;
    const auto packet = read(queue, i);
    // A packet with the type 0 before that for which the doorbell is rung may be one that is being cleared.
    if (!packet || (type_of(*packet) == HSA_PACKET_TYPE_VENDOR_SPECIFIC && static_cast<int64_t>(i) != value))
      continue;
    // The value is that before the packet's completion only if the packet is still waiting afterwards.
    const uint64_t completion = completion_of(*packet);
    const int64_t completion_value =
        completion != 0 && context.objects.is_live(Kind::signal, completion) ? value_of(completion) : 0;
    if (!is_waiting(reinterpret_cast<uint64_t>(queue.handle), i)) continue;
    check_one(queue, i, *packet, completion_value, event, context, flights, findings);
    queue.checked_ahead.insert(i);
  }
  queue.checked_ahead.erase(queue.checked_ahead.begin(), queue.checked_ahead.lower_bound(queue.checked));
  while (queue.checked_ahead.erase(queue.checked) != 0) ++queue.checked;
  pending_.insert(reinterpret_cast<uint64_t>(queue.handle));
}

void Queues::note_completion(uint64_t completion, int64_t value, const PacketContext& context,
                             Flights& flights, Flight& flight, std::vector<Finding>& findings) {
  if (!context.objects.is_live(Kind::signal, completion)) return;
  flight.completion = completion;
  flight.value = value;
  flight.value_counts = !context.signals.is_exposed(completion);
  const uint64_t due = flights.completions_due(completion, context.objects) + 1;
  if (value < static_cast<int64_t>(due))
    findings.push_back(
        {&rules::signal_below_zero,
         fmt::format(
             "{}: the completion signal {:#x} has the value {}, and {} packets in flight subtract 1 from it",
             flight.what, completion, value, due),
         life_of(*context.objects.find(Kind::signal, completion))});
  unreleased_.erase(completion);
}

void Queues::check_one(Queue& queue, uint64_t index, const Packet& packet, int64_t completion_value,
                       const Event& event, const PacketContext& context, Flights& flights,
                       std::vector<Finding>& findings) {
  const size_t before = findings.size();
  check_packet(packet, context, findings);
  for (size_t i = before; i < findings.size(); ++i)
    findings[i].sentence =
        fmt::format("packet {} of queue {}: {}", index, queue.header.id, findings[i].sentence);
  const uint32_t type = type_of(packet);
  Flight flight;
  flight.what = describe(packet, index, context.kernels);
  flight.queue = reinterpret_cast<uint64_t>(queue.handle);
  flight.index = index;
  flight.submitted = event;
  note_completion(completion_of(packet), completion_value, context, flights, flight, findings);
  if (type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR)
    for (const hsa_signal_t dependency : packet.barrier.dep_signal)
      if (dependency.handle != 0) flight.dependencies.push_back(dependency.handle);
  DispatchMemory memory;
  const Kernel* kernel =
      type == HSA_PACKET_TYPE_KERNEL_DISPATCH ? context.kernels.find(packet.kernel.kernel_object) : nullptr;
  if (kernel != nullptr && !kernel->gone) {
    memory = memory_of(packet.kernel, *kernel, context);
    add_ranges(memory, packet, flight);
    flight.executable = kernel->executable;
  }
  note_fences(queue, index, packet, memory, flight.what, event, findings);
  if (!queue.failed) flights.add(std::move(flight));
}

void Queues::note_fences(Queue& queue, uint64_t index, const Packet& packet, const DispatchMemory& memory,
                         const std::string& what, const Event& event, std::vector<Finding>& findings) {
  if (type_of(packet) == HSA_PACKET_TYPE_VENDOR_SPECIFIC) return;
  if (acquire_scope(packet) == HSA_FENCE_SCOPE_SYSTEM) queue.acquired = true;
  if (release_scope(packet) == HSA_FENCE_SCOPE_SYSTEM)
    queue.last_release = std::max(queue.last_release, index + 1);
  if (memory.pointed_to.empty()) return;
  if (!queue.acquired)
    findings.push_back(
        {&rules::fence_acquire,
         fmt::format("{} reads memory that the host can write, and no packet of queue {} has had an "
                     "acquire fence of system scope",
                     what, queue.header.id),
         life_of(*memory.pointed_to.front())});
  const uint64_t completion = completion_of(packet);
  if (completion != 0 && release_scope(packet) != HSA_FENCE_SCOPE_SYSTEM)
    unreleased_[completion] = {reinterpret_cast<uint64_t>(queue.handle), index, what, event};
}

void Queues::host_saw(uint64_t signal, std::vector<Finding>& findings) {
  const auto found = unreleased_.find(signal);
  if (found == unreleased_.end()) return;
  const Unreleased dispatch = std::move(found->second);
  unreleased_.erase(found);
  const Queue* queue = find(dispatch.queue);
  // A later packet releases what this one has written.
  if (queue == nullptr || queue->last_release > dispatch.index + 1) return;
  findings.push_back(
      {&rules::fence_release,
       fmt::format("the host waits for {}, which has arguments that point to memory, and no release fence "
                   "of system scope makes what it wrote visible to the host",
                   dispatch.what),
       {{fmt::format("submitted by {}", dispatch.submitted.function), dispatch.submitted.site}}});
}

}  // namespace heddle::check
