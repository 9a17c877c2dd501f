// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes/optimise.h"

#include <algorithm>

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h>
#include <llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h>

#include "compiler/passes/combined_loads.h"
#include "compiler/passes/explicit_addresses.h"
#include "compiler/passes/segment_aliases.h"
#include "compiler/passes/target_description.h"

namespace heddle::compiler {
namespace {

llvm::OptimizationLevel level_of(Level level) {
  switch (level) {
    case Level::none:
      return llvm::OptimizationLevel::O0;
    case Level::less:
      return llvm::OptimizationLevel::O1;
    case Level::normal:
      return llvm::OptimizationLevel::O2;
    case Level::aggressive:
      return llvm::OptimizationLevel::O3;
    case Level::size:
      return llvm::OptimizationLevel::Os;
    case Level::least_size:
      return llvm::OptimizationLevel::Oz;
  }
  return llvm::OptimizationLevel::O2;
}

/// Wave compilers make vectors of work-items, so loops and straight-line code stay scalar.
llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = false;
  options.SLPVectorization = false;
  options.LoopInterleaving = false;
  return options;
}

/// Passes of LLVM's pipelines that make HSAIL worse.
constexpr llvm::StringLiteral unwanted[] = {
    // Takes loads of vectors apart, because registers of other machines hold vectors. A load of four bytes is
    // one access of 32 bits in HSAIL, and four accesses if it is taken apart.
    "VectorCombinePass",
    // Makes memset and memcpy of loops, which would become loops again, over bytes.
    "LoopIdiomRecognizePass",
};

/// Passes and the analyses that they ask for, in the order in which they must be destroyed.
class Pipeline {
 public:
  Pipeline() {
    callbacks_.registerShouldRunOptionalPassCallback(
        [](llvm::StringRef pass, const llvm::Any&) { return !llvm::is_contained(unwanted, pass); });
    builder_.registerCGSCCOptimizerLateEPCallback(
        [](llvm::CGSCCPassManager& passes, llvm::OptimizationLevel level) {
          if (level != llvm::OptimizationLevel::O0) add_to_inliner(passes);
        });
    register_aliases();
    functions_.registerPass([] { return target_description(); });
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  void run(llvm::Module& module, Level level) {
    llvm::ModulePassManager passes;
    if (level == Level::none) {
      passes.addPass(builder_.buildO0DefaultPipeline(llvm::OptimizationLevel::O0));
    } else {
      passes.addPass(llvm::AlwaysInlinerPass());
      passes.addPass(builder_.buildPerModuleDefaultPipeline(level_of(level)));
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(address_passes()));
    }
    // HSAIL has no accesses to some elements of a vector.
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ScalarizeMaskedMemIntrinPass()));
    passes.addPass(llvm::GlobalDCEPass());
    passes.run(module, modules_);
  }

 private:
  /// Pointers are flat (address space 0) until it is known where they point, which inlining shows.
  static void add_to_inliner(llvm::CGSCCPassManager& passes) {
    llvm::FunctionPassManager functions;
    functions.addPass(llvm::InferAddressSpacesPass(0));
    passes.addPass(llvm::createCGSCCToFunctionPassAdaptor(std::move(functions)));
  }

  /// Before, addresses are the sums that the source has, which the passes understand best. Now they become
  /// the sum of a register and a number, which is what HSAIL's addresses are, and what they have in common is
  /// computed once.
  static llvm::FunctionPassManager address_passes() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::InferAddressSpacesPass(0));
    passes.addPass(llvm::SeparateConstOffsetFromGEPPass(/*LowerGEP=*/true));
    passes.addPass(ExplicitAddresses());
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(CombinedLoads());
    passes.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    passes.addPass(llvm::ADCEPass());
    return passes;
  }

  void register_aliases() {
    functions_.registerPass([] { return SegmentAliases(); });
    llvm::AAManager aliases = builder_.buildDefaultAAPipeline();
    aliases.registerFunctionAnalysis<SegmentAliases>();
    functions_.registerPass([aliases] { return aliases; });
  }

  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::PassBuilder builder_{nullptr, tuning(), std::nullopt, &callbacks_};
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace

void optimise(llvm::Module& module, Level level) { Pipeline().run(module, level); }

}  // namespace heddle::compiler
