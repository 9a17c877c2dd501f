// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/fibers.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "agents/cpu/switch.h"
#include "agents/cpu/work_sizes.h"
#include "support/exception_safety.h"

namespace heddle::cpu {
namespace {

// Several groups of a dispatch are alive on one thread while they wait for each other. These are the largest
// number of such groups, unless the dispatch is cooperative or resident, and of the waves of all of them
// together, unless it is cooperative.
constexpr size_t live_groups_max = 64;
constexpr uint32_t live_fibers_max = 8192;
// The number of passes without a barrier that opens or a wave that ends before a further group is started.
constexpr uint32_t patience = 2;
// The same for passes in which barriers open: waves may meet at them while they wait for a group that has not
// started.
constexpr uint32_t patience_with_barriers = 1024;
// Private memory of more than this many bytes is given back after a group instead of kept for the next one.
constexpr size_t memory_kept = size_t{64} << 20;

}  // namespace

FiberScheduler::FiberScheduler(KernelFrame& frame, size_t stack_size) : frame_(frame), stacks_(stack_size) {}

FiberScheduler::~FiberScheduler() {
  for (const auto& group : groups_)
    for (const auto& fiber : group->fibers) sanitizers::destroy(fiber->sanitizer);
}

Exit FiberScheduler::run(const Kernel& kernel, const kernel_abi::Worker& proto, agents::Groups& groups,
                         bool resident) {
  current_ = nullptr;
  kernel_ = &kernel;
  short_of_memory_ = false;
  sanitizers::adopt_thread(thread_stack_);
  try {
    return run_groups(kernel, proto, groups, resident);
  } catch (const std::bad_alloc&) {
    discard_all();
    throw;
  }
}

Exit FiberScheduler::run_groups(const Kernel& kernel, const kernel_abi::Worker& proto, agents::Groups& groups,
                                bool resident) {
  uint32_t fruitless = 0;
  uint32_t passes = 0;  // since a group started or ended
  const auto start_next = [&] { return this->start_next(kernel, proto, groups); };
  while (true) {
    if (live_.empty()) {
      if (!start_next()) break;
      fruitless = passes = 0;
    }
    if (waiting_ != 0) groups.watch();
    bool moved = false;
    for (size_t i = 0; i < live_.size();) {
      FiberGroup& group = *live_[i];
      Exit exit = Exit::returned;
      const Pass result = pass(group, exit);
      if (result == Pass::cut || result == Pass::deadlock) {
        if (result == Pass::deadlock)
          groups.fail({HSA_STATUS_ERROR, "kernel " + kernel.name + ": " + describe_deadlock(group)});
        discard_all();
        return result == Pass::deadlock ? Exit::trap : exit;
      }
      moved |= result != Pass::spinning;
      if (result == Pass::finished) {
        passes = 0;
        short_of_memory_ = false;
        idle_.push_back(&group);
        live_fibers_ -= group.count;
        live_.erase(live_.begin() + static_cast<ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (groups.stopped()) {
      discard_all();
      return Exit::interrupted;
    }
    fruitless = moved ? 0 : fruitless + 1;
    // Waves that meet at barriers while they wait for a group that has not started would move for ever.
    if (groups.cooperative() && start_next()) continue;
    // Those that only meet at barriers wait for nobody else, so that no other group need help them on.
    if (has_yielded_) ++passes;
    if (fruitless < patience && passes < patience_with_barriers) continue;
    passes = 0;
    has_yielded_ = false;
    // Waves that do not advance may wait for the group that found no memory, so that it tries again.
    if (fruitless >= patience) short_of_memory_ = false;
    if (!groups.cooperative() && has_capacity(resident) && start_next()) continue;
    if (fruitless >= patience) rest(groups, fruitless);
  }
  return groups.stopped() ? Exit::interrupted : Exit::returned;
}

bool FiberScheduler::has_capacity(bool resident) const {
  return !short_of_memory_ && live_fibers_ < live_fibers_max && (resident || live_.size() < live_groups_max);
}

/// Starts the next group. Returns false if there is none, or no memory for it. Then the group waits until
/// another one has ended or no wave advances, unless there is no other group, or those of the dispatch may
/// count on each other: that fails it.
bool FiberScheduler::start_next(const Kernel& kernel, const kernel_abi::Worker& proto,
                                agents::Groups& groups) {
  if (!taken_) {
    agents::GroupRange range;
    if (!groups.take_one(range)) return false;
    taken_ = range.first;
  }
  const bool must_start = live_.empty() || groups.cooperative();
  try {
    if (start(kernel, proto, *taken_)) {
      taken_.reset();
      return true;
    }
  } catch (const std::bad_alloc&) {
    if (must_start) throw;
  }
  short_of_memory_ = true;
  if (must_start) {
    taken_.reset();
    groups.fail({HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for the waves of kernel " + kernel.name});
  }
  return false;
}

/// Spends time without using the processor: no wave advances, and no further group can be started.
void FiberScheduler::rest(agents::Groups& groups, uint32_t fruitless) {
  uint64_t deadline = UINT64_MAX;
  if (all_wait_for_signals(deadline))
    groups.wait_for_signals(fruitless, deadline);
  else
    groups.idle(fruitless);
}

/// Whether every wave of every live group waits for a signal. If so, lowers `deadline` to the earliest time
/// at which one of these waits ends by itself.
bool FiberScheduler::all_wait_for_signals(uint64_t& deadline) const {
  if (waiting_ == 0) return false;
  for (const FiberGroup* group : live_) {
    for (uint32_t i = 0; i < group->count; ++i) {
      const Fiber& fiber = *group->fibers[i];
      if (fiber.state != Fiber::State::ready) continue;
      if (!fiber.waits_for_signals) return false;
      for (const SignalWait& wait : fiber.waits)
        if (wait.armed) deadline = std::min(deadline, wait.deadline);
    }
  }
  return true;
}

// ---- starting a group ----

FiberGroup* FiberScheduler::unused_group() {
  if (idle_.empty()) {
    reserve_one_more(groups_);
    // With this capacity, moving groups between the lists never allocates.
    idle_.reserve(groups_.capacity());
    live_.reserve(groups_.capacity());
    groups_.push_back(std::make_unique<FiberGroup>());
    groups_.back()->scheduler = this;
    idle_.push_back(groups_.back().get());
  }
  FiberGroup* group = idle_.back();
  idle_.pop_back();
  return group;
}

bool FiberScheduler::prepare_fibers(FiberGroup& group, uint32_t count) {
  while (group.fibers.size() < count) {
    reserve_one_more(group.fibers);
    auto fiber = std::make_unique<Fiber>();
    fiber->stack = stacks_.take();
    if (fiber->stack.top == 0) return false;
    fiber->index = static_cast<uint32_t>(group.fibers.size());
    fiber->group = &group;
    group.fibers.push_back(std::move(fiber));
  }
  return true;
}

/// Starts a group. False if there is no memory for it.
bool FiberScheduler::start(const Kernel& kernel, const kernel_abi::Worker& proto, uint64_t group_id) {
  const kernel_abi::Dispatch& dispatch = *proto.dispatch;
  const GroupPosition position = position_of(dispatch, group_id);
  const uint32_t work_items = position.size[0] * position.size[1] * position.size[2];
  const uint32_t lanes = kernel.info.lanes;
  const uint32_t count = (work_items + lanes - 1) / lanes;
  FiberGroup& group = *unused_group();
  bool started = false;
  const Finally give_back([&] {
    if (!started) idle_.push_back(&group);
  });
  if (!group.group_memory.reserve(dispatch.group_total_size) ||
      !group.private_memory.reserve(size_t{count} * lanes * dispatch.private_stride) ||
      !prepare_fibers(group, count))
    return false;
  group.entry = kernel.wave_entry;
  group.count = count;
  group.arrived = group.finished = 0;
  group.early_return = (kernel.info.flags & codeobject::kernel_early_return) != 0;
  group.id = group_id;
  group.fbarriers.clear();
  for (uint32_t i = 0; i < count; ++i) {
    Fiber& fiber = *group.fibers[i];
    fiber.worker = proto;
    fiber.worker.group_base = group.group_memory.address();
    fiber.first_workitem = i * lanes;
    fiber.worker.private_base =
        group.private_memory.address() + uint64_t{fiber.first_workitem} * dispatch.private_stride;
    std::copy(std::begin(position.id), std::end(position.id), fiber.worker.group_id);
    std::copy(std::begin(position.size), std::end(position.size), fiber.worker.current_group_size);
    fiber.worker.agent_data = reinterpret_cast<uint64_t>(&fiber);
    fiber.state = Fiber::State::ready;
    fiber.at_fbarrier = false;
    fiber.stack_pointer =
        make_frame(reinterpret_cast<void*>(fiber.stack.top), &FiberScheduler::fiber_main, &fiber);
    sanitizers::create(fiber.sanitizer, fiber.stack.limit, fiber.stack.top);
  }
  live_.push_back(&group);
  live_fibers_ += count;
  started = true;
  return true;
}

// ---- running ----

FiberScheduler::Pass FiberScheduler::pass(FiberGroup& group, Exit& exit) {
  group.moved = false;
  if (Fiber* first = group.next(0)) {
    exit = resume(*first);
    if (exit != Exit::switched) return Pass::cut;
  }
  if (group.finished == group.count) {
    if (group.private_memory.size() > memory_kept) group.private_memory.reset();
    return Pass::finished;
  }
  // Every wave has ended or waits at a barrier or fbarrier, so none is left that could open any of them.
  if (!group.next(0)) return Pass::deadlock;
  return group.moved ? Pass::moved : Pass::spinning;
}

/// Resumes a fiber, and returns when the pass is over or kernel code was cut off. `inside` is set and cleared
/// on the fiber's side, because only there is the frame complete that a signal handler continues from.
Exit FiberScheduler::resume(Fiber& fiber) {
  current_ = &fiber;
  sanitizers::start_switch(&thread_stack_, fiber.sanitizer);
  const auto exit = static_cast<Exit>(
      heddle_cpu_switch(&frame_.host_stack, fiber.stack_pointer, static_cast<uint64_t>(Exit::switched)));
  if (exit == Exit::switched)
    sanitizers::finish_switch(thread_stack_);
  else
    sanitizers::fiber_abandoned(thread_stack_);
  return exit;
}

HEDDLE_CPU_CALLS_LOADED_CODE void FiberScheduler::fiber_main(void* argument) {
  auto& fiber = *static_cast<Fiber*>(argument);
  sanitizers::finish_switch(fiber.sanitizer);
  FiberGroup& group = *fiber.group;
  group.scheduler->frame_.inside = 1;
  group.entry(&fiber.worker, fiber.first_workitem);
  group.scheduler->frame_.inside = 0;
  group.scheduler->end(fiber);
  __builtin_trap();  // a finished fiber is not resumed
}

void FiberScheduler::end(Fiber& fiber) {
  FiberGroup& group = *fiber.group;
  fiber.state = Fiber::State::finished;
  ++group.finished;
  group.moved = true;
  if (group.early_return) group.open_barrier();
  if (!check_fbarriers(fiber)) leave(Exit::trap);
  pass_on(fiber);
}

/// False if a rule was broken, which has been reported. This is a function of its own, so that nothing is
/// left to destroy when its caller abandons the stack.
bool FiberScheduler::check_fbarriers(const Fiber& fiber) {
  const FiberGroup& group = *fiber.group;
  try {
    const std::string misuse = group.fbarriers.check_end(fiber.index, group.finished == group.count);
    if (misuse.empty()) return true;
    frame_.groups->fail({HSA_STATUS_ERROR, fmt::format("kernel {}, wave {} of group {}: {}", kernel_->name,
                                                       fiber.index, group.id, misuse)});
  } catch (const std::bad_alloc&) {
    frame_.groups->fail(agents::out_of_memory());
  }
  return false;
}

std::string FiberScheduler::describe_deadlock(const FiberGroup& group) {
  uint32_t at_fbarrier = 0;
  for (uint32_t i = 0; i < group.count; ++i) at_fbarrier += group.fibers[i]->at_fbarrier;
  return fmt::format(
      "no wave of group {} can go on: {} of {} wait in a barrier, {} at an fbarrier, {} have ended", group.id,
      group.arrived, group.count, at_fbarrier, group.finished);
}

/// Hands the processor to the next wave of the group or, after the last, to the scheduler.
void FiberScheduler::pass_on(Fiber& fiber) {
  if (Fiber* next = fiber.group->next(fiber.index + 1)) return switch_to(fiber, *next);
  sanitizers::start_switch(fiber.state == Fiber::State::finished ? nullptr : &fiber.sanitizer, thread_stack_);
  heddle_cpu_switch(&fiber.stack_pointer, frame_.host_stack, static_cast<uint64_t>(Exit::switched));
  sanitizers::finish_switch(fiber.sanitizer);
}

void FiberScheduler::switch_to(Fiber& from, Fiber& to) {
  current_ = &to;
  sanitizers::start_switch(from.state == Fiber::State::finished ? nullptr : &from.sanitizer, to.sanitizer);
  heddle_cpu_switch(&from.stack_pointer, to.stack_pointer, static_cast<uint64_t>(Exit::switched));
  sanitizers::finish_switch(from.sanitizer);
}

bool FiberGroup::open_barrier() {
  if (arrived == 0 || arrived + (early_return ? finished : 0) != count) return false;
  arrived = 0;
  moved = true;
  for (uint32_t i = 0; i < count; ++i)
    if (fibers[i]->state != Fiber::State::finished) fibers[i]->state = Fiber::State::ready;
  return true;
}

void FiberScheduler::barrier(Fiber& fiber) {
  FiberGroup& group = *fiber.group;
  ++group.arrived;
  fiber.state = Fiber::State::waiting;
  if (group.open_barrier()) return;
  pass_on(fiber);
}

void FiberScheduler::yield(Fiber& fiber) {
  has_yielded_ = true;
  pass_on(fiber);
}

const char* FiberScheduler::fbarrier(Fiber& fiber, kernel_abi::FbarrierOperation operation, uint32_t handle) {
  FiberGroup& group = *fiber.group;
  const auto outcome = group.fbarriers.execute(operation, handle, fiber.index, group.count);
  if (outcome.opened) {
    for (uint32_t i = 0; i < group.count; ++i) {
      Fiber& other = *group.fibers[i];
      if (!other.at_fbarrier || other.fbarrier != handle) continue;
      other.at_fbarrier = false;
      other.state = Fiber::State::ready;
      group.moved = true;
    }
  }
  if (outcome.wait) {
    fiber.fbarrier = handle;
    fiber.at_fbarrier = true;
    fiber.state = Fiber::State::waiting;
    pass_on(fiber);
  }
  return outcome.misuse;
}

namespace {

void arm(SignalWait& wait, hsam_waiter& waiter) {
  hsam_wait_arm(&wait.record, &waiter, wait.signal, wait.condition, wait.compare);
  wait.armed = true;
}

void disarm(SignalWait& wait) {
  hsam_wait_disarm(&wait.record);
  wait.armed = false;
}

/// Reports whether the signal has the value that ends the wait.
bool holds(SignalWait& wait) {
  wait.value = hsam_signal_load_scacquire(wait.signal);
  return hsam_condition_holds(wait.condition, wait.value, wait.compare);
}

bool is_over(const SignalWait& wait) {
  return wait.deadline != UINT64_MAX && hsam_timestamp() >= wait.deadline;
}

/// Ends a wait if it can end. Reports whether it has ended, now or before.
bool try_to_end(SignalWait& wait) {
  if (!wait.armed) return true;
  if (!holds(wait) && !hsam_wait_is_met(&wait.record) && !is_over(wait)) return false;
  disarm(wait);
  if (hsam_wait_is_met(&wait.record)) wait.value = wait.record.value;
  return true;
}

bool try_to_end_all(std::vector<SignalWait>& waits) {
  bool have_ended = true;
  for (SignalWait& wait : waits) have_ended &= try_to_end(wait);
  return have_ended;
}

}  // namespace

/// A wait record at the signal sees every value that is sent. A condition that holds only for a moment is
/// therefore not missed while other waves run, and a thread that sleeps is woken. Conditions and deadlines
/// are checked whenever it is this wave's turn. All records are linked before the first one is waited for,
/// because a lane may wait for what happens only after another lane's signal has been sent.
void FiberScheduler::wait(Fiber& fiber) {
  has_yielded_ = true;
  bool have_ended = true;
  for (SignalWait& wait : fiber.waits) {
    if (holds(wait)) continue;
    arm(wait, frame_.groups->waiter());
    have_ended = false;
  }
  if (have_ended) return;
  fiber.waits_for_signals = true;
  ++waiting_;
  while (!try_to_end_all(fiber.waits)) pass_on(fiber);
  end_waits(fiber);
  fiber.group->moved = true;
}

void FiberScheduler::end_waits(Fiber& fiber) {
  for (SignalWait& wait : fiber.waits)
    if (wait.armed) disarm(wait);
  fiber.waits_for_signals = false;
  --waiting_;
}

void FiberScheduler::leave(Exit why) {
  sanitizers::abandon_fiber();
  heddle_cpu_leave(frame_.host_stack, static_cast<uint64_t>(why));
}

/// Abandons all live groups. Nothing on their stacks has to be destroyed, because kernel code owns nothing.
void FiberScheduler::discard_all() {
  for (const FiberGroup* group : live_) {
    for (uint32_t i = 0; i < group->count; ++i) {
      Fiber& fiber = *group->fibers[i];
      if (fiber.waits_for_signals) end_waits(fiber);
    }
  }
  idle_.insert(idle_.end(), live_.begin(), live_.end());
  live_.clear();
  live_fibers_ = 0;
  taken_.reset();
}

}  // namespace heddle::cpu
