// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang, which reads OpenCL C and HIP, as a program that is installed beside heddle.
#pragma once

#include <string>

#include "compiler/front/failure.h"
#include "compiler/front/messages.h"
#include "compiler/front/options.h"
#include "compiler/front/source.h"

namespace heddle::compiler {

/// Compiles a source to LLVM bitcode that no pass has optimised. clang's messages are passed on.
Outcome<std::string> run_clang(const Source& source, const Options& options, const Messages& messages);

}  // namespace heddle::compiler
