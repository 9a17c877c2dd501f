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
    if (in == 0 || !variable(reference.entity)) continue;
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
