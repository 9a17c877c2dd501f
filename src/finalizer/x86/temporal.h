// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// Makes ordinary accesses of non-temporal ones (`_nt`, PRM 6.3). One lane at a time, a non-temporal store
/// writes a few bytes past the cache, which is slower than what the hint was to save, and such stores are
/// ordered by nothing but a fence, which no other code of the kernel would need.
void drop_nontemporal_hints(llvm::Module& module);

}  // namespace heddle::finalizer::x86
