// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts chains of references between debug pragmas that form cycles or are too deep for recursion.
#include <algorithm>

#include <fmt/format.h>

#include "hsail/debug/graph.h"

namespace heddle::debug {

class DebugCycles {
 public:
  /// Reports whether the references in a field of an entity are to be followed.
  using Follows = bool (*)(const DebugEntity&, DebugField);

  DebugCycles(DebugGraph& graph, const char* what, Follows follows)
      : graph_(graph), what_(what), follows_(follows) {}

  void cut_all() {
    for (auto& [number, entity] : graph_.entities_) height(number, 0);
  }

 private:
  struct State {
    bool done = false;
    unsigned height = 0;
  };

  /// Returns the length of the longest chain from an entity after cutting references that form cycles or lead
  /// too deep.
  unsigned height(uint64_t number, unsigned depth) {
    const auto [known, fresh] = states_.try_emplace(number);
    if (!fresh) return known->second.height;
    DebugEntity& entity = graph_.entities_.at(number);
    unsigned most = 0;
    const auto operands = debug_schema(entity.tag).operands;
    for (size_t i = 0; i < entity.values.size() && i < operands.size(); ++i) {
      if (!follows_(entity, operands[i].field)) continue;
      if (operands[i].kind == DebugOperand::Kind::entity)
        follow(entity, entity.values[i].number, depth, most);
      auto& elements = entity.values[i].elements;
      for (uint64_t& element : elements)
        if (element != 0 && !follow(entity, element, depth, most)) element = cut;
      std::erase(elements, cut);
    }
    return states_[number] = {true, most}, most;
  }

  bool follow(const DebugEntity& from, uint64_t& to, unsigned depth, unsigned& most) {
    if (to == 0) return true;
    const auto known = states_.find(to);
    const bool circle = known != states_.end() && !known->second.done;
    const unsigned below = known != states_.end() ? known->second.height : 0;
    if (circle || depth + below + 1 > DebugGraph::most_depth) {
      graph_.warn("cycle", from.at,
                  fmt::format("{} of the debug pragma {} {}; taken as 0", what_, debug_schema(from.tag).name,
                              circle ? "goes in a circle" : "goes too deep"));
      to = 0;
      return false;
    }
    most = std::max(most, 1 + height(to, depth + 1));
    return true;
  }

  static constexpr uint64_t cut = UINT64_MAX;
  DebugGraph& graph_;
  const char* what_;
  Follows follows_;
  std::map<uint64_t, State> states_;
};

namespace {

bool follows_scope(const DebugEntity&, DebugField field) { return field == DebugField::scope; }
bool follows_call(const DebugEntity&, DebugField field) { return field == DebugField::inlined_at; }
bool follows_next(const DebugEntity&, DebugField field) { return field == DebugField::next; }

bool is_type_edge(const DebugEntity& entity, DebugField field) {
  return entity.is(debug_types) && (field == DebugField::type || field == DebugField::elements);
}
/// Stops at composite types. They can be declared before their elements are known, and cycles through them
/// are legitimate: this is how linked lists are made.
bool follows_type(const DebugEntity& entity, DebugField field) {
  return is_type_edge(entity, field) && entity.tag != DebugTag::composite_type;
}
/// Follows types that contain others by value, because no value can contain itself; pointers end the chain.
bool follows_value(const DebugEntity& entity, DebugField field) {
  if (!is_type_edge(entity, field) || entity.tag == DebugTag::subprogram_type) return false;
  const auto tag = entity.text(DebugField::tag);
  return entity.tag != DebugTag::derived_type ||
         !(tag == "Pointer" || tag == "Reference" || tag == "RValue" || tag == "PtrToMember");
}

}  // namespace

void DebugGraph::cut_cycles() {
  DebugCycles(*this, "the scope", follows_scope).cut_all();
  DebugCycles(*this, "the call", follows_call).cut_all();
  DebugCycles(*this, "the type", follows_type).cut_all();
  DebugCycles(*this, "the content", follows_value).cut_all();
  DebugCycles(*this, "the rest", follows_next).cut_all();
}

}  // namespace heddle::debug
