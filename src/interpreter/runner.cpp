// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs work-groups, and the work-items in them, in turns, so that whatever one of them waits for can advance.
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "interpreter/guard.h"
#include "interpreter/machine.h"
#include "interpreter/wave.h"
#include "support/align.h"

namespace heddle::interpreter {
namespace {

constexpr uint64_t page = 4096;
/// After this many rounds in which no work-group ended, one more is started beside those in flight.
constexpr uint32_t rounds_before_more = 8;
/// The same if groups need all others.
constexpr uint32_t rounds_before_needed = 1;
/// After this many rounds in which no work-group ended, idle() is called even though work-items advance,
/// because they may spin on memory.
constexpr uint32_t rounds_before_idle = 256;

/// Zeroed memory that costs nothing until it is used.
class Region {
 public:
  Region() = default;
  explicit Region(uint64_t size) : size_(align_up(std::max<uint64_t>(size, 1), page)) {
    void* memory =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory_ = memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
  }
  Region(Region&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Region& operator=(Region&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Region() {
    if (memory_ != nullptr) munmap(memory_, size_);
  }
  std::byte* data() const { return memory_; }
  uint64_t size() const { return size_; }

 private:
  std::byte* memory_ = nullptr;
  uint64_t size_ = 0;
};

/// A work-group in execution, with memory that is reused for the next one.
struct Slot {
  Group group;
  Region group_memory;
  Region private_memory;
  bool busy = false;
};

/// The instruction loop. Returns the number of instructions executed.
[[gnu::noinline]] uint32_t execute(Context& context, uint32_t slice) {
  uint32_t executed = 0;
  while (executed < slice && !context.stop) {
    ++executed;
    const Op& op = context.function->ops[context.frame->next++];
    context.op = &op;
    op.handler(context, op);
  }
  return executed;
}

/// Shows the next instruction to the observer, and ends the dispatch if the observer says so.
bool allowed(Context& context) {
  if (context.group.options->observer->before(context)) return true;
  fault(context, "INTERPRETER-stopped", "stopped by the debugger");
  return false;
}

/// The same as execute(), with an observer.
uint32_t execute_observed(Context& context, uint32_t slice) {
  uint32_t executed = 0;
  while (executed < slice && !context.stop && allowed(context)) {
    ++executed;
    const Op& op = context.function->ops[context.frame->next++];
    context.op = &op;
    op.handler(context, op);
  }
  return executed;
}

/// PRM 9.2.4: no work-item may end as a member of an fbarrier, and no group with an fbarrier that was not
/// released.
void check_fbarriers(Group& group, WorkItem& item) {
  for (const auto& [handle, fbarrier] : group.fbarriers) {
    const bool member = fbarrier.members.count(item.flat_id / group.wave_size) != 0;
    if (!member && group.unfinished != 0) continue;
    Context context{group, item};
    context.function = group.kernel().entry;
    return fault(context, "INTERPRETER-fbarrier-misuse",
                 fmt::format("fbarrier at offset {} of the group segment {}", handle,
                             member ? "has a member that has ended" : "was not released"));
  }
}

void finish(Group& group, WorkItem& item) {
  assert(group.unfinished != 0);
  --group.unfinished;
  check_fbarriers(group, item);
}

/// Executes up to `slice` instructions of a work-item that is a wave by itself. False if it only found that
/// it still has to wait.
bool run_item(Group& group, WorkItem& item) {
  Context context{group, item};
  Context* const self = &context;
  context.active = {&self, 1};
  context.load_frame();
  item.state = WorkItem::State::ready;
  MemoryGuard& guard = memory_guard();
  if (sigsetjmp(guard.escape, 0) != 0) {
    memory_fault(context, guard.address, fmt::format("no memory at address 0x{:x}", uint64_t{guard.address}));
    return true;
  }
  const uint32_t executed = group.options->observer == nullptr
                                ? execute(context, group.options->slice)
                                : execute_observed(context, group.options->slice);
  if (item.state == WorkItem::State::finished) finish(group, item);
  return executed > 1 || item.state != WorkItem::State::waiting;
}

[[gnu::noinline]] uint32_t execute(WaveTurn& turn, uint32_t slice) {
  uint32_t executed = 0;
  while (executed < slice && !turn.over()) {
    ++executed;
    turn.step();
  }
  return executed;
}

uint32_t execute_observed(WaveTurn& turn, Group& group, Wave& wave, uint32_t slice) {
  uint32_t executed = 0;
  while (executed < slice && !turn.over()) {
    for (const uint32_t i : active_items(wave)) {
      Context context{group, group.items[i]};
      if (context.item.frames.empty()) continue;
      context.load_frame();
      if (!allowed(context)) return executed;
    }
    ++executed;
    turn.step();
  }
  return executed;
}

/// The same as run_item() for a wave of several lanes.
bool run_wave(Group& group, Wave& wave) {
  WaveTurn turn(group, wave);
  MemoryGuard& guard = memory_guard();
  if (sigsetjmp(guard.escape, 0) != 0) {
    memory_fault(turn.current(), guard.address,
                 fmt::format("no memory at address 0x{:x}", uint64_t{guard.address}));
    return true;
  }
  const uint32_t executed = group.options->observer == nullptr
                                ? execute(turn, group.options->slice)
                                : execute_observed(turn, group, wave, group.options->slice);
  bool waits = false;
  for (uint32_t i : active_items(wave)) {
    WorkItem& item = group.items[i];
    waits = waits || item.state == WorkItem::State::waiting;
    if (item.state == WorkItem::State::finished) finish(group, item);
  }
  if (group.kernel().early_return) take_up_other_path(group, wave);
  return executed > 1 || !waits;
}

const char* why_not(const WorkItem& item) {
  switch (item.state) {
    case WorkItem::State::at_barrier:
      return "waits at another one";
    case WorkItem::State::at_fbarrier:
      return "waits at an fbarrier whose members do not come";
    case WorkItem::State::finished:
      return "has ended";
    default:
      return "is on another path of a wavefront that has diverged";
  }
}

/// Reports whether a barrier opens without a work-item that has not arrived at it: if the kernel allows it,
/// one that has ended, or that waits for lanes of its wavefront which have arrived, to go on together.
bool is_dispensable(const Group& group, const WorkItem& item) {
  return group.kernel().early_return &&
         (item.state == WorkItem::State::finished || item.state == WorkItem::State::ready);
}

/// Opens the barrier if all work-items of the group that it waits for have arrived at it (PRM 9.1). Called
/// when none of them can run and not all have ended.
void open_barrier(Group& group) {
  const auto waits = [&](const WorkItem& item) {
    return item.state != WorkItem::State::finished && !is_dispensable(group, item);
  };
  const auto waiting = std::find_if(group.items.begin(), group.items.end(), waits);
  assert(waiting != group.items.end() && "a group whose work-items have all ended has no barrier to open");
  WorkItem& first = *waiting;
  for (const WorkItem& item : group.items) {
    if (item.state == WorkItem::State::at_barrier && item.barrier == first.barrier) continue;
    if (is_dispensable(group, item)) continue;
    Context context{group, first};
    context.load_frame();
    context.op = first.barrier;
    return fault(
        context, "INTERPRETER-barrier-deadlock",
        fmt::format("every wavefront that has not ended waits at a barrier, but work-item ({}, {}, {}) {}",
                    item.id[0], item.id[1], item.id[2], why_not(item)));
  }
  for (WorkItem& item : group.items)
    if (item.state == WorkItem::State::at_barrier) item.state = WorkItem::State::ready;
}

WorkItem& first_active(Group& group, Wave& wave) {
  return group.items[group.wave_size == 1 ? wave.first : active_items(wave).front()];
}

/// Gives a turn to every wave that can run. False if none of them advanced.
bool run_round(Group& group) {
  bool moved = false;
  bool any_ran = false;
  for (Wave& wave : group.waves) {
    WorkItem& first = first_active(group, wave);
    if (is_blocked(first)) continue;
    any_ran = true;
    moved = (group.wave_size == 1 ? run_item(group, first) : run_wave(group, wave)) || moved;
    if (group.fault) return true;
  }
  const auto blocked = [&](Wave& wave) { return is_blocked(first_active(group, wave)); };
  const bool all_blocked = std::all_of(group.waves.begin(), group.waves.end(), blocked);
  if (all_blocked && group.unfinished != 0) {
    open_barrier(group);
    return true;
  }
  return moved && any_ran;
}

}  // namespace

struct Runner::State {
  Dispatch dispatch;
  Services services;
  RunnerOptions options;
  std::vector<std::unique_ptr<Slot>> slots;
  std::optional<Fault> fault;
  uint32_t in_flight_limit = 0;

