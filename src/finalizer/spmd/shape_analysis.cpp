// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/shape_analysis.h"

#include <cassert>
#include <deque>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/spmd/assumptions.h"
#include "finalizer/spmd/shape_rules.h"
#include "finalizer/spmd/sync_dependence.h"
#include "finalizer/spmd/width_promise.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Cycle;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// What is known of one value.
struct Fact {
  Shape shape;
  llvm::SmallVector<const Instruction*, 1> guards;  // GuardedShape::guards
  friend bool operator==(const Fact&, const Fact&) = default;
};

/// Values with more guards than this are varying.
constexpr size_t most_guards = 6;

Fact varying_fact() { return {Shape::varying(), {}}; }

/// Returns what holds for a value that is one of two in all lanes.
Fact join(const Fact& a, const Fact& b) {
  Fact joined = {spmd::join(a.shape, b.shape), a.guards};
  for (const auto* guard : b.guards)
    if (!llvm::is_contained(joined.guards, guard)) joined.guards.push_back(guard);
  return joined.shape.is_varying() || joined.guards.size() > most_guards ? varying_fact() : joined;
}

/// Finds the most precise solution of the rules: everything is bottom at first and all branches are uniform,
/// until the rules say otherwise.
class Analysis {
 public:
  Analysis(Function& function, const ShapeRequest& request)
      : function_(function), request_(request), post_dominators_(function) {
    cycles_.compute(function);
    for (const BasicBlock* block : llvm::ReversePostOrderTraversal<Function*>(&function))
      reachable_.insert(block);
  }

  Shapes run();

 private:
  bool is_reducible() const;
  Shapes give_up();
  void solve();
  void take_results();
  void take_guarded_results();

  void enqueue(const Instruction& instruction);
  void enqueue_all(const BasicBlock& block);
  void evaluate(const Instruction& instruction);
  Fact fact_of(const Value& value) const;
  Fact operand(const Value& value, const BasicBlock& user) const;
  Fact result_of(const Instruction& instruction);
  Fact result_of_phi(const llvm::PHINode& phi) const;
  bool is_same_where_guarded(const Fact& fact, const BasicBlock& block) const;

  void part_at(const BasicBlock& block);
  void part_cycle(const Cycle& cycle);
  void apply(const SyncDependence::Effect& effect, const Cycle* around);
  void mark_partial(const BasicBlock& block);
  bool is_from_parted_cycle(const Value& value, const BasicBlock& user) const;

  Function& function_;
  const ShapeRequest& request_;
  llvm::CycleInfo cycles_;
  const llvm::PostDominatorTree post_dominators_;
  llvm::SetVector<const BasicBlock*> reachable_;  // in reverse post-order
  std::optional<SyncDependence> sync_;
  std::optional<llvm::DominatorTree> dominators_;  // where guards are assumed
  Shapes shapes_;

  llvm::DenseMap<const Value*, Fact> facts_;
  std::deque<const Instruction*> pending_;
  llvm::DenseSet<const Instruction*> is_pending_;

  llvm::DenseSet<const BasicBlock*> parting_;    // whose terminators are divergent
  llvm::DenseSet<const BasicBlock*> joins_;      // where phis choose by lane
  llvm::DenseSet<const Cycle*> parted_;          // that lanes leave in different iterations
  llvm::DenseSet<const Instruction*> escaping_;  // from these cycles, without a phi
  bool assuming_ = false;
};

bool Analysis::is_reducible() const {
  llvm::SmallVector<const Cycle*, 8> all(cycles_.toplevel_begin(), cycles_.toplevel_end());
  while (!all.empty()) {
    const Cycle* cycle = all.pop_back_val();
    if (!cycle->isReducible()) return false;
    all.append(cycle->child_begin(), cycle->child_end());
  }
  return true;
}

Shapes Analysis::give_up() {
  for (const llvm::Argument& argument : function_.args()) shapes_.set(argument, fact_of(argument).shape);
  for (const BasicBlock& block : function_) {
    if (&block != &function_.getEntryBlock()) shapes_.set_partial(block);
    for (const Instruction& instruction : block)
      if (!instruction.getType()->isVoidTy()) shapes_.set(instruction, Shape::varying());
  }
  return std::move(shapes_);
}

// ---- the fixpoint

void Analysis::enqueue(const Instruction& instruction) {
  if (is_pending_.insert(&instruction).second) pending_.push_back(&instruction);
}

