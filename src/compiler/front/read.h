// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/failure.h"
#include "compiler/front/llvm.h"
#include "compiler/front/messages.h"
#include "compiler/front/options.h"
#include "compiler/front/source.h"

namespace heddle::compiler {

/// Makes a module of each source, by running clang or by reading IR, and links them. The module has the right
/// triple and data layout, and its functions have no attributes that bind them to a processor.
Outcome<std::unique_ptr<llvm::Module>> read_sources(const std::vector<Source>& sources,
                                                    const Options& options, llvm::LLVMContext& context,
                                                    const Messages& messages);

}  // namespace heddle::compiler
