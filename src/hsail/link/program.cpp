// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/link/program.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "support/exception_safety.h"

namespace heddle::link {
namespace {

using brig::Module;
using brig::Offset;

constexpr const char* code_section = "hsa_code";

std::string_view segment_name(unsigned segment) { return isa::name(isa::Names::segment, segment); }

std::string_view kind_word(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::variable:
      return "variable";
    case Symbol::Kind::kernel:
      return "kernel";
    case Symbol::Kind::function:
      return "function";
    case Symbol::Kind::indirect_function:
      return "indirect function";
    case Symbol::Kind::fbarrier:
      return "fbarrier";
    case Symbol::Kind::signature:
      return "signature";
  }
  return "symbol";
}

/// Returns how two variables of the same name, or two formals in the same position, differ, or an empty
/// string if they are compatible (PRM 4.3.8).
std::string variable_difference(const Module& a_module, Offset a_offset, const Module& b_module,
                                Offset b_offset, bool formal) {
  const auto& a = a_module.code_as<hsa_brig_directive_variable_t>(a_offset);
  const auto& b = b_module.code_as<hsa_brig_directive_variable_t>(b_offset);
  if (a.segment != b.segment) {
    return fmt::format("segment {} is not {}", segment_name(a.segment), segment_name(b.segment));
  }
  if (a.type != b.type)
    return fmt::format("type {} is not {}", isa::type_name(a.type), isa::type_name(b.type));
  const uint64_t a_dim = brig::u64(a.dim);
  const uint64_t b_dim = brig::u64(b.dim);
  // A declaration may omit the size of an array. In a formal, an array without size is variadic instead.
  const bool open = !formal && (a_dim == 0 || b_dim == 0);
  if (a_dim != b_dim && !open) return fmt::format("{} elements are not {}", a_dim, b_dim);
  if (a.align != b.align) {
    return fmt::format("alignment {} is not {}", variable_align(a_module, a_offset),
                       variable_align(b_module, b_offset));
  }
  if (formal) return {};
  if (a.allocation != b.allocation) {
    return fmt::format("allocation {} is not {}", isa::name(isa::Names::allocation, a.allocation),
                       isa::name(isa::Names::allocation, b.allocation));
  }
  if ((a.modifier ^ b.modifier) & HSA_BRIG_VARIABLE_MODIFIER_CONST) return "only one of them is const";
  return {};
}

/// Returns how two kernels, functions or signatures differ, or an empty string if they have the same formals
/// (PRM 4.3.2, 4.3.3).
std::string executable_difference(const Module& a_module, Offset a_offset, const Module& b_module,
                                  Offset b_offset) {
  const auto& a = a_module.code_as<hsa_brig_directive_executable_t>(a_offset);
  const auto& b = b_module.code_as<hsa_brig_directive_executable_t>(b_offset);
  if (a.out_arg_count != b.out_arg_count) return "they have different numbers of output arguments";
  if (a.in_arg_count != b.in_arg_count) return "they have different numbers of input arguments";
  const std::vector<Offset> a_formals = formals(a_module, a_offset);
  const std::vector<Offset> b_formals = formals(b_module, b_offset);
  for (size_t i = 0; i < std::min(a_formals.size(), b_formals.size()); ++i) {
    std::string difference = variable_difference(a_module, a_formals[i], b_module, b_formals[i], true);
    if (!difference.empty()) return fmt::format("formal argument {}: {}", i, difference);
  }
  return {};
}

std::optional<Symbol::Kind> symbol_kind(unsigned kind) {
  switch (kind) {
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return Symbol::Kind::variable;
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
      return Symbol::Kind::kernel;
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
      return Symbol::Kind::function;
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
      return Symbol::Kind::indirect_function;
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return Symbol::Kind::fbarrier;
    case HSA_BRIG_KIND_DIRECTIVE_SIGNATURE:
      return Symbol::Kind::signature;
    default:
      return std::nullopt;
  }
}

bool is_executable(Symbol::Kind kind) {
  return kind == Symbol::Kind::kernel || kind == Symbol::Kind::function ||
         kind == Symbol::Kind::indirect_function || kind == Symbol::Kind::signature;
}

/// The linkage and the definition flag of a directive that has a symbol.
struct Binding {
  hsa_brig_linkage8_t linkage;
  bool definition;
};
Binding binding(const Module& module, Offset offset, Symbol::Kind kind) {
  if (is_executable(kind)) {
    const auto& directive = module.code_as<hsa_brig_directive_executable_t>(offset);
    return {directive.linkage, (directive.modifier & HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION) != 0 ||
                                   kind == Symbol::Kind::signature};
  }
  if (kind == Symbol::Kind::fbarrier) {
    const auto& directive = module.code_as<hsa_brig_directive_fbarrier_t>(offset);
    return {directive.linkage, (directive.modifier & HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0};
  }
  const auto& directive = module.code_as<hsa_brig_directive_variable_t>(offset);
  return {directive.linkage, (directive.modifier & HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0};
}

/// Adds a module to copies of the symbols of a program, so that a module that does not fit leaves the program
/// unchanged.
class Adder {
 public:
  Adder(const std::vector<Module>& modules, const Module& module, std::vector<Symbol> symbols,
        std::unordered_map<std::string, int32_t> by_name, Diagnostics& diagnostics)
      : symbols(std::move(symbols)),
        by_linker_name(std::move(by_name)),
        modules_(modules),
        module_(module),
        index_(static_cast<uint32_t>(modules.size())),
        module_name_(module.string(module.header().name)),
        diagnostics_(diagnostics) {}

  bool run() {
    for (Offset offset = module_.code_begin(); offset < module_.code_end();) {
      const unsigned kind = module_.code_entry(offset).kind;
      if (auto symbol = symbol_kind(kind)) {
        add_module_scope(offset, *symbol);
        if (is_executable(*symbol)) {
          if (binding(module_, offset, *symbol).definition) add_code_block(offset);
          offset = module_.code_as<hsa_brig_directive_executable_t>(offset).next_module_entry;
          continue;
        }
      }
      offset = module_.next_code(offset);
    }
    return fits_;
  }

  std::vector<Symbol> symbols;
  std::unordered_map<std::string, int32_t> by_linker_name;
  std::unordered_map<Offset, int32_t> of_directive;

 private:
  void mismatch(std::string id, Offset offset, std::string message) {
    diagnostics_.error(std::move(id), Location::binary(code_section, offset),
                       fmt::format("module {}: {}", module_name_, message));
    fits_ = false;
  }

  const Module& module_at(uint32_t index) const { return index == index_ ? module_ : modules_[index]; }

  void add_module_scope(Offset offset, Symbol::Kind kind) {
    const std::string name(module_.name(offset));
    const hsa_brig_linkage8_t linkage = binding(module_, offset, kind).linkage;
    const bool program = linkage == HSA_BRIG_LINKAGE_PROGRAM;
    std::string linker_name = program ? name : fmt::format("{}::{}", module_name_, name);
    insert(offset, kind, name, std::move(linker_name), linkage);
  }

  void insert(Offset offset, Symbol::Kind kind, const std::string& name, std::string linker_name,
              hsa_brig_linkage8_t linkage) {
    const bool definition = binding(module_, offset, kind).definition;
    auto [at, fresh] = by_linker_name.emplace(linker_name, static_cast<int32_t>(symbols.size()));
    of_directive.emplace(offset, at->second);
    if (fresh) {
      symbols.push_back(
          {kind, name, std::move(linker_name), module_name_, linkage, {index_, offset}, definition});
      return;
    }
    merge(symbols[at->second], offset, kind, definition);
  }

  void merge(Symbol& symbol, Offset offset, Symbol::Kind kind, bool definition) {
    if (symbol.kind != kind) {
      mismatch("HSAIL-4.12-symbol-kind", offset,
               fmt::format("{} {} is a {} in module {}", kind_word(kind), symbol.name, kind_word(symbol.kind),
                           symbol.module_name));
      return;
    }
    if (definition && symbol.defined) {
      mismatch("HSAIL-4.12.1-multiple-definition", offset,
               fmt::format("{} is already defined in module {}", symbol.name, symbol.module_name));
      return;
    }
    const Module& other = module_at(symbol.definition.module);
    std::string difference;
    if (is_executable(kind)) {
      difference = executable_difference(module_, offset, other, symbol.definition.offset);
    } else if (kind == Symbol::Kind::variable) {
      difference = variable_difference(module_, offset, other, symbol.definition.offset, false);
    }
    if (!difference.empty()) {
      mismatch("HSAIL-4.12-symbol-mismatch", offset,
               fmt::format("{} does not match the {} in module {}: {}", symbol.name,
                           symbol.defined ? "definition" : "declaration", symbol.module_name, difference));
      return;
    }
    // Later declarations are compared with the one kept here, so one with a size replaces one without.
    const bool better = definition || (!symbol.defined && kind == Symbol::Kind::variable &&
                                       variable_size(other, symbol.definition.offset) == 0);
    if (better) {
      symbol.definition = {index_, offset};
      symbol.module_name = module_name_;
      symbol.defined = definition;
    }
  }

  /// Adds the global, readonly and group variables and the fbarriers of a code block. Their linker names
  /// include the executable, so they are never linked with others.
  void add_code_block(Offset executable) {
    const auto& directive = module_.code_as<hsa_brig_directive_executable_t>(executable);
    for (Offset offset = directive.first_code_block_entry; offset < directive.next_module_entry;
         offset = module_.next_code(offset)) {
      if (module_.is_instruction(offset))
        return;  // definitions come before the first instruction (PRM 4.3.5)
      const unsigned kind = module_.code_entry(offset).kind;
      if (kind == HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START) return;
      auto symbol = symbol_kind(kind);
      if (!symbol || is_executable(*symbol)) continue;
      if (*symbol == Symbol::Kind::variable && !has_symbol(offset)) continue;
      const std::string name(module_.name(offset));
      const std::string linker_name = fmt::format("{}::{}::{}", module_name_, module_.name(executable), name);
      insert(offset, *symbol, name, linker_name, HSA_BRIG_LINKAGE_FUNCTION);
    }
  }

  bool has_symbol(Offset variable) const {
    switch (module_.code_as<hsa_brig_directive_variable_t>(variable).segment) {
      case HSA_BRIG_SEGMENT_GLOBAL:
      case HSA_BRIG_SEGMENT_READONLY:
      case HSA_BRIG_SEGMENT_GROUP:
        return true;
      default:
        return false;
    }
  }

  const std::vector<Module>& modules_;
  const Module& module_;
  uint32_t index_;
  std::string module_name_;
  Diagnostics& diagnostics_;
  bool fits_ = true;
};

std::string_view rounding_name(unsigned round) {
  return round == HSA_BRIG_ROUND_FLOAT_ZERO ? "zero" : "near";
}

/// Checks that a module has the default rounding of the program. It should (Runtime 3.2.1.13), but clients
/// often create programs without choosing a mode, so that any other module is accepted with a warning unless
/// the program is strict.
bool rounding_fits(const Program::Options& options, const Module& module, Diagnostics& diagnostics) {
  const auto of_module = module.header().default_float_round;
  if (of_module == HSA_BRIG_ROUND_FLOAT_DEFAULT || options.default_rounding == HSA_BRIG_ROUND_FLOAT_DEFAULT ||
      of_module == options.default_rounding)
    return true;
  constexpr const char* id = "HSAIL-4.2.1-default-rounding";
  const Location at = Location::binary(code_section, module.code_begin());
  const std::string difference =
      fmt::format("module {} has default rounding ${}, the program ${}", module.string(module.header().name),
                  rounding_name(of_module), rounding_name(options.default_rounding));
  if (options.strict_rounding)
    diagnostics.error(id, at, difference);
  else
    diagnostics.warning(id, at, difference + "; the operations of the module round as the module says");
  return !options.strict_rounding;
}

/// Checks that a module has the machine model and profile of the program (PRM 4.2.1). brig::Module::open()
/// has checked the version of HSAIL.
bool compatible(const Program::Options& options, const Module& module, Diagnostics& diagnostics) {
  const auto& header = module.header();
  const std::string_view name = module.string(header.name);
  const auto refuse = [&](const char* id, std::string message) {
    diagnostics.error(id, Location::binary(code_section, module.code_begin()), std::move(message));
    return false;
  };
  if (header.machine_model != options.machine_model) {
    return refuse("HSAIL-4.2.1-machine-model",
                  fmt::format("module {} has machine model ${}, the program ${}", name,
                              isa::name(isa::Names::machine_model, header.machine_model),
                              isa::name(isa::Names::machine_model, options.machine_model)));
  }
  if (header.profile != options.profile) {
    return refuse("HSAIL-4.2.1-profile", fmt::format("module {} has profile ${}, the program ${}", name,
                                                     isa::name(isa::Names::profile, header.profile),
                                                     isa::name(isa::Names::profile, options.profile)));
  }
  return rounding_fits(options, module, diagnostics);
}

}  // namespace

std::vector<Offset> formals(const Module& module, Offset executable) {
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable);
  const size_t count = size_t{directive.out_arg_count} + directive.in_arg_count;
  std::vector<Offset> result;
  result.reserve(count);
  for (Offset offset = module.next_code(executable); result.size() < count && offset < module.code_end();
       offset = module.next_code(offset)) {
    if (module.code_entry(offset).kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE) result.push_back(offset);
  }
  return result;
}

Program::AddResult Program::add(Module module, Diagnostics& diagnostics) {
  if (!module) return AddResult::invalid_module;
  if (!compatible(options_, module, diagnostics)) return AddResult::incompatible_module;
  const std::string_view name = module.string(module.header().name);
  for (const Module& other : modules_) {
    if (other.string(other.header().name) != name) continue;
    const bool same = other.bytes().size() == module.bytes().size() &&
                      std::memcmp(other.bytes().data(), module.bytes().data(), module.bytes().size()) == 0;
    diagnostics.error("HSAIL-4.2.1-module-name", Location::binary(code_section, module.code_begin()),
                      fmt::format("the program already has a module {}", name));
    return same ? AddResult::already_included : AddResult::symbol_mismatch;
  }
  Adder adder(modules_, module, symbols_, by_linker_name_, diagnostics);
  if (!adder.run()) return AddResult::symbol_mismatch;
  // After these reservations nothing below can throw, so the members stay consistent with each other.
  reserve_one_more(symbol_of_directive_);
  reserve_one_more(modules_);
  symbols_ = std::move(adder.symbols);
  by_linker_name_ = std::move(adder.by_linker_name);
  symbol_of_directive_.push_back(std::move(adder.of_directive));
  modules_.push_back(std::move(module));
  return AddResult::ok;
}

hsa_brig_round_t Program::default_rounding(const Module& module) const {
  const unsigned of_module = module.header().default_float_round;
  const bool names_one =
      of_module == HSA_BRIG_ROUND_FLOAT_ZERO || of_module == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  const unsigned round = names_one ? of_module : unsigned{options_.default_rounding};
  return round == HSA_BRIG_ROUND_FLOAT_ZERO ? HSA_BRIG_ROUND_FLOAT_ZERO : HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
}

int32_t Program::symbol_of(Reference directive) const {
  if (directive.module >= symbol_of_directive_.size()) return -1;
  const auto& map = symbol_of_directive_[directive.module];
  const auto at = map.find(directive.offset);
  return at == map.end() ? -1 : at->second;
}

int32_t Program::find(std::string_view linker_name) const {
  const auto at = by_linker_name_.find(std::string(linker_name));
  return at == by_linker_name_.end() ? -1 : at->second;
}

Reference Program::definition_of(Reference directive) const {
  const int32_t symbol = symbol_of(directive);
  return symbol < 0 ? directive : symbols_[symbol].definition;
}

}  // namespace heddle::link
