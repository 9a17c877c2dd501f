// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/print/debug_pragmas.h"

#include <algorithm>
#include <string_view>

#include "hsail/brig/operands.h"

namespace heddle::print {
namespace {

using brig::Offset;

/// The operands of a pragma, each as what is asked for.
class Operands {
 public:
  Operands(const brig::Module& module, Offset entry) : module_(module) {
    if (module.code_kind(entry) == HSA_BRIG_KIND_DIRECTIVE_PRAGMA)
      list_ = module.offsets(module.code_as<hsa_brig_directive_pragma_t>(entry).operands);
  }
  std::optional<std::string_view> string(size_t index) const {
    if (index >= list_.size() || brig::operand_kind(module_, list_[index]) != HSA_BRIG_KIND_OPERAND_STRING)
      return std::nullopt;
    return module_.string(module_.operand_as<hsa_brig_operand_string_t>(list_[index]).string);
  }
  std::optional<uint64_t> number(size_t index) const {
    if (index >= list_.size() || !brig::is_constant_bytes(module_, list_[index])) return std::nullopt;
    const isa::Type type = brig::constant_type(module_, list_[index]);
    if (isa::is_packed(type) || isa::is_float(type) || isa::bit_size(type) > 64) return std::nullopt;
    return brig::integer_value(module_, list_[index]);
  }
  bool begin_with(std::string_view name, size_t tag, std::string_view value) const {
    return string(0) == name && string(tag) == value;
  }

 private:
  const brig::Module& module_;
  std::span<const Offset> list_;
};

std::string path_of(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

}  // namespace

DebugPragmas::DebugPragmas(const brig::Module& module) {
  constexpr std::string_view source = "hsa.tools.debug.src";
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    const Operands operands(module, at);
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

std::optional<DebugPragmas::Location> DebugPragmas::source_line(const brig::Module& module,
                                                                Offset entry) const {
  const Operands operands(module, entry);
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

}  // namespace heddle::print
