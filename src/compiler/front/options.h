// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of the compiler, in the words of clang's command line.
#pragma once

#include <string>
#include <vector>

#include "compiler/passes/level.h"
#include "support/result.h"

namespace heddle::compiler {

struct Options {
  Level level = Level::normal;
  bool source_lines = false;       ///< -g or -gline-tables-only
  bool source_variables = false;   ///< -g
  bool verbose = false;            ///< -v
  bool colour = false;             ///< -fcolor-diagnostics
  bool hip_headers = false;        ///< an option says where the headers of HIP are, or that there are none
  std::string save_temps;          ///< how names of intermediate files begin; empty if none are to be kept
  std::vector<std::string> clang;  ///< words that clang gets, in their order
};

/// Reads the words. An Error is a sentence about the first word that is wrong.
Result<Options> parse_options(const std::vector<std::string>& words);

}  // namespace heddle::compiler
