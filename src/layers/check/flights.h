// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packets and copies in flight, and what they use.
//
// The layer does not see when an agent ends a packet. It knows a packet to be in flight in two cases: the
// read index of its queue has not passed it; or it has a completion signal of which the value is not smaller
// than before the packet was submitted, although nobody but agents has changed it. In all other cases it
// counts as complete, so that misuse may go unnoticed, but nothing is reported that is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layers/check/api.h"
#include "layers/check/memory.h"
#include "layers/check/objects.h"
#include "layers/check/signals.h"

namespace heddle::check {

/// Memory that a packet or copy uses: `size` bytes of each of `rows` rows of each of `layers` layers.
struct UsedRange {
  uint64_t begin;
  uint64_t size;
  enum class Role : uint8_t { kernarg, argument, source, destination } role;
  uint64_t rows = 1, pitch = 0;    ///< bytes from one row to the next
  uint64_t layers = 1, slice = 0;  ///< bytes from one layer to the next

  /// The number of bytes from the first to the last one, with what lies between rows and layers.
  uint64_t extent() const { return (layers - 1) * slice + (rows - 1) * pitch + size; }
};

struct Flight {
  std::string what;          ///< such as "a dispatch of &vector_add"
  uint64_t queue = 0;        ///< 0 for copies
  uint64_t index = 0;        ///< of the packet
  uint64_t completion = 0;   ///< signal; 0 if there is none
  int64_t value = 0;         ///< of the completion signal before the submission
  bool value_counts = true;  ///< until somebody else than an agent changes the signal
  uint64_t executable = 0;
  std::vector<uint64_t> dependencies;  ///< signals for which the packet waits
  std::vector<UsedRange> ranges;
  Event submitted;
};

class Flights {
 public:
  void add(Flight flight);
  /// The queue has been destroyed, or has failed and processes no more packets.
  void queue_ended(uint64_t queue);
  /// The program has changed the value of a signal.
  void signal_changed(uint64_t signal);
  void clear() { flights_.clear(); }

  /// Returns how many packets and copies in flight will subtract 1 from the signal.
  uint64_t completions_due(uint64_t signal, const Objects& objects);
  /// Each returns what is wrong with the end of an object's life, if packets in flight use the object.
  void check_signal(uint64_t signal, const Objects& objects, std::vector<Finding>& findings);
  void check_memory(const Allocation& allocation, const Objects& objects, std::vector<Finding>& findings);
  void check_executable(uint64_t executable, const Objects& objects, std::vector<Finding>& findings);

 private:
  static constexpr size_t remembered = 16384;
  /// Forgets what need not be in flight any more.
  void prune(const Objects& objects);
  std::vector<Flight> flights_;
};

/// Says whether a packet has not been taken from its queue, which must be live.
bool is_waiting(uint64_t queue, uint64_t index);

}  // namespace heddle::check
