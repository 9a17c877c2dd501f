// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/linearise.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/spmd/block_order.h"
#include "finalizer/spmd/plan.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/slots.h"
#include "finalizer/spmd/tidy.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

/// Returns the value of a variable for a value of the function as long as nothing has been stored. What
/// branches and masks are made of must not be poison.
llvm::Constant& empty_value(const Value& value, const Shapes& shapes) {
  llvm::Type* type = value.getType();
  if (type->isIntegerTy(1) || shapes.is_uniform(value)) return *llvm::Constant::getNullValue(type);
  return *llvm::PoisonValue::get(type);
}

class Linearisation {
 public:
  explicit Linearisation(SpmdFunction& state)
      : state_(state),
        function_(state.function),
        dominators_(function_),
        loops_(dominators_),
        order_(function_, dominators_, loops_),
        plan_(order_, dominators_, loops_, state.shapes),
        slots_(function_),
        blocks_(order_.size()) {}

  void run() {
    create_variables();
    for (unsigned i = 0; i < order_.size(); ++i) {
      find_mask(i);
      store_masks(i);
    }
    for (unsigned i = 0; i < order_.size(); ++i) replace_phis(i);
    for (unsigned i = 0; i < order_.size(); ++i) replace_terminator(i);
    dominators_.recalculate(function_);
    repair_dominance();
    slots_.promote(dominators_, loops_);
  }

 private:
  /// What has been made for a block.
  struct Made {
    BasicBlock* test = nullptr;      ///< where the mask is tested before the block, if it is
    AllocaInst* variable = nullptr;  ///< collects the mask, unless another block has the same one
    Value* mask = nullptr;
  };

  /// Returns where the wave has to go to get to a block.
  BasicBlock& way_to(unsigned i) const { return blocks_[i].test ? *blocks_[i].test : order_[i]; }

  // ---- masks

  void create_variables() {
    for (unsigned i = 1; i < order_.size(); ++i) {
      if (plan_[i].skip_to) {
        blocks_[i].test =
            BasicBlock::Create(function_.getContext(), order_[i].getName() + ".test", &function_, &order_[i]);
        if (llvm::Loop* loop = loops_.getLoopFor(&order_[i]))
          loop->addBasicBlockToLoop(blocks_[i].test, loops_);
      }
      if (plan_[i].same_mask_as) continue;
      const auto name = order_[i].getName() + ".mask";
      blocks_[i].variable =
          plan_.loops().headed_by(i)
              ? slots_.create_carried(llvm::Type::getInt1Ty(function_.getContext()), name)
              : slots_.create(*llvm::ConstantInt::getFalse(function_.getContext()), order_[i], name);
    }
  }

  void find_mask(unsigned i) {
    Made& made = blocks_[i];
    if (i == 0) {
      made.mask = state_.entry_mask;
    } else if (plan_[i].same_mask_as) {
      made.mask = blocks_[*plan_[i].same_mask_as].mask;
    } else {
      llvm::IRBuilder<> ir(&order_[i], order_[i].getFirstInsertionPt());
      if (made.test) ir.SetInsertPoint(made.test);
      made.mask = ir.CreateLoad(ir.getInt1Ty(), made.variable, order_[i].getName() + ".mask");
    }
    if (made.test) state_.masks.set(*made.test, *made.mask);
    state_.masks.set(order_[i], *made.mask);
  }

  /// Returns the mask of an edge, at the end of its block.
  Value* edge_mask(unsigned from, const PlannedBlock::Edge& edge) {
    Value* mask = blocks_[from].mask;
    if (takes_all(from, edge)) return mask;
    Value*& known = edge_masks_[{from, edge.successor}];
    if (known) return known;
    Instruction* end = order_[from].getTerminator();
    llvm::IRBuilder<> ir(end);
    return known = create_restriction(ir, mask, edge_condition(ir, *end, order_[edge.successor]));
  }

  /// Reports whether all work-items of a block take an edge if the wave does.
  bool takes_all(unsigned from, const PlannedBlock::Edge& edge) const {
    const PlannedBlock& block = plan_[from];
    return block.edges.size() == 1 || (!block.is_folded && edge.target == edge.successor);
  }

  /// Adds the work-items that leave a block to the masks of its successors.
  void store_masks(unsigned i) {
    for (const auto& edge : plan_[i].edges) {
      AllocaInst* variable = blocks_[edge.successor].variable;
      if (!variable) continue;
      Value* mask = edge_mask(i, edge);
      llvm::IRBuilder<> ir(order_[i].getTerminator());
      if (!plan_.loops().headed_by(edge.successor))
        mask = ir.CreateOr(ir.CreateLoad(ir.getInt1Ty(), variable), mask);
      ir.CreateStore(mask, variable);
    }
  }

  // ---- phis

  void replace_phis(unsigned i) {
    if (plan_[i].keeps_phis) return;
    for (PHINode& phi : llvm::make_early_inc_range(order_[i].phis())) replace(phi, i);
  }

