// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activities: what the runtime, the driver and the agents do, as observers see it. Performance counters,
// profile events and traces are observers. An activity is reported when it has ended, by the thread that
// ended it.
//
// While nobody observes, an activity costs a relaxed load: code that could report one asks is_observed()
// first. Agents do the same through include/hsam/activity.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include <hsa/hsa.h>
#include <hsam/activity.h>

namespace heddle::driver {

class Agent;
struct Region;

/// Kinds of activities; bits of masks. The first five are those of agents.
enum class ActivityKind : uint32_t {
  packet = HSAM_ACTIVITY_PACKET,              ///< a packet was taken from a queue
  dispatch = HSAM_ACTIVITY_DISPATCH,          ///< a kernel dispatch
  compute_unit = HSAM_ACTIVITY_COMPUTE_UNIT,  ///< the share of a compute unit in a dispatch
  barrier = HSAM_ACTIVITY_BARRIER,            ///< a barrier packet
  event = HSAM_ACTIVITY_EVENT,                ///< a work-item has triggered a profile event
  copy = 0x100,                               ///< a copy of memory by the runtime
  allocation = 0x200,                         ///< memory was allocated in a region
  release = 0x400,                            ///< memory of a region was freed
  signal_creation = 0x800,                    ///< by the application
  signal_destruction = 0x1000,                ///< by the application
  signal_wait = 0x2000,                       ///< a wait of the host
  api_call = 0x4000,                          ///< a call of a function that may fail
  queue_creation = 0x8000,                    ///< of a queue of an agent
  kernel_loading = 0x10000,                   ///< an agent has given a kernel a kernel object
  doorbell = 0x20000,                         ///< the host has rung a doorbell
  queue_failure = 0x40000,                    ///< a queue takes no more packets, because of an error
  queue_destruction = 0x80000,                ///< of a queue of an agent
};

constexpr uint32_t operator|(ActivityKind a, ActivityKind b) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b);
}
constexpr uint32_t operator|(uint32_t a, ActivityKind b) { return a | static_cast<uint32_t>(b); }

/// One activity. Members that do not apply to the kind are 0. What pointers refer to lives as long as the
/// process, but for kernel_name and event_values.
struct Activity {
  ActivityKind kind = ActivityKind::packet;
  hsa_status_t status = HSA_STATUS_SUCCESS;  ///< dispatch, copy, api_call, queue_failure
  uint64_t begin = 0, end = 0;               ///< system timestamps; equal if it takes no time
  const Agent* agent = nullptr;              ///< packet, dispatch, compute_unit, barrier, event, queue_*
  uint64_t queue_id = 0;                     ///< those with an agent: hsa_queue_t::id
  uint64_t packet_id = 0;                    ///< packet, dispatch, compute_unit, barrier, event
  uint32_t packet_type = 0;                  ///< packet, barrier: hsa_packet_type_t
  uint32_t compute_unit = 0;                 ///< compute_unit: its number
  uint64_t kernel_object = 0;                ///< dispatch, compute_unit, kernel_loading
  uint64_t work_groups = 0;                  ///< dispatch: of the grid; compute_unit: executed
  uint64_t waves = 0, work_items = 0;        ///< dispatch: of the grid
  const Region* region = nullptr;            ///< allocation, release; copy: the destination's, if it has one
  uint64_t address = 0;                      ///< allocation, release; copy: the destination
  uint64_t source = 0;                       ///< copy
  uint64_t bytes = 0;                        ///< allocation, release, copy
  uint64_t signal = 0;  ///< signal_*: the handle; dispatch, barrier: for completion; queue_creation,
                        ///< queue_destruction, doorbell: the doorbell
  int64_t value = 0;    ///< signal_creation, signal_wait, doorbell: created, observed, rung
  const char* function = nullptr;                  ///< api_call: name of the function
  const char* kernel_name = nullptr;               ///< kernel_loading: gone after observe()
  uint64_t event_id = 0;                           ///< event
  std::span<const hsam_event_value> event_values;  ///< event: gone after observe()
};

/// Something that is told of activities.
class ActivityObserver {
 public:
  /// Called by any number of threads at once. Must not wait for a thread that reports an activity, call the
  /// API, or change subscriptions.
  virtual void observe(const Activity& activity) noexcept = 0;

 protected:
  ~ActivityObserver() = default;
};

/// The observers of this process. Thread safe.
class Activities {
 public:
  /// Reports whether somebody observes activities of this kind. Costs a relaxed load.
  static bool is_observed(ActivityKind kind) noexcept {
    return (__atomic_load_n(&observed_, __ATOMIC_RELAXED) & static_cast<uint32_t>(kind)) != 0;
  }
  /// Tells the observers of its kind.
  static void report(const Activity& activity) noexcept;

  /// Tells the observer of all activities of these kinds that end from now on. Throws std::bad_alloc.
  static void subscribe(ActivityObserver& observer, uint32_t kinds);
  /// Ends a subscription; does nothing if there is none. When it returns, no observe() of the observer is
  /// running.
  static void unsubscribe(ActivityObserver& observer) noexcept;

  /// The mask of the kinds that somebody observes, for agents.
  static constexpr const uint32_t* observed_mask() noexcept { return &observed_; }

  /// Creates the list of observers. Must have been called once, on one thread, before the other functions.
  static void prepare();

 private:
  friend class ObserverList;
  static uint32_t observed_;
};

}  // namespace heddle::driver
