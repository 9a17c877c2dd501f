// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event of HIP.
#pragma once

#include <hip/runtime/types.h>

#include <mutex>

#include "hip/core/marker.h"
#include "hip/core/stream.h"

namespace heddle::hip {

struct CapturedPoint;

/// Names the last point at which it was recorded. All functions are thread safe.
class Event {
 public:
  explicit Event(unsigned flags) : flags_(flags) {}

  unsigned flags() const { return flags_; }
  bool has_time() const { return (flags_ & hipEventDisableTiming) == 0; }
  /// Takes the current end of the stream's work as the point.
  void record(Stream& stream);
  void set(MarkerPointer marker);
  /// Returns the point; null if it was reached before it was recorded, or if the event was not recorded.
  MarkerPointer marker() const;
  bool recorded() const;
  /// Takes a point in a capture, until the event is recorded elsewhere.
  void set_captured(std::shared_ptr<const CapturedPoint> point);
  /// Returns the point in a capture at which the event was recorded last; null if it was elsewhere.
  std::shared_ptr<const CapturedPoint> captured() const;

 private:
  unsigned flags_;
  mutable std::mutex mutex_;
  MarkerPointer marker_;
  std::shared_ptr<const CapturedPoint> captured_;
  bool recorded_ = false;
};

}  // namespace heddle::hip
