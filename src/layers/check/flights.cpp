// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/flights.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::check {
namespace {

bool is_waiting(const Flight& flight, const Objects& objects) {
  return flight.queue != 0 && objects.is_live(Kind::queue, flight.queue) &&
         check::is_waiting(flight.queue, flight.index);
}

bool is_in_flight(const Flight& flight, const Objects& objects) {
  if (is_waiting(flight, objects)) return true;
  return flight.completion != 0 && flight.value_counts && objects.is_live(Kind::signal, flight.completion) &&
         value_of(flight.completion) >= flight.value;
}

bool meets(uint64_t begin, uint64_t size, const Allocation& allocation) {
  return begin < allocation.end() && allocation.begin < begin + size;
}

/// Says whether the range uses bytes of an allocation. Another allocation may lie between its rows.
bool uses(const UsedRange& range, const Allocation& allocation) {
  if (!meets(range.begin, range.extent(), allocation)) return false;
  for (uint64_t layer = 0; layer < range.layers; ++layer)
    for (uint64_t row = 0; row < range.rows; ++row)
      if (meets(range.begin + layer * range.slice + row * range.pitch, range.size, allocation)) return true;
  return false;
}

std::vector<Note> with_submission(std::vector<Note> notes, const Flight& flight) {
  notes.push_back({fmt::format("submitted by {}", flight.submitted.function), flight.submitted.site});
  return notes;
}

struct RoleRow {
  const char* text;
  const Rule& rule;
};

/// Indexed by UsedRange::Role.
constexpr RoleRow roles[] = {
    {"holds the arguments of", rules::kernarg_in_flight},
    {"is pointed to by an argument of", rules::memory_in_flight},
    {"is the source of", rules::memory_in_flight},
    {"is the destination of", rules::memory_in_flight},
};

}  // namespace

bool is_waiting(uint64_t queue, uint64_t index) {
  return api::hsa_queue_load_read_index_scacquire(reinterpret_cast<const hsa_queue_t*>(queue)) <= index;
}

void Flights::add(Flight flight) {
  if (flights_.size() >= remembered) flights_.erase(flights_.begin(), flights_.begin() + remembered / 2);
  flights_.push_back(std::move(flight));
}

void Flights::queue_ended(uint64_t queue) {
  std::erase_if(flights_, [&](const Flight& flight) { return flight.queue == queue; });
}

void Flights::signal_changed(uint64_t signal) {
  for (Flight& flight : flights_)
    if (flight.completion == signal) flight.value_counts = false;
}

void Flights::prune(const Objects& objects) {
  std::erase_if(flights_, [&](const Flight& flight) { return !is_in_flight(flight, objects); });
}

uint64_t Flights::completions_due(uint64_t signal, const Objects& objects) {
  return static_cast<uint64_t>(std::ranges::count_if(flights_, [&](const Flight& flight) {
    return flight.completion == signal && is_in_flight(flight, objects);
  }));
}

void Flights::check_signal(uint64_t signal, const Objects& objects, std::vector<Finding>& findings) {
  prune(objects);
  for (const Flight& flight : flights_) {
    const bool completes = flight.completion == signal;
    const bool awaited = std::ranges::find(flight.dependencies, signal) != flight.dependencies.end() &&
                         is_waiting(flight, objects);
    if (!completes && !awaited) continue;
    const Object* object = objects.find(Kind::signal, signal);
    findings.push_back({&rules::signal_in_flight,
                        fmt::format("the signal {:#x} is {} of {}, which is in flight", signal,
                                    completes ? "the completion signal" : "a dependency", flight.what),
                        with_submission(object != nullptr ? life_of(*object) : std::vector<Note>(), flight)});
    return;
  }
}

void Flights::check_memory(const Allocation& allocation, const Objects& objects,
                           std::vector<Finding>& findings) {
  prune(objects);
  for (const Flight& flight : flights_) {
    const auto used =
        std::ranges::find_if(flight.ranges, [&](const UsedRange& range) { return uses(range, allocation); });
    if (used == flight.ranges.end()) continue;
    const RoleRow& role = roles[static_cast<size_t>(used->role)];
    findings.push_back({&role.rule,
                        fmt::format("the memory at {:#x} {} {}, which is in flight", allocation.begin,
                                    role.text, flight.what),
                        with_submission(life_of(allocation), flight)});
    return;
  }
}

void Flights::check_executable(uint64_t executable, const Objects& objects, std::vector<Finding>& findings) {
  prune(objects);
  for (const Flight& flight : flights_) {
    if (flight.executable != executable || executable == 0) continue;
    const Object* object = objects.find(Kind::executable, executable);
    findings.push_back({&rules::executable_in_flight, fmt::format("{} is in flight", flight.what),
                        with_submission(object != nullptr ? life_of(*object) : std::vector<Note>(), flight)});
    return;
  }
}

}  // namespace heddle::check
