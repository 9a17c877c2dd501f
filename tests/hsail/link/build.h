// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hsail/assemble/assemble.h"
#include "hsail/link/program.h"

/// Builds programs from HSAIL text, for tests.
namespace heddle::testing {

inline brig::Module module_of(const std::string& text) {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics("test.hsail", text);
  if (!assemble::assemble(text, "test.hsail", bytes, diagnostics)) {
    ADD_FAILURE() << diagnostics.print();
    return {};
  }
  return brig::Module::open(bytes, diagnostics);
}

/// Assembles a module from the header "module &NAME:1:0:$full:$large:$default;" and the text.
inline brig::Module module_of(const std::string& name, const std::string& text) {
  return module_of("module " + name + ":1:0:$full:$large:$default;\n" + text);
}

inline std::vector<std::string> ids(const Diagnostics& diagnostics) {
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : diagnostics.all()) result.push_back(diagnostic.id);
  return result;
}

/// A program of these modules. `problems` has the ids of all diagnostics that add() and resolve() reported.
struct Built {
  link::Program program{link::Program::Options{}};
  std::vector<link::Program::AddResult> added;
  bool resolved = false;
  std::vector<std::string> problems;

  explicit Built(const std::vector<brig::Module>& modules) {
    Diagnostics diagnostics;
    for (const brig::Module& module : modules) added.push_back(program.add(module, diagnostics));
    resolved = program.resolve(diagnostics);
    problems = ids(diagnostics);
  }
  link::Reference definition(const std::string& linker_name) const {
    const int32_t symbol = program.find(linker_name);
    if (symbol < 0) {
      ADD_FAILURE() << "no symbol " << linker_name;
      return {};
    }
    return program.symbols()[symbol].definition;
  }
  std::string name(link::Reference reference) const {
    return std::string(program.modules()[reference.module].name(reference.offset));
  }
};

}  // namespace heddle::testing
