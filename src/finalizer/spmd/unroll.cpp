// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/unroll.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Loop;

/// Enough for loops over neighbours in two dimensions.
constexpr unsigned most_iterations = 16;
constexpr size_t most_instructions = 512;

class Unroller {
 public:
  explicit Unroller(llvm::Function& function)
      : dominators_(function),
        loops_(dominators_),
        library_(llvm::TargetLibraryInfoImpl(function.getParent()->getTargetTriple()), &function),
        target_(function.getDataLayout()),
        assumptions_(function),
        evolution_(function, library_, assumptions_, dominators_, loops_),
        remarks_(&function) {}

  bool run();

 private:
  unsigned iterations_of(const Loop& loop);
  bool unroll(Loop& loop);

  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::TargetLibraryInfo library_;
  llvm::TargetTransformInfo target_;
  llvm::AssumptionCache assumptions_;
  llvm::ScalarEvolution evolution_;
  llvm::OptimizationRemarkEmitter remarks_;
};

/// Reports whether an instruction must not be copied. Code for communication is large, and each point at
/// which a wave waits costs room in its frame.
bool is_to_remain(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && (call->isConvergent() || call->cannotDuplicate());
}

/// Returns the number of iterations of a loop that is to be replaced, or 0.
unsigned Unroller::iterations_of(const Loop& loop) {
  if (!loop.isInnermost() || !loop.getExitingBlock()) return 0;
  const unsigned iterations = evolution_.getSmallConstantTripCount(&loop);
  if (iterations == 0 || iterations > most_iterations) return 0;
  size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    size += block->size();
    if (block->hasAddressTaken() || llvm::any_of(*block, is_to_remain)) return 0;
  }
  return size * iterations <= most_instructions ? iterations : 0;
}

bool Unroller::unroll(Loop& loop) {
  const unsigned iterations = iterations_of(loop);
  if (iterations == 0 || !loop.isLoopSimplifyForm()) return false;
  llvm::UnrollLoopOptions options = {};
  options.Count = iterations;
  return llvm::UnrollLoop(&loop, options, &loops_, &evolution_, &dominators_, &assumptions_, &target_,
                          &remarks_, /*PreserveLCSSA=*/true) == llvm::LoopUnrollResult::FullyUnrolled;
}

/// Unrolled loops disappear, so that those around them may be innermost ones then. LLVM would make nested
/// loops of a loop with several latches, where work-items that `continue` would leave the others behind.
bool Unroller::run() {
  bool changed = false;
  for (Loop* outermost : llvm::to_vector(loops_)) {
    const auto nest = outermost->getLoopsInPreorder();
    if (!llvm::all_of(nest, [](const Loop* loop) { return loop->getLoopLatch(); })) continue;
    llvm::simplifyLoop(outermost, &dominators_, &loops_, &evolution_, &assumptions_, nullptr,
                       /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(*outermost, dominators_, &loops_, &evolution_);
    for (Loop* loop : llvm::reverse(nest)) changed |= unroll(*loop);
  }
  return changed;
}

}  // namespace

bool unroll_small_loops(llvm::Function& function) { return Unroller(function).run(); }

}  // namespace heddle::finalizer::spmd
