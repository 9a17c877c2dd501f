// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/cuda/driver_api.h"

namespace heddle::cuda {

/// Sets the members of HEDDLE_CUDA_OPERATIONS to functions that call the driver in this process. The driver's
/// own functions must have been set; `api` must not move afterwards.
void set_operations(DriverApi& api);

}  // namespace heddle::cuda
