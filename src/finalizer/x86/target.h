// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"

namespace heddle::finalizer::x86 {

/// x86-64 under Linux, with ISAs for the levels of the System V ABI and several lengths of waves.
const SpmdTarget& target();

}  // namespace heddle::finalizer::x86
