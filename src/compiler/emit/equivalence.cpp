// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/equivalence.h"

#include <llvm/Analysis/ValueTracking.h>

#include "compiler/emit/argument_variables.h"

namespace heddle::compiler {

namespace {

constexpr unsigned most_classes = 255;  // PRM 6.1.4
constexpr unsigned most_steps = 64;     // from a pointer to what it points to; more are not worth the time

}  // namespace

Equivalence::Equivalence(const llvm::Function& function) {
  // The arguments of other functions say nothing about what their callers access meanwhile.
  if (!is_kernel(function)) return;
  for (const llvm::Argument& argument : function.args()) {
    if (argument.hasNoAliasAttr() && classes_.size() < most_classes)
      classes_.try_emplace(&argument, classes_.size() + 1);
  }
  // One class alone would be apart from nothing.
  if (classes_.size() == 1) classes_.clear();
}

unsigned Equivalence::class_of(const llvm::Value& pointer) const {
  if (classes_.empty()) return 0;
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects, nullptr, most_steps);
  return objects.size() == 1 ? classes_.lookup(objects[0]) : 0;
}

}  // namespace heddle::compiler
