// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/prepare.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/optimise.h"
#include "compiler/prepare/atomics.h"
#include "compiler/prepare/constants.h"
#include "compiler/prepare/control.h"
#include "compiler/prepare/divisions.h"
#include "compiler/prepare/group_values.h"
#include "compiler/prepare/kernel_arguments.h"
#include "compiler/prepare/memory_intrinsics.h"
#include "compiler/prepare/packed_vectors.h"
#include "compiler/prepare/saturating_shifts.h"
#include "compiler/prepare/unreachable.h"

namespace heddle::compiler {

namespace {

bool is_visible(const llvm::GlobalValue& value) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&value);
  if (function == nullptr) return true;  // the host finds variables by name
  return function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
         function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

// Functions that only kernels of this module call need no symbol. Without it, they are also inlined if they
// are called once.
void make_internal(llvm::Module& module) {
  llvm::internalizeModule(module, is_visible);
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(module, analyses);
}

}  // namespace

void prepare(llvm::Module& module, const TranslateOptions& options) {
  if (!options.keep_functions) make_internal(module);
  optimise(module, options.level);
  store_group_values(module);
  expand_constants(module);
  const llvm::TargetLibraryInfoImpl libraries(module.getTargetTriple());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // What is not known to be constant after all passes is not, and objects whose sizes are not known have
    // any.
    llvm::lowerConstantIntrinsics(function, llvm::TargetLibraryInfo(libraries, &function), nullptr);
    llvm::removeUnreachableBlocks(function);
    join_unreachable(function);
    expand_implicit_arguments(function);
    copy_by_value_arguments(function);
    keep_escaping_arguments(function);
    expand_memory_intrinsics(function);
    expand_packed_accesses(function);
    expand_saturating_shifts(function);
    expand_divisions(function);
    expand_atomics(function);
    simplify_control(function);
  }
  expand_constants(module);  // copies of constant variables have made addresses in them
}

}  // namespace heddle::compiler
