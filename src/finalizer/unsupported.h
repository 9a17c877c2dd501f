// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// Reports that an ISA does not have an instruction ("FINALIZER-unsupported-instruction"), with its mnemonic,
/// its offset in hsa_code, and the source position of the last loc directive before it. `executable` is the
/// kernel or function whose code block it is in.
void report_unsupported(const brig::Module& module, brig::Offset executable, brig::Offset instruction,
                        std::string_view why, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
