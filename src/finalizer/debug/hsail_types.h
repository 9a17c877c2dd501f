// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <map>
#include <string>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/llvm.h"
#include "hsail/brig/module.h"
#include "hsail/isa/types.h"

namespace heddle::finalizer {

/// The types of HSAIL itself, described for DWARF.
class HsailTypes {
 public:
  HsailTypes(llvm::DIBuilder& builder, llvm::DICompileUnit* unit) : builder_(builder), unit_(unit) {}

  llvm::DIType* variable(const brig::Module& module, brig::Offset variable);
  /// Returns the type of a register of the kind (brig::Register). HSAIL registers are untyped, so it is a
  /// union of the types as which instructions may use the register.
  llvm::DIType* register_union(unsigned kind);
  /// Returns the type of an ID: three u32 values for the dimensions x, y and z.
  llvm::DIType* id();

 private:
  llvm::DIType* basic(std::string_view name, unsigned bits, unsigned encoding);
  llvm::DIType* get(isa::Type type);

  llvm::DIBuilder& builder_;
  llvm::DICompileUnit* const unit_;
  std::map<std::string, llvm::DIType*, std::less<>> basic_;
  std::array<llvm::DIType*, 4> registers_ = {};
  llvm::DIType* id_ = nullptr;
};

}  // namespace heddle::finalizer
