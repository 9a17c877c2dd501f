// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hsail/brig/module.h"
#include "hsail/brig/operands.h"
#include "hsail/debug/schema.h"
#include "support/diagnostic.h"

namespace heddle::debug {

/// One hsa.tools.debug.src or hsa.tools.debug.expr pragma.
struct DebugEntity {
  struct Value {
    uint64_t number = 0;             ///< for a reference the number of the entity, 0 if there is none
    std::string_view text;           ///< for a string; valid as long as the module
    std::vector<uint64_t> elements;  ///< for a list the numbers of its entities that the field allows
  };

  DebugTag tag = DebugTag::list;
  brig::Offset at = 0;        ///< the pragma
  std::vector<Value> values;  ///< in the order of the schema; missing operands at the end have no value

  bool is(DebugTags tags) const { return (tag_bit(tag) & tags) != 0; }
  const Value* find(DebugField field) const;
  Value* find(DebugField field) {
    return const_cast<Value*>(static_cast<const DebugEntity*>(this)->find(field));
  }
  uint64_t number(DebugField field) const;
  std::string_view text(DebugField field) const;
  std::span<const uint64_t> elements(DebugField field) const;
};

/// What a debug expression computes, beginning with its first entity (PRM 13.4.2.2.5).
struct DebugExpression {
  struct Step {
    std::optional<unsigned> load;  ///< Dereference: the segment to load from
    uint64_t plus = 0;             ///< PlusUconst
    bool operator==(const Step&) const = default;
  };
  struct Piece {
    uint64_t offset = 0, size = 0;  ///< in bits; size 0 means the whole variable
    auto operator<=>(const Piece&) const = default;
  };
  std::vector<Step> steps;
  std::optional<uint64_t> constant;
  Piece piece;
};

/// One hsa.tools.debug.ref pragma other than SourceLine.
struct DebugReference {
  enum class Kind : uint8_t {
    global_addr,
    global_implicit,
    local_addr,
    local_implicit,
    local_register,
    subprogram
  };
  Kind kind = Kind::subprogram;
  brig::Offset at = 0;
  uint64_t entity = 0;      ///< the variable or subprogram in the source
  brig::Offset target = 0;  ///< the variable, kernel or function in HSAIL
  brig::Register reg;
  DebugExpression expression;  ///< a local implicit value without a constant ends the variable, see ends()

  bool is_global() const { return kind == Kind::global_addr || kind == Kind::global_implicit; }
  /// Reports whether the variable, or a piece of it, has no location or value from here on.
  bool ends() const { return kind == Kind::local_implicit && !expression.constant; }
  bool ends_whole_variable() const { return ends() && expression.piece.size == 0; }
};

/// The checked debug pragmas of a module (PRM 13.4.2.2). Numbers of entities are unique, and references lead
/// to entities of the kind that the field allows. Scopes, calls, expressions, types up to composite types,
/// and the containment of types by value have no cycles and at most `most_depth` levels, so that consumers
/// may recurse. Everything else is left out with a warning; pragmas with names or tags that the PRM does not
/// have are left out without one. SourcePlaces reads SourceLine. Immutable and thread safe. The module must
/// outlive this object.
class DebugGraph {
 public:
  static constexpr unsigned most_depth = 128;
  static constexpr size_t most_types = 8192;
  static constexpr unsigned most_warnings = 20;

  DebugGraph(const brig::Module& module, Diagnostics& diagnostics);

  bool empty() const { return entities_.empty(); }
  /// Returns the entity with this number; null for 0 and for unknown numbers.
  const DebugEntity* find(uint64_t entity) const;
  const std::map<uint64_t, DebugEntity>& entities() const { return entities_; }
  /// Returns all references, in the order of their offsets.
  std::span<const DebugReference> references() const { return references_; }
  /// Returns the references inside the code block of a kernel or function.
  std::span<const DebugReference> references_in(brig::Offset executable) const;
  /// Returns the number of the source subprogram that a kernel or function implements; 0 if no pragma says.
  uint64_t subprogram_of(brig::Offset executable) const;

 private:
  friend class DebugReferenceReader;
  friend class DebugCycles;
  void read_entities();
  bool read_entity(brig::Offset at, bool expression);
  void resolve();
  void resolve(DebugEntity& entity, const DebugOperand& operand, DebugEntity::Value& value);
  void limit_types();
  bool allowed(uint64_t entity, DebugTags tags) const;
  void read_references();  // references.cpp
  void cut_cycles();       // cycles.cpp
  void warn(std::string_view id, brig::Offset at, std::string message);

  const brig::Module& module_;
  Diagnostics& diagnostics_;
  unsigned warnings_ = 0;
  size_t list_elements_ = 0;
  std::map<uint64_t, DebugEntity> entities_;
  std::vector<DebugReference> references_;
  std::map<brig::Offset, uint64_t> subprograms_;
};

}  // namespace heddle::debug
