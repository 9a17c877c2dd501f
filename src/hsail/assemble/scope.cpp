// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/scope.h"

namespace heddle::assemble {

std::string_view describe(EntityKind kind) {
  static constexpr std::string_view names[] = {"module",   "variable",          "fbarrier",  "kernel",
                                               "function", "indirect function", "signature", "label"};
  return names[static_cast<size_t>(kind)];
}

Entity* Scopes::find_in(Level level, std::string_view name) {
  auto found = tables_[level].find(name);
  return found == tables_[level].end() ? nullptr : &found->second;
}

Entity* Scopes::find(std::string_view name) {
  for (int level = depth_; level >= module_scope; --level)
    if (Entity* entity = find_in(static_cast<Level>(level), name)) return entity;
  return nullptr;
}

Entity& Scopes::add(Level level, std::string_view name, Entity entity) {
  return tables_[level].insert_or_assign(name, std::move(entity)).first->second;
}

Scopes::Label& Scopes::label(std::string_view name, brig::Builder& builder, Location where) {
  auto [place, added] = label_index_.try_emplace(name, labels_.size());
  if (added) {
    Entity entity;
    entity.kind = EntityKind::label;
    entity.symbol = builder.new_symbol();
    entity.first = std::move(where);
    labels_.push_back({name, std::move(entity)});
  }
  return labels_[place->second];
}

void Scopes::clear_labels() {
  labels_.clear();
  label_index_.clear();
}

}  // namespace heddle::assemble
