// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/managed_advice.h"

#include <algorithm>
#include <optional>

namespace heddle::hip {
namespace {

/// Leaves in `advice` what it has in common with another part of the range.
void restrict(Advice& advice, const Advice& other) {
  advice.read_mostly = advice.read_mostly && other.read_mostly;
  if (advice.preferred != other.preferred) advice.preferred = hipInvalidDeviceId;
  if (advice.prefetched_to != other.prefetched_to) advice.prefetched_to = hipInvalidDeviceId;
  if (advice.coherency != other.coherency) advice.coherency = hipMemRangeCoherencyModeIndeterminate;
  std::erase_if(advice.accessed_by, [&](int device) { return !other.accessed_by.contains(device); });
}

}  // namespace

/// Makes a piece begin at an address if the address is inside one.
void ManagedAdvice::split(uintptr_t at) {
  auto after = pieces_.upper_bound(at);
  if (after == pieces_.begin()) return;
  auto& [start, piece] = *--after;
  if (start == at || start + piece.size <= at) return;
  pieces_.emplace(at, Piece{start + piece.size - at, piece.advice});
  piece.size = at - start;
}

void ManagedAdvice::change(const void* begin, size_t size, const std::function<void(Advice&)>& function) {
  const std::scoped_lock lock(mutex_);
  auto at = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t end = at + size;
  split(at);
  split(end);
  while (at < end) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.end() || piece->first != at) {
      const uintptr_t next = piece == pieces_.end() ? end : std::min(end, piece->first);
      piece = pieces_.emplace(at, Piece{next - at, {}}).first;
    }
    function(piece->second.advice);
    at += piece->second.size;
  }
}

Advice ManagedAdvice::common(const void* begin, size_t size) {
  std::optional<Advice> result;
  change(begin, size, [&](const Advice& advice) {
    if (result)
      restrict(*result, advice);
    else
      result = advice;
  });
  return result.value_or(Advice());
}

void ManagedAdvice::forget(const void* begin, size_t size) {
  const std::scoped_lock lock(mutex_);
  const auto start = reinterpret_cast<uintptr_t>(begin);
  split(start);
  split(start + size);
  pieces_.erase(pieces_.lower_bound(start), pieces_.lower_bound(start + size));
}

}  // namespace heddle::hip
