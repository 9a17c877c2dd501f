// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler for kernels (hsail/compiler.h). It is opened when a source is first compiled, because it may
// not be installed, and other commands do not need it.
#pragma once

#include <hsail/compiler.h>

#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "support/result.h"
#include "toolchain.h"

namespace heddle::tools {

/// Reports whether a file with such a name has to be compiled: whether it ends in .cl, .clcpp, .hip, .cu, .ll
/// or .bc.
bool is_source(std::string_view path);

struct SourceFile {
  std::string path;  ///< "-" is standard input, whose language must be given
  hsail_language language = HSAIL_LANGUAGE_BY_NAME;
};

struct CompileFailure {
  hsail_compile_status status;
  std::string message;
};

/// Compiles the files to one module, with words for hsail_compile. Messages go to standard error.
Result<Blob, CompileFailure> compile(const std::vector<SourceFile>& files, std::vector<std::string> words,
                                     hsail_module_form form);

}  // namespace heddle::tools
