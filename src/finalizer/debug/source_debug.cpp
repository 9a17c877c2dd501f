// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/source_debug.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::finalizer {
namespace {

namespace dwarf = llvm::dwarf;
using debug::DebugEntity;
using debug::DebugField;
using debug::DebugReference;
using debug::DebugTag;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// Converts a language name (PRM 13.4.2.2.3.2) to DWARF's number. Names that are not in the table become C,
/// because gdb needs to know some language.
unsigned language(std::string_view name) {
  struct Language {
    std::string_view name;
    unsigned number;
  };
  static constexpr Language languages[] = {{"Ada83", dwarf::DW_LANG_Ada83},
                                           {"Ada95", dwarf::DW_LANG_Ada95},
                                           {"C", dwarf::DW_LANG_C},
                                           {"C89", dwarf::DW_LANG_C89},
                                           {"C99", dwarf::DW_LANG_C99},
                                           {"C++", dwarf::DW_LANG_C_plus_plus},
                                           {"Cobol74", dwarf::DW_LANG_Cobol74},
                                           {"Cobol85", dwarf::DW_LANG_Cobol85},
                                           {"Fortran77", dwarf::DW_LANG_Fortran77},
                                           {"Fortran90", dwarf::DW_LANG_Fortran90},
                                           {"Fortran95", dwarf::DW_LANG_Fortran95},
                                           {"Pascal83", dwarf::DW_LANG_Pascal83},
                                           {"Modula2", dwarf::DW_LANG_Modula2},
                                           {"Java", dwarf::DW_LANG_Java},
                                           {"PLI", dwarf::DW_LANG_PLI},
                                           {"ObjC", dwarf::DW_LANG_ObjC},
                                           {"ObjC++", dwarf::DW_LANG_ObjC_plus_plus},
                                           {"UPC", dwarf::DW_LANG_UPC},
                                           {"D", dwarf::DW_LANG_D},
                                           {"Python", dwarf::DW_LANG_Python}};
  for (const Language& known : languages)
    if (known.name == name) return known.number;
  return dwarf::DW_LANG_C99;
}

}  // namespace

SourceDebug::SourceDebug(const link::Program& program, uint32_t module, llvm::Module& to,
                         llvm::StringRef folder, Diagnostics& diagnostics)
    : program_(program),
      number_(module),
      module_(program.modules()[module]),
      diagnostics_(diagnostics),
      folder_(folder),
      graph_(module_, diagnostics),
      builder_(std::make_unique<llvm::DIBuilder>(to)) {
  if (graph_.empty()) return;
  create_unit();
  types_ = std::make_unique<SourceTypes>(
      *builder_, graph_, [this](uint64_t location) { return place(location).file; },
      [this](uint64_t entity) -> llvm::DIScope* {
        auto* found = scope(entity);
        return llvm::isa<llvm::DINamespace>(found) ? found : nullptr;
      });
}

void SourceDebug::warn(std::string_view id, brig::Offset at, std::string message) {
  if (warnings_++ >= most_warnings) return;
  diagnostics_.warning("HSAIL-13.4.2.2-" + std::string(id), Location::binary("hsa_code", at),
                       std::move(message));
}

/// Makes one unit for all that the module describes, from its first CompileUnit. A CompileUnit has no file of
/// its own: the unit takes the file that is its scope, or else the first file of the module.
void SourceDebug::create_unit() {
  uint64_t described = 0, first_file = 0;
  for (const auto& [number, entity] : graph_.entities()) {
    if (entity.tag == DebugTag::compile_unit && described == 0) described = number;
    if (entity.tag == DebugTag::file && first_file == 0) first_file = number;
  }
  const DebugEntity* unit = graph_.find(described);
  if (unit) {
    const uint64_t in = unit->number(DebugField::scope);
    if (const DebugEntity* scope = graph_.find(in); scope && scope->tag == DebugTag::file) first_file = in;
  }
  unit_file_ = first_file != 0 ? file(first_file) : builder_->createFile("source", folder_);
  unit_ = builder_->createCompileUnit(
      llvm::DISourceLanguageName(
          static_cast<uint16_t>(language(unit ? unit->text(DebugField::language) : ""))),
      unit_file_, unit ? ref(unit->text(DebugField::producer)) : "heddle", false,
      unit ? ref(unit->text(DebugField::flags)) : "", 0, "", llvm::DICompileUnit::FullDebug, 0, true, false,
      llvm::DICompileUnit::DebugNameTableKind::None);
}

/// Builds paths exactly as debug::SourcePlaces does for lines, so that both name the same file.
llvm::DIFile* SourceDebug::file(uint64_t number) {
  const DebugEntity* entity = graph_.find(number);
  if (!entity || entity->tag != DebugTag::file) return unit_file_;
  llvm::DIFile*& known = files_[number];
  if (!known) {
    const auto folder = entity->text(DebugField::folder);
    std::string path(entity->text(DebugField::name));
    if (!folder.empty() && !path.starts_with('/'))
      path = std::string(folder) + (folder.ends_with('/') ? "" : "/") + path;
    known = builder_->createFile(path, folder_);
  }
  return known;
}

SourceDebug::Place SourceDebug::place(uint64_t location) {
  const DebugEntity* entity = graph_.find(location);
  if (!entity || entity->tag != DebugTag::location) return {unit_file_, 0, 0};
  const auto small = [](uint64_t number, uint64_t limit) {
    return static_cast<unsigned>(number <= limit ? number : 0);
  };
  return {file(entity->number(DebugField::file)), small(entity->number(DebugField::line), UINT32_MAX),
          small(entity->number(DebugField::column), UINT16_MAX)};
}

