// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lockstep execution of the lanes of a wavefront, and the instructions in which its lanes take part together
// (PRM 9.1 wavebarrier, 9.4 cross-lane).
//
// The paths of a wave are a stack. Where active lanes diverge at an instruction, their path waits at the
// immediate post-dominator, and each branch taken becomes a path above it. These paths are executed one after
// the other, first the one that the first lane takes, each until it arrives at that post-dominator. Two lanes
// are therefore active together exactly if all their earlier divergences have been joined. The depth of the
// stack is bounded: the joins of one activation form a chain in its post-dominator tree.
#include "interpreter/wave.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

struct Place {
  size_t depth = 0;
  const Function* function = nullptr;
  uint32_t next = 0;
  bool operator==(const Place&) const = default;
};

Place place_of(const WorkItem& item) {
  if (item.frames.empty()) return {};
  return {item.frames.size(), item.frames.back().function, item.frames.back().next};
}

/// Reports whether the lanes execute the same instruction in activations of the same depth.
[[maybe_unused]] bool are_at_one_place(const std::vector<Context*>& lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [&](const Context* lane) {
    return place_of(lane->item) == place_of(lanes.front()->item);
  });
}

bool can_diverge(const Op& op) {
  return op.opcode == HSA_BRIG_OPCODE_CBR || op.opcode == HSA_BRIG_OPCODE_SBR ||
         op.opcode == HSA_BRIG_OPCODE_SCALL || op.opcode == HSA_BRIG_OPCODE_ICALL;
}

// ---- instructions of the whole wave ----
void run_active_count(Context& context, const Op& op) {
  uint32_t count = 0;
  for (Context* lane : context.active) count += read_scalar(*lane, op, 1) != 0;
  for (Context* lane : context.active) write_scalar(*lane, op, count);
}

void run_active_id(Context& context, const Op& op) {
  uint32_t earlier = 0;
  for (Context* lane : context.active) write_scalar(*lane, op, earlier++);
}

void run_active_mask(Context& context, const Op& op) {
  uint64_t mask[max_wave_size / 64] = {};
  for (Context* lane : context.active) {
    if (read_scalar(*lane, op, 1) != 0) mask[lane->lane() / 64] |= uint64_t{1} << lane->lane() % 64;
  }
  const Operand& destinations = operand(context, op, 0);
  assert(destinations.count <= std::size(mask));
  for (Context* lane : context.active) {
    for (unsigned i = 0; i < destinations.count; ++i) {
      write(*lane, context.function->operands[destinations.index + i], op.type, {mask[i], 0});
    }
  }
}

/// The operands are dest, src, laneId, identity and useIdentity.
void run_active_permute(Context& context, const Op& op) {
  const Context* by_lane[max_wave_size] = {};
  for (const Context* lane : context.active) by_lane[lane->lane()] = lane;
  // All sources are read before any destination is written, because they may be the same registers.
  Value results[max_wave_size];
  for (const Context* lane : context.active) {
    const Context* from = by_lane[read_scalar(*lane, op, 2) % context.wave_size()];
    const bool identity = from == nullptr || read_scalar(*lane, op, 4) != 0;
    results[lane->lane()] =
        identity ? read(*lane, operand(*lane, op, 3)) : read(*from, operand(*from, op, 1));
  }
  for (Context* lane : context.active) {
    write(*lane, operand(*lane, op, 0), op.type, results[lane->lane()]);
  }
}

/// Lanes execute together, so all of them have arrived when one has. What happens if some lanes are somewhere
/// else is left open by PRM 9.3; in kernels that allow it, they may have ended.
void run_wavebarrier(Context& context, const Op&) {
  if (context.active.size() == context.wave().lanes || context.group.kernel().early_return) return;
  fault(context, "INTERPRETER-wavebarrier-divergent",
        fmt::format("wavebarrier is executed by {} of the {} work-items of the wavefront",
                    context.active.size(), context.wave().lanes));
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_ACTIVELANECOUNT, run_active_count},
    {HSA_BRIG_OPCODE_ACTIVELANEID, run_active_id},
    {HSA_BRIG_OPCODE_ACTIVELANEMASK, run_active_mask},
    {HSA_BRIG_OPCODE_ACTIVELANEPERMUTE, run_active_permute},
    {HSA_BRIG_OPCODE_WAVEBARRIER, run_wavebarrier},
};

}  // namespace

std::span<const Row> wave_rows() { return rows; }

void start_wave(Wave& wave) {
  Path all;
  for (uint32_t i = 0; i < wave.lanes; ++i) all.items.push_back(wave.first + i);
  wave.paths.clear();
  wave.paths.push_back(std::move(all));
}

