// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fine-grain barriers (PRM 9.2). Their state is kept beside the group segment, so that the rules of 9.2.3 can
// be checked: what the manual leaves undefined ends the dispatch with an error.
#include <fmt/format.h>

#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

uint32_t handle_of(const Context& context, const Operand& operand) {
  if (operand.kind == Operand::Kind::fbarrier) return context.group.kernel().group_offsets[operand.index];
  return static_cast<uint32_t>(read_scalar(context, operand));
}

void misuse(Context& context, uint32_t handle, std::string what) {
  fault(context, "INTERPRETER-fbarrier-misuse",
        fmt::format("fbarrier at offset {} of the group segment {}", handle, what));
}

Fbarrier* initialized(Context& context, uint32_t handle) {
  const auto at = context.group.fbarriers.find(handle);
  if (at != context.group.fbarriers.end()) return &at->second;
  misuse(context, handle, "is not initialized");
  return nullptr;
}

/// The fbarrier, if this wavefront is a member that has not arrived yet; otherwise null, after a fault.
Fbarrier* joined(Context& context, uint32_t handle) {
  Fbarrier* fbarrier = initialized(context, handle);
  if (fbarrier == nullptr) return nullptr;
  if (fbarrier->members.count(context.wave_id()) == 0) {
    misuse(context, handle, "is used by a wavefront that is not a member");
    return nullptr;
  }
  if (fbarrier->arrived.count(context.wave_id()) != 0) {
    misuse(context, handle, "is used by a wavefront that has arrived and not been released");
    return nullptr;
  }
  return fbarrier;
}

/// Members are wavefronts: all lanes take part, with the same fbarrier (PRM 9.2.3: wavefront execution
/// uniform).
bool is_uniform(Context& context, const Op& op, uint32_t handle) {
  if (context.active.size() != context.wave().lanes) {
    misuse(context, handle,
           fmt::format("is used by {} of the {} work-items of the wavefront", context.active.size(),
                       context.wave().lanes));
    return false;
  }
  for (const Context* lane : context.active) {
    if (handle_of(*lane, operand(*lane, op, 0)) == handle) continue;
    misuse(context, handle, "is not the same for all work-items of the wavefront");
    return false;
  }
  return true;
}

/// Releases the waiting members if all members have arrived.
void check(Context& context, uint32_t handle, Fbarrier& fbarrier) {
  if (fbarrier.arrived.size() != fbarrier.members.size()) return;
  fbarrier.arrived.clear();
  for (WorkItem& item : context.group.items) {
    if (item.state == WorkItem::State::at_fbarrier && item.fbarrier == handle)
      item.state = WorkItem::State::ready;
  }
}

void run_init(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  if (!context.group.fbarriers.emplace(handle, Fbarrier{}).second)
    misuse(context, handle, "is initialized already");
}

void run_release(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  Fbarrier* fbarrier = initialized(context, handle);
  if (fbarrier == nullptr) return;
  if (!fbarrier->members.empty()) return misuse(context, handle, "is released while it has members");
  context.group.fbarriers.erase(handle);
}

void run_join(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  if (!is_uniform(context, op, handle)) return;
  Fbarrier* fbarrier = initialized(context, handle);
  if (fbarrier == nullptr) return;
  if (!fbarrier->arrived.empty()) return misuse(context, handle, "is joined while others have arrived");
  if (!fbarrier->members.insert(context.wave_id()).second) misuse(context, handle, "is joined by a member");
}

void run_leave(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  if (!is_uniform(context, op, handle)) return;
  Fbarrier* fbarrier = joined(context, handle);
  if (fbarrier == nullptr) return;
  fbarrier->members.erase(context.wave_id());
  check(context, handle, *fbarrier);
}

void run_arrive(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  if (!is_uniform(context, op, handle)) return;
  Fbarrier* fbarrier = joined(context, handle);
  if (fbarrier == nullptr) return;
  fbarrier->arrived.insert(context.wave_id());
  check(context, handle, *fbarrier);
}

void run_wait(Context& context, const Op& op) {
  const uint32_t handle = handle_of(context, operand(context, op, 0));
  if (!is_uniform(context, op, handle)) return;
  Fbarrier* fbarrier = joined(context, handle);
  if (fbarrier == nullptr) return;
  fbarrier->arrived.insert(context.wave_id());
  for (Context* lane : context.active) {
    lane->item.state = WorkItem::State::at_fbarrier;
    lane->item.fbarrier = handle;
    lane->item.barrier = &op;
  }
  check(context, handle, *fbarrier);
  context.stop = context.item.state != WorkItem::State::ready;
}

void run_ldf(Context& context, const Op& op) {
  write_scalar(context, op, handle_of(context, operand(context, op, 1)));
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_INITFBAR, run_init},     {HSA_BRIG_OPCODE_RELEASEFBAR, run_release},
    {HSA_BRIG_OPCODE_JOINFBAR, run_join},     {HSA_BRIG_OPCODE_LEAVEFBAR, run_leave},
    {HSA_BRIG_OPCODE_ARRIVEFBAR, run_arrive}, {HSA_BRIG_OPCODE_WAITFBAR, run_wait},
    {HSA_BRIG_OPCODE_LDF, run_ldf},
};

}  // namespace

std::span<const Row> fbarrier_rows() { return rows; }

}  // namespace heddle::interpreter
