// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole way from sources to a module of HSAIL.
#pragma once

#include <string>
#include <vector>

#include "compiler/front/failure.h"
#include "compiler/front/messages.h"
#include "compiler/front/options.h"
#include "compiler/front/source.h"

namespace heddle::compiler {

/// A module in both of its forms.
struct Compiled {
  std::string text;
  std::string brig;
};

/// Compiles the sources, of which there is at least one, to one module.
Outcome<Compiled> compile(const std::vector<Source>& sources, const Options& options,
                          const Messages& messages);

/// Reads the sources and returns them as LLVM bitcode, which calls functions of libraries and of other
/// sources and is a source itself.
Outcome<std::string> compile_to_bitcode(const std::vector<Source>& sources, const Options& options,
                                        const Messages& messages);

}  // namespace heddle::compiler
