// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/whole_iterations.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/lane_zero.h"
#include "finalizer/spmd/prepare.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::CmpInst;
using llvm::Loop;
using llvm::PHINode;
using llvm::Value;

/// Longer loops gain less by the lack of masks, and would take longer to compile twice.
constexpr size_t largest_loop = 256;

/// A work-item stays in the loop while `counter < limit`.
struct Bound {
  Value* counter;  ///< strided
  Value* limit;    ///< uniform
  bool is_signed;
  uint64_t span;  ///< what the last lane's counter has more than that of lane 0
};

class WholeIterations {
 public:
  WholeIterations(Loop& loop, const Shapes& shapes, unsigned lanes)
      : loop_(loop), shapes_(shapes), lanes_(lanes) {}
  /// Reports whether a copy has been made.
  bool run(TestedInstructions& tested);

 private:
  bool tests_at_the_end() const;
  std::optional<Bound> find_bound() const;
  std::optional<uint64_t> span_of(const Value& counter) const;
  void clone(TestedInstructions& tested);
  Value* copy_of(Value* value) const;
  void enter_copy();
  void begin_again(BasicBlock& rest);
  void continue_or_leave(BasicBlock& rest);
  void leave(BasicBlock& rest, BasicBlock& done);
  Value* reached(Value* value, BasicBlock& rest) const;
  void decide(const Bound& bound, BasicBlock& rest);

  Loop& loop_;
  const Shapes& shapes_;
  const unsigned lanes_;
  BasicBlock* exiting_ = nullptr;  ///< the only block that leaves the loop
  llvm::ValueToValueMapTy copies_;
};

/// Reports whether a work-item that stays begins the next iteration at once, as in loops of compilers, which
/// test their counter at the end.
bool WholeIterations::tests_at_the_end() const {
  const BasicBlock* latch = loop_.getLoopLatch();
  return latch->getSinglePredecessor() == exiting_ && &latch->front() == latch->getTerminator();
}

/// Returns how far the counter of the last lane is from that of lane 0, if it is the greater one.
std::optional<uint64_t> WholeIterations::span_of(const Value& counter) const {
  const Shape shape = shapes_.of(counter);
  if (!shape.is_strided() || shape.stride <= 0) return {};
  const unsigned bits = counter.getType()->getScalarSizeInBits();
  const auto stride = static_cast<uint64_t>(shape.stride);
  const uint64_t most = (uint64_t{1} << (bits - 1)) - 1;
  if (bits < 32 || bits > 64 || stride > most / lanes_) return {};
  return (lanes_ - 1) * stride;
}

std::optional<Bound> WholeIterations::find_bound() const {
  const auto* branch = llvm::dyn_cast<BranchInst>(exiting_->getTerminator());
  if (!branch || !branch->isConditional() || !shapes_.is_divergent(*exiting_)) return {};
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy()) return {};
  Value *counter = comparison->getOperand(0), *limit = comparison->getOperand(1);
  CmpInst::Predicate stays = comparison->getPredicate();
  if (!loop_.contains(branch->getSuccessor(0))) stays = CmpInst::getInversePredicate(stays);
  if (shapes_.is_uniform(*counter)) {
    std::swap(counter, limit);
    stays = CmpInst::getSwappedPredicate(stays);
  }
  if (stays != CmpInst::ICMP_ULT && stays != CmpInst::ICMP_SLT) return {};
  const auto span = span_of(*counter);
  if (!span || !shapes_.is_uniform(*limit)) return {};
  return Bound{counter, limit, stays == CmpInst::ICMP_SLT, *span};
}

void WholeIterations::clone(TestedInstructions& tested) {
  BasicBlock* header = loop_.getHeader();
  llvm::Function& function = *header->getParent();
  llvm::SmallVector<BasicBlock*, 8> blocks;
  for (BasicBlock* block : loop_.blocks()) {
    blocks.push_back(llvm::CloneBasicBlock(block, copies_, ".whole", &function));
    copies_[block] = blocks.back();
    blocks.back()->moveBefore(header);
  }
  llvm::remapInstructionsInBlocks(blocks, copies_);
  for (BasicBlock* block : loop_.blocks())
    for (llvm::Instruction& instruction : *block)
      if (tested.contains(&instruction)) tested.insert(llvm::cast<llvm::Instruction>(copies_[&instruction]));
}

Value* WholeIterations::copy_of(Value* value) const {
  const auto found = copies_.find(value);
  return found == copies_.end() ? value : static_cast<Value*>(found->second);
}

/// Returns what the copy has come to when it leads to `rest`, as a phi there.
Value* WholeIterations::reached(Value* value, BasicBlock& rest) const {
  if (!copies_.count(value)) return value;
  auto* phi = PHINode::Create(value->getType(), 1, value->getName(), rest.begin());
  phi->addIncoming(copy_of(value), llvm::cast<BasicBlock>(copy_of(exiting_)));
  return phi;
}

void WholeIterations::enter_copy() {
  auto* copy = llvm::cast<BasicBlock>(copies_[loop_.getHeader()]);
  loop_.getLoopPreheader()->getTerminator()->replaceSuccessorWith(loop_.getHeader(), copy);
}

