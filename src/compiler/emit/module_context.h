// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <set>
#include <string>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include "compiler/code/text.h"
#include "compiler/debug/entities.h"
#include "compiler/emit/layout.h"
#include "compiler/translate.h"
#include "support/diagnostic.h"

namespace heddle::compiler {

/// What the translation of one module shares: names, layouts, and what has been found out about the module as
/// a whole.
struct ModuleContext {
  ModuleContext(const llvm::Module& module, const TranslateOptions& options, Diagnostics& diagnostics)
      : module(module), options(options), diagnostics(diagnostics), layouts(module.getDataLayout()) {}

  const llvm::Module& module;
  const TranslateOptions& options;
  Diagnostics& diagnostics;
  Text text;
  Layouts layouts;
  SourceEntities entities;  // what debug pragmas refer to

  /// The name of a variable or function with its sigil, "&name". It has only characters that HSAIL allows
  /// (PRM 4.6.1), and no other object has it.
  llvm::StringRef name(const llvm::GlobalValue& value);

  /// Gives functions and variables that other modules or the host see the names that they have in the IR, if
  /// possible. Returns a name for the module, which is in the same scope (PRM 4.6.2), without sigil. Called
  /// before all others.
  std::string reserve_names();

  /// The name of the signature of indirect calls of functions with this type, which is declared on demand.
  llvm::StringRef signature(const llvm::FunctionType& type);

  /// The name of the variable with this sampler, which is defined on demand. Its initial value is in HSAIL.
  llvm::StringRef sampler(const std::string& initializer);

  /// Reports something that cannot be translated, with the place of the instruction if it has one.
  void unsupported(const llvm::Instruction& instruction, const std::string& what);
  void unsupported(const llvm::GlobalValue& value, const std::string& what);

  bool uses_images = false;
  /// Whether pointers to the constant address space may hold addresses of private memory, so that they have
  /// to be used as flat.
  bool constant_is_flat = false;
  std::string signatures;  // the text of the signatures declared so far
  std::string samplers;    // the same of samplers

 private:
  std::string unique_name(llvm::StringRef wanted);

  llvm::DenseMap<const llvm::GlobalValue*, llvm::StringRef> names_;
  std::set<std::string> taken_;
  std::map<std::string, llvm::StringRef> signature_names_;  // by the text behind the name
  std::map<std::string, llvm::StringRef> sampler_names_;    // by the initial value
};

/// Returns `wanted` with every character replaced that names of HSAIL cannot have (PRM 4.6.1).
std::string hsail_identifier(llvm::StringRef wanted);

}  // namespace heddle::compiler
