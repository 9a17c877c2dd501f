// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/cuda/driver_api.h"

namespace heddle::cuda {

/// Sets what DriverApi makes of several functions of the driver, which must be there. `api` stays where it
/// is.
void set_operations(DriverApi& api);

}  // namespace heddle::cuda
