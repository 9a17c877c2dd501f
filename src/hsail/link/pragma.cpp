// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/link/pragma.h"

#include "hsail/brig/pragma_operands.h"

namespace heddle::link {

using brig::Offset;

static bool has_name(const brig::Module& module, Offset entry, std::string_view name) {
  return brig::PragmaOperands(module, entry).string(0) == name;
}

std::vector<NamedPragma> find_pragmas(const Program& program, std::string_view name) {
  std::vector<NamedPragma> found;
  for (uint32_t i = 0; i < program.modules().size(); ++i) {
    const brig::Module& module = program.modules()[i];
    Offset block_end = 0;  // of the last code block that has begun
    Offset block_begin = 0;
    for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
      if (module.is_executable(at)) {
        const auto& executable = module.code_as<hsa_brig_directive_executable_t>(at);
        block_begin = executable.first_code_block_entry;
        block_end = executable.next_module_entry;
      }
      if (has_name(module, at, name)) found.push_back({{i, at}, at >= block_begin && at < block_end});
    }
  }
  return found;
}

std::optional<Reference> find_pragma(const Program& program, Reference executable, std::string_view name) {
  for (const Reference reached : program.reachable(executable, /*through_icall=*/false)) {
    const brig::Module& module = program.modules()[reached.module];
    const auto& directive = module.code_as<hsa_brig_directive_executable_t>(reached.offset);
    for (Offset at = directive.first_code_block_entry; at != directive.next_module_entry;
         at = module.next_code(at))
      if (has_name(module, at, name)) return Reference{reached.module, at};
  }
  return std::nullopt;
}

}  // namespace heddle::link
