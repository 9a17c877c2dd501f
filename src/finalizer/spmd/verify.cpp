// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/verify.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/spmd/speculation.h"
#include "finalizer/spmd/verify_shapes.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::BasicBlockEdge;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;
namespace match = llvm::PatternMatch;

/// Returns the mask that a value restricts to the work-items with some condition, or null.
const Value* restricted_mask(const Value& value) {
  const Value* mask = nullptr;
  const bool matches =
      match::match(&value, match::m_Select(match::m_Value(mask), match::m_Value(), match::m_Zero()));
  return matches ? mask : nullptr;
}

/// Returns the two masks that a mask joins, or nulls.
std::pair<const Value*, const Value*> joined_masks(const Value& value) {
  const Value *a = nullptr, *b = nullptr;
  match::match(&value, match::m_Or(match::m_Value(a), match::m_Value(b)));
  return {a, b};
}

class Verifier {
 public:
  explicit Verifier(const SpmdFunction& state)
      : state_(state), function_(state.function), dominators_(state.function) {
    for (const BasicBlock& block : function_)
      if (const Value* mask = mask_tested_by(block))
        tests_[mask].push_back({&block, block.getTerminator()->getSuccessor(0)});
  }

  Result<void> run() {
    for (const BasicBlock& block : function_) {
      check_branch(block);
      check_form(block);
    }
    if (!error_.message.empty()) return error_;  // the other rules need masks that are in order
    for (const BasicBlock& block : function_) {
      check_not_empty(block);
      check_narrow(block);
    }
    check_tests();
    check_convergent();
    if (!error_.message.empty()) return error_;
    return {};
  }

 private:
  void fail(const char* rule, const BasicBlock& block, const char* why) {
    if (error_.message.empty())
      error_.message = fmt::format("{}: {} (block {} of {})", rule, why, std::string_view(block.getName()),
                                   std::string_view(function_.getName()));
  }

  /// Returns the mask that decides whether a block goes to its first successor, or null.
  static const Value* mask_tested_by(const BasicBlock& block) {
    const auto* branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
    return branch && branch->isConditional() ? tested_mask(*branch->getCondition()) : nullptr;
  }

  void check_branch(const BasicBlock& block) {
    if (state_.shapes.is_divergent(block))
      fail("divergent-branch", block, "the work-items may leave the block on different ways");
  }

  // ---- the form of masks

  void check_form(const BasicBlock& block) {
    const Value* mask = state_.masks.of(block);
    if (!mask) return fail("mask-form", block, "there is no mask");
    if (const auto* made = llvm::dyn_cast<Instruction>(mask);
        made && !dominators_.dominates(made, block.getTerminator()))
      return fail("mask-form", block, "the mask is not known");
    if (!is_mask(*mask)) fail("mask-form", block, "the mask is made of something else than masks");
    for (const Instruction& instruction : block) {
      const Value* narrow = state_.masks.of(instruction);
      if (narrow != mask && !is_mask(*narrow))
        fail("mask-form", block, "the mask of an instruction is made of something else than masks");
    }
  }

  bool is_mask(const Value& value) {
    llvm::SmallVector<const Value*, 8> pending = {&value};
    while (!pending.empty()) {
      const Value* mask = pending.pop_back_val();
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(mask);
      if (mask == state_.entry_mask || (number && number->isZero()) || !masks_.insert(mask).second) continue;
      const auto [a, b] = joined_masks(*mask);
      if (const Value* whole = restricted_mask(*mask))
        pending.push_back(whole);
      else if (a)
        pending.append({a, b});
      else if (const auto* phi = llvm::dyn_cast<PHINode>(mask))
        llvm::append_range(pending, phi->incoming_values());
      else
        return false;
    }
    return true;
  }

  // ---- masks that are not empty

  void check_not_empty(const BasicBlock& block) {
    bool needs = block.getTerminator()->getNumSuccessors() > 1 && !mask_tested_by(block);
    for (const Instruction& instruction : block)
      needs |= !instruction.isTerminator() && !tested_mask(instruction) && !is_speculatable(instruction);
    llvm::SmallPtrSet<const Value*, 8> assumed;
    if (needs && !is_not_empty(*state_.masks.of(block), block, assumed))
      fail("empty-mask", block, "nobody has tested whether a work-item is active");
  }

