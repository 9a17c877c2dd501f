// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/debug_info.h"

#include <algorithm>
#include <filesystem>

#include <llvm/BinaryFormat/Dwarf.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"

namespace heddle::finalizer {
namespace {

namespace dwarf = llvm::dwarf;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

std::string_view without_sigil(std::string_view name) {
  return !name.empty() && (name[0] == '&' || name[0] == '%' || name[0] == '$') ? name.substr(1) : name;
}

/// Relative names in loc directives count from where the finalizer runs, as those of other compilers do. Not
/// said with lines alone: code objects without variables do not depend on the folder.
std::string folder(DebugLevel level) {
  std::error_code ignored;
  return level == DebugLevel::full ? std::filesystem::current_path(ignored).string() : std::string();
}

}  // namespace

DebugInfo::DebugInfo(const link::Program& program, llvm::Module& module, DebugLevel level,
                     Diagnostics& diagnostics)
    : program_(program),
      level_(level),
      module_(module),
      diagnostics_(diagnostics),
      builder_(module),
      lines_(program.modules().size()),
      sources_(program.modules().size()) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 5);
  const std::string_view name = program.modules().empty()
                                    ? "hsail"
                                    : program.modules()[0].name(program.modules()[0].module_directive());
  const auto kind =
      level == DebugLevel::full ? llvm::DICompileUnit::FullDebug : llvm::DICompileUnit::LineTablesOnly;
  // DWARF has no number for HSAIL. C is what debuggers then read expressions in.
  unit_ = builder_.createCompileUnit(llvm::DISourceLanguageName(dwarf::DW_LANG_C99),
                                     file(without_sigil(name)), "heddle", level != DebugLevel::full, "", 0,
                                     "", kind, 0, true, false, llvm::DICompileUnit::DebugNameTableKind::None);
}

/// Null if the debug pragmas of the module say nothing but lines.
SourceDebug* DebugInfo::source(uint32_t module) {
  if (level_ != DebugLevel::full) return nullptr;
  if (!sources_[module])
    sources_[module] = std::make_unique<SourceDebug>(program_, module, module_, folder(level_), diagnostics_);
  return sources_[module]->empty() ? nullptr : sources_[module].get();
}

const print::SourceLines& DebugInfo::lines(uint32_t module) {
  if (!lines_[module]) lines_[module] = std::make_unique<print::SourceLines>(program_.modules()[module]);
  return *lines_[module];
}

llvm::DIFile* DebugInfo::file(std::string_view name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  return files_[std::string(name)] = builder_.createFile(ref(name), folder(level_));
}

void DebugInfo::describe(llvm::Function& function, link::Reference executable) {
  if (SourceDebug* from = source(executable.module)) {
    if (auto* subprogram = from->subprogram(executable.offset)) return function.setSubprogram(subprogram);
  }
  const brig::Module& module = program_.modules()[executable.module];
  auto at = lines(executable.module).at(executable.offset);
  // A loc may first stand inside.
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable.offset);
  if (at.line == 0 && directive.first_code_block_entry < directive.next_module_entry)
    at = lines(executable.module).at(directive.next_module_entry - 1);
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  const auto name = without_sigil(module.name(executable.offset));
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit;
  if (level_ != DebugLevel::full) flags |= llvm::DISubprogram::SPFlagOptimized;
  auto* where = file(at.file);
  function.setSubprogram(builder_.createFunction(where, ref(name), "", where, at.line, type, at.line,
                                                 llvm::DINode::FlagPrototyped, flags));
}

llvm::DILocalScope* DebugInfo::scope_in(const llvm::Function& function) const {
  if (block_) return block_;
  return function.getSubprogram();
}

llvm::DILocalScope* DebugInfo::scope_at(const llvm::Function& function, brig::Offset entry) const {
  if (block_ || !scopes_) return scope_in(function);
  return scopes_->at(entry);
}

void DebugInfo::begin_function(const llvm::Function& function, link::Reference executable) {
  SourceDebug* from = source(executable.module);
  scopes_ =
      from ? std::make_unique<SourceScopes>(*from, function.getSubprogram(), executable.offset) : nullptr;
}

void DebugInfo::begin_block(const llvm::Function& function, link::Reference start) {
  if (level_ != DebugLevel::full) return;
  llvm::DILexicalBlock*& known = blocks_[{&function, start.module, start.offset}];
  if (!known) {
    const auto at = lines(start.module).at(start.offset);
    known = builder_.createLexicalBlock(scope_at(function, start.offset), file(at.file), at.line, 0);
  }
  block_ = known;
}

