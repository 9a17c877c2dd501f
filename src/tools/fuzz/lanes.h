// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements about waves: cross-lane instructions, and fbarriers with some of a group's waves.
#pragma once

#include <functional>
#include <string>

#include "packed_float.h"
#include "program.h"

namespace heddle::tools::fuzz {

/// Returns a cross-lane instruction, which may stand anywhere. Its visible results are the same in waves of
/// every size: either values of the work-item's own lane, or, for other lanes, the difference between the
/// result (value, mask or count) and the one computed from the mask of active lanes and the work-item
/// numbers, which is 0. With one lane per wave, the instruction has no other visible results. `all_active`
/// tells that the whole work-group executes it together.
std::string cross_lane(const Pick& pick, bool all_active);

using Label = std::function<std::string()>;  ///< returns a label that is not used yet

/// Returns a statement for places where the whole work-group comes together: some waves become members of the
/// fbarrier %gate and others do not; members leave before the end, or only arrive. After a wait, a member
/// computes the difference between what the members that it waited for announced in %met and what they added
/// there, which is 0 for waves of every size. All waves execute the body once, but at different times: while
/// the members wait, between two waits, or after leaving.
Statement partial_gate(const Pick& pick, const Label& label, Block body);

}  // namespace heddle::tools::fuzz
