// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/debug/source_places.h"

#include <algorithm>
#include <string_view>

#include "hsail/brig/pragma_operands.h"

namespace heddle::debug {
namespace {

using brig::Offset;
using brig::PragmaOperands;

std::string path_of(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

}  // namespace

SourcePlaces::SourcePlaces(const brig::Module& module) {
  constexpr std::string_view source = "hsa.tools.debug.src";
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    const PragmaOperands operands(module, at);
    const auto entity = operands.number(1);
    if (!entity || *entity == 0) continue;
    if (operands.begin_with(source, 2, "File")) {
      const auto name = operands.string(3), folder = operands.string(4);
      if (name) files_[*entity] = path_of(folder.value_or(""), *name);
    } else if (operands.begin_with(source, 2, "Location")) {
      const auto file = operands.number(3), line = operands.number(4), column = operands.number(5);
      if (file && line && *line <= UINT32_MAX)
        places_[*entity] = {*file, static_cast<uint32_t>(*line),
                            static_cast<uint32_t>(std::min<uint64_t>(column.value_or(0), UINT32_MAX))};
    }
  }
}

std::optional<SourcePlaces::Location> SourcePlaces::source_line(const brig::Module& module,
                                                                Offset entry) const {
  const PragmaOperands operands(module, entry);
  if (!operands.begin_with("hsa.tools.debug.ref", 1, "SourceLine")) return std::nullopt;
  const auto number = operands.number(2);
  if (!number) return std::nullopt;
  if (*number == 0) return Location{};
  const auto place = places_.find(*number);
  if (place == places_.end()) return std::nullopt;
  const auto file = files_.find(place->second.file);
  return Location{file == files_.end() ? std::string() : file->second, place->second.line,
                  place->second.column};
}

}  // namespace heddle::debug
