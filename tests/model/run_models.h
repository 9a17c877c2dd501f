// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of programs with models.
#pragma once

#include <cstdio>
#include <cstring>
#include <span>

#include "explorer.h"

namespace heddle::model {

struct NamedModel {
  const char* name;
  Model model;
};

/// Explores all models, or the one that is named. With --violated, one must be violated: the code that is
/// checked has a mistake then. Returns the exit status.
inline int run_models(std::span<const NamedModel> models, int argc, char** argv) {
  bool violated = false;
  const char* only = nullptr;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--violated") == 0)
      violated = true;
    else
      only = argv[i];
  bool found = false;
  for (const NamedModel& named : models) {
    if (only != nullptr && std::strcmp(only, named.name) != 0) continue;
    const Result result = explore(named.model);
    std::printf("%s: %llu states, %llu steps%s\n", named.name, static_cast<unsigned long long>(result.states),
                static_cast<unsigned long long>(result.steps), result.violation.empty() ? "" : ": violated");
    if (result.violation.empty()) continue;
    found = true;
    if (!violated || only != nullptr) std::printf("%s\n", result.violation.c_str());
    if (violated) break;
  }
  if (found != violated) std::printf(violated ? "the mistake was not found\n" : "there is a mistake\n");
  return found == violated ? 0 : 1;
}

}  // namespace heddle::model
