// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/json_sink.h"

#include <iterator>

#include <fmt/format.h>

namespace heddle::runtime::trace {
namespace {

/// Appends a string of JSON. The text is UTF-8.
void append_string(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (to += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f)
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", byte);
    else
      to += c;
  }
  to += '"';
}

template <typename... Arguments>
void append(std::string& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

/// Appends nanoseconds as microseconds, the unit of the format.
void append_time(std::string& to, uint64_t nanoseconds) {
  append(to, "{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

void append_argument(std::string& to, const Argument& argument) {
  append_string(to, argument.name);
  to += ':';
  switch (argument.type) {
    case Argument::Type::number:
      return append(to, "{}", argument.number);
    case Argument::Type::signed_number:
      return append(to, "{}", static_cast<int64_t>(argument.number));
    case Argument::Type::address:  // as text, since readers of JSON may round numbers of 64 bits
      return append(to, "\"{:#x}\"", argument.number);
    case Argument::Type::text:
      return append_string(to, argument.text);
  }
}

}  // namespace

/// Linux gives no process and no thread a number as high as this: its own are below 2^22.
static constexpr uint64_t first_own_number = uint64_t{1} << 30;

/// Agents appear as processes of their own.
uint64_t JsonSink::process_of(uint32_t agent) const {
  return agent == 0 ? process_ : first_own_number + (uint64_t{process_} << 8) + (agent & 0xff);
}

/// Tracks that are no threads appear as threads of their own.
uint64_t JsonSink::thread_of(const Track& track) {
  if (track.kind == TrackKind::thread) return track.number;
  return threads_.try_emplace(track, first_own_number + threads_.size()).first->second;
}

void JsonSink::begin_event(char phase, const Track& track, uint64_t time) {
  bytes_ += empty_ ? "[\n" : ",\n";
  empty_ = false;
  append(bytes_, "{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase, process_of(track.agent),
         thread_of(track));
  append_time(bytes_, time);
}

void JsonSink::metadata(const char* what, uint64_t process, uint64_t thread, std::string_view name) {
  append(bytes_, "{}{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"name\":",
         empty_ ? "[\n" : ",\n", process, thread, what);
  empty_ = false;
  append_string(bytes_, name);
  bytes_ += "}}";
}

void JsonSink::sort_index(const char* what, uint64_t process, uint64_t thread, uint64_t index) {
  append(bytes_, ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"sort_index\":{}}}}}",
         process, thread, what, index);
}

void JsonSink::name_group(uint32_t agent, std::string_view name) {
  metadata("process_name", process_of(agent), 0, name);
  sort_index("process_sort_index", process_of(agent), 0, agent);
}

void JsonSink::name_track(const Track& track, std::string_view name) {
  const uint64_t process = process_of(track.agent), thread = thread_of(track);
  metadata("thread_name", process, thread, name);
  const uint64_t index =
      (static_cast<uint64_t>(track.kind) << 40) + ((track.number & 0xffffff) << 16) + track.lane;
  sort_index("thread_sort_index", process, thread, index);
}

void JsonSink::add(const Slice& slice) {
  begin_event(slice.instant ? 'i' : 'X', slice.track, slice.begin);
  if (slice.instant) {
    bytes_ += ",\"s\":\"t\"";
  } else {
    bytes_ += ",\"dur\":";
    append_time(bytes_, slice.end - slice.begin);
  }
  append(bytes_, ",\"cat\":\"{}\",\"name\":", slice.category);
  append_string(bytes_, slice.name);
  if (slice.argument_count != 0) {
    bytes_ += ",\"args\":{";
    for (size_t i = 0; i < slice.argument_count; ++i) {
      if (i != 0) bytes_ += ',';
      append_argument(bytes_, slice.arguments[i]);
    }
    bytes_ += '}';
  }
  bytes_ += '}';
  for (const uint64_t flow : slice.flows) add_flow(slice, flow);
}

void JsonSink::add_flow(const Slice& slice, uint64_t flow) {
  constexpr char phases[] = {'s', 't', 'f'};
  begin_event(phases[static_cast<size_t>(slice.role)], slice.track, slice.begin);
  append(bytes_, ",\"cat\":\"packet\",\"name\":\"packet\",\"id\":\"{:#x}\"", flow);
  if (slice.role == FlowRole::end) bytes_ += ",\"bp\":\"e\"";
  bytes_ += '}';
}

void JsonSink::add_counter(const Track& track, uint64_t time, uint64_t value) {
  begin_event('C', track, time);
  append(bytes_, ",\"name\":\"memory of region {}\",\"args\":{{\"bytes\":{}}}}}", track.number, value);
}

std::string_view JsonSink::ending() const { return empty_ ? "[]\n" : "\n]\n"; }

}  // namespace heddle::runtime::trace
