// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which producers of profile events are marked, and which of them are disabled (Runtime 3.5.1).
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <map>
#include <set>

#include <hsa/hsa_ext_profile_event.h>

namespace heddle::runtime {

using EventProducerType = hsa_ext_profile_event_producer_t;

/// Reports whether this is a single type, as opposed to a mask of several, or of none.
inline bool is_single_type(EventProducerType type) {
  const auto mask = static_cast<uint32_t>(type);
  return std::has_single_bit(mask) && mask <= HSA_EXT_PROFILE_EVENT_PRODUCER_ALL;
}
/// Reports whether this is a mask of types.
inline bool is_type_mask(EventProducerType type) {
  return static_cast<uint32_t>(type) <= HSA_EXT_PROFILE_EVENT_PRODUCER_ALL;
}

/// Calls f(type) for each type in a mask.
template <typename F>
void for_each_type(EventProducerType mask, F f) {
  for (uint32_t left = static_cast<uint32_t>(mask); left != 0; left &= left - 1)
    f(static_cast<EventProducerType>(left & -left));
}

/// The events of a producer are collected if it is marked and not disabled. Not thread safe.
class EventProducers {
 public:
  void mark(EventProducerType type, uint64_t id) { of(type).marked.insert(id); }
  void mark_all(EventProducerType type) { of(type).all_marked = true; }
  bool is_marked(EventProducerType type, uint64_t id) const {
    return of(type).all_marked || of(type).marked.contains(id);
  }
  bool is_any_marked(EventProducerType type) const { return of(type).all_marked || !of(type).marked.empty(); }

  void enable(EventProducerType type, uint64_t id, bool enabled) { of(type).exceptions[id] = enabled; }
  void enable_all(EventProducerType type, bool enabled) {
    of(type).enabled = enabled;
    of(type).exceptions.clear();
  }
  /// Forgets what was said about a producer that does not exist any more.
  void forget(EventProducerType type, uint64_t id) { of(type).exceptions.erase(id); }

  bool collects(EventProducerType type, uint64_t id) const {
    if (!is_marked(type, id)) return false;
    const auto exception = of(type).exceptions.find(id);
    return exception == of(type).exceptions.end() ? of(type).enabled : exception->second;
  }

 private:
  struct OfType {
    bool all_marked = false;
    std::set<uint64_t> marked;
    bool enabled = true;
    std::map<uint64_t, bool> exceptions;  ///< enabled or disabled by themselves
  };
  static constexpr size_t type_count = std::bit_width(uint32_t{HSA_EXT_PROFILE_EVENT_PRODUCER_ALL});

  static size_t index_of(EventProducerType type) {
    assert(is_single_type(type));
    return static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(type)));
  }
  OfType& of(EventProducerType type) { return types_[index_of(type)]; }
  const OfType& of(EventProducerType type) const { return types_[index_of(type)]; }

  std::array<OfType, type_count> types_;
};

}  // namespace heddle::runtime
