// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the kernels of a launch on several devices wait for each other.
#pragma once

#include <vector>

#include "hip/core/launch_record.h"

namespace heddle::hip {

class Device;

/// A barrier in memory that all of the devices reach. The devices list it, so that one that fails can let the
/// kernels of the others end, which would wait for it for ever.
class MeetingPoint {
 public:
  /// Throws Failure.
  explicit MeetingPoint(std::vector<Device*> devices);
  ~MeetingPoint();
  MeetingPoint(const MeetingPoint&) = delete;
  MeetingPoint& operator=(const MeetingPoint&) = delete;

  SharedGridBarrier* barrier() const { return barrier_; }
  /// Lets all kernels that wait, or will wait, end with an error. Thread safe.
  void break_up();

 private:
  std::vector<Device*> devices_;
  SharedGridBarrier* barrier_ = nullptr;
};

}  // namespace heddle::hip
