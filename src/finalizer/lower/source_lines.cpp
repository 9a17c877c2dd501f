// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/source_lines.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::finalizer {
namespace {

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

SourceLines::SourceLines(const link::Program& program, llvm::Module& module)
    : program_(program), module_(module) {
  bool any = false;
  for (const brig::Module& source : program.modules()) {
    std::vector<brig::Offset>& locs = locs_.emplace_back();
    for (brig::Offset at = source.code_begin(); at < source.code_end(); at = source.next_code(at)) {
      if (source.code_entry(at).kind == HSA_BRIG_KIND_DIRECTIVE_LOC) locs.push_back(at);
    }
    any = any || !locs.empty();
  }
  if (!any) return;
  builder_ = std::make_unique<llvm::DIBuilder>(module);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
  // DWARF has no number for HSAIL; assembly is the nearest.
  unit_ = builder_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Mips_Assembler),
                                      file("hsail"), "heddle", /*isOptimized=*/true, "", 0, "",
                                      llvm::DICompileUnit::LineTablesOnly);
}

llvm::DIFile* SourceLines::file(std::string_view name) { return builder_->createFile(ref(name), ""); }

brig::Offset SourceLines::last_before(link::Reference entry) const {
  const std::vector<brig::Offset>& locs = locs_[entry.module];
  const auto next = std::lower_bound(locs.begin(), locs.end(), entry.offset);
  return next == locs.begin() ? 0 : *(next - 1);
}

llvm::DISubprogram* SourceLines::describe(llvm::Function& function, link::Reference executable) {
  if (!builder_) return nullptr;
  const brig::Module& module = program_.modules()[executable.module];
  const brig::Offset loc = last_before(executable);
  llvm::DIFile* where = unit_->getFile();
  uint32_t line = 0;
  if (loc != 0) {
    const auto& directive = module.code_as<hsa_brig_directive_loc_t>(loc);
    where = file(module.string(directive.filename));
    line = directive.line;
  }
  auto* type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
  auto* subprogram = builder_->createFunction(
      where, ref(module.name(executable.offset)), function.getName(), where, line, type, line,
      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(subprogram);
  return subprogram;
}

llvm::DILocation* SourceLines::location(llvm::DISubprogram& scope, const brig::Module& module,
                                        brig::Offset loc) {
  if (loc == 0) return llvm::DILocation::get(module_.getContext(), 0, 0, &scope);
  const auto& directive = module.code_as<hsa_brig_directive_loc_t>(loc);
  llvm::DIFile* where = file(module.string(directive.filename));
  llvm::DILocalScope* inner = &scope;
  if (where != scope.getFile()) inner = builder_->createLexicalBlockFile(&scope, where);
  const unsigned column = std::min<uint32_t>(directive.column, UINT16_MAX);
  return llvm::DILocation::get(module_.getContext(), directive.line, column, inner);
}

void SourceLines::finish() {
  if (builder_) builder_->finalize();
}

}  // namespace heddle::finalizer
