// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code/code.h"

namespace heddle::compiler {

/// Removes instructions that have no effect but definitions which nothing uses. Values of vectors and
/// structures are translated element by element, so that unused elements leave such instructions behind.
void remove_dead_code(Code& code);

}  // namespace heddle::compiler
