// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>

#include "codeobject/ptx_kernel.h"
#include "finalizer/llvm.h"

namespace heddle::finalizer::ptx {

/// Finds out which kernels get the entry for a single work-group (codeobject/ptx_kernel.h): those that are
/// small, and whose work-items all reach each barrier of the kernel. At the end of that entry is a barrier,
/// too. A work-item that came there without a barrier that others reach would be counted by that one, and the
/// host would be told of the end too early.
class SingleGroups {
 public:
  /// `module` is as the lowering of HSAIL has made it, and outlives the object.
  explicit SingleGroups(llvm::Module& module);

  /// `described` has the flags of the kernel and its kernarg segment.
  bool has_entry(const llvm::Function& body, const codeobject::Kernel& described) const;

 private:
  /// Functions in which some work-items may miss a barrier, or of whose calls nobody knows where they go.
  std::set<const llvm::Function*> irregular_;
};

}  // namespace heddle::finalizer::ptx
