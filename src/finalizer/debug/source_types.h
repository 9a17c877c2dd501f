// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/llvm.h"
#include "hsail/debug/graph.h"

namespace heddle::finalizer {

/// The types of the source that debug pragmas declare (PRM 13.4.2.2.3.11 to 18), described for DWARF.
///
/// Extra operands may give what the manual's pragmas lack: the name of a typedef, of a member and of a
/// composite type, and the offset of a member. Without them, members are named _0, _1, ... and are laid out
/// as in C.
class SourceTypes {
 public:
  using File = std::function<llvm::DIFile*(uint64_t location)>;
  using Scope = std::function<llvm::DIScope*(uint64_t entity)>;
  /// `file` returns the file of a Location; `scope` returns the namespace that encloses a type, or null.
  SourceTypes(llvm::DIBuilder& builder, const debug::DebugGraph& graph, File file, Scope scope)
      : builder_(builder), graph_(graph), file_(std::move(file)), scope_(std::move(scope)) {}

  /// Returns the description of a type: null for void, and for an entity that is no type or cannot be
  /// described.
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
