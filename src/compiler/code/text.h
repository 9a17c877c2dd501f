// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Support/Allocator.h>
#include <llvm/Support/StringSaver.h>

namespace heddle::compiler {

/// Keeps the mnemonics and names of instructions, each once. What it returns lives as long as it does.
class Text {
 public:
  llvm::StringRef keep(llvm::StringRef text) { return strings_.save(text); }

 private:
  llvm::BumpPtrAllocator memory_;
  llvm::UniqueStringSaver strings_{memory_};
};

}  // namespace heddle::compiler
