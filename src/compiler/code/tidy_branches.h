// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code/code.h"

namespace heddle::compiler {

/// Lets branches to blocks that only branch further go to where these lead, removes blocks that cannot be
/// reached, and numbers the rest anew. Registers have their final numbers, so that blocks for the copies of
/// phis are empty if all copies have been coalesced.
void tidy_branches(Code& code);

}  // namespace heddle::compiler
