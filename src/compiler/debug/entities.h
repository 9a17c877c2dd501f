// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace heddle::compiler {

/// Describes what debug metadata says of the source with debug pragmas (PRM 13.4.2.2.3). Each function
/// returns the number of an entity, 0 for what has none, and the same number for the same thing. What an
/// entity refers to is described when text() is called, so that types may refer to each other in circles.
///
/// Three operands follow those of the manual where it has none for a purpose (docs/debugging.md): names of
/// typedefs, members and structures, offsets of members, and the scope of a Location and of a LexicalBlock.
class SourceEntities {
 public:
  uint64_t location(const llvm::DILocation& location);
  /// A variable of a function; `inlined_at` is the place of the call if the function was inlined, or null.
  /// Each inlined call has variables of its own.
  uint64_t variable(const llvm::DILocalVariable& variable, const llvm::DILocation* inlined_at);
  uint64_t global(const llvm::DIGlobalVariable& variable) { return number_of(&variable); }
  uint64_t subprogram(const llvm::DISubprogram& subprogram) { return number_of(&subprogram); }

  /// A part of a variable, in bits; without a size, the whole.
  struct Piece {
    uint64_t offset = 0;
    uint64_t size = 0;
    auto operator<=>(const Piece&) const = default;
  };
  /// An expression that only says which piece of a variable it is about; 0 for the whole.
  uint64_t piece(const Piece& piece);
  /// The value of a piece.
  uint64_t constant(uint64_t value, const Piece& piece);
  /// What lies `bytes` behind the address at hand.
  uint64_t offset(uint64_t bytes, const Piece& piece);

  /// Adds a reference of module scope (PRM 13.4.2.2.4): its operands after the name of the pragma.
  void add_reference(std::string_view operands);

  /// The pragmas of all entities, for the beginning of a module, and all references, for its end. No entity
  /// can be added afterwards.
  std::string text();
  const std::string& references() const { return references_; }

 private:
  using Variable = std::pair<const llvm::DILocalVariable*, const llvm::DILocation*>;

  uint64_t number_of(const llvm::Metadata* node);
  void add(uint64_t number, std::string_view operands);
  uint64_t expression(const std::string& operands, uint64_t next);
  uint64_t file(const llvm::DIFile* file) { return number_of(file); }
  uint64_t place(const llvm::DIFile* file, unsigned line);
  uint64_t list(llvm::ArrayRef<uint64_t> elements);
  uint64_t scope(const llvm::DIScope* scope);
  void describe(uint64_t number, const llvm::Metadata& node);
  void describe_variable(uint64_t number, const Variable& variable);
  bool describe_scope(uint64_t number, const llvm::Metadata& node);
  void describe_file(uint64_t number, const llvm::DIFile& file);
  void describe_global(uint64_t number, const llvm::DIGlobalVariable& variable);
  // entity_types.cpp
  bool describe_type(uint64_t number, const llvm::Metadata& node);
  void describe_derived(uint64_t number, const llvm::DIDerivedType& type);
  void describe_composite(uint64_t number, const llvm::DICompositeType& type);
  void describe_indexable(uint64_t number, const llvm::DICompositeType& type);
  void describe_enumeration(uint64_t number, const llvm::DICompositeType& type);
  void describe_subroutine(uint64_t number, const llvm::DISubroutineType& type);
  uint64_t type(const llvm::DIType* type);

  uint64_t last_ = 0;
  const llvm::DICompileUnit* unit_ = nullptr;  // the first; all others count as the same
  std::map<const llvm::Metadata*, uint64_t> numbers_;
  std::map<Variable, uint64_t> variables_;
  std::map<std::string, uint64_t> expressions_;  // and places, by their operands
  std::vector<std::pair<uint64_t, const llvm::Metadata*>> pending_;
  std::vector<std::pair<uint64_t, Variable>> pending_variables_;
  std::string text_;
  std::string references_;
};

/// Returns a string literal of HSAIL (PRM 4.5) with these characters.
std::string string_literal(llvm::StringRef text);

}  // namespace heddle::compiler
