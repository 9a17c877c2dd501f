// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers HSAIL to SPMD LLVM IR (design D5), in which each kernel and function is what one work-item executes.
// It does not depend on any particular target.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "finalizer/control_directives.h"
#include "finalizer/llvm.h"
#include "finalizer/target_traits.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// A kernel. `body` is void(ptr context); the context belongs to the target, and bodies only pass it on.
struct SpmdKernel {
  int32_t symbol = -1;  ///< in Program::symbols()
  link::Reference definition;
  llvm::Function* body = nullptr;
  link::GroupLayout group;
  uint32_t private_size = 0;  ///< bytes of private segment that the kernel and the functions it calls need,
                              ///< without alloca and repeated activations
  size_t instructions = 0;    ///< HSAIL instructions of the body alone
  ControlDirectives directives;  ///< as the request gave them
  std::optional<link::Reference>
      lockstep;  ///< the pragma that asks for lock-step (lockstep.h), if there is one
};

/// An indirect function, which is void(ptr context, i32 private offset, ptr outputs..., ptr inputs...) like
/// every function.
struct SpmdIndirectFunction {
  int32_t symbol = -1;
  llvm::Function* function = nullptr;
  std::optional<link::Reference> lockstep;  ///< as for kernels
};

struct SpmdProgram {
  std::unique_ptr<llvm::Module> module;
  std::vector<SpmdKernel> kernels;
  std::vector<SpmdIndirectFunction> functions;
  /// Whether some instruction flushes subnormal numbers, no instruction of the program computes with them
  /// (subnormals.h), and all callers and callees of its code are in the program. If the target's processor
  /// has a mode that flushes, all of the code may run in it.
  bool flushes_throughout = false;
  /// The result of DebugInfo::describe_module_variables().
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> debug_variables;
};

/// A kernel to be lowered.
struct KernelRequest {
  int32_t symbol = -1;  ///< in Program::symbols(); the kernel is defined
  ControlDirectives directives;
};

struct LoweringRequest {
  TargetTraits target;
  /// Whether code is made for debuggers. Registers, variables and arguments are then described as well as
  /// source lines, and each register has a place in memory, which it keeps unless the code is optimised
  /// later.
  bool debug = false;
  std::vector<KernelRequest> kernels;  ///< SpmdProgram::kernels has their order
};

/// Lowers the requested kernels and all indirect functions of a resolved program. If something cannot be
/// lowered, reports it ("FINALIZER-unsupported-instruction", ...) and returns no module.
SpmdProgram lower_program(const link::Program& program, const LoweringRequest& request,
                          llvm::LLVMContext& context, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
