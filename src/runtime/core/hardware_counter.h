// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the processor and the operating system for the threads of this process, through
// perf_event_open(2). Which of them exist depends on the processor, on virtualization and on the rights of
// the process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::runtime {

/// An event that perf_event_open can count.
struct HardwareEvent {
  const char* name;
  const char* description;
  uint32_t type;  ///< of perf_event_attr
  uint64_t config;
  bool is_time;    ///< the count is in nanoseconds
  bool of_caches;  ///< the event belongs to a cache as well as to the processor
};

/// All events that heddle asks for.
std::span<const HardwareEvent> hardware_events();

/// Reports whether the system counts the event for this process at the moment. Throws std::bad_alloc if the
/// process has too few descriptors, or the system too little memory, to find out.
bool is_countable(const HardwareEvent& event);

/// Counts one event in user code on all threads of the process, also on those that start after open(). A
/// thread that starts while open() runs may be missed. Not thread safe.
class HardwareCounter {
 public:
  HardwareCounter() = default;
  ~HardwareCounter();
  HardwareCounter(const HardwareCounter&) = delete;
  HardwareCounter& operator=(const HardwareCounter&) = delete;

  /// Prepares counting. Returns false, with the reason in the log, if the system does not count the event.
  /// Throws std::bad_alloc if there are too few descriptors or too little memory. To be called once.
  bool open(const HardwareEvent& event);
  void start() { control(true); }
  void stop() { control(false); }
  /// Returns the count so far. Where the processor has fewer counters than were asked for, the system counts
  /// for a part of the time, and the count is extrapolated.
  uint64_t read() const;

 private:
  void control(bool enable);
  std::vector<int> threads_;  ///< a descriptor for each thread
};

}  // namespace heddle::runtime
