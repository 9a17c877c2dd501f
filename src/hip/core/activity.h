// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of what devices have done, for tools (hipInitActivityCallback(), hipEnableActivityCallback()).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "hip/core/stream.h"

namespace heddle::hip {

/// Kinds of work, which tools can enable one by one. There are no records of barriers, which programs do not
/// submit.
enum class ActivityOperation : uint32_t { dispatch = 0, copy = 1, barrier = 2 };
inline constexpr uint32_t activity_operations = 3;

/// What exactly the work was.
enum class ActivityKind : uint32_t {
  kernel = 0x11F0,
  device_to_host = 0x11F3,
  host_to_device = 0x11F4,
  device_to_device = 0x11F5,
  rows_device_to_host = 0x1201,
  rows_host_to_device = 0x1202,
  rows_device_to_device = 0x1203,
  fill = 0x1207
};
/// Returns what tools call a kind; "unknown" if there is no such kind.
const char* name_of_activity(uint32_t kind);

/// Who is told: `submitted` on the thread that submits work, with the number of the work, and `completed`
/// with the record of it, later on any thread. Either may be null.
struct ActivityTool {
  void (*submitted)(uint64_t correlation) = nullptr;
  void (*completed)(uint32_t operation, void* record, void* argument) = nullptr;
  void* argument = nullptr;
};

/// These are thread safe. Work that is under way keeps the tool that it was submitted with.
void set_activity_tool(const ActivityTool& tool);
/// Returns false if there is no such operation.
bool enable_activity(uint32_t operation, bool enable);

/// A bit for each operation that is enabled, so that work needs no lock to see that nobody wants records.
extern std::atomic<uint32_t> enabled_activities;

/// Records the work that a stream is given while the object exists: from the end of the work before it to its
/// own end. Constructors throw Failure if the device has failed.
class Activity {
 public:
  /// A kernel.
  Activity(Stream& stream, const std::string& kernel);
  /// A copy or fill of so many bytes.
  Activity(Stream& stream, ActivityKind kind, uint64_t bytes);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  /// In the layout that tools know.
  struct Record {
    uint32_t domain, kind, operation;
    uint64_t correlation, begin, end;  // times in nanoseconds
    int32_t device;
    uint64_t queue;
    union {
      uint64_t bytes;
      const char* kernel_name;
    };
  };
  struct Pending;

  static bool wanted(ActivityOperation operation) {
    return (enabled_activities.load(std::memory_order_relaxed) >> static_cast<uint32_t>(operation) & 1) != 0;
  }
  void begin(ActivityOperation operation, ActivityKind kind);
  static bool report(hsa_signal_value_t, void* pending);

  Stream& stream_;
  Record record_{};
  ActivityTool tool_;
  MarkerPointer before_;  // null if nobody wants a record
};

}  // namespace heddle::hip
