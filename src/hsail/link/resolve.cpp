// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what the code of a program refers to and calls, and checks that it is defined (PRM 4.2.1) and that
// indirect functions keep their limits (PRM 10.8).
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/operands.h"
#include "hsail/link/program.h"

namespace heddle::link {
namespace {

using brig::Module;
using brig::Offset;

/// Calls visit(Offset directive) for everything in hsa_code that the operand refers to.
template <typename Visit>
void for_each_code_reference(const Module& module, Offset operand, Visit&& visit) {
  switch (brig::operand_kind(module, operand)) {
    case HSA_BRIG_KIND_OPERAND_ADDRESS:
      if (const Offset symbol = brig::address_of(module, operand).symbol) visit(symbol);
      break;
    case HSA_BRIG_KIND_OPERAND_CODE_REF:
      visit(brig::code_ref(module, operand));
      break;
    case HSA_BRIG_KIND_OPERAND_CODE_LIST:
      for (Offset directive : brig::code_list(module, operand)) visit(directive);
      break;
    case HSA_BRIG_KIND_OPERAND_OPERAND_LIST:
      for (Offset element : brig::vector_elements(module, operand))
        for_each_code_reference(module, element, visit);
      break;
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      brig::for_each_leaf(module, operand, [&](uint64_t, Offset leaf) {
        if (!brig::is_expression(module, leaf)) return;
        const brig::Expression expression = brig::expression_of(module, leaf);
        if (expression.operation == HSA_BRIG_EXPRESSION_OPERATION_ADDR) visit(expression.symbol);
      });
      break;
    default:
      break;
  }
}

bool is_group_or_private(const Program& program, const Symbol& symbol) {
  if (symbol.kind != Symbol::Kind::variable) return false;
  const Module& module = program.modules()[symbol.definition.module];
  const unsigned segment = module.code_as<hsa_brig_directive_variable_t>(symbol.definition.offset).segment;
  return segment == HSA_BRIG_SEGMENT_GROUP || segment == HSA_BRIG_SEGMENT_PRIVATE;
}

/// Reports whether a symbol may stay undefined because the host application may define it in the executable
/// (PRM 4.2.1).
bool may_stay_undefined(const Program& program, const Symbol& symbol) {
  if (symbol.kind != Symbol::Kind::variable || symbol.linkage != HSA_BRIG_LINKAGE_PROGRAM) return false;
  const Module& module = program.modules()[symbol.definition.module];
  const unsigned segment = module.code_as<hsa_brig_directive_variable_t>(symbol.definition.offset).segment;
  return segment == HSA_BRIG_SEGMENT_GLOBAL || segment == HSA_BRIG_SEGMENT_READONLY;
}

}  // namespace

const Program::Code* Program::code_of(Reference executable) const {
  const auto at = code_index_.find(executable.key());
  return at == code_index_.end() ? nullptr : &code_[at->second];
}

Program::Code Program::scan(Reference executable) const {
  const Module& module = modules_[executable.module];
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable.offset);
  Code code;
  code.executable = executable;
  std::unordered_set<uint64_t> seen_callees;
  std::unordered_set<int32_t> seen_symbols;
  const auto use = [&](Offset offset, bool call) {
    const int32_t index = symbol_of({executable.module, offset});
    if (index < 0) return;
    if (seen_symbols.insert(index).second) code.symbols.push_back(index);
    const Symbol& symbol = symbols_[index];
    const bool callable =
        symbol.kind == Symbol::Kind::function || symbol.kind == Symbol::Kind::indirect_function;
    if (call && callable && seen_callees.insert(symbol.definition.key()).second) {
      code.callees.push_back(symbol.definition);
    }
  };
  for (Offset offset = directive.first_code_block_entry; offset < directive.next_module_entry;
       offset = module.next_code(offset)) {
    if (!module.is_instruction(offset)) {
      use(offset, false);  // definitions of the code block itself
      continue;
    }
    const unsigned opcode = module.code_as<hsa_brig_inst_base_t>(offset).opcode;
    code.has_alloca = code.has_alloca || isa::memory_effect(opcode) == isa::MemoryEffect::stack;
    code.has_icall = code.has_icall || opcode == HSA_BRIG_OPCODE_ICALL;
    const bool call = isa::is_call(opcode);
    for (Offset operand : module.instruction_operands(offset)) {
      for_each_code_reference(module, operand, [&](Offset target) { use(target, call); });
    }
  }
  return code;
}

