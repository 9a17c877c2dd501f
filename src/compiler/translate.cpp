// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/translate.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include "compiler/emit/module_context.h"
#include "compiler/emit/module_emitter.h"
#include "compiler/prepare/prepare.h"

namespace heddle::compiler {

Result<std::string> translate(llvm::Module& module, const TranslateOptions& options,
                              Diagnostics& diagnostics) {
  const llvm::Triple& triple = module.getTargetTriple();
  if (triple.getArch() != llvm::Triple::amdgcn) {
    const std::string message =
        fmt::format("the module is for \"{}\"; amdgcn-amd-amdhsa is needed", triple.str());
    diagnostics.error("COMPILER-triple", {}, message);
    return Error{message};
  }
  prepare(module, options);
  ModuleContext context(module, options, diagnostics);
  std::string text = emit_module(context);
  if (diagnostics.has_errors()) return Error{"the module has parts that cannot be translated to HSAIL"};
  return text;
}

}  // namespace heddle::compiler
