// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "agents/common/executor.h"
#include "agents/cuda/driver_types.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {

/// The failure of a dispatch of which a work-item has trapped. `record` is complete; `lines` are those of the
/// kernel's code object.
agents::Failure failure_of(const ptx_kernel::ErrorRecord& record, std::string_view kernel,
                           const codeobject::LineTable& lines);

/// What an error of the driver that ends a kernel means for whoever looks for the cause: how to find the
/// work-item and the line. Empty for errors that no access of a kernel causes, and if the kernel has checked
/// its addresses.
std::string_view advice_about(Status status, bool checks_addresses);

}  // namespace heddle::cuda
