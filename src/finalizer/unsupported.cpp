// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/unsupported.h"

#include <fmt/format.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

/// Returns the loc directive that applies to the instruction (PRM 13.2), or null if there is none in its code
/// block.
const hsa_brig_directive_loc_t* loc_of(const brig::Module& module, Offset executable, Offset instruction) {
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable);
  const hsa_brig_directive_loc_t* last = nullptr;
  for (Offset at = directive.first_code_block_entry; at < instruction; at = module.next_code(at))
    if (module.code_entry(at).kind == HSA_BRIG_KIND_DIRECTIVE_LOC)
      last = &module.code_as<hsa_brig_directive_loc_t>(at);
  return last;
}

}  // namespace

void report_unsupported(const brig::Module& module, Offset executable, Offset instruction,
                        std::string_view why, Diagnostics& diagnostics) {
  const isa::Fields fields = brig::instruction_fields(module, instruction);
  const auto variant = isa::match(fields);
  const std::string mnemonic =
      variant.ok() ? isa::print_mnemonic(*variant.value(), fields)
                   : std::string(isa::opcode_name(module.code_as<hsa_brig_inst_base_t>(instruction).opcode));
  Location where = Location::binary("hsa_code", instruction);
  std::string message = fmt::format("this ISA has no '{}'", mnemonic);
  if (!why.empty()) message += fmt::format(": {}", why);
  if (const auto* loc = loc_of(module, executable, instruction)) {
    where.line = loc->line;
    where.column = loc->column;
    const std::string_view file = module.string(loc->filename);
    if (!file.empty()) message += fmt::format(" (from {}:{})", file, loc->line);
  }
  diagnostics.error("FINALIZER-unsupported-instruction", where, std::move(message));
}

}  // namespace heddle::finalizer
