// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The point that an event of several processes names.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <memory>

#include "hip/core/marker.h"

namespace heddle::hip {

/// Counts, in one signal that several processes share, how often an event was recorded, and which of these
/// points was reached last. A process that records, waits or asks needs nothing else of the others. All
/// functions are thread safe.
class SharedPoint : public std::enable_shared_from_this<SharedPoint> {
 public:
  /// Makes one that other processes can attach. Throws Failure.
  static std::shared_ptr<SharedPoint> create();
  /// Throws Failure (InvalidValue) if the signal's process has ended or destroyed it.
  static std::shared_ptr<SharedPoint> attach(const hsa_amd_ipc_signal_t& handle);
  ~SharedPoint();
  SharedPoint(const SharedPoint&) = delete;
  SharedPoint& operator=(const SharedPoint&) = delete;

  /// Throws Failure.
  hsa_amd_ipc_signal_t handle() const;
  /// Counts a further point, which is reached when the marker is; a null marker is reached. Returns its
  /// number.
  uint32_t record(const MarkerPointer& marker);
  /// Returns the number of the last point, 0 if there is none.
  uint32_t recorded() const;
  bool reached(uint32_t number) const;
  /// Lets a marker of kind host finish when the point is reached. Throws Failure.
  void finish_at(uint32_t number, MarkerPointer marker);

  /// Tells all processes that the point is reached.
  void reach(uint32_t number);

 private:
  explicit SharedPoint(hsa_signal_t signal) : signal_(signal) {}

  hsa_signal_t signal_;
};

}  // namespace heddle::hip
