// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/activity.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "agents/common/device_dispatches.h"
#include "agents/common/dispatch.h"
#include "agents/common/packet_checks.h"
#include "agents/common/packet_log.h"
#include "agents/common/serial.h"
#include "agents/common/worker_pool.h"

namespace heddle::agents {

/// What a packet processor is given at its start. All objects that this refers to outlive it.
struct QueueSettings {
  const hsa_generic_driver_interface* driver = nullptr;
  /// What runs dispatches on the queue's thread and those of the pool. Both are null if a device runs them.
  Executor* executor = nullptr;
  WorkerPool* pool = nullptr;
  DispatchLimits limits;
  int64_t client = 0;  ///< the generic driver's handles
  int64_t queue = 0;
  HSAM_queue_info_str info = {};
  hsam_signal* doorbell = nullptr;
  /// In ticks. A producer that clears a whole slot leaves a header of type 0 there for a moment. A header of
  /// type 0 that stays for longer than this is taken seriously.
  uint64_t settle_time = HSAM_TIMESTAMP_FREQUENCY / 100;
  PacketLog log{nullptr, "", 0};
  SerialMode serial;
  SerialTurn* turn = nullptr;  ///< of the agent; used if serial.before
};

/// The packet processor of one queue (Runtime 2.6, "AQL packet processing"): a thread of its own, so that
/// each queue makes progress whatever the others do (full profile). It launches packets in order, takes part
/// in running their kernels unless a device does that, and sleeps on the doorbell when there is nothing to
/// do.
///
/// A packet is copied when it is launched, and its slot goes back at once: header INVALID and setup 0 with
/// release order, then the read index. Packets are taken up to the write index that was seen after the last
/// doorbell, because some producers fill a slot carelessly (a copy of the whole packet with its header, a
/// transient zero) before they ring.
class PacketProcessor final : private DispatchOwner, private ThreadHost {
 public:
  /// Starts the thread and returns when it is ready. Fails if no thread can be started. With a launcher, its
  /// device runs the dispatches.
  static Result<std::unique_ptr<PacketProcessor>, Error> create(const QueueSettings& settings,
                                                                std::unique_ptr<Launcher> launcher = nullptr);
  /// Inactivates the queue and waits for the thread to end.
  ~PacketProcessor();
  PacketProcessor(const PacketProcessor&) = delete;
  PacketProcessor& operator=(const PacketProcessor&) = delete;

  /// Stops launching, stops the kernels that run (a grace period first), and returns when none of them runs
  /// and no completion signal will be touched any more. No error is reported afterwards. Runtime 2.5.5.4.
  /// Thread safe.
  void inactivate();

  /// Sets how dispatches are treated that are launched from now on. Thread safe.
  void set_priority(hsam_queue_priority priority);
  void set_compute_units(std::shared_ptr<const ComputeUnits> units);

 private:
  enum class State : uint8_t { active, error, inactive };

  /// A barrier packet that holds up the queue. A dependency that was once seen to be 0 stays satisfied,
  /// whatever its value becomes later (Runtime 2.6.5.9). Wait records watch the other dependencies, so that
  /// none is missed that is 0 only for a moment.
  class Barrier {
   public:
    Barrier(const hsa_barrier_and_packet_t& packet, uint64_t packet_id, hsam_waiter& waiter);
    ~Barrier();
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    /// Looks at the signals and says whether the packet may complete.
    bool satisfied();
    /// The number of signals that have not been seen 0 yet, and whether one of them is enough.
    uint32_t missing() const { return missing_; }
    bool any() const { return any_; }

    const uint64_t packet_id;
    const uint16_t header;
    hsam_signal* const completion;
    const uint64_t started;

   private:
    void met(uint32_t i);

    hsam_waiter& waiter_;
    const bool any_;        ///< an OR packet, for which one dependency is enough
    uint32_t missing_ = 0;  ///< dependencies not yet seen 0
    bool one_met_ = false;
    hsam_signal* waiting_[5] = {};  ///< signals with an armed record; null if met or absent
    hsam_wait_record records_[5];
  };

  PacketProcessor(const QueueSettings& settings, std::unique_ptr<Launcher> launcher);
  bool has_started();
  void run();
  void serve(DispatchThread* thread);
  bool run_dispatch(DispatchThread& thread);
  void wait(uint64_t& busy_until);

