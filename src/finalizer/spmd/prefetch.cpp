// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/prefetch.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;

/// How many iterations before its load a line is prefetched: enough for most of the latency of memory in
/// loops that do little more than load, and fewer than the ways of a cache, because the lines of large powers
/// of two share a set.
constexpr uint64_t distance = 6;
/// An address that takes more instructions is not worth computing twice.
constexpr size_t longest_chain = 12;
constexpr unsigned most_in_loop = 8;

/// Reports whether a value is computed from a size of the grid.
bool is_grid_size(const Value& value, unsigned depth = 0) {
  constexpr unsigned deepest = 4;
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || depth == deepest) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction)) {
    const auto* callee = call->getCalledFunction();
    const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
    return operation == TargetOperation::gridsize || operation == TargetOperation::gridgroups;
  }
  return (llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::CastInst>(instruction)) &&
         llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& operand) { return is_grid_size(*operand, depth + 1); });
}

/// A counter of a loop and what is added to it in each iteration.
struct Counter {
  llvm::PHINode* phi;
  Value* step;
};

llvm::SmallVector<Counter, 2> counters_of(const llvm::Loop& loop) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<Counter, 2> counters;
  if (!loop.getLoopLatch()) return counters;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    Value* step = nullptr;
    if (phi.getType()->isIntegerTy() &&
        match(phi.getIncomingValueForBlock(loop.getLoopLatch()), m_c_Add(m_Specific(&phi), m_Value(step))) &&
        loop.isLoopInvariant(step) && is_grid_size(*step))
      counters.push_back({&phi, step});
  }
  return counters;
}

Value* loaded_address(Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->getPointerOperand();
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::masked_load ? call->getArgOperand(0) : nullptr;
}

class Prefetcher {
 public:
  Prefetcher(llvm::Loop& loop, const Counter& counter) : loop_(loop), counter_(counter) {}
  void run();

 private:
  bool find_chain(Value& address);
  void prefetch(Instruction& load, Value& address);
  Value* later_counter();

  llvm::Loop& loop_;
  const Counter counter_;
  Value* later_ = nullptr;
  llvm::SmallSetVector<Instruction*, 16> chain_;  ///< what leads from the counter to the address, that first
};

/// Finds how an address is computed from the counter and values that the loop does not change. Returns false
/// if anything else takes part or the counter does not.
bool Prefetcher::find_chain(Value& address) {
  chain_.clear();
  auto* last = llvm::dyn_cast<Instruction>(&address);
  if (!last || loop_.isLoopInvariant(&address)) return false;
  chain_.insert(last);
  bool counts = false;
  for (size_t i = 0; i < chain_.size(); ++i) {
    if (chain_.size() > longest_chain) return false;
    Instruction& here = *chain_[i];
    if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(here)) return false;
    // Copies are executed for an iteration that may not exist, so nothing in them may trap.
    if (here.getType()->isVectorTy() || !is_speculatable(here)) return false;
    for (Value* operand : here.operands()) {
      counts |= operand == counter_.phi;
      if (operand != counter_.phi && !loop_.isLoopInvariant(operand))
        chain_.insert(llvm::cast<Instruction>(operand));
    }
  }
  return counts;
}

Value* Prefetcher::later_counter() {
  if (later_) return later_;
  llvm::IRBuilder<> ir(&*loop_.getHeader()->getFirstInsertionPt());
  Value* ahead = ir.CreateMul(counter_.step, llvm::ConstantInt::get(counter_.step->getType(), distance));
  return later_ = ir.CreateAdd(counter_.phi, ahead);
}

/// Prefetching is harmless wherever the address leads, so the copies need not be what the originals promise.
void Prefetcher::prefetch(Instruction& load, Value& address) {
  llvm::DenseMap<Value*, Value*> copies = {{counter_.phi, later_counter()}};
  llvm::IRBuilder<> ir(&load);
  // Operands have to be copied before what uses them; in the order of their discovery they come later.
  llvm::SmallVector<Instruction*, 16> pending(chain_.begin(), chain_.end());
  while (!pending.empty()) {
    Instruction& here = *pending.back();
    const auto* missing = llvm::find_if(here.operands(), [&](const llvm::Use& operand) {
      auto* from = llvm::dyn_cast<Instruction>(operand.get());
      return from && chain_.contains(from) && !copies.contains(from);
    });
    if (missing != here.op_end()) {
      pending.push_back(llvm::cast<Instruction>(missing->get()));
      continue;
    }
    pending.pop_back();
    if (copies.contains(&here)) continue;
    Instruction* copy = here.clone();
    copy->dropPoisonGeneratingAnnotations();
    for (llvm::Use& use : copy->operands())
      if (Value* known = copies.lookup(use.get())) use.set(known);
    copies[&here] = ir.Insert(copy);
  }
  ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {address.getType()},
                     {copies.at(&address), ir.getInt32(0), ir.getInt32(3), ir.getInt32(1)});
}

void Prefetcher::run() {
  llvm::SmallVector<std::pair<Instruction*, Value*>, 8> loads;
  for (llvm::BasicBlock* block : loop_.blocks())
    for (Instruction& instruction : *block)
      if (Value* address = loaded_address(instruction)) loads.push_back({&instruction, address});
  unsigned made = 0;
  for (const auto& [load, address] : loads) {
    if (made == most_in_loop || !find_chain(*address)) continue;
    prefetch(*load, *address);
    ++made;
  }
}

}  // namespace

void prefetch_grid_strides(llvm::Function& wave) {
  const llvm::DominatorTree dominators(wave);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    for (const Counter& counter : counters_of(*loop)) Prefetcher(*loop, counter).run();
}

}  // namespace heddle::finalizer::spmd
