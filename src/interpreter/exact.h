// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/exact.h"

namespace heddle::interpreter {

/// What the interpreter computes with.
using namespace exact;

}  // namespace heddle::interpreter
