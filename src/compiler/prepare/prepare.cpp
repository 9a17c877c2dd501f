// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/prepare.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/prepare/atomics.h"
#include "compiler/prepare/constants.h"
#include "compiler/prepare/control.h"
#include "compiler/prepare/divisions.h"
#include "compiler/prepare/group_values.h"
#include "compiler/prepare/kernel_arguments.h"
#include "compiler/prepare/memory_intrinsics.h"
#include "compiler/prepare/packed_vectors.h"
#include "compiler/prepare/unreachable.h"

namespace heddle::compiler {

namespace {

bool is_visible(const llvm::GlobalValue& value) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&value);
  if (function == nullptr) return true;  // the host finds variables by name
  return function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
         function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

llvm::OptimizationLevel level_of(unsigned number) {
  switch (number) {
    case 0:
      return llvm::OptimizationLevel::O0;
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

void run_llvm_passes(llvm::Module& module, const TranslateOptions& options) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Work-items are the lanes; vectors of one work-item become scalars again.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(nullptr, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes;
  // Functions that only kernels of this module call need no symbol. Without it, they are also inlined if they
  // are called once.
  passes.addPass(llvm::InternalizePass(
      [&](const llvm::GlobalValue& value) { return options.keep_functions || is_visible(value); }));
  passes.addPass(llvm::GlobalDCEPass());
  if (options.optimization_level == 0) {
    passes.addPass(llvm::AlwaysInlinerPass());
  } else {
    passes.addPass(builder.buildPerModuleDefaultPipeline(level_of(options.optimization_level)));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAddressSpacesPass(0)));
  }
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
}

}  // namespace

void prepare(llvm::Module& module, const TranslateOptions& options) {
  run_llvm_passes(module, options);
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
    expand_divisions(function);
    expand_atomics(function);
    simplify_control(function);
  }
  expand_constants(module);  // copies of constant variables have made addresses in them
}

}  // namespace heddle::compiler
