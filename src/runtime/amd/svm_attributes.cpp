// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/svm_attributes.h"

#include <algorithm>
#include <iterator>

namespace heddle::runtime::amd {

namespace {

void apply(const hsa_amd_svm_attribute_pair_t& pair, SvmAttributes& attributes) {
  if (pair.attribute < SvmAttributes::count)
    attributes.values[pair.attribute] = pair.value;
  else
    attributes.access[pair.value] = pair.attribute;
}

}  // namespace

/// Makes an address that a range contains the begin of a range.
void SvmRanges::split(Ranges& ranges, uintptr_t at) {
  auto behind = ranges.upper_bound(at);
  if (behind == ranges.begin()) return;
  Range& range = std::prev(behind)->second;
  if (std::prev(behind)->first == at || range.end <= at) return;
  ranges.emplace(at, range);
  range.end = at;
}

/// Joins ranges that touch and have the same attributes.
void SvmRanges::join(Ranges& ranges) {
  for (auto range = ranges.begin(); range != ranges.end();) {
    const auto next = std::next(range);
    const bool same = next != ranges.end() && range->second.end == next->first &&
                      range->second.attributes == next->second.attributes;
    if (same) {
      range->second.end = next->second.end;
      ranges.erase(next);
    } else {
      range = next;
    }
  }
}

void SvmRanges::set(uintptr_t begin, uintptr_t end, Pairs pairs) {
  std::lock_guard lock(mutex_);
  Ranges changed = ranges_;  // either everything is set or, when memory runs out, nothing
  split(changed, begin);
  split(changed, end);
  for (uintptr_t at = begin; at < end;) {
    const auto next = changed.lower_bound(at);
    if (next == changed.end() || next->first > at) {
      const uintptr_t gap_end = next == changed.end() ? end : std::min(end, next->first);
      changed.emplace(at, Range{gap_end, {}});
    }
    Range& range = changed.at(at);
    for (const auto& pair : pairs) apply(pair, range.attributes);
    at = range.end;
  }
  join(changed);
  ranges_.swap(changed);
}

std::vector<SvmAttributes> SvmRanges::get(uintptr_t begin, uintptr_t end) const {
  std::lock_guard lock(mutex_);
  std::vector<SvmAttributes> found;
  const auto add = [&](const SvmAttributes& attributes) {
    if (std::ranges::find(found, attributes) == found.end()) found.push_back(attributes);
  };
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin() && std::prev(range)->second.end > begin) --range;
  for (uintptr_t at = begin; at < end;) {
    const bool in_gap = range == ranges_.end() || range->first > at;
    add(in_gap ? SvmAttributes() : range->second.attributes);
    if (in_gap)
      at = range == ranges_.end() ? end : range->first;
    else
      at = (range++)->second.end;
  }
  return found;
}

}  // namespace heddle::runtime::amd
