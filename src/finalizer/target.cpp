// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/target.h"

#include <llvm/IR/LLVMContext.h>

#include "finalizer/dump.h"
#include "finalizer/lower/values.h"
#include "finalizer/verify.h"

namespace heddle::finalizer {
namespace {

/// Turns what lowering made into the form that targets expect.
Result<void> prepare(llvm::Module& module, const FinalizeOptions& options) {
  dump_module(options, "spmd.ll", module);
  if (auto right = verify(module, "lowering to SPMD IR"); !right.ok()) return right;
  if (SpmdTarget::keeps_registers_in_memory(options)) return {};
  if (auto done = registers_to_values(module); !done.ok()) return done;
  addresses_to_pointers(module);
  return {};
}

}  // namespace

void SpmdTarget::compile(const CompileRequest& request, codeobject::CodeObject& object,
                         Diagnostics& diagnostics) const {
  if (object.kernels.empty() && object.functions.empty()) return;
  llvm::LLVMContext context;
  const LoweringRequest lowering = {traits(request.isa), request.options.debug, request.kernels};
  SpmdProgram spmd = lower_program(request.program, lowering, context, diagnostics);
  if (!spmd.module) return;
  auto done = prepare(*spmd.module, request.options);
  if (done.ok()) done = generate(std::move(spmd), request, object, diagnostics);
  if (!done.ok()) diagnostics.error("FINALIZER-internal", {}, done.error().message);
}

}  // namespace heddle::finalizer
