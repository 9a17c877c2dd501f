// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that read more than the active lanes ask for, which no program can notice if they stay within a page.
#pragma once

#include "finalizer/spmd/lane_masks.h"

namespace heddle::finalizer::spmd {

/// Creates the test whether lanes of a mask are active and `bytes` bytes, at most 4096, at an address that
/// one of them reads from lie in one page. Processors protect memory in pages, the smallest of which have 4
/// KiB: either all of these bytes may be read then, or the active lanes fault, too.
llvm::Value* create_page_test(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask,
                              llvm::Value* address, uint64_t bytes);

/// The test, as it has been created.
struct PageTest {
  const llvm::Value* any = nullptr;      ///< whether lanes are active
  const llvm::Value* address = nullptr;  ///< of the first byte
  uint64_t bytes = 0;
};

/// Returns what a condition tests; null pointers if it is not such a test.
PageTest page_test(const llvm::Value& condition);

}  // namespace heddle::finalizer::spmd
