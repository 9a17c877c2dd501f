// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Non-temporal accesses (`_nt`, PRM 6.3). Waves store past the caches for them, as whole vectors.
#pragma once

#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::x86 {

/// Replaces non-temporal accesses by ordinary ones, before functions become those of waves, unless they are
/// stores that waves of so many lanes may do past the caches. With one lane, such a store writes only a few
/// bytes, which costs more than the hint saves. Other threads see it in its order only behind a fence, so the
/// hint is for kernels alone that do not communicate before their entry returns.
void drop_nontemporal_hints(SpmdProgram& program, unsigned lanes);

/// The same for all accesses of a function.
void drop_nontemporal_hints(llvm::Function& function);

/// Reports whether a function of a wave has stores past the caches.
bool has_streaming_stores(const llvm::Function& function);

}  // namespace heddle::finalizer::x86
