// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"

namespace heddle::finalizer {

/// The reference interpreter as a target, with an ISA for each size of its waves. Its agents execute BRIG, so
/// the code of a program is its modules.
const Target& interpreter_target();

}  // namespace heddle::finalizer
