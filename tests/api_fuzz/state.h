// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one thread of the fuzzer knows: the handles and pointers that functions gave it, memory of its own,
// and the calls that it made last.
#pragma once

#include <hsa/hsa.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <typeindex>
#include <vector>

#include "random.h"

namespace heddle::api_fuzz {

/// The last few values of one kind, among which are some that are no longer valid.
class Recent {
 public:
  void add(uint64_t value) {
    if (values_.size() < most)
      values_.push_back(value);
    else
      values_[next_++ % most] = value;
  }
  bool empty() const { return values_.empty(); }
  /// The value that was added last, or some values before it.
  uint64_t newest(size_t before) const {
    return values_[(next_ + 2 * values_.size() - 1 - before % values_.size()) % values_.size()];
  }
  uint64_t pick(Random& random) const { return random.one_of(values_); }
  void clear() {
    values_.clear();
    next_ = 0;
  }

 private:
  static constexpr size_t most = 32;
  std::vector<uint64_t> values_;
  size_t next_ = 0;
};

class State {
 public:
  /// Memory that arguments point to, one slot for each argument. Nothing that a valid call does goes beyond
  /// a slot.
  static constexpr size_t slot_size = 65536, slot_count = 32;

  State(uint64_t seed, bool alone);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// The state of the calling thread, or null on threads of the runtime.
  static State*& current();

  std::byte* slot(size_t number) { return memory_.data() + number % slot_count * slot_size; }
  /// Memory for calls that go on after they return. The fuzzer itself neither reads nor writes it.
  std::byte* quiet_slot(size_t number) { return quiet_.data() + number % slot_count * slot_size; }

  /// Prints the last calls, oldest first. Safe in a signal handler.
  void print_history() const;
  char* new_line() { return history_[calls++ % history_.size()].data(); }
  static constexpr size_t line_size = 320;

  Random random;
  const uint64_t seed;
  /// Whether no other thread uses the runtime. Then the fuzzer may end it.
  const bool alone;
  std::map<std::type_index, Recent> handles;
  Recent pointers, descriptors, ids;
  std::vector<hsa_queue_t*> queues, stale_queues;
  int references = 0;  ///< the hsa_init without an hsa_shut_down that this thread called
  uint64_t calls = 0;
  std::vector<std::vector<std::byte>> code_objects;
  std::vector<std::vector<uint64_t>> modules;
  std::array<uint32_t, 8> shared{};  ///< the last handle of memory or a signal of several processes
  int file = -1;

 private:
  std::vector<std::byte> memory_, quiet_;
  std::array<std::array<char, line_size>, 24> history_{};
};

}  // namespace heddle::api_fuzz
