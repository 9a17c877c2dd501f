// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/program_debug.h"

#include <filesystem>

#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::finalizer {
namespace {

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

std::string_view without_sigil(std::string_view name) {
  return !name.empty() && (name[0] == '&' || name[0] == '%' || name[0] == '$') ? name.substr(1) : name;
}

/// Returns the folder that relative names in loc directives refer to: the current one, as for other
/// compilers. It is empty when only lines are described, so that such code objects do not depend on the
/// folder.
std::string folder(bool variables) {
  std::error_code ignored;
  return variables ? std::filesystem::current_path(ignored).string() : std::string();
}

}  // namespace

llvm::StringRef ProgramDebug::name(const brig::Module& module, brig::Offset directive) {
  return ref(without_sigil(module.name(directive)));
}

ProgramDebug::ProgramDebug(const link::Program& program, llvm::Module& module, bool variables,
                           Diagnostics& diagnostics)
    : program_(program),
      variables_(variables),
      module_(module),
      diagnostics_(diagnostics),
      builder_(module),
      lines_(program.modules().size()),
      sources_(program.modules().size()) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 5);
  const std::string_view first = program.modules().empty()
                                     ? "hsail"
                                     : program.modules()[0].name(program.modules()[0].module_directive());
  const auto kind = variables ? llvm::DICompileUnit::FullDebug : llvm::DICompileUnit::LineTablesOnly;
  // DWARF has no number for HSAIL. C makes debuggers accept expressions in C.
  unit_ = builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C99),
                                     file(without_sigil(first)), "heddle", !variables, "", 0, "", kind, 0,
                                     true, false, llvm::DICompileUnit::DebugNameTableKind::None);
  types_.emplace(builder_, unit_);
}

SourceDebug* ProgramDebug::source(uint32_t module) {
  if (!variables_) return nullptr;
  if (!sources_[module])
    sources_[module] =
        std::make_unique<SourceDebug>(program_, module, module_, folder(variables_), diagnostics_);
  return sources_[module]->empty() ? nullptr : sources_[module].get();
}

const print::SourceLines& ProgramDebug::lines(uint32_t module) {
  if (!lines_[module]) lines_[module] = std::make_unique<print::SourceLines>(program_.modules()[module]);
  return *lines_[module];
}

llvm::DIFile* ProgramDebug::file(std::string_view name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  return files_[std::string(name)] = builder_.createFile(ref(name), folder(variables_));
}

void ProgramDebug::describe(llvm::Function& function, link::Reference executable) {
  if (SourceDebug* from = source(executable.module)) {
    if (auto* subprogram = from->subprogram(executable.offset)) return function.setSubprogram(subprogram);
  }
  const brig::Module& module = program_.modules()[executable.module];
  auto at = lines(executable.module).at(executable.offset);
  // The first loc directive may be inside the code block.
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable.offset);
  if (at.line == 0 && directive.first_code_block_entry < directive.next_module_entry)
    at = lines(executable.module).at(directive.next_module_entry - 1);
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit;
  if (!variables_) flags |= llvm::DISubprogram::SPFlagOptimized;
  auto* where = file(at.file);
  function.setSubprogram(builder_.createFunction(where, name(module, executable.offset), "", where, at.line,
                                                 type, at.line, llvm::DINode::FlagPrototyped, flags));
}

void ProgramDebug::describe_variable(link::Reference variable, Described& described) {
  const brig::Module& module = program_.modules()[variable.module];
  if (module.code_kind(variable.offset) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) return;
  const unsigned segment = module.code_as<hsa_brig_directive_variable_t>(variable.offset).segment;
  if (segment != HSA_BRIG_SEGMENT_GLOBAL && segment != HSA_BRIG_SEGMENT_READONLY) return;
  const int32_t symbol = program_.symbol_of(variable);
  if (symbol < 0 || program_.definition_of(variable) != variable) return;
  const auto place = lines(variable.module).at(variable.offset);
  described.emplace_back(symbol,
                         builder_.createGlobalVariableExpression(
                             unit_, name(module, variable.offset), "", file(place.file), place.line,
                             types_->variable(module, variable.offset), /*IsLocalToUnit=*/true,
                             /*isDefined=*/true, builder_.createExpression({llvm::dwarf::DW_OP_deref})));
}

ProgramDebug::Described ProgramDebug::describe_module_variables() {
  Described described;
  if (!variables_) return described;
  for (uint32_t m = 0; m < program_.modules().size(); ++m) {
    program_.modules()[m].for_each_in_module_scope(
        [&](brig::Offset at) { describe_variable({m, at}, described); });
    if (SourceDebug* from = source(m))
      for (const auto& global : from->describe_globals())
        if (global.symbol >= 0) described.emplace_back(global.symbol, global.description);
  }
  return described;
}

void ProgramDebug::finish() {
  builder_.finalize();
  for (const auto& source : sources_)
    if (source) source->finish();
}

}  // namespace heddle::finalizer
