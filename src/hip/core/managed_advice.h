// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs have said about the use of managed memory (hipMemAdvise, hipMemPrefetchAsync).
#pragma once

#include <hip/runtime/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace heddle::hip {

struct Advice {
  bool read_mostly = false;
  int preferred = hipInvalidDeviceId;
  std::set<int> accessed_by;
  int prefetched_to = hipInvalidDeviceId;
  hipMemRangeCoherencyMode coherency = hipMemRangeCoherencyModeFineGrain;
};

/// Memory of which nothing was said has the advice of a default. All functions are thread safe.
class ManagedAdvice {
 public:
  /// Calls the function with the advice of each part of a range.
  void change(const void* begin, size_t size, const std::function<void(Advice&)>& function);
  /// Returns what holds for the whole range.
  Advice common(const void* begin, size_t size);
  /// Forgets what was said of memory that is freed.
  void forget(const void* begin, size_t size);

 private:
  struct Piece {
    size_t size;
    Advice advice;
  };

  void split(uintptr_t at);

  std::mutex mutex_;
  std::map<uintptr_t, Piece> pieces_;  // do not overlap
};

}  // namespace heddle::hip
