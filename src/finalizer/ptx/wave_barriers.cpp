// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/wave_barriers.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codeobject/ptx_kernel.h"
#include "finalizer/lower/callers.h"
#include "finalizer/lower/target_operations.h"
#include "finalizer/ptx/post_dominators.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/vectorise.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;
using llvm::Function;

/// Kernels that would become larger than this by what they call are not looked into.
constexpr size_t largest_analysed = 100000;

bool is_barrier(const llvm::CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && target_operation_of(*callee) == TargetOperation::barrier;
}

/// Looks for branches that keep lanes of a wave apart at barriers, in a function in canonical form.
class Search {
 public:
  explicit Search(Function& function) : function_(function), meetings_(function) {
    spmd::ShapeRequest request;
    request.lanes = request.wavesize = ptx_kernel::lanes;
    shapes_ = spmd::compute_shapes(function, request);
  }

  /// Some lanes may wait for others that are in a barrier, and never do two sets of lanes arrive at barriers.
  bool finds_lanes_that_wait() const {
    bool found = false;
    for (BasicBlock& block : function_) {
      if (!shapes_.is_divergent(block)) continue;
      BasicBlock* meeting = meetings_.immediate(&block);
      const auto leads_to_barrier = [&](BasicBlock* way) { return reaches_barrier(*way, meeting); };
      const auto ways = llvm::count_if(llvm::successors(&block), leads_to_barrier);
      if (ways > 1) return false;
      found = found || (ways == 1 && meeting && !ends_at_once(*meeting));
    }
    return found;
  }

 private:
  /// Lanes that only end wait for nobody.
  static bool ends_at_once(const BasicBlock& block) {
    const BasicBlock* place = &block;
    while (&*place->getFirstNonPHIOrDbg() == place->getTerminator()) {
      if (llvm::isa<llvm::ReturnInst>(place->getTerminator())) return true;
      place = place->getSingleSuccessor();
      if (!place) return false;
    }
    return false;
  }
  static bool has_barrier(const BasicBlock& block) {
    return llvm::any_of(block, [](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && is_barrier(*call);
    });
  }
  /// Reports whether a barrier may be reached from the block before `end` is.
  static bool reaches_barrier(BasicBlock& begin, const BasicBlock* end) {
    llvm::SmallSetVector<BasicBlock*, 16> reached;
    if (&begin != end) reached.insert(&begin);
    for (size_t i = 0; i < reached.size(); ++i) {
      if (has_barrier(*reached[i])) return true;
      for (BasicBlock* next : llvm::successors(reached[i]))
        if (next != end) reached.insert(next);
    }
    return false;
  }

  Function& function_;
  const PostDominators meetings_;
  spmd::Shapes shapes_;
};

/// Looks into a copy of a kernel's body, with all that it calls.
bool needs_wave_barriers(Function& body, const std::set<const Function*>& with_barriers) {
  llvm::ValueToValueMapTy map;
  Function* copy = llvm::CloneFunction(&body, map);
  spmd::inline_calls(*copy, largest_analysed);
  const bool is_whole = llvm::none_of(llvm::instructions(*copy), [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && with_barriers.contains(call->getCalledFunction());
  });
  bool needs = false;
  if (is_whole) {
    spmd::make_canonical(*copy);
    needs = Search(*copy).finds_lanes_that_wait();
  }
  copy->eraseFromParent();
  return needs;
}

void replace_barriers(Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !is_barrier(*call)) continue;
    llvm::IRBuilder<> ir(call);
    ir.CreateCall(declare(*function.getParent(), TargetOperation::fbarrier),
                  {ir.getInt32(wave_barrier_operation), ir.getInt32(0)});
    call->eraseFromParent();
  }
}

}  // namespace

std::set<const Function*> use_wave_barriers(SpmdProgram& spmd,
                                            llvm::function_ref<bool(const SpmdKernel&)> may_return_early) {
  const auto with_barriers = functions_leading_to(*spmd.module, is_barrier);
  std::set<const Function*> found;
  llvm::SmallVector<Function*, 8> roots;
  for (const SpmdKernel& kernel : spmd.kernels) {
    if (!with_barriers.contains(kernel.body) || !may_return_early(kernel)) continue;
    if (!needs_wave_barriers(*kernel.body, with_barriers)) continue;
    found.insert(kernel.body);
    roots.push_back(kernel.body);
  }
  for (Function* function : spmd::called_functions(roots)) replace_barriers(*function);
  return found;
}

}  // namespace heddle::finalizer::ptx
