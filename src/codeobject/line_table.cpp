// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "codeobject/code_object.h"

namespace heddle::codeobject {

std::string LineTable::find(uint64_t offset) const {
  const auto after = [](uint64_t at, const Row& row) { return at < row.offset; };
  const auto next = std::upper_bound(rows.begin(), rows.end(), offset, after);
  if (next == rows.begin() || (next - 1)->line == 0) return {};
  const Row& row = *(next - 1);
  return files[row.file].empty() ? fmt::format("line {}", row.line)
                                 : fmt::format("{}:{}", files[row.file], row.line);
}

}  // namespace heddle::codeobject
