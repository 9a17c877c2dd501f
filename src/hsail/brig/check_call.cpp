// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the actual arguments of a call against the formals of its callees and against the variables of the
// arg block (PRM 10.2, 10.4).
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"

namespace heddle::brig {
namespace {

// Positions in the operand list (PRM 18.7.6): output arguments; function (call), index (scall) or handle
// (icall); input arguments; functions (scall) or signature (icall).
constexpr unsigned outputs_at = 0;
constexpr unsigned function_at = 1;
constexpr unsigned inputs_at = 2;
constexpr unsigned callees_at = 3;

}  // namespace

void Checker::check_call(Offset at, const isa::Fields& fields) {
  const auto operands = module_.instruction_operands(at);
  switch (fields.opcode) {
    case HSA_BRIG_OPCODE_CALL:
      check_call_arguments(at, code_ref(module_, operands[function_at]));
      break;
    case HSA_BRIG_OPCODE_SCALL: {
      const auto callees = code_list(module_, operands[callees_at]);
      check_call_arguments(at, callees[0]);
      const size_t before = diagnostics_.error_count();
      const Offset list = module_.operand_as<hsa_brig_operand_code_list_t>(operands[callees_at]).elements;
      walk_once(Asked::callees, 0, list, callees.size(), [&] {
        for (const Offset callee : callees.subspan(1)) {
          if (formals_class(callees[0]) == formals_class(callee)) continue;
          code_error(at, "BRIG-10.7.2-functions",
                     fmt::format("the formal arguments of {} and {} differ", module_.name(callees[0]),
                                 module_.name(callee)));
          return;
        }
      });
      if (!clean_since(before)) return;
      break;
    }
    default:
      check_call_arguments(at, code_ref(module_, operands[callees_at]));
  }

  // Each variable of the arg block must be an argument exactly once.
  std::vector<Offset> arguments;
  for (const unsigned list : {outputs_at, inputs_at}) {
    const auto elements = code_list(module_, operands[list]);
    arguments.insert(arguments.end(), elements.begin(), elements.end());
  }
  std::sort(arguments.begin(), arguments.end());
  if (std::adjacent_find(arguments.begin(), arguments.end()) != arguments.end()) {
    code_error(at, "BRIG-10.2-once", "a variable of the arg block is passed twice");
    return;
  }
  const uint32_t scope = scope_of(at);
  size_t variables = 0;
  for (Offset entry = scopes_[scope].begin; entry != at; entry = module_.next_code(entry)) {
    variables += module_.code_kind(entry) == HSA_BRIG_KIND_DIRECTIVE_VARIABLE;
  }
  if (variables != arguments.size()) {
    code_error(
        at, "BRIG-10.2-once",
        fmt::format("the arg block has {} variables, {} of them are passed", variables, arguments.size()));
  }
}

void Checker::check_call_arguments(Offset call, Offset callee) {
  const auto operands = module_.instruction_operands(call);
  const auto outputs = code_list(module_, operands[outputs_at]);
  const auto inputs = code_list(module_, operands[inputs_at]);
  const auto& formals = module_.code_as<hsa_brig_directive_executable_t>(callee);
  if (outputs.size() != formals.out_arg_count || inputs.size() != formals.in_arg_count) {
    code_error(call, "BRIG-10.2-count",
               fmt::format("{} output and {} input arguments; {} has {} and {}", outputs.size(),
                           inputs.size(), module_.name(callee), formals.out_arg_count, formals.in_arg_count));
    return;
  }
  size_t index = 0;
  module_.for_each_formal(callee, [&](Offset formal, bool is_output) {
    const Offset actual = is_output ? outputs[index] : inputs[index - outputs.size()];
    ++index;
    // check_formal() has allowed an array without size only as the last input.
    const bool is_variadic = isa::is_array(module_.code_as<hsa_brig_directive_variable_t>(formal).type) &&
                             u64(module_.code_as<hsa_brig_directive_variable_t>(formal).dim) == 0;
    if (same_variable(formal, actual, is_variadic)) return;
    code_error(
        call, "BRIG-10.2-compatible",
        fmt::format("argument {} differs from the formal argument of {} in type, dimension or alignment",
                    module_.name(actual), module_.name(callee)));
  });
}

}  // namespace heddle::brig