  uint32_t group_items() const {
    return dispatch.group_size[0] * dispatch.group_size[1] * dispatch.group_size[2];
  }

  Slot* free_slot() {
    for (auto& slot : slots) {
      if (!slot->busy) return slot.get();
    }
    if (slots.size() >= in_flight_limit) return nullptr;
    auto slot = std::make_unique<Slot>();
    slot->group.slot = static_cast<uint32_t>(slots.size());
    const Kernel& kernel = *dispatch.kernel;
    slot->group_memory = Region(uint64_t{kernel.group.size} + dispatch.dynamic_group_size);
    slot->private_memory = Region(uint64_t{group_items()} * private_stride());
    if (slot->group_memory.data() == nullptr || slot->private_memory.data() == nullptr) {
      in_flight_limit = static_cast<uint32_t>(slots.size());
      if (!slots.empty() && !options.needs_all_groups) return nullptr;
      fault = Fault{
          "INTERPRETER-out-of-memory",
          fmt::format("no memory for a work-group of {} work-items with {} bytes of private memory each",
                      group_items(), options.private_size)};
      return nullptr;
    }
    slots.push_back(std::move(slot));
    return slots.back().get();
  }

  /// For groups in which nothing advanced: whether only watched signals can make them advance, and the
  /// earliest time at which one of the waits ends. False under an observer, which has to be called before
  /// each instruction.
  bool waits_for_signals(uint64_t& deadline) const {
    if (options.observer != nullptr) return false;
    for (const auto& slot : slots) {
      if (!slot->busy) continue;
      for (const WorkItem& item : slot->group.items) {
        if (item.state != WorkItem::State::waiting) continue;
        if (item.wait == nullptr) return false;
        if (item.wait_until != 0) deadline = std::min(deadline, item.wait_until);
      }
    }
    return true;
  }

