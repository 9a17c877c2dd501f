// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

struct EntryRequest {
  llvm::Function* body = nullptr;  ///< void(ptr context)
  std::string groups_name;         ///< empty: no GroupsEntry (kernel_abi.h)
  std::string wave_name;
  uint64_t kernarg_size = 0;
  uint32_t kernarg_align = 16;
};

/// Adds the entries of a kernel to the module; they call the body, which the optimiser then inlines.
void add_entries(llvm::Module& module, const EntryRequest& request);

}  // namespace heddle::finalizer::x86
