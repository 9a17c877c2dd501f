// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/exact.h"

namespace heddle::interpreter {

/// Floating-point arithmetic of the interpreter, which is that of support/exact.h.
using namespace exact;

}  // namespace heddle::interpreter