  uint64_t private_stride() const { return align_up(uint64_t{options.private_size}, page); }

  /// Starts a work-group. Groups are numbered with x fastest (PRM 2.2.2), and those at the end of a dimension
  /// may be smaller.
  void start(Slot& slot, uint64_t flat_group) {
    assert(!slot.busy && flat_group < dispatch.group_count());
    Group& group = slot.group;
    const Kernel& kernel = *dispatch.kernel;
    const std::array<uint32_t, 3> groups = dispatch.grid_groups();
    group.dispatch = &dispatch;
    group.services = &services;
    group.options = &options;
    group.flat_id = flat_group;
    group.id[0] = static_cast<uint32_t>(flat_group % groups[0]);
    group.id[1] = static_cast<uint32_t>(flat_group / groups[0] % groups[1]);
    group.id[2] = static_cast<uint32_t>(flat_group / groups[0] / groups[1]);
    uint32_t count = 1;
    for (unsigned i = 0; i < 3; ++i) {
      const uint32_t begin = group.id[i] * dispatch.group_size[i];
      group.current_size[i] = std::min(dispatch.group_size[i], dispatch.grid_size[i] - begin);
      count *= group.current_size[i];
    }
    group.memory = slot.group_memory.data();
    group.memory_size = kernel.group.size + dispatch.dynamic_group_size;
    std::memset(group.memory, 0, group.memory_size);
    group.detect_exceptions = kernel.entry->detect_exceptions | dispatch.detect_exceptions;
    group.break_exceptions = kernel.entry->break_exceptions | dispatch.break_exceptions;
    group.fault.reset();
    group.fbarriers.clear();
    group.unfinished = count;
    group.items.resize(count);
    for (uint32_t i = 0; i < count; ++i) start_item(slot, i);
    start_waves(group);
    slot.busy = true;
  }

  void start_waves(Group& group) {
    const auto count = static_cast<uint32_t>(group.items.size());
    group.wave_size = dispatch.kernel->program->wave_size();
    group.waves.clear();
    for (uint32_t first = 0; first < count; first += group.wave_size) {
      Wave wave;
      wave.first = first;
      wave.lanes = std::min(group.wave_size, count - first);
      if (group.wave_size > 1) start_wave(wave);
      group.waves.push_back(std::move(wave));
    }
  }

