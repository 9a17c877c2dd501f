// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

/// The kernel of this name, as cudaLaunchKernel takes it; null if there is none.
const void* cuda_kernel(const char* name);
const void* empty_cuda_kernel();

}  // namespace bench
