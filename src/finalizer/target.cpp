// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/target.h"

#include <llvm/IR/LLVMContext.h>

namespace heddle::finalizer {

void SpmdTarget::compile(const CompileRequest& request, codeobject::CodeObject& object,
                         Diagnostics& diagnostics) const {
  if (object.kernels.empty() && object.functions.empty()) return;
  llvm::LLVMContext context;
  const DebugLevel debug = request.options.debug ? DebugLevel::full : DebugLevel::lines;
  SpmdProgram spmd =
      lower_program(request.program, {traits(request.isa), debug, request.kernels}, context, diagnostics);
  if (!spmd.module) return;
  if (auto done = generate(std::move(spmd), request, object); !done.ok())
    diagnostics.error("FINALIZER-internal", {}, done.error().message);
}

}  // namespace heddle::finalizer