/// Lets `rest` lead from the copy to the loop, which begins the iteration again with what the copy has come
/// to.
void WholeIterations::begin_again(BasicBlock& rest) {
  BasicBlock *header = loop_.getHeader(), *before = loop_.getLoopPreheader();
  enter_copy();
  for (PHINode& phi : header->phis()) {
    const auto entry = static_cast<unsigned>(phi.getBasicBlockIndex(before));
    phi.setIncomingValue(entry, reached(&phi, rest));
    phi.setIncomingBlock(entry, &rest);
  }
  BranchInst::Create(header, &rest);
}

/// Lets `rest`, where the iteration of the copy is complete, test which work-items leave. The others begin
/// the next iteration in the loop.
void WholeIterations::continue_or_leave(BasicBlock& rest) {
  BasicBlock *header = loop_.getHeader(), *before = loop_.getLoopPreheader(), *latch = loop_.getLoopLatch();
  enter_copy();
  const auto add_block = [&](const char* end) {
    return BasicBlock::Create(header->getContext(), header->getName() + end, header->getParent(), header);
  };
  BasicBlock *next = add_block(".next"), *done = add_block(".done");
  for (PHINode& phi : header->phis()) {
    const auto entry = static_cast<unsigned>(phi.getBasicBlockIndex(before));
    phi.setIncomingValue(entry, reached(phi.getIncomingValueForBlock(latch), rest));
    phi.setIncomingBlock(entry, next);
  }
  BranchInst::Create(header, next);
  const auto* test = llvm::cast<BranchInst>(exiting_->getTerminator());
  const bool stays_first = loop_.contains(test->getSuccessor(0));
  BranchInst::Create(stays_first ? next : done, stays_first ? done : next,
                     reached(test->getCondition(), rest), &rest);
  leave(rest, *done);
}

/// Lets `done`, which `rest` leads to, lead to what comes behind the loop, with the values that the copy ends
/// with.
void WholeIterations::leave(BasicBlock& rest, BasicBlock& done) {
  BasicBlock* exit = loop_.getExitBlock();
  BasicBlock* behind = exit->splitBasicBlock(exit->getFirstNonPHIIt(), exit->getName() + ".behind");
  BranchInst::Create(behind, &done);
  for (PHINode& phi : exit->phis()) {
    auto* either = PHINode::Create(phi.getType(), 2, phi.getName(), behind->begin());
    phi.replaceAllUsesWith(either);
    either->addIncoming(&phi, exit);
    either->addIncoming(reached(phi.getIncomingValueForBlock(exiting_), rest), &done);
  }
}

/// Lets the copy go on while the counter of the last lane is below the limit. It does not wrap around then,
/// since the limit less the span is a number of the type.
void WholeIterations::decide(const Bound& bound, BasicBlock& rest) {
  auto* copy = llvm::cast<BasicBlock>(copies_[exiting_]);
  auto* branch = llvm::cast<BranchInst>(copy->getTerminator());
  llvm::IRBuilder<> ir(branch);
  Value* limit = create_value_of_lane_0(ir, copy_of(bound.limit));
  Value* span = llvm::ConstantInt::get(limit->getType(), bound.span);
  const auto less = bound.is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat;
  Value* counter = create_value_of_lane_0(ir, copy_of(bound.counter));
  Value* all_stay = ir.CreateICmp(bound.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, counter,
                                  ir.CreateBinaryIntrinsic(less, limit, span));
  const bool stays_first = loop_.contains(llvm::cast<BranchInst>(exiting_->getTerminator())->getSuccessor(0));
  BasicBlock* inside = branch->getSuccessor(stays_first ? 0 : 1);
  branch->eraseFromParent();
  BranchInst::Create(inside, &rest, all_stay, copy);
}

bool WholeIterations::run(TestedInstructions& tested) {
  exiting_ = loop_.getExitingBlock();
  if (!loop_.isInnermost() || !exiting_ || !loop_.getLoopPreheader()) return false;
  size_t size = 0;
  for (const BasicBlock* block : loop_.blocks()) {
    if (block->hasAddressTaken()) return false;
    size += block->size();
  }
  const bool at_the_end = tests_at_the_end();
  // If they do not test at the end, both the copy and the loop execute the header for the counter with which
  // the copy ends.
  const auto writes = [](const llvm::Instruction& instruction) { return instruction.mayWriteToMemory(); };
  if (!at_the_end && (exiting_ != loop_.getHeader() || llvm::any_of(*exiting_, writes))) return false;
  const auto bound = find_bound();
  if (size > largest_loop || !bound) return false;
  BasicBlock* header = loop_.getHeader();
  clone(tested);
  auto* rest =
      BasicBlock::Create(header->getContext(), header->getName() + ".rest", header->getParent(), header);
  if (at_the_end)
    continue_or_leave(*rest);
  else
    begin_again(*rest);
  decide(*bound, *rest);
  return true;
}

}  // namespace

bool separate_whole_iterations(llvm::Function& function, const Shapes& shapes, unsigned lanes,
                               TestedInstructions& tested) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) changed |= WholeIterations(*loop, shapes, lanes).run(tested);
  assert(is_canonical(function));
  return changed;
}

}  // namespace heddle::finalizer::spmd
