// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/source_scopes.h"

#include <algorithm>

namespace heddle::finalizer {
namespace {

using debug::DebugEntity;
using debug::DebugField;
using debug::DebugReference;
using debug::DebugTag;

}  // namespace

SourceScopes::SourceScopes(SourceDebug& source, llvm::DISubprogram* function, brig::Offset executable)
    : source_(source), function_(function), executable_(executable) {
  body_ = source.builder().createLexicalBlock(function, function->getFile(), function->getLine(), 0);
  for (const DebugReference& reference : source.graph().references_in(executable)) describe(reference.entity);
  for (const DebugReference& reference : source.graph().references())
    if (source.is_in_functions(reference) && source.may_describe_in_function()) describe(reference.entity);
  span_blocks();
}

void SourceScopes::describe(uint64_t number) {
  if (variables_.contains(number)) return;
  llvm::DILocalVariable*& made = variables_[number];
  const DebugEntity& entity = *source_.graph().find(number);
  llvm::DIType* type = source_.type(entity.number(DebugField::type));
  const auto name = entity.text(DebugField::name);
  if (!type || name.empty()) return;
  const auto at = source_.place(entity.number(DebugField::location));
  if (describe_inlined(number, type)) return;
  const uint64_t argument = entity.number(DebugField::argument);
  const llvm::StringRef text(name.data(), name.size());
  if (argument != 0 && argument <= UINT16_MAX && argument_numbers_.insert(argument).second) {
    arguments_.insert(text.str());
    made = source_.builder().createParameterVariable(function_, text, static_cast<unsigned>(argument),
                                                     at.file, at.line, type, true);
  } else {
    made = source_.builder().createAutoVariable(block(block_of(number)), text, at.file, at.line, type, true);
  }
}

/// Describes a variable whose place is in an inlined call. Returns false for other variables.
bool SourceScopes::describe_inlined(uint64_t number, llvm::DIType* type) {
  const DebugEntity& entity = *source_.graph().find(number);
  const DebugEntity* declared = source_.graph().find(entity.number(DebugField::location));
  const uint64_t inlined_at = declared ? declared->number(DebugField::inlined_at) : 0;
  if (inlined_at == 0) return false;
  llvm::DILocation* call = location(inlined_at);
  llvm::DILocalScope* in = call ? scope(entity.number(DebugField::scope)) : nullptr;
  if (!in) return true;  // without a description
  const auto at = source_.place(entity.number(DebugField::location));
  const auto name = entity.text(DebugField::name);
  const llvm::StringRef text(name.data(), name.size());
  const uint64_t argument = entity.number(DebugField::argument);
  // All calls share the description, which LLVM makes one node.
  auto* subprogram = llvm::dyn_cast<llvm::DISubprogram>(in);
  variables_[number] = subprogram && argument != 0 && argument <= UINT16_MAX
                           ? source_.builder().createParameterVariable(
                                 subprogram, text, static_cast<unsigned>(argument), at.file, at.line, type)
                           : source_.builder().createAutoVariable(in, text, at.file, at.line, type);
  calls_[number] = call;
  return true;
}

llvm::DILocation* SourceScopes::call_of(uint64_t entity) const {
  const auto found = calls_.find(entity);
  return found == calls_.end() ? nullptr : found->second;
}

/// Returns the Subprogram that is the scope or encloses it, or 0.
uint64_t SourceScopes::subprogram_around(uint64_t entity) const {
  while (const DebugEntity* found = source_.graph().find(entity)) {
    if (found->tag == DebugTag::subprogram) return entity;
    if (found->tag != DebugTag::lexical_block) break;
    entity = found->number(DebugField::scope);
  }
  return 0;
}

bool SourceScopes::is_own(uint64_t entity) const {
  const uint64_t subprogram = subprogram_around(entity);
  return subprogram != 0 && subprogram == source_.graph().subprogram_of(executable_);
}

/// Returns the description of a LexicalBlock or Subprogram, whose calls may be inlined here, or null. Scopes
/// nest at most DebugGraph::most_depth deep, which bounds the recursion.
llvm::DILocalScope* SourceScopes::scope(uint64_t number) {
  const uint64_t subprogram = subprogram_around(number);
  if (subprogram == 0) return nullptr;
  if (number == subprogram) return is_own(number) ? body_ : source_.inlined_subprogram(number);
  if (const auto known = blocks_.find(number); known != blocks_.end()) return known->second;
  const DebugEntity& entity = *source_.graph().find(number);
  const auto at = source_.place(entity.number(DebugField::location));
  auto* made = source_.builder().createLexicalBlock(scope(entity.number(DebugField::scope)), at.file, at.line,
                                                    at.column);
  return blocks_[number] = made;
}

/// Calls nest at most DebugGraph::most_depth deep, which bounds the recursion.
llvm::DILocation* SourceScopes::location(uint64_t number) {
  const auto [known, is_new] = locations_.try_emplace(number, nullptr);
  if (!is_new) return known->second;
  const DebugEntity* entity = source_.graph().find(number);
  if (!entity || entity->tag != DebugTag::location) return nullptr;
  return locations_[number] = make_location(number, *entity);
}

llvm::DILocation* SourceScopes::make_location(uint64_t number, const DebugEntity& entity) {
  const uint64_t in = entity.number(DebugField::scope);
  const uint64_t inlined_at = entity.number(DebugField::inlined_at);
  llvm::DILocation* call = inlined_at != 0 ? location(inlined_at) : nullptr;
  if (inlined_at != 0 ? call == nullptr : !is_own(in)) return nullptr;
  llvm::DILocalScope* around = scope(in);
  if (!around) return nullptr;
  const auto at = source_.place(number);
  if (around->getFile() != at.file) around = source_.builder().createLexicalBlockFile(around, at.file);
  // Two calls in one place are two calls.
  return llvm::DILocation::getDistinct(function_->getContext(), at.line, at.column, around, call);
}

uint64_t SourceScopes::block_of(uint64_t entity) const {
  const uint64_t scope = source_.graph().find(entity)->number(DebugField::scope);
  const DebugEntity* found = source_.graph().find(scope);
  return found && found->tag == DebugTag::lexical_block ? scope : 0;
}

/// Returns the lexical block with this number, or the body for 0. Scopes nest at most DebugGraph::most_depth
/// deep, which bounds the recursion.
llvm::DILocalScope* SourceScopes::block(uint64_t number) {
  if (number == 0) return body_;
  if (const auto known = blocks_.find(number); known != blocks_.end()) return known->second;
  const auto at = source_.place(source_.graph().find(number)->number(DebugField::location));
  auto* made = source_.builder().createLexicalBlock(block(block_of(number)), at.file, at.line, at.column);
  return blocks_[number] = made;
}

void SourceScopes::span_blocks() {
  struct Open {
    uint64_t block;
    std::set<uint64_t> variables;
  };
  std::vector<Open> open;
  const auto lies_in = [&](uint64_t inner, uint64_t outer) {
    while (inner != 0 && inner != outer) inner = block_of(inner);
    return inner == outer;
  };
  for (const DebugReference& reference : source_.graph().references_in(executable_)) {
    const uint64_t in = block_of(reference.entity);
    if (in == 0 || !variable(reference.entity) || call_of(reference.entity)) continue;
    auto known = std::find_if(open.begin(), open.end(), [&](const Open& o) { return o.block == in; });
    if (reference.ends_whole_variable()) {
      if (known != open.end()) known->variables.erase(reference.entity);
      while (!open.empty() && open.back().variables.empty()) open.pop_back();
    } else {
      if (known == open.end()) {
        while (!open.empty() && !lies_in(in, open.back().block)) open.pop_back();
        open.push_back({in, {}});
        known = std::prev(open.end());
      }
      known->variables.insert(reference.entity);
    }
    from_.emplace_back(reference.at, open.empty() ? body_ : block(open.back().block));
  }
}

llvm::DILocalScope* SourceScopes::at(brig::Offset offset) const {
  const auto after = std::upper_bound(from_.begin(), from_.end(), offset,
                                      [](brig::Offset o, const auto& entry) { return o < entry.first; });
  return after == from_.begin() ? body_ : std::prev(after)->second;
}

llvm::DILocalVariable* SourceScopes::variable(uint64_t entity) const {
  const auto found = variables_.find(entity);
  return found == variables_.end() ? nullptr : found->second;
}

}  // namespace heddle::finalizer
