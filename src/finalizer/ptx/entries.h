// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codeobject/ptx_kernel.h"
#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::ptx {

struct EntryRequest {
  const SpmdKernel& kernel;
  const codeobject::Kernel& described;  ///< with its final private_size and flags
  std::string name;
  ptx_kernel::EntryForm form = ptx_kernel::EntryForm::linear;
  bool wave_barriers = false;  ///< the kernel's barriers count waves (wave_barriers.h)
};

/// Adds an entry of a kernel to the module. It calls the body, which the optimiser may inline.
void add_entry(llvm::Module& module, const EntryRequest& request);

}  // namespace heddle::finalizer::ptx