/// Checks that everything that the code names is defined, except variables that the host may define.
void Program::check_references(const Code& code, Diagnostics& diagnostics) const {
  for (int32_t index : code.symbols) {
    const Symbol& symbol = symbols_[index];
    if (symbol.defined || may_stay_undefined(*this, symbol)) continue;
    diagnostics.error(
        "HSAIL-4.2.1-undefined-symbol", Location::binary("hsa_code", code.executable.offset),
        fmt::format("{} of module {} refers to {}, which no module of the program defines",
                    modules_[code.executable.module].name(code.executable.offset),
                    modules_[code.executable.module].string(modules_[code.executable.module].header().name),
                    symbol.name));
  }
}

void Program::check_indirect(const Code& root, Diagnostics& diagnostics) const {
  for (Reference reference : reachable(root.executable, false)) {
    const Code* code = code_of(reference);
    if (code == nullptr) continue;
    for (int32_t index : code->symbols) {
      const Symbol& symbol = symbols_[index];
      if (symbol.kind != Symbol::Kind::fbarrier && !is_group_or_private(*this, symbol)) continue;
      diagnostics.error(
          "HSAIL-10.8-indirect-function-resources", Location::binary("hsa_code", root.executable.offset),
          fmt::format("indirect function {} reaches {} {}: a kernel finalized before could not provide it",
                      modules_[root.executable.module].name(root.executable.offset),
                      symbol.kind == Symbol::Kind::fbarrier ? "fbarrier" : "variable", symbol.name));
    }
  }
}

void Program::note_address(int32_t symbol) {
  if (symbols_[symbol].kind == Symbol::Kind::kernel) addressed_kernels_.insert(symbol);
}

void Program::check_initializers(Diagnostics& diagnostics) {
  for (const Symbol& symbol : symbols_) {
    if (symbol.kind != Symbol::Kind::variable || !symbol.defined) continue;
    Initializer initializer;
    if (!evaluate_initializer(*this, symbol.definition, initializer, diagnostics)) continue;
    for (const Initializer::Fixup& fixup : initializer.fixups)
      if (fixup.kind == Initializer::Fixup::Kind::address) note_address(fixup.symbol);
  }
}

bool Program::resolve(Diagnostics& diagnostics) {
  const size_t errors_before = diagnostics.error_count();
  code_.clear();
  code_index_.clear();
  addressed_kernels_.clear();
  for (const Symbol& symbol : symbols_) {
    const bool has_code = symbol.kind == Symbol::Kind::kernel || symbol.kind == Symbol::Kind::function ||
                          symbol.kind == Symbol::Kind::indirect_function;
    if (!has_code || !symbol.defined) continue;
    code_index_.emplace(symbol.definition.key(), static_cast<uint32_t>(code_.size()));
    code_.push_back(scan(symbol.definition));
    for (const int32_t used : code_.back().symbols) note_address(used);
  }
  find_cycles();
  // References only have to be defined in code that a kernel or an indirect function reaches.
  std::unordered_set<uint64_t> checked;
  for (const Code& code : code_) {
    const unsigned kind = modules_[code.executable.module].code_entry(code.executable.offset).kind;
    if (kind == HSA_BRIG_KIND_DIRECTIVE_FUNCTION) continue;
    for (Reference reference : reachable(code.executable, false)) {
      if (!checked.insert(reference.key()).second) continue;
      if (const Code* reached = code_of(reference)) check_references(*reached, diagnostics);
    }
    if (kind == HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION) check_indirect(code, diagnostics);
    if (kind == HSA_BRIG_KIND_DIRECTIVE_KERNEL && group_layout(code.executable).size == UINT32_MAX) {
      diagnostics.error("HSAIL-2.8-group-size", Location::binary("hsa_code", code.executable.offset),
                        "the group variables of this kernel have more than 4 GiB");
    }
  }
  check_initializers(diagnostics);
  return diagnostics.error_count() == errors_before;
}

}  // namespace heddle::link
