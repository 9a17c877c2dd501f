// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hsail/hsail.h>

#include "codeobject/code_object.h"
#include "finalizer/x86/target.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// An ISA that this library makes code objects for.
struct Isa {
  const char* name;
  uint32_t wavefront_size;
  std::optional<x86::Level> level;  ///< none: the interpreter, whose code objects carry the modules
};
std::span<const Isa> isas();
const Isa* find_isa(std::string_view name);

struct FinalizeOptions {
  unsigned effort = 2;      ///< 0..3
  bool debug = false;       ///< -g, or HEDDLE_DEBUG in the environment: effort 0 unless -O says otherwise
  std::string dump_folder;  ///< empty: nothing is written
};
/// Reads blank-separated options; unknown ones are ignored (Runtime 3.2.1.18).
FinalizeOptions parse_options(const char* text);

enum class FinalizeResult : uint8_t { ok, directive_mismatch, failed };

/// Finalizes a program, which is resolved on the way. `isa` may be null for HSAIL_CODE_OBJECT_PROGRAM;
/// `directives` may be null. What went wrong is in `diagnostics`.
FinalizeResult finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                        const FinalizeOptions& options, const hsail_control_directives* directives,
                        codeobject::CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
