// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/debug/entities.h"

#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::compiler {

std::string string_literal(llvm::StringRef text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') literal += '\\';
    if (byte >= 0x20 && byte != 0x7f)
      literal += c;
    else
      literal += fmt::format("\\{:03o}", byte);
  }
  return literal + '"';
}

uint64_t SourceEntities::number_of(const llvm::Metadata* node) {
  if (node == nullptr) return 0;
  const auto [known, is_new] = numbers_.try_emplace(node, last_ + 1);
  if (is_new) pending_.emplace_back(++last_, node);
  return known->second;
}

void SourceEntities::add(uint64_t number, std::string_view operands) {
  fmt::format_to(std::back_inserter(text_), "pragma \"hsa.tools.debug.src\", {}, {};\n", number, operands);
}

void SourceEntities::add_reference(std::string_view operands) {
  fmt::format_to(std::back_inserter(references_), "pragma \"hsa.tools.debug.ref\", {};\n", operands);
}

std::string SourceEntities::text() {
  while (!pending_.empty() || !pending_variables_.empty()) {
    const auto nodes = std::exchange(pending_, {});
    for (const auto& [number, node] : nodes) describe(number, *node);
    const auto variables = std::exchange(pending_variables_, {});
    for (const auto& [number, variable] : variables) describe_variable(number, variable);
  }
  return text_.empty() ? text_ : "pragma \"hsa.tools.debug.version\", 1, 2;\n" + text_;
}

// ---- expressions

uint64_t SourceEntities::expression(const std::string& operands, uint64_t next) {
  const auto [known, is_new] = expressions_.try_emplace(fmt::format("{}, {}", next, operands), last_ + 1);
  if (is_new) {
    fmt::format_to(std::back_inserter(text_), "pragma \"hsa.tools.debug.expr\", {}, {}, {};\n", ++last_, next,
                   operands);
  }
  return known->second;
}

uint64_t SourceEntities::piece(const Piece& piece) {
  return piece.size == 0 ? 0 : expression(fmt::format("\"Fragment\", {}, {}", piece.offset, piece.size), 0);
}

uint64_t SourceEntities::constant(uint64_t value, const Piece& piece) {
  return expression(fmt::format("\"Constu\", {}", value), this->piece(piece));
}

uint64_t SourceEntities::offset(uint64_t bytes, const Piece& piece) {
  if (bytes == 0) return this->piece(piece);
  return expression(fmt::format("\"PlusUconst\", {}", bytes), this->piece(piece));
}

// ---- places and scopes

uint64_t SourceEntities::list(llvm::ArrayRef<uint64_t> elements) {
  if (elements.empty()) return 0;
  add(++last_, fmt::format("\"List\", {}", fmt::join(elements, ", ")));
  return last_;
}

/// The place of a declaration.
uint64_t SourceEntities::place(const llvm::DIFile* file, unsigned line) {
  if (file == nullptr || line == 0) return 0;
  const std::string operands = fmt::format("\"Location\", {}, {}, 0, 0, 0", this->file(file), line);
  const auto [known, is_new] = expressions_.try_emplace(operands, last_ + 1);
  if (is_new) add(++last_, operands);
  return known->second;
}

uint64_t SourceEntities::location(const llvm::DILocation& location) { return number_of(&location); }

uint64_t SourceEntities::variable(const llvm::DILocalVariable& variable, const llvm::DILocation* inlined_at) {
  const auto [known, is_new] = variables_.try_emplace({&variable, inlined_at}, last_ + 1);
  if (is_new) pending_variables_.emplace_back(++last_, Variable{&variable, inlined_at});
  return known->second;
}

/// The entity of a scope, or of the closest one around it that has an entity.
uint64_t SourceEntities::scope(const llvm::DIScope* scope) {
  while (scope != nullptr) {
    if (const auto* unit = llvm::dyn_cast<llvm::DICompileUnit>(scope)) {
      if (unit_ == nullptr) unit_ = unit;
      return number_of(unit_);
    }
    if (llvm::isa<llvm::DILexicalBlock, llvm::DISubprogram, llvm::DINamespace>(scope))
      return number_of(scope);
    scope = scope->getScope();
  }
  return 0;
}

