// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/print/source_lines.h"

#include <algorithm>

#include "hsail/debug/source_places.h"

namespace heddle::print {

using brig::Offset;

SourceLines::SourceLines(const brig::Module& module) {
  read_locs(module);
  from_loc_ = !rows_.empty();
  if (!from_loc_) count_lines(module);
}

/// Returns the index of a file in `files_`, adding it if necessary. Each file is stored once, because there
/// are few files but many changes between them.
uint32_t SourceLines::file_number(std::string_view file) {
  if (!files_.empty() && files_.back() == file) return static_cast<uint32_t>(files_.size() - 1);
  const auto number = static_cast<uint32_t>(std::find(files_.begin(), files_.end(), file) - files_.begin());
  if (number == files_.size()) files_.emplace_back(file);
  return number;
}

/// Reads loc directives and debug pragmas. While a debug pragma gives the line, loc directives are ignored,
/// because the pragma refers to the source from which the module was made.
void SourceLines::read_locs(const brig::Module& module) {
  const debug::SourcePlaces places(module);
  Row of_loc = {}, of_pragma = {};
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_LOC) {
      const auto& loc = module.code_as<hsa_brig_directive_loc_t>(at);
      of_loc = {at, loc.line, loc.column, file_number(module.string(loc.filename))};
    } else if (const auto said = places.source_line(module, at)) {
      of_pragma = {at, said->line, said->column, file_number(said->file)};
    } else {
      continue;
    }
    rows_.push_back(of_pragma.line != 0 ? of_pragma : of_loc);
    rows_.back().from = at;
  }
}

/// Reproduces the layout of Printer::print_module(): one line for each entry and one more for each brace of a
/// code block. Formal arguments share the line of their executable.
void SourceLines::count_lines(const brig::Module& module) {
  const std::string_view name = module.name(module.module_directive());
  files_.push_back(std::string(name.substr(name.starts_with('&'))) + ".hsail");
  uint32_t line = 1;
  for (Offset at = module.code_begin(); at != module.code_end();) {
    rows_.push_back({at, line++, 1, 0});
    if (!module.is_executable(at)) {
      at = module.next_code(at);
      continue;
    }
    if (module.is_definition(at) && module.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_SIGNATURE) {
      ++line;
      module.for_each_in_code_block(at, [&](Offset entry) { rows_.push_back({entry, line++, 1, 0}); });
      ++line;
    }
    at = module.code_as<hsa_brig_directive_executable_t>(at).next_module_entry;
  }
}

SourceLines::Position SourceLines::at(Offset entry) const& {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), entry,
                                      [](Offset offset, const Row& row) { return offset < row.from; });
  if (after == rows_.begin()) return {};
  const Row& row = *std::prev(after);
  return {files_[row.file], row.line, row.column};
}

}  // namespace heddle::print
