// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/checker.h"

namespace heddle::brig {

Checker::Checker(const Module& module, Diagnostics& diagnostics)
    : module_(module), diagnostics_(diagnostics) {}

bool Checker::check() {
  if (!check_entries()) return false;
  read_environment();
  return check_operands() && check_directives() && check_structure() && check_symbols() &&
         check_instructions();
}

void Checker::code_error(Offset at, std::string_view id, std::string message, uint32_t operand,
                         uint32_t part) {
  Location where = Location::binary("hsa_code", at);
  where.operand = operand;
  where.part = part;
  diagnostics_.error(std::string(id), std::move(where), std::move(message));
}

void Checker::code_note(Offset at, std::string message) {
  diagnostics_.note(Location::binary("hsa_code", at), std::move(message));
}

void Checker::operand_error(Offset at, std::string_view id, std::string message) {
  diagnostics_.error(std::string(id), Location::binary("hsa_operand", at), std::move(message));
}

void Checker::data_error(Offset at, std::string_view id, std::string message) {
  diagnostics_.error(std::string(id), Location::binary("hsa_data", at), std::move(message));
}

}  // namespace heddle::brig
