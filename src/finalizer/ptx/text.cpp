// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/text.h"

namespace heddle::finalizer::ptx {
namespace {

std::optional<uint64_t> line_of(std::string_view ptx, const std::string& directive) {
  const size_t at = ptx.rfind(directive);  // a declaration may come before the definition
  if (at == std::string_view::npos) return std::nullopt;
  const size_t before = ptx.rfind('\n', at);
  return before == std::string_view::npos ? 0 : before + 1;
}

}  // namespace

std::optional<uint64_t> find_entry(std::string_view ptx, const std::string& name) {
  return line_of(ptx, ".entry " + name + "(");
}

std::optional<uint64_t> find_function(std::string_view ptx, const std::string& name) {
  return line_of(ptx, ".func " + name + "(");
}

}  // namespace heddle::finalizer::ptx