void SourceEntities::describe_variable(uint64_t number, const Variable& which) {
  const auto& [variable, inlined_at] = which;
  // The place says which inlined call the variable belongs to.
  add(++last_, fmt::format("\"Location\", {}, {}, 0, 0, {}", file(variable->getFile()), variable->getLine(),
                           number_of(inlined_at)));
  const uint64_t place = last_;
  add(number,
      fmt::format("\"LocalVariable\", {}, {}, {}, {}, {}", scope(variable->getScope()), place,
                  type(variable->getType()), string_literal(variable->getName()), variable->getArg()));
}

void SourceEntities::describe_file(uint64_t number, const llvm::DIFile& file) {
  add(number, fmt::format("\"File\", {}, {}, 0, 0", string_literal(file.getFilename()),
                          string_literal(file.getDirectory())));
}

void SourceEntities::describe_global(uint64_t number, const llvm::DIGlobalVariable& variable) {
  add(number, fmt::format("\"GlobalVariable\", {}, {}, {}, {}, {}, \"isDefinition\", {}, 1",
                          scope(variable.getScope()), place(variable.getFile(), variable.getLine()),
                          type(variable.getType()), string_literal(variable.getName()),
                          string_literal(variable.getLinkageName()), variable.isLocalToUnit() ? 1 : 0));
}

namespace {

/// Returns the manual's name of a language (PRM 13.4.2.2.3.2), which has none for OpenCL C and HIP.
const char* language_name(const llvm::DICompileUnit& unit) {
  switch (unit.getSourceLanguage().getUnversionedName()) {
    case llvm::dwarf::DW_LANG_C_plus_plus:
    case llvm::dwarf::DW_LANG_C_plus_plus_03:
    case llvm::dwarf::DW_LANG_C_plus_plus_11:
    case llvm::dwarf::DW_LANG_C_plus_plus_14:
    case llvm::dwarf::DW_LANG_C_plus_plus_17:
    case llvm::dwarf::DW_LANG_C_plus_plus_20:
    case llvm::dwarf::DW_LANG_HIP:
    case llvm::dwarf::DW_LANG_CPP_for_OpenCL:
      return "C++";
    default:
      return "C99";
  }
}

}  // namespace

bool SourceEntities::describe_scope(uint64_t number, const llvm::Metadata& node) {
  if (const auto* unit = llvm::dyn_cast<llvm::DICompileUnit>(&node)) {
    add(number, fmt::format("\"CompileUnit\", {}, \"{}\", {}, {}, 0, 0, 0, 0, 0", file(unit->getFile()),
                            language_name(*unit), string_literal(unit->getProducer()),
                            string_literal(unit->getFlags())));
  } else if (const auto* subprogram = llvm::dyn_cast<llvm::DISubprogram>(&node)) {
    if (unit_ == nullptr) unit_ = subprogram->getUnit();
    const llvm::DIScope* around = subprogram->getScope();
    if (llvm::isa_and_nonnull<llvm::DIFile>(around)) around = unit_;
    add(number, fmt::format("\"Subprogram\", {}, {}, {}, {}, \"\", 0", scope(around),
                            place(subprogram->getFile(), subprogram->getLine()), type(subprogram->getType()),
                            string_literal(subprogram->getName())));
  } else if (const auto* block = llvm::dyn_cast<llvm::DILexicalBlock>(&node)) {
    add(number, fmt::format("\"LexicalBlock\", {}, {}", place(block->getFile(), block->getLine()),
                            scope(block->getScope())));
  } else if (const auto* space = llvm::dyn_cast<llvm::DINamespace>(&node)) {
    add(number,
        fmt::format("\"Namespace\", {}, 0, {}", scope(space->getScope()), string_literal(space->getName())));
  } else {
    return false;
  }
  return true;
}

void SourceEntities::describe(uint64_t number, const llvm::Metadata& node) {
  if (const auto* location = llvm::dyn_cast<llvm::DILocation>(&node)) {
    add(number,
        fmt::format("\"Location\", {}, {}, {}, 0, {}, {}", file(location->getFile()), location->getLine(),
                    location->getColumn(), number_of(location->getInlinedAt()), scope(location->getScope())));
  } else if (const auto* file = llvm::dyn_cast<llvm::DIFile>(&node)) {
    describe_file(number, *file);
  } else if (const auto* global = llvm::dyn_cast<llvm::DIGlobalVariable>(&node)) {
    describe_global(number, *global);
  } else {
    const bool is_known = describe_scope(number, node) || describe_type(number, node);
    assert(is_known && "only nodes with a description get numbers");
    (void)is_known;
  }
}

}  // namespace heddle::compiler
