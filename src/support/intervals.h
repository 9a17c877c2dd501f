// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches in maps of intervals.
#pragma once

#include <iterator>

namespace heddle {

/// Returns the interval that contains the address, or end(). The keys of the map are where intervals begin,
/// and `size_of` gives the size of one from its value. Intervals do not overlap.
template <typename Map, typename SizeOf>
auto interval_at(Map& map, const typename Map::key_type& address, SizeOf size_of) {
  const auto behind = map.upper_bound(address);
  if (behind == map.begin()) return map.end();
  const auto found = std::prev(behind);
  return address - found->first < size_of(found->second) ? found : map.end();
}

/// The same for a map whose values are sizes.
template <typename Map>
auto interval_at(Map& map, const typename Map::key_type& address) {
  return interval_at(map, address, [](auto size) { return size; });
}

}  // namespace heddle
