// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/places.h"

#include <algorithm>

#include <llvm/IR/DebugInfoMetadata.h>

namespace heddle::finalizer::ptx {

uint32_t Places::number_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  if (!location || location->getLine() == 0) return 0;
  const auto next = static_cast<uint32_t>(numbers_.size() + 1);
  return numbers_.try_emplace({location->getFilename().str(), location->getLine()}, next).first->second;
}

codeobject::LineTable Places::table() const {
  codeobject::LineTable table;
  table.rows.resize(numbers_.size());
  // The files are in order, so equal ones follow each other.
  for (const auto& [place, number] : numbers_) {
    if (table.files.empty() || table.files.back() != place.first) table.files.push_back(place.first);
    const auto file = static_cast<uint32_t>(table.files.size() - 1);
    table.rows[number - 1] = {.offset = number, .file = file, .line = place.second};
  }
  return table;
}

}  // namespace heddle::finalizer::ptx
