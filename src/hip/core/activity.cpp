// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/activity.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "hip/core/failure.h"

namespace heddle::hip {

std::atomic<uint32_t> enabled_activities{0};

namespace {

constexpr uint32_t operations_domain = 2;  // ACTIVITY_DOMAIN_HIP_OPS

struct KindName {
  ActivityKind kind;
  const char* name;
};
constexpr std::array kind_names{KindName{ActivityKind::kernel, "KernelExecution"},
                                KindName{ActivityKind::device_to_host, "CopyDeviceToHost"},
                                KindName{ActivityKind::host_to_device, "CopyHostToDevice"},
                                KindName{ActivityKind::device_to_device, "CopyDeviceToDevice"},
                                KindName{ActivityKind::rows_device_to_host, "CopyDeviceToHostRect"},
                                KindName{ActivityKind::rows_host_to_device, "CopyHostToDeviceRect"},
                                KindName{ActivityKind::rows_device_to_device, "CopyDeviceToDeviceRect"},
                                KindName{ActivityKind::fill, "FillMemory"}};

struct State {
  std::mutex mutex;
  ActivityTool tool;
  std::set<std::string> kernels;  // tools may keep the names of kernels
};

/// Lives until the process ends, because work may end later than destructors run.
State& state() {
  static auto* const all = new State;
  return *all;
}

/// Returns a timestamp of the system in nanoseconds.
uint64_t nanoseconds(uint64_t ticks) {
  static const uint64_t frequency = [] {
    uint64_t read = 0;
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &read);
    return std::max<uint64_t>(read, 1);
  }();
  constexpr uint64_t second = 1000000000;
  return ticks / frequency * second + ticks % frequency * second / frequency;
}

}  // namespace

/// What is needed to tell of work when it is complete.
struct Activity::Pending {
  Record record;
  ActivityTool tool;
  MarkerPointer before, after;
};

const char* name_of_activity(uint32_t kind) {
  const auto* const row = std::ranges::find(kind_names, static_cast<ActivityKind>(kind), &KindName::kind);
  return row == kind_names.end() ? "unknown" : row->name;
}

void set_activity_tool(const ActivityTool& tool) {
  const std::scoped_lock lock(state().mutex);
  state().tool = tool;
}

bool enable_activity(uint32_t operation, bool enable) {
  if (operation >= activity_operations) return false;
  if (enable)
    enabled_activities |= 1U << operation;
  else
    enabled_activities &= ~(1U << operation);
  return true;
}

Activity::Activity(Stream& stream, const std::string& kernel) : stream_(stream) {
  if (!wanted(ActivityOperation::dispatch)) return;
  {
    const std::scoped_lock lock(state().mutex);
    record_.kernel_name = state().kernels.insert(kernel).first->c_str();
  }
  begin(ActivityOperation::dispatch, ActivityKind::kernel);
}

Activity::Activity(Stream& stream, ActivityKind kind, uint64_t bytes) : stream_(stream) {
  if (!wanted(ActivityOperation::copy)) return;
  record_.bytes = bytes;
  begin(ActivityOperation::copy, kind);
}

void Activity::begin(ActivityOperation operation, ActivityKind kind) {
  static std::atomic<uint64_t> last{0};
  {
    const std::scoped_lock lock(state().mutex);
    tool_ = state().tool;
  }
  record_.domain = operations_domain;
  record_.kind = static_cast<uint32_t>(kind);
  record_.operation = static_cast<uint32_t>(operation);
  record_.correlation = ++last;
  record_.device = stream_.device().number();
  stream_.begin();
  record_.queue = stream_.queue_id();
  before_ = stream_.mark(true);
  if (tool_.submitted != nullptr) tool_.submitted(record_.correlation);
}

Activity::~Activity() {
  if (before_ == nullptr || tool_.completed == nullptr) return;
  // What cannot be recorded is left out: the work itself is not affected.
  try {
    auto pending = std::make_unique<Pending>(Pending{record_, tool_, before_, stream_.mark(true)});
    check(hsa_amd_signal_async_handler(pending->after->signal(), HSA_SIGNAL_CONDITION_LT, 1, report,
                                       pending.get()),
          "hsa_amd_signal_async_handler");
    static_cast<void>(pending.release());  // the handler owns it now
  } catch (const std::exception& error) {
    log(LogLevel::warning, log_misc, std::string("a record of activity is lost: ") + error.what());
  }
}

bool Activity::report(hsa_signal_value_t, void* pending) {
  const std::unique_ptr<Pending> own(static_cast<Pending*>(pending));
  Record& record = own->record;
  record.begin = nanoseconds(own->before->time());
  record.end = std::max(record.begin, nanoseconds(own->after->time()));
  own->tool.completed(record.operation, &record, own->tool.argument);
  return false;
}

}  // namespace heddle::hip
