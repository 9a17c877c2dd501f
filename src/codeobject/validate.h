// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codeobject/code_object.h"

namespace heddle::codeobject {

/// Reports whether every number in `object` is valid: offsets lie inside what they refer to, symbol numbers
/// are in range, and alignments are powers of two. Adds a finding to `diagnostics`, with the name of the
/// symbol, for each number that is not.
bool validate(const CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::codeobject
