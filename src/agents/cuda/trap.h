// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "agents/common/executor.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {

/// The failure of a dispatch of which a work-item has trapped. `record` is complete.
agents::Failure failure_of(const ptx_kernel::ErrorRecord& record, std::string_view kernel);

}  // namespace heddle::cuda
