// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an agent that executes on the host brings to the common packet processor and worker pool (launcher.h
// is the same for devices that run dispatches by themselves). The agents differ in what runs a work-group
// (compiled code, the interpreter, nothing); queues, packets, completion, threads and errors are the same for
// all and live in this folder.
#pragma once

#include <hsam/activity.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "support/result.h"

namespace heddle::agents {

/// An access of a kernel that failed.
struct MemoryFault {
  uint64_t address = 0;
  uint32_t causes = 0;  ///< mask of hsam_fault_cause
};

/// Why a packet put its queue into the error state: the arguments of queue_error (hsam.h), or of memory_fault
/// if `fault` is known. The status of a memory fault is FATAL.
struct Failure {
  hsa_status_t status = HSA_STATUS_ERROR;
  std::string message;
  std::optional<MemoryFault> fault = std::nullopt;
};

/// The failure for a lack of memory; making it allocates none.
inline Failure out_of_memory() { return {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "out of memory"}; }

/// A kernel dispatch packet that has passed the checks that need no kernel (packet_checks.h), and the sizes
/// that follow from it.
struct KernelDispatch {
  hsa_kernel_dispatch_packet_t packet;  ///< a copy; the slot belongs to the application again
  uint64_t packet_id = 0;
  uint64_t queue = 0;  ///< address of the hsa_queue_t
  uint32_t dimensions = 1;
  uint32_t grid_size[3] = {1, 1, 1};  ///< work-items
  uint32_t group_size[3] = {1, 1, 1};
  uint32_t grid_groups[3] = {1, 1, 1};  ///< work-groups, partial ones included
  uint64_t group_count = 1;             ///< product of grid_groups
  bool cooperative = false;             ///< all work-groups are to be in progress at the same time
};

/// Work-groups [first, last) in flattened work-group order (PRM 2.2: x fastest).
struct GroupRange {
  uint64_t first = 0;
  uint64_t last = 0;
};

class DispatchThread;
class ActiveDispatch;

/// The work-groups of one dispatch, as one thread sees them. Lives on that thread for one Task::run.
class Groups {
 public:
  /// Gives the thread its next groups, all of which it must run. False when none are left or the dispatch is
  /// stopped. Groups are handed out in increasing order over all threads, so that a group may wait for an
  /// earlier one (PRM 2.2.2).
  bool take(GroupRange& range);
  /// Like take(), but gives exactly one group.
  bool take_one(GroupRange& range);

  /// Whether the dispatch is cooperative: any group may wait for any other, so that each of them has to start
  /// even if no other one ends.
  bool cooperative() const;

  /// Whether the dispatch is to end early because a thread failed or the queue is being inactivated. Groups
  /// in progress may then be left unfinished. Long loops call this now and then.
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

  /// Puts the queue into the error state with this failure, if it is the dispatch's first, and stops the
  /// dispatch. Thread safe; run() returns soon after.
  void fail(Failure failure);

  /// Tells observers that a work-item triggers a profile event. Costs little while there are none.
  void trigger(uint64_t event, std::span<const hsam_event_value> values) noexcept;

  /// For a thread whose waves all wait (for each other, a signal, memory): lets the owner of the thread
  /// launch further packets, and gives the processor away. `fruitless` counts the calls in a row without
  /// progress in between: the first ones pause, later ones offer the processor to others, and some of those
  /// sleep.
  void idle(uint32_t fruitless);

  /// For a thread all of whose waves wait for signals, each with a record armed with waiter(): it calls
  /// watch(), looks at all conditions, and calls wait_for_signals() if none holds. The first calls behave as
  /// idle() does; later ones put the thread to sleep until a record is met, its owner has a packet to launch,
  /// the dispatch is to end, or `deadline` (ticks) has come. May return early.
  hsam_waiter& waiter();
  void watch();
  void wait_for_signals(uint32_t fruitless, uint64_t deadline);

 private:
  friend class DispatchThread;
  Groups(ActiveDispatch& dispatch, DispatchThread& thread);
  bool take_up_to(uint64_t limit, GroupRange& range);

  ActiveDispatch& dispatch_;
  DispatchThread& thread_;
  std::atomic<bool>& stop_;
  const uint64_t started_;   ///< ticks
  uint64_t taken_ = 0;       ///< groups in all
  uint64_t chunk_started_;   ///< ticks
  uint64_t chunk_size_ = 0;  ///< groups; 0 before the first chunk
};

/// What one thread keeps between dispatches, such as memory for segments, stacks and an alternate signal
/// stack. Constructed and destroyed on that thread.
class ExecutorThread {
 public:
  virtual ~ExecutorThread() = default;
  /// Called by another thread after a dispatch has been stopped, while this thread may be in its Task::run,
  /// or by now in another one. Gets the thread out of kernel code that never checks for the stop. May be
  /// called repeatedly.
  virtual void interrupt() {}
  /// Called on this thread before each Task::run: the compute unit that it stands for, counted from 0 and
  /// below the number that the agent has.
  virtual void set_compute_unit(uint32_t unit) { static_cast<void>(unit); }
};

/// One dispatch, ready to run.
class Task {
 public:
  virtual ~Task() = default;
  /// Takes groups and runs them until there are none. Called by several threads at the same time, each with
  /// its own ExecutorThread. Reports errors to groups.fail(). May throw std::bad_alloc, which the caller
  /// reports in the same way.
  virtual void run(ExecutorThread& thread, Groups& groups) = 0;
  /// Where the measured cost of a group (nanoseconds, 0 = not known yet) is kept from one dispatch of a
  /// kernel to the next; it decides how many threads are woken. Null if it is not kept. The object must live
  /// as long as the task.
  virtual std::atomic<uint32_t>* group_cost() { return nullptr; }
  /// The wavefront size of the ISA for which the kernel was finalized, for the number of waves in records of
  /// activities.
  virtual uint32_t wave_size() const { return 1; }
};

/// The agent part of a code object, loaded. Destroyed when it is unloaded and no task uses it any more.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  /// The kernel object of a kernel and the handle of an indirect function, by number in the code object; 0 if
  /// the number is out of range.
  virtual uint64_t kernel_object(uint32_t kernel) const = 0;
  virtual uint64_t function_handle(uint32_t function) const = 0;
  /// The memory that the code takes; empty if it is not in memory as one piece.
  virtual std::span<const std::byte> extent() const { return {}; }
};

/// What loads the code of one agent. May be called from all threads, and may throw std::bad_alloc.
class CodeLoader {
 public:
  virtual ~CodeLoader() = default;
  /// Carries out hsa_agent_driver_interface::code_load. The error is a message for the log. `code_object`
  /// need not outlive the call.
  virtual Result<std::shared_ptr<LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) = 0;
};

/// What executes the kernels of one agent on threads of the host. All members may be called from all threads,
/// and may throw std::bad_alloc.
class Executor : public CodeLoader {
 public:
  /// Called on the new thread, before its first Task::run.
  virtual std::unique_ptr<ExecutorThread> make_thread() = 0;
  /// Finds the kernel and checks what depends on it: kernel object, segment sizes, required sizes. Must be
  /// fast, since every packet goes through it. Failures: INVALID_CODE_OBJECT, INVALID_ALLOCATION,
  /// OUT_OF_RESOURCES, INCOMPATIBLE_ARGUMENTS.
  virtual Result<std::unique_ptr<Task>, Failure> prepare(const KernelDispatch& dispatch) = 0;
};

}  // namespace heddle::agents
