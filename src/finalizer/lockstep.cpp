// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lockstep.h"

#include <fmt/format.h>

#include "hsail/brig/pragma_operands.h"
#include "hsail/link/pragma.h"

namespace heddle::finalizer {
namespace {

constexpr std::string_view name = "heddle.lockstep";

void check_pragma(const brig::Module& module, const link::NamedPragma& found, Diagnostics& diagnostics) {
  const brig::Offset pragma = found.pragma.offset;
  const auto fail = [&](std::string message) {
    diagnostics.error("FINALIZER-lockstep", Location::binary("hsa_code", pragma), std::move(message));
  };
  const brig::PragmaOperands operands(module, pragma);
  if (operands.size() != 2 || operands.number(1) != lockstep_lanes)
    fail(fmt::format("the pragma heddle.lockstep has one operand, the number of work-items, which is {}",
                     lockstep_lanes));
  else if (!found.in_code_block)
    fail(
        "the pragma heddle.lockstep belongs into the kernel or function that is to be executed in lock-step");
}

}  // namespace

void check_lockstep_pragmas(const link::Program& program, Diagnostics& diagnostics) {
  for (const link::NamedPragma& found : link::find_pragmas(program, name))
    check_pragma(program.modules()[found.pragma.module], found, diagnostics);
}

std::optional<link::Reference> find_lockstep_pragma(const link::Program& program,
                                                    link::Reference executable) {
  return link::find_pragma(program, executable, name);
}

void report_no_lockstep(link::Reference pragma, std::string_view executable, std::string_view why,
                        Diagnostics& diagnostics) {
  diagnostics.error(
      "FINALIZER-lockstep", Location::binary("hsa_code", pragma.offset),
      fmt::format("{} asks for waves of {} work-items in lock-step: {}", executable, lockstep_lanes, why));
}

}  // namespace heddle::finalizer