  /// Reports whether a mask is known not to be empty in a block. A phi in a loop may be assumed not to be, as
  /// this holds when the loop begins and in each iteration after which it holds.
  bool is_not_empty(const Value& mask, const BasicBlock& block,
                    llvm::SmallPtrSetImpl<const Value*>& assumed) {
    if (&mask == state_.entry_mask) return true;
    for (const BasicBlockEdge& test : tests_.lookup(&mask))
      if (dominators_.dominates(test, &block)) return true;
    if (const auto [a, b] = joined_masks(mask); a)
      return is_not_empty(*a, block, assumed) || is_not_empty(*b, block, assumed);
    const auto* phi = llvm::dyn_cast<PHINode>(&mask);
    if (!phi) return false;
    if (!assumed.insert(phi).second) return true;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const BasicBlock* from = phi->getIncomingBlock(i);
      const bool is_tested = mask_tested_by(*from) == phi->getIncomingValue(i) &&
                             from->getTerminator()->getSuccessor(0) == phi->getParent() &&
                             from->getTerminator()->getSuccessor(1) != phi->getParent();
      if (!is_tested && !is_not_empty(*phi->getIncomingValue(i), *from, assumed)) return false;
    }
    return true;
  }

  // ---- masks that are not too wide

  void check_narrow(const BasicBlock& block) {
    const Value* mask = state_.masks.of(block);
    for (const Instruction& instruction : block)
      if (!implies(*state_.masks.of(instruction), *mask))
        fail("wide-mask", block, "an instruction is executed by work-items that are not in its block");
    for (const BasicBlock* header : llvm::successors(&block)) {
      if (!dominators_.dominates(header, &block)) continue;
      const Value* tested = mask_tested_by(block);
      if (!implies(*mask_behind(block, *header), tested ? *tested : *mask))
        fail("wide-mask", *header, "work-items begin another iteration that were not in the latch");
    }
  }

  /// Returns the mask of a block when the wave comes from a predecessor.
  const Value* mask_behind(const BasicBlock& from, const BasicBlock& block) const {
    const Value* mask = state_.masks.of(block);
    const auto* phi = llvm::dyn_cast<PHINode>(mask);
    return phi && phi->getParent() == &block ? phi->getIncomingValueForBlock(&from) : mask;
  }

  /// Checks only the nearest test above each block, because the block of that test is checked as well.
  void check_tests() {
    llvm::DenseMap<const BasicBlock*, const Value*> nearest;
    for (const auto* node : llvm::depth_first(dominators_.getRootNode())) {
      const BasicBlock& block = *node->getBlock();
      const Value* tested = node->getIDom() ? nearest.lookup(node->getIDom()->getBlock()) : nullptr;
      if (const BasicBlock* before = block.getSinglePredecessor();
          before && mask_tested_by(*before) && before->getTerminator()->getSuccessor(0) == &block)
        tested = mask_tested_by(*before);
      nearest[&block] = tested;
      if (tested && !implies(*state_.masks.of(block), *tested))
        fail("wide-mask", block, "the mask does not imply one that was tested");
    }
  }

  /// Reports whether one mask is known to imply another one. Phis may be assumed to, as for is_not_empty().
  bool implies(const Value& mask, const Value& other) {
    llvm::SmallPtrSet<const Value*, 8> assumed;
    llvm::SmallVector<const Value*, 8> pending = {&mask};
    while (!pending.empty()) {
      const Value* part = pending.pop_back_val();
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(part);
      if (part == &other || &other == state_.entry_mask || (number && number->isZero())) continue;
      if (!assumed.insert(part).second) continue;
      const auto [a, b] = joined_masks(*part);
      if (const Value* whole = restricted_mask(*part))
        pending.push_back(whole);
      else if (a)
        pending.append({a, b});
      else if (const auto* phi = llvm::dyn_cast<PHINode>(part))
        llvm::append_range(pending, phi->incoming_values());
      else
        return false;
    }
    return true;
  }

  // ---- convergent operations

  void check_convergent() {
    llvm::DenseMap<const Value*, const Value*> blocks;
    for (const auto& [call, block] : state_.convergent) {
      if (!call) return fail("convergent", function_.getEntryBlock(), "an operation is gone");
      blocks[call] = block;
    }
    for (const Instruction& instruction : llvm::instructions(function_)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !call->isConvergent() || tested_mask(*call)) continue;
      if (blocks.lookup(call) != call->getParent())
        fail("convergent", *call->getParent(), "an operation was copied or moved");
      else if (state_.masks.of(*call) != state_.masks.of(*call->getParent()))
        fail("convergent", *call->getParent(), "only some of those who are there execute an operation");
    }
  }

  const SpmdFunction& state_;
  const llvm::Function& function_;
  const llvm::DominatorTree dominators_;
  /// For each mask that is tested, the ways that are taken if it is not empty.
  llvm::DenseMap<const Value*, llvm::SmallVector<BasicBlockEdge, 1>> tests_;
  llvm::SmallPtrSet<const Value*, 32> masks_;  ///< found to be in order, or being looked at
  Error error_;
};

}  // namespace

Result<void> verify(const SpmdFunction& state, const ShapeRequest& request) {
  if (auto right = Verifier(state).run(); !right.ok()) return right;
  return verify_shapes(state, request);
}

namespace {
constexpr std::string_view mistake = "the vectoriser has made a mistake: ";
}  // namespace

Error mistake_found(const Error& found) { return {std::string(mistake) + found.message}; }

bool is_mistake(std::string_view reason) { return reason.starts_with(mistake); }

}  // namespace heddle::finalizer::spmd
