// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/targets.h"

#include <algorithm>
#include <vector>

#include "finalizer/interpreter/target.h"
#include "finalizer/ptx/target.h"
#include "finalizer/x86/target.h"

namespace heddle::finalizer {

std::span<const Target* const> targets() {
  static const Target* const all[] = {&x86::target(), &ptx::target(), &interpreter_target()};
  return all;
}

std::span<const Isa* const> isas() {
  static const std::vector<const Isa*> all = [] {
    std::vector<const Isa*> found;
    for (const Target* target : targets())
      for (const Isa& isa : target->isas()) found.push_back(&isa);
    return found;
  }();
  return all;
}

const Isa* find_isa(std::string_view name) {
  const auto all = isas();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Isa* isa) { return name == isa->name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace heddle::finalizer
