// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR to HSAIL text: the inside of the compiler, which its front ends call.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/passes/level.h"
#include "support/diagnostic.h"
#include "support/result.h"

namespace llvm {
class Module;
}

namespace heddle::compiler {

struct TranslateOptions {
  /// The name of the HSAIL module, without "&". Characters that names cannot have are replaced.
  std::string module_name = "compiled";
  /// Above Level::none, the module as a whole is optimised before it is translated, so that libraries that
  /// were linked into it are inlined.
  Level level = Level::normal;
  /// How many c registers, and how many words of s and d registers, each code block may have (PRM 4.7). Tests
  /// of spilling ask for less, at least 4 and 32.
  uint32_t c_registers = 128;
  uint32_t register_words = 2048;
  /// Whether functions that no kernel of the module calls are translated, too, so that other modules can call
  /// them.
  bool keep_functions = false;
  /// Whether kernels ask for waves of 32 work-items in lock-step (docs/hsail.md, "Lock-step"), as HIP
  /// promises.
  bool lockstep = false;
  /// Whether the text has loc directives for the places that debug information tells.
  bool source_lines = true;
  /// Whether the text describes the source with debug pragmas as far as the module's debug information does:
  /// lines, inlined calls, functions, types, and where variables are (PRM 13.4.2.2). There are then no loc
  /// directives.
  bool source_variables = false;
};

/// Translates a module for the triple amdgcn-amd-amdhsa, which has been linked with all libraries that it
/// needs, to the text of one HSAIL module with full profile and large machine model (PRM 4.3). The functions
/// with the calling convention amdgpu_kernel become kernels. Functions that the module only declares become
/// declarations with program linkage, which other modules of the program have to define; functions named
/// "__hsail_MNEMONIC" become that instruction.
///
/// `module` is changed, also if the translation fails. What HSAIL cannot express is reported to
/// `diagnostics`, by name and with the place in the source if the module has debug information; an error also
/// says why the result has no text. Several threads may translate modules of different contexts at the same
/// time.
Result<std::string> translate(llvm::Module& module, const TranslateOptions& options,
                              Diagnostics& diagnostics);

}  // namespace heddle::compiler
