// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HSAIL -> SPMD LLVM IR (design D5): each kernel and function as one work-item executes it. No target is
// known here.
#pragma once

#include <memory>
#include <vector>

#include "finalizer/debug/debug_info.h"
#include "finalizer/llvm.h"
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

/// Lowers all kernels and indirect functions of a resolved program. `exceptions` says of each defined kernel,
/// in the order of symbols, whether an exception policy is enabled for it; if it is shorter, not. What it
/// cannot lower it reports
/// ("FINALIZER-unsupported-instruction", ...) and gives no module.
/// With DebugLevel::full the code keeps registers in memory, for debuggers, if it is not optimised later.
SpmdProgram lower_program(const link::Program& program, DebugLevel debug, llvm::LLVMContext& context,
                          Diagnostics& diagnostics, const std::vector<bool>& exceptions = {});

}  // namespace heddle::finalizer
