// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers that kernels of OpenCL C declare: clang calls a function with the value of each.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include "compiler/emit/handlers.h"
#include "devlib/opencl/samplers.h"

namespace heddle::compiler {

bool is_sampler_function(const llvm::Function& function) {
  return function.isDeclaration() && function.getName() == devlib::sampler_function;
}

// A variable holds the sampler, which the loader makes (PRM 7.1.8).
void emit_sampler(FunctionEmitter& emitter, const llvm::CallInst& call) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (value == nullptr) return emitter.unsupported(call, "a sampler whose value is not a constant");
  const auto initializer = devlib::sampler_initializer(static_cast<uint32_t>(value->getZExtValue()));
  if (!initializer) {
    return emitter.unsupported(call, fmt::format("the sampler {:#x}, which is no valid combination of modes",
                                                 value->getZExtValue()));
  }
  const Scalar handle = emitter.builder().fresh(Type::u64);
  const Operand variable =
      Operand::address(emitter.context().sampler(*initializer), no_register, Type::u64, 0);
  emitter.builder()
      .append("ld_readonly_samp", {Operand::definition(handle.id, Type::u64), variable})
      .removable = true;
  emitter.set(call, handle);
}

}  // namespace heddle::compiler