  void start_item(Slot& slot, uint32_t flat_id) {
    Group& group = slot.group;
    WorkItem& item = group.items[flat_id];
    item.state = WorkItem::State::ready;
    item.flat_id = flat_id;
    item.id[0] = flat_id % group.current_size[0];
    item.id[1] = flat_id / group.current_size[0] % group.current_size[1];
    item.id[2] = flat_id / group.current_size[0] / group.current_size[1];
    item.frames.clear();
    item.registers.clear();
    item.bindings.clear();
    item.memory = slot.private_memory.data() + flat_id * private_stride();
    item.memory_size = options.private_size;
    item.wait_until = 0;
    item.wait.reset();
    item.top = std::min(dispatch.kernel->module_private_size, item.memory_size);
    std::memset(item.memory, 0, item.top);
    Context context{group, item};
    context.function = dispatch.kernel->entry;
    if (dispatch.kernel->module_private_size > item.memory_size) {
      return interpreter::fault(context, "INTERPRETER-stack-exhausted",
                                need_of_private_memory("the kernel", dispatch.kernel->private_size, item));
    }
    enter(context, *dispatch.kernel->entry, nullptr);
  }
};

std::array<uint32_t, 3> Dispatch::grid_groups() const {
  std::array<uint32_t, 3> result{};
  for (unsigned i = 0; i < 3; ++i) {
    assert(group_size[i] != 0 && "packets with a size of 0 are refused");
    result[i] = static_cast<uint32_t>((uint64_t{grid_size[i]} + group_size[i] - 1) / group_size[i]);
  }
  return result;
}

uint64_t Dispatch::group_count() const {
  const std::array<uint32_t, 3> groups = grid_groups();
  return uint64_t{groups[0]} * groups[1] * groups[2];
}

Runner::Runner(const Dispatch& dispatch, const Services& services, const RunnerOptions& options)
    : state_(new State{dispatch, services, options, {}, {}, std::max(1u, options.groups_in_flight)}) {
  state_->options.groups_in_flight_max = std::max(state_->in_flight_limit, options.groups_in_flight_max);
  if (options.guard_memory) install_memory_guard();
}

Runner::~Runner() = default;

const Fault& Runner::fault() const {
  assert(state_->fault && "to be called only after run() returned faulted");
  return *state_->fault;
}

Runner::Outcome Runner::run(GroupSource& source) {
  bool exhausted = false;
  uint32_t fruitless = 0, rounds = 0, rounds_without_end = 0;
  for (;;) {
    if (source.stopped()) return Outcome::stopped;
    while (!exhausted) {
      Slot* slot = state_->free_slot();
      if (state_->fault) return Outcome::faulted;
      if (slot == nullptr) break;
      uint64_t group = 0;
      if (source.take(group)) {
        state_->start(*slot, group);
      } else {
        exhausted = true;
      }
    }
    if (fruitless != 0) source.watch_signals();
    bool moved = false, any = false;
    for (auto& slot : state_->slots) {
      if (!slot->busy) continue;
      any = true;
      Group& group = slot->group;
      // A fault may have occurred already when the group was started.
      if (!group.fault) moved = run_round(group) || moved;
      if (group.fault) {
        state_->fault = std::move(group.fault);
        return Outcome::faulted;
      }
      if (group.unfinished == 0) {
        slot->busy = false;
        rounds = rounds_without_end = 0;
      }
    }
    if (!any) return Outcome::done;
    const uint32_t patience = state_->options.needs_all_groups ? rounds_before_needed : rounds_before_more;
    if (++rounds_without_end >= patience) {
      rounds_without_end = 0;
      state_->in_flight_limit = std::min(state_->in_flight_limit + 1, state_->options.groups_in_flight_max);
    }
    fruitless = moved ? 0 : fruitless + 1;
    uint64_t deadline = ~uint64_t{0};
    const bool more = !exhausted && state_->in_flight_limit < state_->options.groups_in_flight_max;
    if (fruitless != 0 && !more && state_->waits_for_signals(deadline)) {
      source.wait_for_signals(fruitless, deadline);
      rounds = 0;
      continue;
    }
    if (fruitless != 0 || ++rounds >= rounds_before_idle) {
      source.idle(fruitless);
      rounds = 0;
    }
  }
}

}  // namespace heddle::interpreter
