// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles HSAIL text to a code object, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "../agents/cuda/fake/dump_folder.h"
#include "finalizer/finalize.h"
#include "hsail/assemble/assemble.h"

namespace heddle::testing {

inline const char* const compiled_isas[] = {
    "heddle:x86-64-v4:w1", "heddle:x86-64-v3:w1",  "heddle:x86-64-v2:w1",
    "heddle:x86-64-v4:w4", "heddle:x86-64-v4:w16", "heddle:x86-64-v4:w32",
    "heddle:x86-64-v3:w4", "heddle:x86-64-v3:w8",  "heddle:x86-64-v3:w32"};

/// Reports whether this CPU runs code of the ISA.
inline bool runs_here(std::string_view isa) {
  if (isa.find("-v4") != std::string_view::npos) return __builtin_cpu_supports("x86-64-v4");
  if (isa.find("-v3") != std::string_view::npos) return __builtin_cpu_supports("x86-64-v3");
  return __builtin_cpu_supports("x86-64-v2");
}

/// Returns the best ISA with waves of one work-item that this CPU runs.
inline const char* best_isa() {
  for (const char* isa : compiled_isas)
    if (runs_here(isa)) return isa;
  return nullptr;
}

inline const std::string module_header = "module &m:1:2:$full:$large:$near;\n";

struct Compiled {
  finalizer::FinalizeResult result = finalizer::FinalizeResult::failed;
  codeobject::CodeObject object;
  std::string diagnostics;                      ///< printed
  std::vector<std::string> ids;                 ///< rule IDs of the finalizer's diagnostics
  std::vector<std::vector<std::byte>> modules;  ///< the BRIG that was finalized
  std::vector<std::byte> lowered;               ///< the LLVM IR for GPUs, where their fake wants it
  explicit operator bool() const { return result == finalizer::FinalizeResult::ok; }
};

struct CompileRequest {
  std::vector<std::string> modules;
  const char* isa = "heddle:x86-64-v2:w1";
  const finalizer::Isa* other_isa = nullptr;  ///< used instead of `isa`: an ISA that the finalizer does not
                                              ///< list
  const char* options = nullptr;
  hsail_code_object_kind kind = HSAIL_CODE_OBJECT_BOTH;
  const hsail_control_directives* directives = nullptr;
  link::Program::Options program = {};
};

/// Assembles and finalizes. A failure to assemble fails the test.
inline Compiled compile(const CompileRequest& request) {
  Compiled compiled;
  link::Program program(request.program);
  for (const std::string& text : request.modules) {
    Diagnostics diagnostics("test.hsail", text);
    std::vector<std::byte> brig;
    if (!assemble::assemble(text, "test.hsail", brig, diagnostics)) {
      ADD_FAILURE() << diagnostics.print();
      return compiled;
    }
    compiled.modules.push_back(brig);
    if (program.add(brig::Module::open(brig, diagnostics), diagnostics) != link::Program::AddResult::ok) {
      ADD_FAILURE() << diagnostics.print();
      return compiled;
    }
  }
  Diagnostics diagnostics;
  const finalizer::Isa* isa = request.other_isa ? request.other_isa : finalizer::find_isa(request.isa);
  finalizer::FinalizeOptions options = finalizer::parse_options(request.options);
  const cuda::fake::DumpFolder folder;
  if (!folder.path().empty()) options.dump_folder = folder.path();
  compiled.result = finalizer::finalize(program, request.kind, isa, options, request.directives,
                                        compiled.object, diagnostics);
  compiled.lowered = folder.lowered();
  compiled.diagnostics = diagnostics.print();
  for (const Diagnostic& diagnostic : diagnostics.all()) compiled.ids.push_back(diagnostic.id);
  return compiled;
}

/// Compiles one module, whose text includes the module header.
inline Compiled compile(const std::string& text, const char* isa = "heddle:x86-64-v2:w1",
                        const char* options = nullptr) {
  CompileRequest request;
  request.modules = {text};
  request.isa = isa;
  request.options = options;
  return compile(request);
}

}  // namespace heddle::testing
