// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsail/hsail.h>

#include "codeobject/code_object.h"
#include "finalizer/options.h"
#include "finalizer/targets.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

enum class FinalizeResult : uint8_t { ok, directive_mismatch, failed };

/// Resolves and finalizes a program. `isa` may be null for HSAIL_CODE_OBJECT_PROGRAM; `directives` may be
/// null. `diagnostics` receives the reasons of a failure.
FinalizeResult finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                        const FinalizeOptions& options, const hsail_control_directives* directives,
                        codeobject::CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
