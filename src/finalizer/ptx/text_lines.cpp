// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {

std::optional<Line> instruction_in(std::string_view line) {
  if (!line.starts_with('\t') || !line.ends_with(';')) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  if (line.starts_with('@')) line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  const size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos || line.starts_with('.') || line.starts_with('{')) return std::nullopt;
  const size_t operands = line.find_first_not_of(" \t", end);
  if (operands == std::string_view::npos) return std::nullopt;
  return Line{line.substr(0, end), line.substr(operands)};
}

}  // namespace heddle::finalizer::ptx
