// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "codeobject/code_object.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/x86/target.h"

namespace heddle::finalizer::x86 {

struct CompileOptions {
  Level level = Level::v2;
  Effort effort = 2;
  bool debug = false;       ///< keeps DWARF; with effort 0, registers stay in memory
  std::string dump_folder;  ///< empty: none. Otherwise the SPMD IR, the optimised IR and the object file are
                            ///< written there
};

/// Code and data of all kernels and indirect functions of `spmd`, which is used up. Fills text, data,
/// relocations, and the entries, flags and private sizes of object.kernels, and the entries of
/// object.functions; both have the order of `spmd`. `variable_index` maps symbols of the program to
/// object.variables.
Result<void> compile(SpmdProgram spmd, const CompileOptions& options,
                     const std::vector<int32_t>& variable_index, codeobject::CodeObject& object);

}  // namespace heddle::finalizer::x86
