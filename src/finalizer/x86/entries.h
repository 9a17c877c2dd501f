// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "finalizer/control_directives.h"
#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// The two forms of entries (kernel_abi.h).
enum class EntryKind : uint8_t { groups, wave };

struct EntryRequest {
  llvm::Function* body = nullptr;  ///< void(ptr context)
  EntryKind kind = EntryKind::groups;
  std::string name;
  uint64_t kernarg_size = 0;
  uint32_t kernarg_align = 16;
  ControlDirectives directives;  ///< agents refuse dispatches that violate them
  bool loops_by_shape = false;   ///< special loops for groups of one work-item in x, or in x and y
};

/// Adds the entry of a kernel to the module. The entry calls the body, which the optimiser may inline.
void add_entry(llvm::Module& module, const EntryRequest& request);

}  // namespace heddle::finalizer::x86
