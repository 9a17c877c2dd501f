// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points in the order of work that others can wait for: other queues, copies, events and host threads.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace heddle::hip {

class Device;

/// A signal that becomes 0 when everything before the point is complete. A marker is alive until whatever
/// waits for it has seen that; whoever has work submitted that waits keeps a reference.
class Marker {
 public:
  /// What sets the signal, and thus where the time is from.
  enum class Kind : uint8_t { packet, copy, host };

  Marker(Device& device, Kind kind);
  ~Marker();
  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;

  hsa_signal_t signal() const { return signal_; }
  Device& device() const { return device_; }
  bool done() const { return hsa_signal_load_scacquire(signal_) <= 0; }
  void wait() const;
  /// For markers of kind host, and for all whose device has failed. Notes the time.
  void finish();
  /// When the point was reached, as a system timestamp. The marker must be done.
  uint64_t time() const;

 private:
  Device& device_;
  Kind kind_;
  hsa_signal_t signal_{};
  std::atomic<uint64_t> finished_{0};
};

using MarkerPointer = std::shared_ptr<Marker>;

/// Returns the system timestamp of now.
uint64_t timestamp();

}  // namespace heddle::hip
