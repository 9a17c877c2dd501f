// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/target.h"

#include <llvm/IR/LLVMContext.h>

namespace heddle::finalizer {

void SpmdTarget::compile(const CompileRequest& request, codeobject::CodeObject& object,
                         Diagnostics& diagnostics) const {
  if (object.kernels.empty() && object.functions.empty()) return;
  llvm::LLVMContext context;
  const LoweringRequest lowering = {traits(request.isa), request.options.debug, request.kernels};
  SpmdProgram spmd = lower_program(request.program, lowering, context, diagnostics);
  if (!spmd.module) return;
  if (auto done = generate(std::move(spmd), request, object); !done.ok())
    diagnostics.error("FINALIZER-internal", {}, done.error().message);
}

}  // namespace heddle::finalizer
