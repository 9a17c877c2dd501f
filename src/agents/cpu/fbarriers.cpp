// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/fbarriers.h"

#include <fmt/format.h>

namespace heddle::cpu {

Fbarriers::Outcome Fbarriers::execute(kernel_abi::FbarrierOperation operation, uint32_t handle, uint32_t wave,
                                      uint32_t waves) {
  if (operation == kernel_abi::fbarrier_init) {
    const auto [at, is_new] = initialized_.try_emplace(handle);
    if (!is_new) return {"is initialized already"};
    at->second.roles.assign(waves, Role::none);
    return {};
  }
  const auto at = initialized_.find(handle);
  if (at == initialized_.end()) return {"is not initialized"};
  Fbarrier& fbarrier = at->second;
  Role& role = fbarrier.roles[wave];
  switch (operation) {
    case kernel_abi::fbarrier_release:
      if (fbarrier.members != 0) return {"is released while it has members"};
      initialized_.erase(at);
      return {};
    case kernel_abi::fbarrier_join:
      if (fbarrier.arrived != 0) return {"is joined while others have arrived"};
      if (role != Role::none) return {"is joined by a member"};
      role = Role::member;
      ++fbarrier.members;
      return {};
    default:
      break;
  }
  if (role == Role::none) return {"is used by a wavefront that is not a member"};
  if (role == Role::arrived) return {"is used by a wavefront that has arrived and not been released"};
  if (operation == kernel_abi::fbarrier_leave) {
    role = Role::none;
    --fbarrier.members;
    return {nullptr, false, open(fbarrier)};
  }
  role = Role::arrived;
  ++fbarrier.arrived;
  const bool opened = open(fbarrier);
  return {nullptr, operation == kernel_abi::fbarrier_wait && !opened, opened};
}

/// Opens the fbarrier if all members have arrived; all of them are then expected again. Whether it opened.
bool Fbarriers::open(Fbarrier& fbarrier) {
  if (fbarrier.arrived != fbarrier.members) return false;
  fbarrier.arrived = 0;
  for (Role& role : fbarrier.roles)
    if (role == Role::arrived) role = Role::member;
  return true;
}

std::string Fbarriers::check_end(uint32_t wave, bool last_of_group) const {
  for (const auto& [handle, fbarrier] : initialized_) {
    const bool member = fbarrier.roles[wave] != Role::none;
    if (member || last_of_group)
      return fmt::format("fbarrier at offset {} of the group segment {}", handle,
                         member ? "has a member that has ended" : "was not released");
  }
  return {};
}

}  // namespace heddle::cpu
