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
  std::optional<Bound> find_bound() const;
  std::optional<uint64_t> span_of(const Value& counter) const;
  void clone(TestedInstructions& tested);
  void connect(BasicBlock& rest);
  void decide(const Bound& bound, BasicBlock& rest);

  Loop& loop_;
  const Shapes& shapes_;
  const unsigned lanes_;
  llvm::ValueToValueMapTy copies_;
};

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
  const BasicBlock* header = loop_.getHeader();
  const auto* branch = llvm::dyn_cast<BranchInst>(header->getTerminator());
  if (!branch || !branch->isConditional() || !shapes_.is_divergent(*header)) return {};
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

/// Lets the preheader lead to the copy, and the copy to the loop through `rest`, with what it has come to.
void WholeIterations::connect(BasicBlock& rest) {
  BasicBlock *header = loop_.getHeader(), *before = loop_.getLoopPreheader();
  auto* copy = llvm::cast<BasicBlock>(copies_[header]);
  before->getTerminator()->replaceSuccessorWith(header, copy);
  for (PHINode& phi : header->phis()) {
    auto* reached = PHINode::Create(phi.getType(), 1, phi.getName(), rest.begin());
    reached->addIncoming(copies_[&phi], copy);
    const int entry = phi.getBasicBlockIndex(before);
    phi.setIncomingValue(static_cast<unsigned>(entry), reached);
    phi.setIncomingBlock(static_cast<unsigned>(entry), &rest);
  }
  BranchInst::Create(header, &rest);
}

/// Lets the copy go on while the counter of the last lane is below the limit. It does not wrap around then,
/// since the limit less the span is a number of the type.
void WholeIterations::decide(const Bound& bound, BasicBlock& rest) {
  auto* header = llvm::cast<BasicBlock>(copies_[loop_.getHeader()]);
  auto* branch = llvm::cast<BranchInst>(header->getTerminator());
  llvm::IRBuilder<> ir(branch);
  const auto copy_of = [&](Value* value) -> Value* {
    return copies_.count(value) ? static_cast<Value*>(copies_[value]) : value;
  };
  Value* limit = create_value_of_lane_0(ir, copy_of(bound.limit));
  Value* span = llvm::ConstantInt::get(limit->getType(), bound.span);
  const auto less = bound.is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat;
  Value* counter = create_value_of_lane_0(ir, copy_of(bound.counter));
  Value* all_stay = ir.CreateICmp(bound.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, counter,
                                  ir.CreateBinaryIntrinsic(less, limit, span));
  const bool stays_first =
      loop_.contains(llvm::cast<BranchInst>(loop_.getHeader()->getTerminator())->getSuccessor(0));
  BasicBlock* inside = branch->getSuccessor(stays_first ? 0 : 1);
  branch->eraseFromParent();
  BranchInst::Create(inside, &rest, all_stay, header);
}

bool WholeIterations::run(TestedInstructions& tested) {
  if (!loop_.isInnermost() || loop_.getExitingBlock() != loop_.getHeader() || !loop_.getLoopPreheader())
    return false;
  size_t size = 0;
  for (const BasicBlock* block : loop_.blocks()) {
    if (block->hasAddressTaken()) return false;
    size += block->size();
  }
  // Both the copy and the loop execute the header for the counter with which the copy ends.
  const auto writes = [](const llvm::Instruction& instruction) { return instruction.mayWriteToMemory(); };
  if (llvm::any_of(*loop_.getHeader(), writes)) return false;
  const auto bound = find_bound();
  if (size > largest_loop || !bound) return false;
  BasicBlock* header = loop_.getHeader();
  clone(tested);
  auto* rest =
      BasicBlock::Create(header->getContext(), header->getName() + ".rest", header->getParent(), header);
  connect(*rest);
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
