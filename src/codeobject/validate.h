// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codeobject/code_object.h"

namespace heddle::codeobject {

/// Whether every number in `object` means something: offsets inside what they point into, symbol numbers in
/// range, alignments powers of two. Findings go to `diagnostics` and name the symbol; true when there are
/// none.
bool validate(const CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::codeobject