void DebugInfo::locate(llvm::IRBuilder<>& ir, link::Reference entry) {
  const auto at = lines(entry.module).at(entry.offset);
  llvm::DILocalScope* scope = scope_at(*ir.GetInsertBlock()->getParent(), entry.offset);
  if (at.line != 0 && scope->getFilename() != ref(at.file))
    scope = builder_.createLexicalBlockFile(scope, file(at.file));
  ir.SetCurrentDebugLocation(
      llvm::DILocation::get(ir.getContext(), at.line, std::min<uint32_t>(at.column, UINT16_MAX), scope));
}

// ---- types

llvm::DIType* DebugInfo::basic_type(std::string_view name, unsigned bits, unsigned encoding) {
  const auto known = basic_types_.find(name);
  if (known != basic_types_.end()) return known->second;
  return basic_types_[std::string(name)] = builder_.createBasicType(ref(name), bits, encoding);
}

/// Types that C has no like of are shown as their bits, in words.
llvm::DIType* DebugInfo::hsail_type(isa::Type type) {
  const std::string name(isa::name(isa::Names::type, type));
  const unsigned bits = isa::bit_size(type);
  if (bits == 128 || isa::is_packed(type)) {
    const isa::Type element = isa::is_packed(type) ? isa::base_type(type) : isa::Type{HSA_BRIG_TYPE_B64};
    auto* range = builder_.getOrCreateSubrange(0, static_cast<int64_t>(bits / isa::bit_size(element)));
    return builder_.createArrayType(bits, 0, hsail_type(element), builder_.getOrCreateArray({range}));
  }
  if (isa::is_float(type)) return basic_type(name, bits, dwarf::DW_ATE_float);
  if (bits == 1) return basic_type(name, 8, dwarf::DW_ATE_boolean);
  return basic_type(name, bits, isa::is_signed(type) ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
}

llvm::DIType* DebugInfo::variable_type(const brig::Module& module, brig::Offset variable) {
  const auto& directive = module.code_as<hsa_brig_directive_variable_t>(variable);
  if (!isa::is_array(directive.type)) return hsail_type(directive.type);
  auto* element = hsail_type(isa::array_element(directive.type));
  const uint64_t count = brig::u64(directive.dim);
  auto* range = builder_.getOrCreateSubrange(0, static_cast<int64_t>(count));
  return builder_.createArrayType(count * element->getSizeInBits(), 0, element,
                                  builder_.getOrCreateArray({range}));
}

/// A register has no type: a union shows it as what instructions may take it for.
llvm::DIType* DebugInfo::register_type(unsigned kind) {
  if (register_types_[kind]) return register_types_[kind];
  struct View {
    const char* name;
    isa::Type type;
  };
  static constexpr View single[] = {
      {"u32", HSA_BRIG_TYPE_U32}, {"s32", HSA_BRIG_TYPE_S32}, {"f32", HSA_BRIG_TYPE_F32}};
  static constexpr View twice[] = {
      {"u64", HSA_BRIG_TYPE_U64}, {"s64", HSA_BRIG_TYPE_S64}, {"f64", HSA_BRIG_TYPE_F64}};
  static constexpr View quad[] = {
      {"u64x2", HSA_BRIG_TYPE_U64X2}, {"u32x4", HSA_BRIG_TYPE_U32X4}, {"f32x4", HSA_BRIG_TYPE_F32X4}};
  const llvm::ArrayRef<View> all[] = {{}, single, twice, quad};
  if (kind == 0) return register_types_[0] = hsail_type(HSA_BRIG_TYPE_B1);
  static constexpr const char* names[] = {"c", "s", "d", "q"};
  const unsigned bits = isa::register_bits(kind);
  auto* type = builder_.createUnionType(unit_, names[kind], nullptr, 0, bits, 0, llvm::DINode::FlagZero, {});
  llvm::SmallVector<llvm::Metadata*, 3> members;
  for (const View& view : all[kind])
    members.push_back(builder_.createMemberType(type, view.name, nullptr, 0, bits, 0, 0,
                                                llvm::DINode::FlagZero, hsail_type(view.type)));
  builder_.replaceArrays(type, builder_.getOrCreateArray(members));
  return register_types_[kind] = type;
}

llvm::DIType* DebugInfo::id_type() {
  if (id_type_) return id_type_;
  auto* type =
      builder_.createStructType(unit_, "id", nullptr, 0, 96, 32, llvm::DINode::FlagZero, nullptr, {});
  llvm::SmallVector<llvm::Metadata*, 3> members;
  for (unsigned d = 0; d < 3; ++d)
    members.push_back(builder_.createMemberType(type, llvm::StringRef("xyz").substr(d, 1), nullptr, 0, 32, 32,
                                                32 * d, llvm::DINode::FlagZero,
                                                hsail_type(HSA_BRIG_TYPE_U32)));
  builder_.replaceArrays(type, builder_.getOrCreateArray(members));
  return id_type_ = type;
}

// ---- variables

void DebugInfo::declare(llvm::Value* storage, llvm::DILocalVariable* variable,
                        llvm::ArrayRef<uint64_t> expression, llvm::BasicBlock* block) {
  auto* where = llvm::DILocation::get(block->getContext(), 0, 0, variable->getScope());
  builder_.insertDeclare(storage, variable, builder_.createExpression(expression), where, block);
}

void DebugInfo::declare_register(llvm::AllocaInst* storage, brig::Register reg, llvm::BasicBlock* block) {
  if (level_ != DebugLevel::full || hidden(storage->getName())) return;
  auto* scope = block->getParent()->getSubprogram();
  declare(storage,
          builder_.createAutoVariable(scope, storage->getName(), scope->getFile(), 0, register_type(reg.kind),
                                      true),
          {}, block);
}

void DebugInfo::declare_id(llvm::AllocaInst* storage, llvm::StringRef name, llvm::BasicBlock* block) {
  if (hidden(name)) return;
  auto* scope = block->getParent()->getSubprogram();
  declare(storage, builder_.createAutoVariable(scope, name, scope->getFile(), 0, id_type(), true), {}, block);
}

void DebugInfo::declare_variable(const Home& home, link::Reference variable, unsigned argument,
                                 llvm::BasicBlock* block) {
  const brig::Module& module = program_.modules()[variable.module];
  auto* scope = scope_in(*block->getParent());
  const auto name = ref(without_sigil(module.name(variable.offset)));
  if (name.empty() || hidden(name)) return;
  auto* type = variable_type(module, variable.offset);
  const uint32_t line = lines(variable.module).at(variable.offset).line;
  auto* described =
      argument != 0 && !(scopes_ && scopes_->has_arguments())
          ? builder_.createParameterVariable(scope, name, argument, scope->getFile(), line, type, true)
          : builder_.createAutoVariable(scope, name, scope->getFile(), line, type, true);
  if (home.offset)
    declare(home.storage, described, {dwarf::DW_OP_deref, dwarf::DW_OP_plus_uconst, *home.offset}, block);
  else
    declare(home.storage, described, {}, block);
}

std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> DebugInfo::describe_module_variables() {
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> described;
  if (level_ != DebugLevel::full) return described;
  for (uint32_t m = 0; m < program_.modules().size(); ++m) {
    const brig::Module& module = program_.modules()[m];
    module.for_each_in_module_scope([&](brig::Offset at) {
      if (module.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) return;
      const unsigned segment = module.code_as<hsa_brig_directive_variable_t>(at).segment;
      if (segment != HSA_BRIG_SEGMENT_GLOBAL && segment != HSA_BRIG_SEGMENT_READONLY) return;
      const int32_t symbol = program_.symbol_of({m, at});
      if (symbol < 0 || program_.definition_of({m, at}) != link::Reference{m, at}) return;
      const auto place = lines(m).at(at);
      auto* expression = builder_.createExpression({dwarf::DW_OP_deref});
      described.emplace_back(symbol, builder_.createGlobalVariableExpression(
                                         unit_, ref(without_sigil(module.name(at))), "", file(place.file),
                                         place.line, variable_type(module, at), /*IsLocalToUnit=*/true,
                                         /*isDefined=*/true, expression));
    });
    if (SourceDebug* from = source(m))
      for (const auto& global : from->describe_globals())
        if (global.symbol >= 0) described.emplace_back(global.symbol, global.description);
  }
  return described;
}

void DebugInfo::finish() {
  builder_.finalize();
  for (const auto& source : sources_)
    if (source) source->finish();
}

}  // namespace heddle::finalizer
