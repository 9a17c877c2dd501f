// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that the runtime has given to the program, by address, and the memory of the program that it has
// locked or registered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "layers/check/objects.h"

namespace heddle::check {

struct Allocation {
  uint64_t begin = 0;
  uint64_t size = 0;      ///< bytes that the program asked for
  uint64_t capacity = 0;  ///< bytes that it may use: the size, rounded up to the granule
  enum class Purpose : uint8_t {
    data,
    kernarg,  ///< lies in a region or pool for kernel arguments, which the host can read
    unknown
  } purpose = Purpose::data;
  Event made;
  Event freed;  ///< only of memory that is gone

  uint64_t end() const { return begin + capacity; }
};

/// Returns where the memory was allocated and, if so, freed.
std::vector<Note> life_of(const Allocation& allocation);

class Memory {
 public:
  void allocate(const Allocation& allocation);
  /// Notes that the memory at `begin` was freed; does nothing if there is none.
  void free(uint64_t begin, const Event& event);
  /// Undoes free(): the runtime has refused to free the memory.
  void keep(uint64_t begin);
  /// Forgets all memory, locks and registrations.
  void clear();
  /// After this, addresses that are not known are not findings.
  void lose_track() { complete_ = false; }

  /// Returns the live allocation that contains an address, or null.
  const Allocation* find(uint64_t address) const;
  /// Returns memory that has been freed and contained the address, or null.
  const Allocation* find_freed(uint64_t address) const;
  const std::map<uint64_t, Allocation>& live() const { return live_; }

  /// Returns what is wrong with a call that frees the memory at an address, if anything.
  std::optional<Finding> check_free(uint64_t begin) const;
  /// Returns what is wrong with an access to a range, if anything: it begins in an allocation and goes on
  /// behind its end. `role` names the range, such as "the source".
  std::optional<Finding> check_range(uint64_t begin, uint64_t size, const char* role) const;

  void lock(uint64_t address, const Event& event) { locked_[address].push_back(event); }
  /// Returns false if the address is not locked.
  bool unlock(uint64_t address);
  /// Locks that are held, by address; the events are those of hsa_amd_memory_lock.
  const std::map<uint64_t, std::vector<Event>>& locked() const { return locked_; }

  void register_range(uint64_t address, uint64_t size) { ++registered_[{address, size}]; }
  /// Returns false if exactly this range is not registered.
  bool deregister_range(uint64_t address, uint64_t size);

 private:
  static constexpr size_t remembered = 4096;  ///< allocations that are gone
  std::map<uint64_t, Allocation> live_;       // by begin
  std::deque<Allocation> freed_;              // the last one first
  std::map<uint64_t, std::vector<Event>> locked_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> registered_;  // how often
  bool complete_ = true;
};

}  // namespace heddle::check
