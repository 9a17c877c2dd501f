// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a file with kernels to code that an agent can execute, with the time that each step takes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line.h"
#include "session.h"
#include "support/result.h"
#include "toolchain.h"

namespace heddle::tools {

/// How kernels are finalized.
struct FinalizerOptions {
  int opt_level = -1;  ///< 0 to 3; -1 leaves the choice to the finalizer
  bool debug = false;
  bool check_addresses = false;

  /// Returns the options in the language of hsail_program_finalize.
  std::string text() const;
};
/// What --check-addresses does.
inline constexpr char check_addresses_help[] =
    "let code for NVIDIA GPUs check addresses before it uses them; messages then name the work-item and the "
    "line of a stray access";
/// Adds -O, -g and --check-addresses.
void add_finalizer_options(Command& command, FinalizerOptions& options);

/// How a source is compiled to a module.
struct CompilerOptions {
  std::vector<std::string> words;  ///< for compile() in compiler.h
};
/// Adds --cc.
void add_compiler_options(Command& command, CompilerOptions& options);

/// The contents of a file with kernels: either a module or a code object.
struct KernelFile {
  std::optional<Module> module;
  std::vector<std::byte> code_object;  ///< empty if there is a module

  /// Returns the module's BRIG; empty for a code object.
  std::span<const std::byte> brig() const;
};
/// Reads the file, assembles it if it is text, and compiles it with the words if it is a source (compiler.h).
Result<KernelFile> open_kernel_file(const std::string& path, const std::vector<std::string>& compiler_words);

/// Code that is ready to run, with everything that it refers to except the file.
struct KernelCode {
  Blob program, agent;  ///< code objects made from a module; empty if the file is a code object
  std::optional<LoadedProgram> loaded;
  double finalize_seconds = 0;  ///< 0 if the file is a code object
  double load_seconds = 0;
};
/// Finalizes the module for the agent's ISA and loads the result, or loads the code object. The file must
/// outlive the result.
Result<KernelCode> prepare_code(const KernelFile& file, const KernelAgent& agent,
                                const FinalizerOptions& options);

}  // namespace heddle::tools