/// Returns the namespace with this number, or the unit for anything else. Scopes nest at most
/// DebugGraph::most_depth deep, which bounds the recursion.
llvm::DIScope* SourceDebug::scope(uint64_t number) {
  const DebugEntity* entity = graph_.find(number);
  if (!entity) return unit_;
  const auto known = scopes_.find(number);
  if (known != scopes_.end()) return known->second;
  llvm::DIScope* found = nullptr;
  if (entity->tag == DebugTag::name_space)
    found = builder_->createNameSpace(scope(entity->number(DebugField::scope)),
                                      ref(entity->text(DebugField::name)), false);
  else
    found = unit_;
  return scopes_[number] = found;
}

llvm::DISubprogram* SourceDebug::subprogram(brig::Offset executable) {
  const DebugEntity* entity = graph_.find(graph_.subprogram_of(executable));
  return entity ? describe(*entity) : nullptr;
}

llvm::DISubprogram* SourceDebug::inlined_subprogram(uint64_t number) {
  llvm::DISubprogram*& known = inlined_[number];
  if (!known) known = describe(*graph_.find(number));
  return known;
}

llvm::DISubprogram* SourceDebug::describe(const DebugEntity& subprogram) {
  const Place at = place(subprogram.number(DebugField::location));
  return builder_->createFunction(
      scope(subprogram.number(DebugField::scope)), ref(subprogram.text(DebugField::name)), "", at.file,
      at.line, types_->subroutine(subprogram.number(DebugField::type)), at.line, llvm::DINode::FlagPrototyped,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit);
}

bool SourceDebug::append_steps(const debug::DebugExpression& expression,
                               llvm::SmallVectorImpl<uint64_t>& to) const {
  for (const auto& step : expression.steps) {
    if (!step.load) {
      to.append({dwarf::DW_OP_plus_uconst, step.plus});
      continue;
    }
    if (*step.load == HSA_BRIG_SEGMENT_GROUP || *step.load == HSA_BRIG_SEGMENT_PRIVATE) return false;
    const unsigned bits = isa::address_bits(*step.load, program_.options().machine_model);
    if (bits == 64)
      to.push_back(dwarf::DW_OP_deref);
    else
      to.append({dwarf::DW_OP_deref_size, bits / 8});
  }
  return true;
}

bool SourceDebug::append_piece(const debug::DebugExpression& expression, std::optional<uint64_t> bits,
                               llvm::SmallVectorImpl<uint64_t>& to) {
  const auto& piece = expression.piece;
  if (piece.size == 0) return true;
  if (!bits || piece.offset > *bits || piece.size > *bits - piece.offset) return false;
  if (piece.size != *bits) to.append({dwarf::DW_OP_LLVM_fragment, piece.offset, piece.size});
  return true;
}

bool SourceDebug::is_in_functions(const DebugReference& reference) const {
  if (reference.kind != DebugReference::Kind::global_addr) return false;
  const unsigned segment = module_.code_as<hsa_brig_directive_variable_t>(reference.target).segment;
  return segment == HSA_BRIG_SEGMENT_GROUP || segment == HSA_BRIG_SEGMENT_PRIVATE;
}

std::vector<SourceDebug::Global> SourceDebug::describe_globals() {
  struct Variable {
    llvm::DIGlobalVariable* description = nullptr;
    std::vector<debug::DebugExpression::Piece> pieces;
  };
  std::map<uint64_t, Variable> variables;
  std::vector<Global> all;
  for (const DebugReference& reference : graph_.references()) {
    if (!reference.is_global() || is_in_functions(reference)) continue;
    Global global;
    llvm::SmallVector<uint64_t, 8> expression;
    if (reference.kind == DebugReference::Kind::global_addr) {
      global.symbol = program_.symbol_of({number_, reference.target});
      if (global.symbol < 0) continue;
      expression.push_back(dwarf::DW_OP_deref);
      if (!append_steps(reference.expression, expression)) {
        warn("expression", reference.at,
             "the address of a global variable of the source is not followed through "
             "the group or private segment");
        continue;
      }
    } else {
      expression.append({dwarf::DW_OP_constu, *reference.expression.constant, dwarf::DW_OP_stack_value});
    }
    const DebugEntity& entity = *graph_.find(reference.entity);
    llvm::DIType* of = type(entity.number(DebugField::type));
    if (!of) continue;
    Variable& variable = variables[reference.entity];
    const auto& piece = reference.expression.piece;
    const bool apart = std::all_of(variable.pieces.begin(), variable.pieces.end(), [&](const auto& other) {
      return piece.size != 0 && other.size != 0 &&
             (piece.offset >= other.offset + other.size || other.offset >= piece.offset + piece.size);
    });
    if (!variable.description) {
      const Place at = place(entity.number(DebugField::location));
      auto* made = builder_->createGlobalVariableExpression(scope(entity.number(DebugField::scope)),
                                                            ref(entity.text(DebugField::name)), "", at.file,
                                                            at.line, of,
                                                            /*IsLocalToUnit=*/true, /*isDefined=*/true);
      variable.description = made->getVariable();
    }
    if (!apart || !append_piece(reference.expression, variable.description->getSizeInBits(), expression)) {
      warn("piece", reference.at,
           "debug reference ignored: its piece of the variable has one already, or is "
           "outside");
      continue;
    }
    variable.pieces.push_back(piece);
    global.description = llvm::DIGlobalVariableExpression::get(unit_->getContext(), variable.description,
                                                               builder_->createExpression(expression));
    globals_.push_back(global.description);
    all.push_back(global);
  }
  return all;
}

void SourceDebug::finish() {
  if (!unit_) return;
  builder_->finalize();
  unit_->replaceGlobalVariables(llvm::MDTuple::get(unit_->getContext(), globals_));
}

}  // namespace heddle::finalizer
