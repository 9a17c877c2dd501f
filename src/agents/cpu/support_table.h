// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::cpu {

/// The functions that compiled kernels call (kernel_abi::SupportFunction), support_count of them.
const void* const* support_table();

}  // namespace heddle::cpu
