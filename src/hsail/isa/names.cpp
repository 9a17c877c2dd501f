// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "hsail/isa/tables.h"

namespace heddle::isa {

std::string_view name(Names names, unsigned value) {
  const auto entries = tables::slice(tables::name_entries, tables::name_tables[static_cast<size_t>(names)]);
  const auto found = std::ranges::lower_bound(entries, value, {}, &tables::NameEntry::value);
  return found != entries.end() && found->value == value ? text(found->spelling) : std::string_view{};
}

std::optional<uint16_t> value(Names names, std::string_view spelling) {
  const Range range = tables::name_tables[static_cast<size_t>(names)];
  const auto entries = tables::slice(tables::name_entries, range);
  const auto order = tables::slice(tables::spelling_order, range);
  const auto spelled = [&](uint16_t index) { return text(entries[index].spelling); };
  const auto found = std::ranges::lower_bound(order, spelling, {}, spelled);
  if (found == order.end() || spelled(*found) != spelling) return std::nullopt;
  return entries[*found].value;
}

std::string type_name(unsigned type) {
  if (type == HSA_BRIG_TYPE_NONE) return "none";
  if (type > 0xffff || !is_valid(static_cast<Type>(type))) return fmt::format("type({:#x})", type);
  const Type code = static_cast<Type>(type);
  return std::string(name(Names::type, array_element(code))) + (is_array(code) ? "[]" : "");
}

std::optional<uint16_t> type_value(std::string_view spelling) { return value(Names::type, spelling); }

std::string_view opcode_name(unsigned opcode) {
  const Instruction* found = instruction(opcode);
  return found == nullptr ? std::string_view{} : text(found->mnemonic);
}

std::optional<uint16_t> opcode_value(std::string_view mnemonic) {
  const Instruction* found = instruction(mnemonic);
  if (found == nullptr) return std::nullopt;
  return static_cast<uint16_t>(found - tables::instructions);
}

}  // namespace heddle::isa
