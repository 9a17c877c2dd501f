// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/perfetto_sink.h"

#include <utility>

namespace heddle::runtime::trace {
namespace {

// Numbers of fields in Perfetto's messages.
namespace trace_file {
constexpr uint32_t packet = 1;
}
namespace packet {
constexpr uint32_t timestamp = 8, sequence = 10, track_event = 11, sequence_flags = 13, descriptor = 60;
constexpr uint64_t state_cleared = 1;
}  // namespace packet
namespace descriptor {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
constexpr uint32_t process_pid = 1, process_name = 6;
constexpr uint32_t thread_pid = 1, thread_tid = 2, thread_name = 5;
constexpr uint32_t counter_unit = 3;
constexpr uint64_t unit_bytes = 3;
}  // namespace descriptor
namespace event {
constexpr uint32_t annotation = 4, type = 9, track = 11, category = 22, name = 23, counter_value = 30,
                   flow = 47, ending_flow = 48;
constexpr uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
}  // namespace event
namespace annotation {
constexpr uint32_t uint_value = 3, int_value = 4, string_value = 6, pointer_value = 7, name = 10;
}

/// Spreads a number over 64 bits, so that numbers of several processes do not meet.
uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

Message annotation_of(const Argument& argument) {
  Message message;
  message.add(annotation::name, std::string_view(argument.name));
  switch (argument.type) {
    case Argument::Type::number:
      message.add(annotation::uint_value, argument.number);
      break;
    case Argument::Type::signed_number:
      message.add_signed(annotation::int_value, static_cast<int64_t>(argument.number));
      break;
    case Argument::Type::address:
      message.add(annotation::pointer_value, argument.number);
      break;
    case Argument::Type::text:
      message.add(annotation::string_value, argument.text);
      break;
  }
  return message;
}

}  // namespace

uint64_t PerfettoSink::id_of_group(uint32_t agent) const {
  return mix(mix(uint64_t{process_} << 32 | agent) + 1);
}

uint64_t PerfettoSink::id_of(const Track& track) const {
  uint64_t id = mix(uint64_t{process_} << 32 | track.agent);
  id = mix(id + static_cast<uint64_t>(track.kind));
  id = mix(id + track.number);
  return mix(id + track.lane);
}

void PerfettoSink::add_packet(Message packet) {
  packet.add(packet::sequence, uint64_t{process_});
  if (std::exchange(first_, false)) packet.add(packet::sequence_flags, packet::state_cleared);
  Message file;
  file.add(trace_file::packet, packet);
  bytes_ += file.bytes();
}

void PerfettoSink::add_descriptor(const Message& descriptor) {
  Message packet;
  packet.add(packet::descriptor, descriptor);
  add_packet(std::move(packet));
}

void PerfettoSink::add_event(uint64_t time, const Message& event) {
  Message packet;
  packet.add(packet::timestamp, time);
  packet.add(packet::track_event, event);
  add_packet(std::move(packet));
}

void PerfettoSink::name_group(uint32_t agent, std::string_view name) {
  Message group;
  group.add(descriptor::uuid, id_of_group(agent));
  if (agent == 0) {
    Message process;
    process.add(descriptor::process_pid, uint64_t{process_});
    process.add(descriptor::process_name, name);
    group.add(descriptor::process, process);
  } else {
    group.add(descriptor::parent, id_of_group(0));
    group.add(descriptor::name, name);
  }
  add_descriptor(group);
}

void PerfettoSink::name_track(const Track& track, std::string_view name) {
  Message message;
  message.add(descriptor::uuid, id_of(track));
  message.add(descriptor::parent, id_of_group(track.agent));
  if (track.kind == TrackKind::thread) {
    Message thread;
    thread.add(descriptor::thread_pid, uint64_t{process_});
    thread.add(descriptor::thread_tid, track.number);
    thread.add(descriptor::thread_name, name);
    message.add(descriptor::thread, thread);
  } else {
    message.add(descriptor::name, name);
  }
  if (track.kind == TrackKind::memory) {
    Message counter;
    counter.add(descriptor::counter_unit, descriptor::unit_bytes);
    message.add(descriptor::counter, counter);
  }
  add_descriptor(message);
}

/// Ends the open slices of a track that end until this time.
void PerfettoSink::end_slices(const Track& track, std::vector<uint64_t>& ends, uint64_t time) {
  for (; !ends.empty() && ends.back() <= time; ends.pop_back()) {
    Message end;
    end.add(event::type, event::slice_end);
    end.add(event::track, id_of(track));
    add_event(ends.back(), end);
  }
}

void PerfettoSink::add(const Slice& slice) {
  std::vector<uint64_t>& ends = open_[slice.track];
  // An instant at the end of a slice belongs to the slice.
  end_slices(slice.track, ends, slice.instant ? slice.begin - 1 : slice.begin);
  Message message;
  message.add(event::type, slice.instant ? event::instant : event::slice_begin);
  message.add(event::track, id_of(slice.track));
  message.add(event::category, std::string_view(slice.category));
  message.add(event::name, slice.name);
  for (size_t i = 0; i < slice.argument_count; ++i)
    message.add(event::annotation, annotation_of(slice.arguments[i]));
  for (const uint64_t flow : slice.flows)
    message.add_fixed64(slice.role == FlowRole::end ? event::ending_flow : event::flow, flow);
  add_event(slice.begin, message);
  if (!slice.instant) ends.push_back(slice.end);
}

void PerfettoSink::add_counter(const Track& track, uint64_t time, uint64_t value) {
  Message message;
  message.add(event::type, event::counter);
  message.add(event::track, id_of(track));
  message.add_signed(event::counter_value, static_cast<int64_t>(value));
  add_event(time, message);
}

void PerfettoSink::end_batch() {
  for (auto& [track, ends] : open_) end_slices(track, ends, UINT64_MAX);
}

}  // namespace heddle::runtime::trace
