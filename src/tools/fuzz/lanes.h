// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves in generated programs: instructions across lanes, and fbarriers with some of a group's waves.
#pragma once

#include <functional>
#include <string>

#include "packed_float.h"
#include "program.h"

namespace heddle::tools::fuzz {

/// A cross-lane instruction, anywhere. What a program can see of it is the same in waves of every size:
/// values of the work-item's own lane; and of other lanes, masks and counts how far they are from what the
/// mask of active lanes and the numbers of the work-items say, which is 0. With waves of one lane that is
/// all that there is to see of the instruction. `all_active`: the work-group comes here together.
std::string cross_lane(const Pick& pick, bool all_active);

using Label = std::function<std::string()>;  ///< one that is not used yet

/// Where the whole work-group comes together: some waves become members of the fbarrier %gate and others do
/// not; members leave in the middle, or only arrive. A member sees after a wait what those that it waited for
/// have given in %met: how far it is from what they announced, which is 0, whatever size waves have. All
/// execute the body once, each wave at another time: while the members wait, between two waits, after
/// leaving.
Statement partial_gate(const Pick& pick, const Label& label, Block body);

}  // namespace heddle::tools::fuzz
