// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/llvm.h"
#include "hsail/link/program.h"

namespace heddle::finalizer {

/// Debug locations from the `loc` directives of a program (PRM 13.2). A program without any gets no debug
/// information at all.
class SourceLines {
 public:
  SourceLines(const link::Program& program, llvm::Module& module);

  /// Describes a function that is about to be lowered; null if there is nothing to tell.
  llvm::DISubprogram* describe(llvm::Function& function, link::Reference executable);
  /// The location that holds at an entry of hsa_code that is a loc directive; with offset 0, line 0: none.
  llvm::DILocation* location(llvm::DISubprogram& scope, const brig::Module& module, brig::Offset loc);
  /// The last loc directive before an entry of a module; 0 if there is none.
  brig::Offset last_before(link::Reference entry) const;
  /// Call when all functions are lowered.
  void finish();

 private:
  llvm::DIFile* file(std::string_view name);

  const link::Program& program_;
  llvm::Module& module_;
  std::vector<std::vector<brig::Offset>> locs_;  ///< by module, ascending
  std::unique_ptr<llvm::DIBuilder> builder_;     ///< null if there is no loc
  llvm::DICompileUnit* unit_ = nullptr;
};

}  // namespace heddle::finalizer
