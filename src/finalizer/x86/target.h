// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"

namespace heddle::finalizer::x86 {

/// x86-64 under Linux, with an ISA for each level of the System V ABI; a wave is one work-item.
const SpmdTarget& target();

}  // namespace heddle::finalizer::x86
