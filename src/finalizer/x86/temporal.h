// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// Replaces non-temporal accesses (`_nt`, PRM 6.3) by ordinary ones, before functions become those of waves.
/// With one lane, a non-temporal store writes only a few bytes past the cache, which costs more than the hint
/// saves. Such stores are also ordered only by a fence, which no other code of the kernel needs.
void drop_nontemporal_hints(llvm::Module& module);

}  // namespace heddle::finalizer::x86
