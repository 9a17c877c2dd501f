// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lockstep.h"

#include <fmt/format.h>

#include "hsail/brig/pragma_operands.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

bool is_lockstep_pragma(const brig::Module& module, Offset entry) {
  return brig::PragmaOperands(module, entry).string(0) == "heddle.lockstep";
}

void check_pragma(const brig::Module& module, Offset pragma, bool in_code_block, Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    diagnostics.error("FINALIZER-lockstep", Location::binary("hsa_code", pragma), std::move(message));
  };
  const brig::PragmaOperands operands(module, pragma);
  if (operands.size() != 2 || operands.number(1) != lockstep_lanes)
    fail(fmt::format("the pragma heddle.lockstep has one operand, the number of work-items, which is {}",
                     lockstep_lanes));
  else if (!in_code_block)
    fail(
        "the pragma heddle.lockstep belongs into the kernel or function that is to be executed in lock-step");
}

}  // namespace

void check_lockstep_pragmas(const link::Program& program, Diagnostics& diagnostics) {
  for (const brig::Module& module : program.modules()) {
    Offset block_end = 0;  // of the last code block that has begun
    Offset block_begin = 0;
    for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
      if (module.is_executable(at)) {
        const auto& executable = module.code_as<hsa_brig_directive_executable_t>(at);
        block_begin = executable.first_code_block_entry;
        block_end = executable.next_module_entry;
      }
      if (is_lockstep_pragma(module, at))
        check_pragma(module, at, at >= block_begin && at < block_end, diagnostics);
    }
  }
}

std::optional<link::Reference> find_lockstep_pragma(const link::Program& program,
                                                    link::Reference executable) {
  for (const link::Reference reached : program.reachable(executable, /*through_icall=*/false)) {
    const brig::Module& module = program.modules()[reached.module];
    const auto& directive = module.code_as<hsa_brig_directive_executable_t>(reached.offset);
    for (Offset at = directive.first_code_block_entry; at != directive.next_module_entry;
         at = module.next_code(at))
      if (is_lockstep_pragma(module, at)) return link::Reference{reached.module, at};
  }
  return std::nullopt;
}

void report_no_lockstep(link::Reference pragma, std::string_view name, std::string_view why,
                        Diagnostics& diagnostics) {
  diagnostics.error(
      "FINALIZER-lockstep", Location::binary("hsa_code", pragma.offset),
      fmt::format("{} asks for waves of {} work-items in lock-step: {}", name, lockstep_lanes, why));
}

}  // namespace heddle::finalizer
