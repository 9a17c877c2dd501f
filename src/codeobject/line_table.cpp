// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "codeobject/code_object.h"

namespace heddle::codeobject {

/// Returns the row that a byte of the text belongs to, or null if it lies before the first one.
const LineTable::Row* LineTable::row_of(uint64_t offset) const {
  const auto after = [](uint64_t at, const Row& row) { return at < row.offset; };
  const auto next = std::upper_bound(rows.begin(), rows.end(), offset, after);
  return next == rows.begin() ? nullptr : &*(next - 1);
}

std::string LineTable::find(uint64_t offset) const {
  const Row* row = row_of(offset);
  if (!row || row->line == 0) return {};
  return files[row->file].empty() ? fmt::format("line {}", row->line)
                                  : fmt::format("{}:{}", files[row->file], row->line);
}

AccessedLanes LineTable::lanes(uint64_t offset) const {
  const Row* row = row_of(offset);
  return row ? AccessedLanes::from_word(row->lanes) : AccessedLanes();
}

}  // namespace heddle::codeobject
