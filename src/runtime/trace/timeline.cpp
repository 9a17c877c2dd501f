// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/timeline.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include <errno.h>
#include <fmt/format.h>

#include "driver/driver.h"
#include "support/utf8.h"

namespace heddle::runtime::trace {
namespace {

using driver::Activity;
using driver::ActivityKind;

constexpr auto number = Argument::Type::number;
constexpr auto address = Argument::Type::address;

/// More packets of a queue than this are not waited for.
constexpr size_t most_packets = size_t{1} << 20;

uint64_t nanoseconds(uint64_t ticks) { return ticks * (1'000'000'000 / driver::timestamp_frequency()); }

std::string_view name_of_barrier(uint32_t type) {
  return type == HSA_PACKET_TYPE_BARRIER_OR ? "barrier OR" : "barrier AND";
}

/// Returns the name that the system knows a thread by; the program's, unless it was named. The system cuts
/// names off after 15 bytes, also inside a character.
std::string name_of_thread(uint32_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return fmt::format("thread {}", thread);  // it has ended
  char name[64];
  const size_t length = std::fread(name, 1, sizeof name, file);
  std::fclose(file);
  std::string_view text(name, length);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return fmt::format("{} {}", valid_utf8(text), thread);
}

std::string size_text(uint64_t bytes) {
  if (bytes >= 10ull << 20) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 10ull << 10) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} bytes", bytes);
}

Slice slice_of(const Activity& activity, const char* category, std::string_view name) {
  Slice slice;
  slice.begin = nanoseconds(activity.begin);
  slice.end = std::max(nanoseconds(activity.end), slice.begin);
  slice.category = category;
  slice.name = name;
  return slice;
}

void add_status(Slice& slice, hsa_status_t status) {
  if (status != HSA_STATUS_SUCCESS) slice.add({"status", address, static_cast<uint64_t>(status), {}});
}

}  // namespace

Timeline::Timeline(uint32_t process, std::vector<Sink*> sinks)
    : process_(process), sinks_(std::move(sinks)) {}

void Timeline::add(std::span<const Record> records) {
  for (const Record& record : records) add(record);
  flush();
}

void Timeline::add(const Record& record) {
  const Activity& activity = record.activity;
  switch (activity.kind) {
    case ActivityKind::api_call:
      return add_call(record);
    case ActivityKind::signal_wait:
      return add_wait(record);
    case ActivityKind::copy:
      return add_copy(record);
    case ActivityKind::allocation:
    case ActivityKind::release:
      return add_memory(record);
    case ActivityKind::doorbell:
      return add_doorbell(record);
    case ActivityKind::packet:
      return add_packet(record);
    case ActivityKind::dispatch:
      return add_dispatch(record);
    case ActivityKind::barrier:
      return add_barrier(record);
    case ActivityKind::compute_unit:
      return add_compute_unit(record);
    case ActivityKind::queue_creation:
      queue_of_doorbell_[activity.signal] = activity.queue_id;
      return;
    case ActivityKind::queue_failure:
      return add_failure(activity);
    case ActivityKind::queue_destruction:
      queue_of_doorbell_.erase(activity.signal);
      queues_.erase(activity.queue_id);
      return;
    case ActivityKind::kernel_loading:
      if (activity.kernel_name != nullptr)
        kernels_[activity.kernel_object] = keep(valid_utf8(activity.kernel_name));
      return;
    case ActivityKind::signal_destruction:
      completions_.erase(activity.signal);
      return;
    case ActivityKind::signal_creation:
    case ActivityKind::event:
      return;
  }
}

size_t Timeline::awaited_packets() const {
  size_t count = 0;
  for (const auto& [id, queue] : queues_) count += queue.packets.size() + queue.ended_early.size();
  return count;
}

// ---- threads of the host ----

void Timeline::add_call(const Record& record) {
  Slice slice = slice_of(record.activity, "api", record.activity.function);
  slice.track = thread_track(record.thread);
  add_status(slice, record.activity.status);
  emit(std::move(slice));
}

/// A wait ends with an instant if it has seen the completion of a packet, to which the packet's arrow leads.
void Timeline::add_wait(const Record& record) {
  const Activity& activity = record.activity;
  Slice slice = slice_of(activity, "wait", "wait for signal");
  slice.track = thread_track(record.thread);
  slice.add({"signal", address, activity.signal, {}});
  slice.add({"value", Argument::Type::signed_number, static_cast<uint64_t>(activity.value), {}});
  const auto found = completions_.find(activity.signal);
  if (found != completions_.end() && found->second.end <= slice.end) {
    Slice seen;
    seen.track = slice.track;
    seen.begin = seen.end = slice.end;
    seen.instant = true;
    seen.category = "wait";
    seen.name = "completion seen";
    seen.add({"queue", number, found->second.queue, {}});
    seen.add({"packet", number, found->second.packet, {}});
    seen.role = FlowRole::end;
    seen.flows.push_back(found->second.flow);
    emit(std::move(seen));
    completions_.erase(found);
  }
  emit(std::move(slice));
}

void Timeline::add_copy(const Record& record) {
  const Activity& activity = record.activity;
  Slice slice = slice_of(activity, "copy", keep("copy " + size_text(activity.bytes)));
  slice.track = thread_track(record.thread);
  slice.add({"bytes", number, activity.bytes, {}});
  slice.add({"from", address, activity.source, {}});
  slice.add({"to", address, activity.address, {}});
  add_status(slice, activity.status);
  emit(std::move(slice));
}

void Timeline::add_memory(const Record& record) {
  const Activity& activity = record.activity;
  uint64_t& allocated = allocated_[activity.region->index];
  if (activity.kind == ActivityKind::allocation)
    allocated += activity.bytes;
  else
    allocated -= std::min(allocated, activity.bytes);  // what was allocated before the trace may be freed
  const Track track{TrackKind::memory, 0, activity.region->index, 0};
  name_host();
  name_track(track, fmt::format("memory of region {}", activity.region->index));
  for (Sink* sink : sinks_) sink->add_counter(track, nanoseconds(activity.end), allocated);
}

// ---- packets ----

uint64_t Timeline::flow_of(uint64_t queue, uint64_t packet) const {
  return (uint64_t{process_} << 40 ^ queue << 28) + packet + 1;
}

/// The doorbell says that the packets up to the one with this number have been submitted.
void Timeline::add_doorbell(const Record& record) {
  const Activity& activity = record.activity;
  const auto found = queue_of_doorbell_.find(activity.signal);
  if (found == queue_of_doorbell_.end() || activity.value < 0) return;
  Slice slice = slice_of(activity, "submit", "submit");
  slice.instant = true;
  slice.track = thread_track(record.thread);
  slice.add({"queue", number, found->second, {}});
  slice.add({"packet", number, static_cast<uint64_t>(activity.value), {}});
  slice.role = FlowRole::start;
  Queue& queue = queues_[found->second];
  if (queue.failed) return emit(std::move(slice));
  const uint64_t end = static_cast<uint64_t>(activity.value) + 1;
  // A client may store any value. No queue is longer than this.
  for (uint64_t id = end > most_packets ? std::max(queue.rung, end - most_packets) : queue.rung; id < end;
       ++id) {
    if (queue.packets.size() >= most_packets) break;
    if (queue.ended_early.erase(id) != 0) continue;
    queue.packets[id].submitted = slice.begin;
    slice.flows.push_back(flow_of(found->second, id));
  }
  queue.rung = std::max(queue.rung, end);
  emit(std::move(slice));
}

/// Packets that the agent has not taken yet are never taken, and those that are submitted from now on.
void Timeline::add_failure(const Activity& activity) {
  Queue& queue = queues_[activity.queue_id];
  queue.failed = true;
  std::erase_if(queue.packets, [](const auto& packet) { return packet.second.taken == 0; });
}

void Timeline::add_packet(const Record& record) {
  Queue& queue = queues_[record.activity.queue_id];
  if (queue.packets.size() < most_packets)
    queue.packets[record.activity.packet_id].taken = nanoseconds(record.activity.begin);
}

void Timeline::add_dispatch(const Record& record) {
  const Activity& activity = record.activity;
  Slice slice = slice_of(activity, "kernel", kernel_name(activity.kernel_object));
  slice.add({"packet", number, activity.packet_id, {}});
  slice.add({"work-groups", number, activity.work_groups, {}});
  slice.add({"work-items", number, activity.work_items, {}});
  slice.add({"waves", number, activity.waves, {}});
  slice.add({"kernel object", address, activity.kernel_object, {}});
  add_status(slice, activity.status);
  add_life(record, std::move(slice), "execute");
}

void Timeline::add_barrier(const Record& record) {
  const Activity& activity = record.activity;
  Slice slice = slice_of(activity, "barrier", name_of_barrier(activity.packet_type));
  slice.add({"packet", number, activity.packet_id, {}});
  add_life(record, std::move(slice), "wait for signals");
}

/// `life` begins when the last part of the packet's life begins, and is extended to the packet's submission.
void Timeline::add_life(const Record& record, Slice life, std::string_view last_part) {
  const Activity& activity = record.activity;
  Queue& queue = queues_[activity.queue_id];
  Packet packet;
  if (const auto found = queue.packets.find(activity.packet_id); found != queue.packets.end()) {
    packet = found->second;
    queue.packets.erase(found);
  }
  if (packet.submitted == 0 && queue.ended_early.size() < most_packets)
    queue.ended_early.insert(activity.packet_id);
  const uint64_t started = life.begin;
  const uint64_t taken = packet.taken != 0 ? std::min(packet.taken, started) : started;
  life.begin = packet.submitted != 0 ? std::min(packet.submitted, taken) : taken;
  life.track = lane_for(TrackKind::queue, record, activity.queue_id,
                        fmt::format("queue {}", activity.queue_id), life.begin, life.end);
  life.flows.push_back(flow_of(activity.queue_id, activity.packet_id));
  if (activity.signal != 0)
    completions_[activity.signal] = {life.flows.front(), life.end, activity.queue_id, activity.packet_id};
  const struct {
    std::string_view name;
    uint64_t begin, end;
  } parts[] = {{"queued", life.begin, taken}, {"launch", taken, started}, {last_part, started, life.end}};
  const Track track = life.track;
  emit(std::move(life));
  for (const auto& part : parts) {
    if (part.begin == part.end) continue;
    Slice slice;
    slice.track = track;
    slice.begin = part.begin;
    slice.end = part.end;
    slice.category = "packet";
    slice.name = part.name;
    emit(std::move(slice));
  }
}

void Timeline::add_compute_unit(const Record& record) {
  const Activity& activity = record.activity;
  Slice slice = slice_of(activity, "compute", kernel_name(activity.kernel_object));
  slice.track = lane_for(TrackKind::compute_unit, record, activity.compute_unit,
                         fmt::format("compute unit {}", activity.compute_unit), slice.begin, slice.end);
  slice.add({"queue", number, activity.queue_id, {}});
  slice.add({"packet", number, activity.packet_id, {}});
  slice.add({"work-groups", number, activity.work_groups, {}});
  emit(std::move(slice));
}

// ---- names and tracks ----

std::string_view Timeline::keep(std::string text) {
  return texts_.emplace(std::move(text), true).first->first;
}

std::string_view Timeline::kernel_name(uint64_t kernel_object) {
  const auto found = kernels_.find(kernel_object);
  return found != kernels_.end() ? found->second : keep(fmt::format("kernel {:#x}", kernel_object));
}

void Timeline::name_host() {
  if (!groups_.emplace(0, true).second) return;
  for (Sink* sink : sinks_)
    sink->name_group(0, fmt::format("{} {}", valid_utf8(program_invocation_short_name), process_));
}

uint32_t Timeline::group_of(const driver::Agent* agent) {
  name_host();  // of which the agents are parts
  const uint32_t group = agent->index() + 1;
  if (groups_.emplace(group, true).second)
    for (Sink* sink : sinks_)
      sink->name_group(group, fmt::format("agent {}: {}", agent->index(), valid_utf8(agent->config().name)));
  return group;
}

void Timeline::name_track(const Track& track, std::string_view name) {
  if (named_.contains(track)) return;
  named_.emplace(track, name);
  for (Sink* sink : sinks_) sink->name_track(track, name);
}

Track Timeline::thread_track(uint32_t thread) {
  const Track track{TrackKind::thread, 0, thread, 0};
  name_host();
  if (!named_.contains(track)) name_track(track, name_of_thread(thread));
  return track;
}

/// Returns the first lane on which nothing overlaps.
Track Timeline::lane_for(TrackKind kind, const Record& record, uint64_t count, std::string_view name,
                         uint64_t begin, uint64_t end) {
  Track track{kind, group_of(record.activity.agent), count, 0};
  for (auto at = lane_ends_.find(track); at != lane_ends_.end() && at->second > begin;
       at = lane_ends_.find(track))
    ++track.lane;
  lane_ends_[track] = end;
  name_track(track, track.lane == 0 ? std::string(name) : fmt::format("{} ({})", name, track.lane + 1));
  return track;
}

void Timeline::flush() {
  std::ranges::stable_sort(slices_, [](const Slice& a, const Slice& b) {
    if (!(a.track == b.track)) return a.track < b.track;
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.end > b.end;
  });
  for (Sink* sink : sinks_) {
    for (const Slice& slice : slices_) sink->add(slice);
    sink->end_batch();
  }
  slices_.clear();
}

}  // namespace heddle::runtime::trace
