// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/symbol.h"

#include <algorithm>

#include "runtime/core/linker_name.h"
#include "support/align.h"

namespace heddle::runtime {

namespace {

template <typename Source>
SymbolDescription named(hsa_symbol_kind_t kind, const Source& source) {
  SymbolDescription symbol;
  symbol.kind = kind;
  symbol.name = source.name;
  symbol.linker_name = source.linker_name;
  symbol.module_name = source.module_name;
  symbol.linkage =
      source.linkage == codeobject::Linkage::program ? HSA_SYMBOL_LINKAGE_PROGRAM : HSA_SYMBOL_LINKAGE_MODULE;
  return symbol;
}

}  // namespace

SymbolDescription SymbolDescription::of(const codeobject::Variable& variable) {
  SymbolDescription symbol = named(HSA_SYMBOL_KIND_VARIABLE, variable);
  symbol.is_definition = variable.defined;
  symbol.allocation = variable.allocation == codeobject::Allocation::program ? HSA_VARIABLE_ALLOCATION_PROGRAM
                                                                             : HSA_VARIABLE_ALLOCATION_AGENT;
  symbol.segment = variable.segment == codeobject::Segment::readonly ? HSA_VARIABLE_SEGMENT_READONLY
                                                                     : HSA_VARIABLE_SEGMENT_GLOBAL;
  symbol.alignment = variable.align;
  symbol.size = variable.size;
  symbol.is_const = variable.is_const;
  return symbol;
}

SymbolDescription SymbolDescription::of(const codeobject::Kernel& kernel) {
  SymbolDescription symbol = named(HSA_SYMBOL_KIND_KERNEL, kernel);
  // The size is a multiple of 16, and the alignment at least 16 (Runtime 2.8.1.45).
  symbol.kernarg_size = align_up(kernel.kernarg_size, 16);
  symbol.kernarg_alignment = std::max(kernel.kernarg_align, 16u);
  symbol.group_size = kernel.group_size;
  symbol.private_size = kernel.private_size;
  symbol.dynamic_call_stack = kernel.dynamic_call_stack;
  return symbol;
}

SymbolDescription SymbolDescription::of(const codeobject::IndirectFunction& function) {
  return named(HSA_SYMBOL_KIND_INDIRECT_FUNCTION, function);
}

const std::string& SymbolDescription::visible_module_name() const {
  static const std::string none;
  return linkage == HSA_SYMBOL_LINKAGE_PROGRAM ? none : module_name;
}

bool SymbolDescription::matches(std::string_view asked) const {
  if (names_match(linker_name, asked)) return true;
  return linkage == HSA_SYMBOL_LINKAGE_PROGRAM && names_match(name, asked);
}

bool SymbolDescription::matches(const char* module, std::string_view asked) const {
  if (module == nullptr || *module == '\0') return matches(asked);
  return linkage == HSA_SYMBOL_LINKAGE_MODULE && names_match(module_name, module) && names_match(name, asked);
}

std::vector<SymbolDescription> describe_symbols(const codeobject::CodeObject& object) {
  std::vector<SymbolDescription> symbols;
  symbols.reserve(object.variables.size() + object.kernels.size() + object.functions.size());
  for (const auto& variable : object.variables) symbols.push_back(SymbolDescription::of(variable));
  for (const auto& kernel : object.kernels) symbols.push_back(SymbolDescription::of(kernel));
  for (const auto& function : object.functions) symbols.push_back(SymbolDescription::of(function));
  return symbols;
}

}  // namespace heddle::runtime
