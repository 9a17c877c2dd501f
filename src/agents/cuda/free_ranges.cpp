// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/free_ranges.h"

#include <cassert>
#include <iterator>

#include "support/align.h"

namespace heddle::cuda {

std::optional<uint64_t> FreeRanges::take(uint64_t size, uint64_t alignment) {
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    const auto [begin, length] = *range;
    const uint64_t taken = align_up(begin, alignment);
    if (taken - begin > length || length - (taken - begin) < size) continue;
    const uint64_t behind = begin + length - (taken + size);
    if (behind != 0) ranges_.emplace(taken + size, behind);
    if (taken == begin)
      ranges_.erase(range);
    else
      range->second = taken - begin;
    return taken;
  }
  return std::nullopt;
}

void FreeRanges::give(uint64_t begin, uint64_t size) {
  auto next = ranges_.lower_bound(begin);
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    assert(before->first + before->second <= begin);
    if (before->first + before->second == begin) {
      begin = before->first;
      size += before->second;
      ranges_.erase(before);
    }
  }
  if (next != ranges_.end() && begin + size == next->first) {
    size += next->second;
    next = ranges_.erase(next);
  }
  ranges_.emplace_hint(next, begin, size);
}

bool FreeRanges::contains(uint64_t begin, uint64_t size) const {
  auto found = ranges_.upper_bound(begin);
  if (found == ranges_.begin()) return false;
  --found;
  return begin + size <= found->first + found->second;
}

}  // namespace heddle::cuda
