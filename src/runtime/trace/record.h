// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "driver/activity.h"

namespace heddle::runtime::trace {

/// An activity as it was observed. kernel_name is null, or lives as long as the process.
struct Record {
  driver::Activity activity;
  uint32_t thread = 0;  ///< the system's number of the thread that reported it
};

}  // namespace heddle::runtime::trace