  // Launch phase.
  void poll() noexcept override;
  void share(ActiveDispatch& dispatch) noexcept override;
  QueueTerms terms() const;
  hsam_waiter& waiter() noexcept override { return waiter_; }
  void watch() noexcept override;
  void sleep(uint64_t deadline) noexcept override;
  bool launch_next();
  bool launches() const;
  bool admit(uint16_t header);
  bool settled(uint16_t header);
  void look_at_doorbell();
  std::byte* slot_of(uint64_t packet_id) const;
  bool ready();
  void complete_barrier();
  bool take_turn(uint16_t header, uint64_t packet_id);
  bool turn_is_free(uint16_t header) const;
  void give_turn_back();
  void launch_dispatch(const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_id);
  bool launch(const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_id);
  bool has_observed_times(uint64_t completion_signal) const;
  bool is_brief(Task& task, uint64_t groups) const;
  void launch_direct(const KernelDispatch& dispatch, std::unique_ptr<Task> task);
  void run_direct(DispatchThread& thread);
  bool list_direct() noexcept;
  bool launch_on_device(const KernelDispatch& dispatch);
  void collect();
  uint32_t in_flight() const;
  void launch(const hsa_barrier_and_packet_t& packet, uint64_t packet_id);
  void release_slot(void* slot);

  // Completion phase. finished(), executed() and triggered() are called on any
  // thread.
  void finished(ActiveDispatch& dispatch) override;
  void executed(ActiveDispatch& dispatch, uint32_t compute_unit, uint64_t started,
                uint64_t groups) noexcept override;
  void triggered(const ActiveDispatch& dispatch, uint64_t event,
                 std::span<const hsam_event_value> values) noexcept override;
  void complete(uint16_t header, hsam_signal* completion, uint64_t started, uint64_t ended);
  static void signal_completion(hsam_signal* completion, uint64_t started, uint64_t ended);
  void fail(const Failure& failure);
  std::shared_ptr<ActiveDispatch> runnable();
  bool is_signal(uint64_t handle) const;
  void forget(ActiveDispatch& dispatch);

  // Records of activities, for whoever observes them.
  hsam_activity record_of(hsam_activity_kind kind, uint64_t packet_id, uint64_t begin, uint64_t end) const;
  void report_packet(uint64_t packet_id, uint32_t type) const;
  void report_end(ActiveDispatch& dispatch, uint64_t ended) const;
  void report_dispatch(const KernelDispatch& dispatch, uint32_t wave_size, hsa_status_t status,
                       uint64_t started, uint64_t ended) const;
  void report_end(const DeviceDispatches::Ended& dispatch) const;
  void report_barrier(const Barrier& barrier, uint64_t ended) const;

  const QueueSettings settings_;
  const uint32_t mask_;
  std::atomic<State> state_{State::active};
  hsam_waiter waiter_ = {HSAM_WAITER_AWAKE};

  /// Of a queue whose device runs its dispatches.
  std::optional<DeviceDispatches> device_;

  // Used by the queue's own thread only.
  pthread_t pthread_{};
  uint64_t read_ = 0;
  uint64_t limit_ = 0;  ///< the doorbell was rung for the packets before this index
  int64_t doorbell_seen_ = -1;
  std::optional<Barrier> barrier_;
  /// When the packet at read_ was first seen with a transient header, in ticks; 0 if its header is not
  /// transient.
  uint64_t unsettled_since_ = 0;
  bool asked_for_turn_ = false;  ///< the log has said so for the packet at read_
  bool moved_ = false;           ///< something was launched or completed since the last look
  uint32_t untimed_ = 0;         ///< dispatches in a row whose times nobody wanted to know
  /// A brief dispatch, which was launched while no other was in flight, runs on this thread before the next
  /// packet is looked at, without being listed in active_. One object serves for all of them in turn.
  std::shared_ptr<ActiveDispatch> direct_;  ///< set and reset under mutex_
  enum class Direct : uint8_t { none, launched, running };
  Direct direct_state_ = Direct::none;

  // Dispatches in flight, oldest first, except the direct one.
  std::mutex mutex_;
  std::deque<std::shared_ptr<ActiveDispatch>> active_;
  std::atomic<uint32_t> in_flight_{0};
  std::atomic<bool> has_turn_{false};  ///< a dispatch of this queue has the agent's SerialTurn
  enum class Life : uint8_t { starting, running, ended };
  Life life_ = Life::starting;               ///< of the thread
  DispatchThread* interruptible_ = nullptr;  ///< what runs dispatches on the queue's thread, while it exists
  std::condition_variable life_changed_;

  mutable std::mutex terms_mutex_;
  QueueTerms terms_;
  std::atomic<uint32_t> unit_;  ///< the compute unit that the thread of the queue stands for

  std::thread os_thread_;
};

}  // namespace heddle::agents