void Analysis::enqueue_all(const BasicBlock& block) {
  for (const Instruction& instruction : block) enqueue(instruction);
}

void Analysis::solve() {
  facts_.clear();
  for (const BasicBlock* block : reachable_) enqueue_all(*block);
  while (!pending_.empty()) {
    const Instruction* next = pending_.front();
    pending_.pop_front();
    is_pending_.erase(next);
    evaluate(*next);
  }
}

/// Returns what is known of a value at its definition.
Fact Analysis::fact_of(const Value& value) const {
  if (llvm::isa<Instruction>(value)) {
    const auto found = facts_.find(&value);
    return found == facts_.end() ? Fact() : found->second;
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned number = argument->getArgNo();
    if (number < request_.arguments.size()) return {request_.arguments[number], {}};
    return {number == 0 ? Shape::uniform() : Shape::varying(), {}};
  }
  return {shapes_.of(value), {}};
}

/// Returns what is known of a value in a block that uses it.
Fact Analysis::operand(const Value& value, const BasicBlock& user) const {
  return is_from_parted_cycle(value, user) ? varying_fact() : fact_of(value);
}

/// Reports whether lanes find a value of different iterations in a block behind a cycle.
bool Analysis::is_from_parted_cycle(const Value& value, const BasicBlock& user) const {
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || parted_.empty() || instruction->getParent() == &user) return false;
  const Cycle* cycle = cycles_.getCycle(instruction->getParent());
  for (; cycle && !cycle->contains(&user); cycle = cycle->getParentCycle())
    if (parted_.contains(cycle)) return true;
  return false;
}

void Analysis::evaluate(const Instruction& instruction) {
  if (instruction.isTerminator()) {
    if (instruction.getNumSuccessors() < 2 || assuming_) return;
    const auto* many = llvm::dyn_cast<llvm::SwitchInst>(&instruction);
    const Value* condition =
        many ? many->getCondition() : llvm::cast<llvm::BranchInst>(instruction).getCondition();
    const Shape shape = operand(*condition, *instruction.getParent()).shape;
    if (shape.is_bottom() || shape.is_uniform() || promises_agreement(instruction, request_)) return;
    part_at(*instruction.getParent());
    return;
  }
  if (instruction.getType()->isVoidTy()) return;
  const Fact old = fact_of(instruction);
  if (old.shape.is_varying()) return;
  const Fact now = escaping_.contains(&instruction) ? varying_fact() : join(old, result_of(instruction));
  if (now == old) return;
  facts_[&instruction] = now;
  for (const llvm::User* user : instruction.users())
    if (const auto* next = llvm::dyn_cast<Instruction>(user)) enqueue(*next);
}

Fact Analysis::result_of(const Instruction& instruction) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return result_of_phi(*phi);
  const BasicBlock& block = *instruction.getParent();
  const auto operand_shape = [&](const Value& value) { return operand(value, block).shape; };
  const bool flags_hold = request_.all_active && shapes_.has_entry_mask(block);
  const auto result = shape_of_result(instruction, {operand_shape, flags_hold, assuming_}, request_);
  Fact fact = {result.shape, {}};
  if (result.shape.is_bottom() || result.shape.is_varying()) return fact;
  // Shapes do not depend on guards of operands that are equally good without them.
  if (!assuming_ || result.shape == shapes_.of(instruction)) return fact;
  for (const Value* value : instruction.operands())
    for (const auto* guard : operand(*value, block).guards)
      if (!llvm::is_contained(fact.guards, guard)) fact.guards.push_back(guard);
  if (result.assumed) fact.guards.push_back(&instruction);
  return fact.guards.size() > most_guards ? varying_fact() : fact;
}

Fact Analysis::result_of_phi(const llvm::PHINode& phi) const {
  Fact all;
  const Value* only = nullptr;
  bool is_one = true;
  for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
    const Value* value = phi.getIncomingValue(n);
    if (!reachable_.contains(phi.getIncomingBlock(n))) continue;
    is_one = is_one && (!only || only == value);
    only = value;
    all = join(all, operand(*value, *phi.getParent()));
  }
  if (joins_.contains(phi.getParent()) && !is_one) return varying_fact();
  return is_same_where_guarded(all, *phi.getParent()) ? all : varying_fact();
}

/// Reports whether what guards have tested when a block is entered is what the fact depends on, and not
/// something of an earlier iteration.
bool Analysis::is_same_where_guarded(const Fact& fact, const BasicBlock& block) const {
  return llvm::all_of(fact.guards, [&](const Instruction* guard) {
    return dominators_->properlyDominates(guard->getParent(), &block);
  });
}