void take_up_other_path(const Group& group, Wave& wave) {
  std::vector<Path>& paths = wave.paths;
  if (group.items[active_items(wave).front()].state != WorkItem::State::at_barrier) return;
  const auto is_within = [](const Path& inner, const Path& outer) {
    return std::binary_search(outer.items.begin(), outer.items.end(), inner.items.front());
  };
  for (auto path = std::prev(paths.end()); path != paths.begin();) {
    --path;
    const bool waits_for_others =
        std::any_of(std::next(path), paths.end(), [&](const Path& above) { return is_within(above, *path); });
    if (waits_for_others || group.items[path->items.front()].state != WorkItem::State::ready) continue;
    // It stays above the paths that wait for it.
    std::rotate(path, std::next(path), paths.end());
    return;
  }
}

WaveTurn::WaveTurn(Group& group, Wave& wave) : group_(group), wave_(wave) {
  lanes_.reserve(wave.lanes);
  for (uint32_t i = 0; i < wave.lanes; ++i) {
    Context& lane = lanes_.emplace_back(Context{group, group.items[wave.first + i]});
    if (!lane.item.frames.empty()) lane.load_frame();
  }
  rejoin();
  activate();
}

void WaveTurn::activate() {
  active_.clear();
  for (uint32_t item : active_items(wave_)) active_.push_back(&lanes_[item - wave_.first]);
  assert(!active_.empty() && "a path has lanes");
  current_ = active_.front();
  over_ = over_ || is_blocked(current_->item);  // a path that another one was taken up for (below)
}

void WaveTurn::step() {
  // The lanes of the path are at the same place, except for those that are already past a signal wait that
  // the others still execute.
  pending_.clear();
  for (Context* lane : active_) {
    if (lane->item.state == WorkItem::State::waiting) pending_.push_back(lane);
  }
  const std::vector<Context*>& executing = pending_.empty() ? active_ : pending_;
  const Context& first = *executing.front();
  const Function& function = *first.function;
  const auto depth = static_cast<uint32_t>(first.item.frames.size());
  const uint32_t index = first.frame->next;
  const Op& op = function.ops[index];
  assert(are_at_one_place(executing));
  execute(op, executing);
  const auto stays = [](const Context* lane) { return lane->item.state != WorkItem::State::ready; };
  over_ = group_.fault || std::any_of(active_.begin(), active_.end(), stays);
  if (over_) return;
  assert(index < function.joins.size());
  if (can_diverge(op)) diverge(depth, function.joins[index]);
  if (rejoin()) activate();
}

/// Executes `op`, which is the next instruction of all these lanes.
void WaveTurn::execute(const Op& op, const std::vector<Context*>& lanes) {
  for (Context* lane : lanes) {
    lane->item.state = WorkItem::State::ready;
    ++lane->frame->next;
    lane->op = &op;
  }
  if (op.collective) {
    current_ = lanes.front();
    current_->active = lanes;
    op.handler(*current_, op);
    return;
  }
  for (Context* lane : lanes) {
    current_ = lane;
    op.handler(*lane, op);
    if (group_.fault) return;
  }
}

/// Splits the path if its lanes have diverged; they join again at the op `join` of the activation `depth`.
void WaveTurn::diverge(uint32_t depth, uint32_t join) {
  Path& path = wave_.paths.back();
  std::vector<std::pair<Place, std::vector<uint32_t>>> ways;  // in the order of their first lanes
  for (uint32_t item : path.items) {
    const Place place = place_of(group_.items[item]);
    auto way = std::find_if(ways.begin(), ways.end(), [&](const auto& w) { return w.first == place; });
    if (way == ways.end()) way = ways.insert(ways.end(), {place, {}});
    way->second.push_back(item);
  }
  if (ways.size() == 1) return;
  // A loop that lanes leave one by one must not add a path for each of them, so one path below waits for all
  // of them.
  if (path.depth == depth && path.join == join) wave_.paths.pop_back();
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
    const bool at_join = way->first.depth == depth && way->first.next == join;
    if (!at_join) wave_.paths.push_back({std::move(way->second), depth, join});
  }
  activate();
}

/// Removes the innermost paths that have arrived where they join the path below. True if there were any.
bool WaveTurn::rejoin() {
  const auto arrived = [this](const Path& path) {
    if (path.depth == 0) return false;
    return std::all_of(path.items.begin(), path.items.end(), [&](uint32_t i) {
      const WorkItem& item = group_.items[i];
      return item.frames.size() == path.depth && item.frames.back().next == path.join &&
             item.state == WorkItem::State::ready;
    });
  };
  const size_t before = wave_.paths.size();
  while (arrived(wave_.paths.back())) wave_.paths.pop_back();
  return wave_.paths.size() != before;
}

}  // namespace heddle::interpreter
