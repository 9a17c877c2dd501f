// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "codeobject/ptx_kernel.h"
#include "module.h"

namespace heddle::cuda::fake {

/// A kernel with the values of its parameters, which are copied when it is launched.
struct Launch {
  const FunctionObject* function = nullptr;
  unsigned grid[3], block[3], shared_size = 0;
  std::vector<std::byte> first;  ///< the kernarg segment, or its address
  bool first_is_kernarg = true;
  ptx_kernel::Hidden hidden = {};
  ptx_kernel::AddressChecks checks = {};  ///< of kernels that check addresses
  ptx_kernel::SingleHidden single = {};   ///< of the single entry
};

/// Copies the parameters of a kernel. Fails if a GPU would refuse the launch.
Status read_parameters(const KernelNode& node, Launch& launch);

/// Runs the work-groups of a launch in the interpreter. A wrong access is the sticky error, anything else
/// that stops the kernel is written into the record that the kernel was given.
void execute(const Launch& launch);

}  // namespace heddle::cuda::fake