  /// Makes a variable of a phi, in which the values of its predecessors come together.
  void replace(PHINode& phi, unsigned i) {
    AllocaInst* variable = slots_.create(empty_value(phi, state_.shapes), order_[i], phi.getName());
    const bool is_varying = state_.shapes.of(phi).is_varying();
    const llvm::SmallSetVector<BasicBlock*, 4> predecessors(phi.block_begin(), phi.block_end());
    for (const BasicBlock* predecessor : predecessors) {
      const unsigned from = order_[*predecessor];
      const auto edge = *llvm::find_if(plan_[from].edges, [&](const auto& e) { return e.successor == i; });
      Value* value = phi.getIncomingValueForBlock(predecessor);
      Value* condition = nullptr;
      // The work-items that come to the block agree on a value that is not varying, so the last one counts.
      if (is_varying || !takes_all(from, edge) || !plan_[from].has_work_items)
        condition = edge_mask(from, edge);
      llvm::IRBuilder<> ir(order_[from].getTerminator());
      if (condition && !is_varying) condition = create_any(ir, condition);
      if (condition)
        value = llvm::SelectInst::Create(condition, value, ir.CreateLoad(phi.getType(), variable), "",
                                         ir.GetInsertPoint());
      ir.CreateStore(value, variable);
    }
    llvm::IRBuilder<> ir(&order_[i], order_[i].getFirstInsertionPt());
    Value* loaded = ir.CreateLoad(phi.getType(), variable);
    loaded->takeName(&phi);
    phi.replaceAllUsesWith(loaded);
    state_.shapes.erase(phi);
    phi.eraseFromParent();
  }

  // ---- branches

  void replace_terminator(unsigned i) {
    const PlannedBlock& block = plan_[i];
    if (blocks_[i].test) {
      llvm::IRBuilder<> ir(blocks_[i].test);
      ir.CreateCondBr(create_any(ir, blocks_[i].mask), &order_[i], &way_to(*block.skip_to));
    }
    if (block.edges.empty()) return;
    Instruction* end = order_[i].getTerminator();
    llvm::IRBuilder<> ir(end);
    BasicBlock& first = way_to(block.edges.front().target);
    if (block.after_loop) {
      ir.CreateCondBr(create_any(ir, blocks_[i].mask), &first, &way_to(*block.after_loop));
    } else if (llvm::all_of(block.edges, [&](const auto& e) { return &way_to(e.target) == &first; })) {
      ir.CreateBr(&first);
    } else {
      for (unsigned s = 0; s < end->getNumSuccessors(); ++s)
        end->setSuccessor(s, &way_of(i, *end->getSuccessor(s)));
      return;
    }
    end->eraseFromParent();
  }

  BasicBlock& way_of(unsigned i, const BasicBlock& successor) const {
    for (const auto& edge : plan_[i].edges)
      if (edge.successor == order_[successor]) return way_to(edge.target);
    llvm_unreachable("each successor of a block has an edge");
  }

  // ---- values

  /// Makes variables of the values that do not dominate all of their uses any more. Where the wave has not
  /// computed such a value, no work-item needs it.
  void repair_dominance() {
    llvm::SmallVector<Instruction*, 32> values;
    for (Instruction& instruction : llvm::instructions(function_))
      if (!llvm::isa<AllocaInst>(instruction) && !instruction.use_empty()) values.push_back(&instruction);
    for (Instruction* value : values) {
      llvm::SmallVector<llvm::Use*, 4> lost;
      for (llvm::Use& use : value->uses())
        if (!dominators_.dominates(value, use)) lost.push_back(&use);
      if (!lost.empty()) keep_in_variable(*value, lost);
    }
  }

  void keep_in_variable(Instruction& value, llvm::ArrayRef<llvm::Use*> uses) {
    AllocaInst* variable =
        slots_.create(empty_value(value, state_.shapes), *value.getParent(), value.getName());
    const auto behind =
        llvm::isa<PHINode>(value) ? value.getParent()->getFirstInsertionPt() : std::next(value.getIterator());
    new llvm::StoreInst(&value, variable, behind);
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<Instruction>(use->getUser());
      const auto* phi = llvm::dyn_cast<PHINode>(user);
      llvm::IRBuilder<> ir(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
      use->set(ir.CreateLoad(value.getType(), variable));
    }
  }

  SpmdFunction& state_;
  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  const BlockOrder order_;
  const Plan plan_;
  Slots slots_;
  std::vector<Made> blocks_;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value*> edge_masks_;
};

void record_convergent(SpmdFunction& state) {
  for (Instruction& instruction : llvm::instructions(state.function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->isConvergent() && !tested_mask(*call))
      state.convergent.push_back({&instruction, instruction.getParent()});
  }
}

}  // namespace

void linearise(SpmdFunction& state) {
  assert(is_canonical(state.function) && "only canonical control flow can be linearised");
  record_convergent(state);
  std::vector<llvm::WeakVH> original;
  for (Instruction& instruction : llvm::instructions(state.function)) original.emplace_back(&instruction);
  Linearisation(state).run();
  tidy(state, original);
}

}  // namespace heddle::finalizer::spmd
