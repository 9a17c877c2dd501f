// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hsail/brig/builder.h"
#include "support/diagnostic.h"

namespace heddle::assemble {

/// What a name stands for.
enum class EntityKind : uint8_t {
  module,
  variable,
  fbarrier,
  kernel,
  function,
  indirect_function,
  signature,
  label
};

std::string_view describe(EntityKind kind);

/// What the parser has to know about a name at its later uses.
struct Entity {
  EntityKind kind = EntityKind::variable;
  brig::Symbol symbol{};
  bool defined = false;
  uint8_t segment = 0;  // of variables
  Location first;       // of the first use or declaration
};

/// The name spaces of a module (PRM 4.6.2). Module, function and argument scope each have one name space for
/// all kinds of objects; labels belong to the whole code block. Names are views of the source text, which
/// must outlive this object.
class Scopes {
 public:
  enum Level : uint8_t { module_scope, function_scope, argument_scope };

  void enter(Level level) {
    tables_[level].clear();
    depth_ = level;
  }
  void leave() {
    tables_[depth_].clear();
    depth_ = static_cast<Level>(depth_ - 1);
  }
  Level depth() const { return depth_; }

  /// Returns the entity of exactly this scope, or null if there is none. Valid until the scope changes.
  Entity* find_in(Level level, std::string_view name);
  /// Returns the entity of the innermost scope that has the name, or null if none has.
  Entity* find(std::string_view name);
  Entity& add(Level level, std::string_view name, Entity entity);

  /// A label of the code block that is being parsed. Labels are kept in the order of their first use.
  struct Label {
    std::string_view name;
    Entity entity;
  };
  std::vector<Label>& labels() { return labels_; }
  Label& label(std::string_view name, brig::Builder& builder, Location where);
  void clear_labels();

 private:
  using Table = std::unordered_map<std::string_view, Entity>;
  Table tables_[3];
  Level depth_ = module_scope;
  std::vector<Label> labels_;
  std::unordered_map<std::string_view, size_t> label_index_;
};

}  // namespace heddle::assemble
