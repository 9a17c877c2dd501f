// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event of HIP.
#pragma once

#include <hip/runtime/types.h>

#include <mutex>

#include "hip/core/marker.h"
#include "hip/core/shared_point.h"
#include "hip/core/stream.h"

namespace heddle::hip {

struct CapturedPoint;

/// Names the last point at which it was recorded. All functions are thread safe.
class Event {
 public:
  explicit Event(unsigned flags) : flags_(flags) {}
  /// An event of several processes. `device` is that of whoever waits for points of other processes.
  Event(unsigned flags, std::shared_ptr<SharedPoint> point, Device& device)
      : flags_(flags), point_(std::move(point)), device_(&device) {}

  unsigned flags() const { return flags_; }
  bool has_time() const { return (flags_ & hipEventDisableTiming) == 0; }
  /// Takes the current end of the stream's work as the point.
  void record(Stream& stream);
  void set(MarkerPointer marker);
  /// Returns the point; null if it was reached before it was recorded, or if the event was not recorded.
  MarkerPointer marker() const;
  /// Returns what other processes know of the event; null if they do not.
  const std::shared_ptr<SharedPoint>& point() const { return point_; }
  bool recorded() const;
  /// Takes a point in a capture, until the event is recorded elsewhere.
  void set_captured(std::shared_ptr<const CapturedPoint> point);
  /// Returns the point in a capture at which the event was recorded last; null if it was elsewhere.
  std::shared_ptr<const CapturedPoint> captured() const;

 private:
  unsigned flags_;
  const std::shared_ptr<SharedPoint> point_;
  Device* const device_ = nullptr;  // null if there is no point_
  mutable std::mutex mutex_;
  mutable MarkerPointer marker_;  // of the point number_ if there is a point_
  mutable uint32_t number_ = 0;
  std::shared_ptr<const CapturedPoint> captured_;
  bool recorded_ = false;
};

}  // namespace heddle::hip
