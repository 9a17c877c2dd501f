// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/llvm.h"
#include "hsail/debug/graph.h"

namespace heddle::finalizer {

/// The types of the source that debug pragmas describe (PRM 13.4.2.2.3.11 to 18), for DWARF.
///
/// What the manual's pragmas lack may stand behind their operands: the name of a typedef, of a member and of
/// a composite type; the offset of a member. Without: members are named _0, _1, ... and lie as in C.
class SourceTypes {
 public:
  using File = std::function<llvm::DIFile*(uint64_t location)>;
  using Scope = std::function<llvm::DIScope*(uint64_t entity)>;
  /// `file` gives the file of a Location, `scope` what encloses a type: a namespace or null.
  SourceTypes(llvm::DIBuilder& builder, const debug::DebugGraph& graph, File file, Scope scope)
      : builder_(builder), graph_(graph), file_(std::move(file)), scope_(std::move(scope)) {}

  /// Null for void, and for what is no type or cannot be described.
  llvm::DIType* type(uint64_t entity);
  llvm::DISubroutineType* subroutine(uint64_t entity);

 private:
  using Entity = debug::DebugEntity;
  llvm::DIType* get(uint64_t entity);
  llvm::DIType* basic(const Entity& entity);
  llvm::DIType* derived(const Entity& entity);
  llvm::DIType* indexable(const Entity& entity);
  llvm::DIType* composite(uint64_t number, const Entity& entity);
  llvm::DIType* enumeration(const Entity& entity);
  llvm::DIType* bit_field(llvm::DIType* holder, llvm::StringRef name, uint64_t size, uint64_t offset,
                          llvm::DIType* type, uint64_t unit);
  void fill(llvm::DICompositeType* type, const Entity& entity);
  uint64_t size_of(uint64_t entity) const;
  uint64_t align_of(uint64_t entity) const;

  llvm::DIBuilder& builder_;
  const debug::DebugGraph& graph_;
  const File file_;
  const Scope scope_;
  std::map<uint64_t, llvm::DIType*> known_;
  std::vector<std::pair<llvm::DICompositeType*, const Entity*>> unfilled_;
  bool filling_ = false;
};

}  // namespace heddle::finalizer
