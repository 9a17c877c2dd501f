// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/debug/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "hsail/brig/pragma_operands.h"

namespace heddle::debug {

using brig::Offset;
using brig::PragmaOperands;

const DebugEntity::Value* DebugEntity::find(DebugField field) const {
  const auto operands = debug_schema(tag).operands;
  for (size_t i = 0; i < values.size() && i < operands.size(); ++i)
    if (operands[i].field == field) return &values[i];
  return nullptr;
}

uint64_t DebugEntity::number(DebugField field) const {
  const Value* value = find(field);
  return value ? value->number : 0;
}

std::string_view DebugEntity::text(DebugField field) const {
  const Value* value = find(field);
  return value ? value->text : std::string_view();
}

std::span<const uint64_t> DebugEntity::elements(DebugField field) const {
  const Value* value = find(field);
  return value ? std::span<const uint64_t>(value->elements) : std::span<const uint64_t>();
}

DebugGraph::DebugGraph(const brig::Module& module, Diagnostics& diagnostics)
    : module_(module), diagnostics_(diagnostics) {
  read_entities();
  limit_types();
  resolve();
  cut_cycles();
  read_references();
}

void DebugGraph::warn(std::string_view id, Offset at, std::string message) {
  if (warnings_++ < most_warnings)
    diagnostics_.warning(fmt::format("HSAIL-13.4.2.2-{}", id), Location::binary("hsa_code", at),
                         std::move(message));
}

void DebugGraph::read_entities() {
  for (Offset at = module_.code_begin(); at != module_.code_end(); at = module_.next_code(at)) {
    const PragmaOperands operands(module_, at);
    const auto name = operands.string(0);
    if (!name || !name->starts_with("hsa.tools.debug.")) continue;
    if (*name == "hsa.tools.debug.version" && operands.number(1) != 1) {
      warn("version", at, "debug pragmas of a major version other than 1 are ignored");
      entities_.clear();
      return;
    }
    if (*name == "hsa.tools.debug.src") read_entity(at, false);
    if (*name == "hsa.tools.debug.expr") read_entity(at, true);
  }
}

/// Reads hsa.tools.debug.src with entityId, tag and operands, or, if `expression`, hsa.tools.debug.expr with
/// entityId, nextExprId, tag and operands. The schema of an expression has nextExprId as its first operand.
bool DebugGraph::read_entity(Offset at, bool expression) {
  const PragmaOperands operands(module_, at);
  const auto number = operands.number(1);
  const auto tag = operands.string(expression ? 3 : 2);
  const DebugSchema* schema = tag ? debug_schema(*tag, expression) : nullptr;
  if (tag && !schema) return false;
  if (!number || *number == 0 || !tag) {
    warn("operand", at, "debug pragma ignored: it needs an entity number above 0 and a tag");
    return false;
  }
  DebugEntity entity;
  entity.tag = schema->tag;
  entity.at = at;
  if (schema->tag == DebugTag::list) {
    entity.values.resize(1);
    for (size_t i = 3; i < operands.size(); ++i)
      if (const auto element = operands.number(i)) entity.values[0].elements.push_back(*element);
    if (entity.values[0].elements.size() + 3 != operands.size())
      warn("operand", at, "elements of a debug List that are no integers are ignored");
  } else {
    for (size_t i = 0; i < schema->operands.size(); ++i) {
      const size_t index = !expression ? 3 + i : i == 0 ? 2 : 3 + i;
      if (index >= operands.size()) break;
      const DebugOperand& operand = schema->operands[i];
      const bool is_string = operand.kind == DebugOperand::Kind::string;
      const auto text = operands.string(index);
      const auto value = operands.number(index);
      if (is_string ? !text : !value) {
        warn("operand", at,
             fmt::format("debug pragma {} ignored: operand {} must be {}", *tag, index,
                         is_string ? "a string" : "an integer"));
        return false;
      }
      entity.values.push_back({value.value_or(0), text.value_or(""), {}});
    }
    if (entity.values.size() < schema->required) {
      warn("operand", at, fmt::format("debug pragma {} ignored: operands are missing", *tag));
      return false;
    }
  }
  if (!entities_.emplace(*number, std::move(entity)).second) {
    warn("number", at, fmt::format("debug pragma {} ignored: number {} is taken", *tag, *number));
    return false;
  }
  return true;
}

/// Removes all types after the first `most_types`, because consumers follow types by recursion.
void DebugGraph::limit_types() {
  size_t types = 0;
  for (auto at = entities_.begin(); at != entities_.end();) {
    if (!at->second.is(debug_types) || ++types <= most_types) {
      ++at;
      continue;
    }
    if (types == most_types + 1)
      warn("types", at->second.at,
           fmt::format("of the types of the source only {} are described", most_types));
    at = entities_.erase(at);
  }
}

bool DebugGraph::allowed(uint64_t entity, DebugTags tags) const {
  const DebugEntity* found = find(entity);
  return found && found->is(tags);
}

void DebugGraph::resolve() {
  for (auto& [number, entity] : entities_) {
    const auto operands = debug_schema(entity.tag).operands;
    for (size_t i = 0; i < entity.values.size() && i < operands.size(); ++i)
      resolve(entity, operands[i], entity.values[i]);
  }
}

void DebugGraph::resolve(DebugEntity& entity, const DebugOperand& operand, DebugEntity::Value& value) {
  // Limits the elements of all lists together, because a module can refer to one long list a million times.
  constexpr size_t most_list_elements = 1u << 20;
  if (value.number == 0) return;
  if (operand.kind == DebugOperand::Kind::entity && !allowed(value.number, operand.allowed)) {
    warn("reference", entity.at,
         fmt::format("debug pragma {} refers to {}, which is not what it has to be; taken as 0",
                     debug_schema(entity.tag).name, value.number));
    value.number = 0;
  }
  if (operand.kind != DebugOperand::Kind::list) return;
  const DebugEntity* list = find(value.number);
  if (!list || list->tag != DebugTag::list) {
    warn("reference", entity.at,
         fmt::format("debug pragma {} refers to {}, which is no List; taken as 0",
                     debug_schema(entity.tag).name, value.number));
    value.number = 0;
    return;
  }
  for (const uint64_t element : list->values[0].elements) {
    if (++list_elements_ > most_list_elements) return;
    if (element == 0 && entity.tag != DebugTag::subprogram_type) continue;
    if (element != 0 && !allowed(element, operand.allowed)) {
      warn("reference", list->at,
           fmt::format("element {} of the debug List is not what {} needs; ignored", element,
                       debug_schema(entity.tag).name));
    } else {
      value.elements.push_back(element);
    }
  }
}

const DebugEntity* DebugGraph::find(uint64_t entity) const {
  const auto found = entities_.find(entity);
  return found == entities_.end() ? nullptr : &found->second;
}

std::span<const DebugReference> DebugGraph::references_in(Offset executable) const {
  const auto& directive = module_.code_as<hsa_brig_directive_executable_t>(executable);
  const auto before = [](const DebugReference& reference, Offset at) { return reference.at < at; };
  const auto first = std::lower_bound(references_.begin(), references_.end(), executable, before);
  const auto last = std::lower_bound(first, references_.end(), directive.next_module_entry, before);
  return {first, last};
}

uint64_t DebugGraph::subprogram_of(Offset executable) const {
  const auto found = subprograms_.find(executable);
  return found == subprograms_.end() ? 0 : found->second;
}

}  // namespace heddle::debug
