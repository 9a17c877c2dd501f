// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Valid code objects and modules, so that random calls get beyond the first check.
#pragma once

#include "state.h"

namespace heddle::api_fuzz {

/// Adds code objects, a module if the finalizer library can be opened, and a file that contains a code
/// object.
void add_samples(State& state);

}  // namespace heddle::api_fuzz
