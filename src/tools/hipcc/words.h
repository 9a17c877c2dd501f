// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `heddle hipcc`, which is that of clang for HIP.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools::hipcc {

/// How far the work goes.
enum class Step {
  link,        ///< to a program or shared library
  compile,     ///< -c: to objects
  host_text,   ///< -S, -E, -M and the like: what clang prints of the host's half
  check,       ///< -fsyntax-only
  device_code  ///< --genco: to a file for hipModuleLoad
};

/// A word of the command line that is an input, and what is in it.
struct Input {
  std::string path;
  bool hip = false;      ///< a source with two halves
  bool source = false;   ///< any source; otherwise something for the linker
  std::string language;  ///< of -x, "" if the name tells it
};

struct Words {
  Step step = Step::link;
  std::string output;  ///< of -o
  std::vector<Input> inputs;
  std::vector<std::string> host;    ///< for compiling the host's halves
  std::vector<std::string> device;  ///< for the compiler of device code
  /// For linking, in their order; the place of input i is the empty word number i.
  std::vector<std::string> link;
  bool relocatable = false;  ///< -fgpu-rdc: device code is linked with that of other units
  bool verbose = false;      ///< -v
  bool only_show = false;    ///< -###: commands are shown and not run
  bool version = false;
};

/// Reads the words. The error says which one is wrong.
Result<Words> read_words(const std::vector<std::string>& words);

}  // namespace heddle::tools::hipcc
