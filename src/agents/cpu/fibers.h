// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs waves as fibers (design D6), for kernels whose waves wait at barriers or for each other's stores.
//
// Each wave of a group has a stack of its own. A pass over a group resumes its waves in order; each hands the
// processor directly to the next when it arrives at a barrier, yields or ends, and the last hands it back to
// the scheduler. A barrier opens when all waves of the group have arrived, an fbarrier when its members have.
// Waves that spin on memory or wait for a signal yield; the thread sleeps when all wait for signals. When
// waves do nothing but yield, or only meet at barriers for long, a further group of the dispatch is started
// beside the live ones, so that groups that wait for each other all advance, however few threads there are.
#pragma once

#include <hsam/signal.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/common/executor.h"
#include "agents/cpu/faults.h"
#include "agents/cpu/fbarriers.h"
#include "agents/cpu/kernel.h"
#include "agents/cpu/memory.h"
#include "agents/cpu/sanitizers.h"

namespace heddle::cpu {

struct FiberGroup;
class FiberScheduler;

/// What one lane of a wave waits for, and what it has seen.
struct SignalWait {
  hsam_signal* signal = nullptr;
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  int64_t compare = 0;
  uint64_t deadline = UINT64_MAX;  ///< ticks; UINT64_MAX: none
  int64_t value = 0;               ///< that ended the wait, or was there at the deadline
  bool armed = false;              ///< `record` is linked into the signal, because the wait has not ended
  hsam_wait_record record = {};
};

/// One wave. `worker` is what compiled code sees; its agent_data leads back here.
struct Fiber {
  enum class State : uint8_t { ready, waiting, finished };

  kernel_abi::Worker worker = {};
  void* stack_pointer = nullptr;
  FiberGroup* group = nullptr;
  State state = State::ready;
  uint32_t index = 0;  ///< in its group
  uint32_t first_workitem = 0;
  uint32_t fbarrier = 0;          ///< handle of the fbarrier at which the wave waits
  bool at_fbarrier = false;       ///< the wave waits at `fbarrier`, not at the barrier
  std::vector<SignalWait> waits;  ///< of lanes: those of the wave's last wait for signals
  bool waits_for_signals = false;
  Stack stack;
  sanitizers::Context sanitizer;
};

/// A work-group in progress. The object is reused for later groups, with its stacks and memory.
struct FiberGroup {
  FiberScheduler* scheduler = nullptr;
  kernel_abi::WaveEntry entry = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers;  ///< at least `count`
  uint32_t count = 0;                          ///< waves
  uint32_t arrived = 0;                        ///< waves that wait at the barrier
  uint32_t finished = 0;
  bool early_return = false;  ///< the barrier does not wait for waves that have ended
  bool moved = false;         ///< a wave ended or a barrier opened since the pass began
  uint64_t id = 0;            ///< flattened work-group ID
  Fbarriers fbarriers;
  Pages group_memory;
  Pages private_memory;

  /// Opens the barrier if all waves that it waits for have arrived at it. Whether it opened.
  bool open_barrier();
  /// The next wave after `index` that can run, null if the pass is over.
  Fiber* next(uint32_t index) const {
    for (uint32_t i = index; i < count; ++i)
      if (fibers[i]->state == Fiber::State::ready) return fibers[i].get();
    return nullptr;
  }
};

/// Runs the groups of one dispatch at a time on one thread.
class FiberScheduler {
 public:
  FiberScheduler(KernelFrame& frame, size_t stack_size);
  ~FiberScheduler();

  /// Takes groups and runs them until none are left. `proto` is what all workers of the dispatch have in
  /// common, `resident` whether all groups of the dispatch can be alive on this thread. Returns `returned`,
  /// or why the run was cut short; current() is then the wave where that happened. Throws std::bad_alloc
  /// after abandoning the live groups.
  Exit run(const Kernel& kernel, const kernel_abi::Worker& proto, agents::Groups& groups, bool resident);

  /// The wave that runs or ran last; null if none did.
  const Fiber* current() const { return current_; }
  /// Whether a fault at this address means that a stack is exhausted.
  bool is_guard(uint64_t address) const { return stacks_.is_guard(address); }

  KernelFrame& frame() { return frame_; }

  // The next five are for support functions, which call them on a fiber and outside kernel code.
  [[gnu::noinline]] void barrier(Fiber& fiber);
  [[gnu::noinline]] void yield(Fiber& fiber);
  /// Returns the rule that was broken, or null. Throws std::bad_alloc.
  [[gnu::noinline]] const char* fbarrier(Fiber& fiber, kernel_abi::FbarrierOperation operation,
                                         uint32_t handle);
  /// Waits until the condition of each of Fiber::waits has held or its deadline has come, and fills in the
  /// values.
  [[gnu::noinline]] void wait(Fiber& fiber);
  [[noreturn]] void leave(Exit why);

 private:
  enum class Pass : uint8_t { moved, spinning, finished, deadlock, cut };

  Exit run_groups(const Kernel& kernel, const kernel_abi::Worker& proto, agents::Groups& groups,
                  bool resident);
  bool has_capacity(bool resident) const;
  bool start_next(const Kernel& kernel, const kernel_abi::Worker& proto, agents::Groups& groups);
  static void fiber_main(void* argument);
  bool start(const Kernel& kernel, const kernel_abi::Worker& proto, uint64_t group_id);
  FiberGroup* unused_group();
  bool prepare_fibers(FiberGroup& group, uint32_t count);
  Pass pass(FiberGroup& group, Exit& exit);
  Exit resume(Fiber& fiber);
  void pass_on(Fiber& fiber);
  void switch_to(Fiber& from, Fiber& to);
  void end(Fiber& fiber);
  void rest(agents::Groups& groups, uint32_t fruitless);
  bool all_wait_for_signals(uint64_t& deadline) const;
  void end_waits(Fiber& fiber);
  void discard_all();
  [[gnu::noinline]] bool check_fbarriers(const Fiber& fiber);
  static std::string describe_deadlock(const FiberGroup& group);

  KernelFrame& frame_;
  const Kernel* kernel_ = nullptr;
  StackPool stacks_;
  sanitizers::Context thread_stack_;
  std::vector<std::unique_ptr<FiberGroup>> groups_;
  std::vector<FiberGroup*> live_;
  std::vector<FiberGroup*> idle_;
  uint32_t live_fibers_ = 0;
  uint32_t waiting_ = 0;           ///< live fibers that wait for signals
  bool has_yielded_ = false;       ///< a wave has yielded or waited since passes were counted anew
  std::optional<uint64_t> taken_;  ///< a group that this thread must run and has had no memory for
  bool short_of_memory_ = false;   ///< the next group found no memory, and does not try again yet
  Fiber* current_ = nullptr;
};

}  // namespace heddle::cpu
