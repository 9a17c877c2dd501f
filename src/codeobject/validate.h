// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codeobject/code_object.h"

namespace heddle::codeobject {

/// Whether every number in `object` is valid: offsets lie inside what they refer to, symbol numbers are in
/// range, and alignments are powers of two. Findings go to `diagnostics` and name the symbol; true if there
/// are none.
bool validate(const CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::codeobject
