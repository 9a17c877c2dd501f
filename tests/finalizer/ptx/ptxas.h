// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "codeobject/code_object.h"
#include "hsail/link/program.h"

namespace heddle::testing {

/// An ISA, and the oldest architecture of those that execute it for which current assemblers make code.
struct PtxIsa {
  const char* isa;
  const char* assembled_for;
};
inline constexpr PtxIsa ptx_isas[] = {
    {"heddle:nvptx-sm_70", "sm_75"}, {"heddle:nvptx-sm_90", "sm_90"}, {"heddle:nvptx-sm_100", "sm_100"}};

/// A program finalized for a GPU, or what was reported.
struct PtxProgram {
  std::optional<codeobject::CodeObject> object;
  std::string ptx;  ///< the text of the object, without the zero at its end
  std::vector<std::string> ids;
  std::string diagnostics;
};

/// Assembles and finalizes a module with the profile, machine model and rounding that it names itself. A
/// module that cannot be assembled is a test failure.
PtxProgram finalize_ptx(const std::string& text, const std::string& file, const char* isa,
                        const char* options = "-O2");

/// Reports whether NVIDIA's assembler, ptxas, is installed where the build looked for it.
bool has_ptxas();

/// Assembles PTX. Returns what the assembler says if it refuses the text or warns, and an empty string
/// otherwise.
std::string run_ptxas(const std::string& ptx, const std::string& architecture);

}  // namespace heddle::testing
