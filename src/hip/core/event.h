// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event of HIP.
#pragma once

#include <hip/runtime/types.h>

#include <mutex>

#include "hip/core/marker.h"
#include "hip/core/stream.h"

namespace heddle::hip {

/// Names the last point at which it was recorded. All functions are thread safe.
class Event {
 public:
  explicit Event(unsigned flags) : flags_(flags) {}

  unsigned flags() const { return flags_; }
  bool has_time() const { return (flags_ & hipEventDisableTiming) == 0; }
  /// Takes the current end of the stream's work as the point.
  void record(Stream& stream) { set(stream.mark(has_time())); }
  void set(MarkerPointer marker);
  /// Returns the point; null if it was reached before it was recorded, or if the event was not recorded.
  MarkerPointer marker() const;
  bool recorded() const;

 private:
  unsigned flags_;
  mutable std::mutex mutex_;
  MarkerPointer marker_;
  bool recorded_ = false;
};

}  // namespace heddle::hip
