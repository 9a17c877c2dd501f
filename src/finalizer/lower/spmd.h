// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HSAIL -> SPMD LLVM IR (design D5): each kernel and function as one work-item executes it. No target is
// known here.
#pragma once

#include <memory>
#include <vector>

#include "finalizer/control_directives.h"
#include "finalizer/llvm.h"
#include "finalizer/target_traits.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// A kernel: `body` is void(ptr context). The context belongs to the target; bodies only pass it on.
struct SpmdKernel {
  int32_t symbol = -1;  ///< in Program::symbols()
  link::Reference definition;
  llvm::Function* body = nullptr;
  link::GroupLayout group;
  uint32_t private_size = 0;  ///< bytes of private segment that the kernel and the functions it calls need,
                              ///< without alloca and repeated activations
  size_t instructions = 0;    ///< HSAIL instructions of the body alone
  ControlDirectives directives;  ///< as the request gave them
};

/// An indirect function: void(ptr context, i32 private offset, ptr outputs..., ptr inputs...), as every
/// function.
struct SpmdIndirectFunction {
  int32_t symbol = -1;
  llvm::Function* function = nullptr;
};

struct SpmdProgram {
  std::unique_ptr<llvm::Module> module;
  std::vector<SpmdKernel> kernels;
  std::vector<SpmdIndirectFunction> functions;
  /// DebugInfo::describe_module_variables().
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> debug_variables;
};

/// A kernel that is to be lowered.
struct KernelRequest {
  int32_t symbol = -1;  ///< in Program::symbols(); the kernel is defined
  ControlDirectives directives;
};

struct LoweringRequest {
  TargetTraits target;
  /// Whether code is made for debuggers: registers, variables and arguments are described beside source
  /// lines, and registers have a place in memory, where they stay if the code is not optimised later.
  bool debug = false;
  std::vector<KernelRequest> kernels;  ///< SpmdProgram::kernels has their order
};

/// Lowers the requested kernels and all indirect functions of a resolved program. What it cannot lower it
/// reports ("FINALIZER-unsupported-instruction", ...) and gives no module.
SpmdProgram lower_program(const link::Program& program, const LoweringRequest& request,
                          llvm::LLVMContext& context, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
