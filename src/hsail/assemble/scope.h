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

/// One name with everything that later uses of it ask for.
struct Entity {
  EntityKind kind = EntityKind::variable;
  brig::Symbol symbol{};
  bool defined = false;
  uint8_t segment = 0;  // of variables
  Location first;       // where it was first seen
};

/// The name spaces of a module (PRM 4.6.2): module, function and argument scope, each one name space for all
/// kinds of objects. Labels belong to the whole code block. Names are views of the source text.
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

  /// The entity of exactly this scope; null if there is none. Valid until the scope changes.
  Entity* find_in(Level level, std::string_view name);
  /// The visible entity: innermost scope first.
  Entity* find(std::string_view name);
  Entity& add(Level level, std::string_view name, Entity entity);

  /// Labels of the code block that is being read, in the order of their first use.
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
