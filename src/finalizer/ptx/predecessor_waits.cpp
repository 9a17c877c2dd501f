// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/predecessor_waits.h"

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

bool begins_entry(std::string_view line) {
  return line.starts_with(".visible .entry ") || line.starts_with(".entry ");
}

/// Whether a line of a function's body is an instruction or a block of several, or a comment before one, and
/// no directive or label.
bool is_of_code(std::string_view line) { return line.size() > 1 && line[0] == '\t' && line[1] != '.'; }

}  // namespace

std::string with_waits_for_predecessors(std::string_view ptx) {
  bool waits_for_body = false, waits_for_code = false;
  return with_each_line(ptx, [&](std::string& out, std::string_view line) {
    if (begins_entry(line)) waits_for_body = true;
    if (line == "{" && waits_for_body) {
      waits_for_body = false;
      waits_for_code = true;
    } else if (waits_for_code && is_of_code(line)) {
      out += "\tgriddepcontrol.wait;\n";
      waits_for_code = false;
    }
    out += line;
  });
}

}  // namespace heddle::finalizer::ptx