// ---- control

/// Notes that lanes may leave a block on different ways.
void Analysis::part_at(const BasicBlock& block) {
  if (!parting_.insert(&block).second) return;
  apply(sync_->after_branch(block), cycles_.getCycle(&block));
  mark_partial(block);
}

void Analysis::apply(const SyncDependence::Effect& effect, const Cycle* around) {
  for (const BasicBlock* block : effect.joins)
    if (joins_.insert(block).second)
      for (const llvm::PHINode& phi : block->phis()) enqueue(phi);
  if (effect.parts_cycle) part_cycle(*around);
}

/// Notes that lanes may leave a cycle in different iterations.
void Analysis::part_cycle(const Cycle& cycle) {
  if (!parted_.insert(&cycle).second) return;
  for (const BasicBlock* block : cycle.blocks()) {
    for (const Instruction& instruction : *block) {
      for (const llvm::User* user : instruction.users()) {
        const auto* behind = llvm::cast<Instruction>(user);
        if (cycle.contains(behind->getParent())) continue;
        const bool is_phi = llvm::isa<llvm::PHINode>(behind);
        if (!is_phi) escaping_.insert(&instruction);
        enqueue(is_phi ? *behind : instruction);
      }
    }
  }
  apply(sync_->after_cycle(cycle), cycle.getParentCycle());
}

/// Marks the blocks that only a part of the lanes may execute if lanes leave a block on different ways: all
/// until they surely have met again.
void Analysis::mark_partial(const BasicBlock& block) {
  // Nothing is known of where lanes meet that may run for ever.
  const bool ends =
      llvm::all_of(post_dominators_.roots(), [](const BasicBlock* root) { return llvm::succ_empty(root); });
  const auto* node = ends ? post_dominators_.getNode(&block) : nullptr;
  const BasicBlock* meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  llvm::SmallPtrSet<const BasicBlock*, 16> seen = {meeting};
  llvm::SmallVector<const BasicBlock*, 16> found = {&block};
  while (!found.empty()) {
    for (const BasicBlock* next : llvm::successors(found.pop_back_val())) {
      if (!seen.insert(next).second) continue;
      found.push_back(next);
      if (!shapes_.has_entry_mask(*next)) continue;
      shapes_.set_partial(*next);
      enqueue_all(*next);  // because flags do not hold any longer
    }
  }
}

// ---- results

void Analysis::take_results() {
  for (const llvm::Argument& argument : function_.args()) shapes_.set(argument, fact_of(argument).shape);
  for (const Instruction& instruction : llvm::instructions(function_)) {
    if (instruction.isTerminator() || llvm::isa<llvm::LoadInst, llvm::CallBase>(instruction))
      if (promises_agreement(instruction, request_)) shapes_.set_promised(instruction);
    if (instruction.getType()->isVoidTy()) continue;
    // What is still bottom is never computed.
    const Shape shape = fact_of(instruction).shape;
    shapes_.set(instruction, shape.is_bottom() ? Shape::uniform() : shape);
  }
}

void Analysis::take_guarded_results() {
  for (const auto& [value, fact] : facts_)
    if (!fact.guards.empty()) shapes_.set_guarded(*value, {fact.shape, fact.guards});
}

/// Solves the rules, and then solves them again with all that may be assumed (assumptions.h). What is known
/// of branches does not depend on that.
Shapes Analysis::run() {
  if (!is_reducible()) return give_up();
  sync_.emplace(function_, cycles_);
  solve();
  take_results();
  const auto shape_of = [&](const Value& value) { return shapes_.of(value); };
  const bool can_assume = llvm::any_of(llvm::instructions(function_), [&](const Instruction& i) {
    return !i.getType()->isVoidTy() && shapes_.of(i).is_varying() &&
           assumption_about(i, shape_of, request_.lanes);
  });
  if (can_assume) {
    assuming_ = true;
    dominators_.emplace(function_);
    solve();
    take_guarded_results();
  }
  return std::move(shapes_);
}

}  // namespace

Shapes compute_shapes(Function& function, const ShapeRequest& request) {
  assert(llvm::isPowerOf2_32(request.lanes) && request.lanes <= 256);
  assert(llvm::isPowerOf2_64(request.first_id_alignment) &&
         llvm::isPowerOf2_64(request.group_size_alignment));
  return Analysis(function, request).run();
}

}  // namespace heddle::finalizer::spmd
