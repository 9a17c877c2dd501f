// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/meeting.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/calls.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Cycle;
using llvm::Function;
using llvm::Value;

/// The hsail call that an instruction is, if it is one.
std::optional<Call> hsail_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? call_of(*callee) : std::nullopt;
}

/// An atomic that reads without changing by an amount: a candidate for waiting.
bool is_observing_atomic(const llvm::Instruction& instruction) {
  const auto what = hsail_call(instruction);
  if (what != Call::atomic32 && what != Call::atomic64) return false;
  const auto& call = llvm::cast<CallInst>(instruction);
  switch (llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue()) {
    case HSA_BRIG_ATOMIC_OPERATION_LD:
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return true;
    default:
      return false;
  }
}

bool is_cas(const CallInst& call) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue() ==
         HSA_BRIG_ATOMIC_OPERATION_CAS;
}

/// Adds the functions that have a call which `counts`, or that call a function which has been found. Whether
/// there were any: the callers of those may be next.
template <typename Predicate>
bool add_functions_with(const llvm::Module& module, std::set<const Function*>& found, Predicate counts) {
  bool added = false;
  for (const Function& function : module) {
    if (function.isDeclaration() || found.contains(&function)) continue;
    const bool has = llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<CallInst>(&instruction);
      return call && (found.contains(call->getCalledFunction()) || counts(*call));
    });
    if (has) added = found.insert(&function).second;
  }
  return added;
}

/// Functions that observe memory atomically, themselves or through calls.
std::set<const Function*> observing_functions(const llvm::Module& module) {
  std::set<const Function*> found;
  while (add_functions_with(module, found, is_observing_atomic)) {
  }
  return found;
}

class CycleCheck {
 public:
  CycleCheck(const Cycle& cycle, const std::set<const Function*>& observing) : cycle_(cycle) {
    for (const BasicBlock* block : cycle.blocks())
      for (const llvm::Instruction& instruction : *block)
        if (const auto* call = llvm::dyn_cast<CallInst>(&instruction))
          calls_observer_ = calls_observer_ || observing.contains(call->getCalledFunction());
  }

  /// An exit depends on an observation; or there is no exit, and memory is observed.
  bool waits() {
    bool observed = calls_observer_, has_exit = false;
    for (const BasicBlock* block : cycle_.blocks()) {
      for (const llvm::Instruction& instruction : *block)
        observed = observed || is_observing_atomic(instruction);
      if (!exits(*block)) continue;
      has_exit = true;
      visited_.clear();
      if (depends_on_observation(condition(*block->getTerminator()))) return true;
    }
    return observed && !has_exit;
  }

 private:
  bool exits(const BasicBlock& block) const {
    for (const BasicBlock* successor : llvm::successors(&block))
      if (!cycle_.contains(successor)) return true;
    return false;
  }

  static const Value* condition(const llvm::Instruction& terminator) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator))
      return branch->isConditional() ? branch->getCondition() : nullptr;
    if (const auto* jump = llvm::dyn_cast<llvm::SwitchInst>(&terminator)) return jump->getCondition();
    return nullptr;
  }

  const llvm::Instruction* inside(const Value* value) const {
    const auto* instruction = value ? llvm::dyn_cast<llvm::Instruction>(value) : nullptr;
    return instruction && cycle_.contains(instruction->getParent()) ? instruction : nullptr;
  }

  bool is_observation(const llvm::Instruction& instruction) {
    if (calls_observer_ && llvm::isa<llvm::LoadInst>(instruction)) return true;
    if (!is_observing_atomic(instruction)) return false;
    const auto& call = llvm::cast<CallInst>(instruction);
    // Comparing with what was read in this loop retries; it does not wait.
    return !is_cas(call) || !inside(call.getArgOperand(5));
  }

  /// Whether a compare-and-swap found what it compared with: after a failure another one succeeded, and
  /// nobody is waited for.
  static bool is_retry(const llvm::Instruction& instruction) {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare || !compare->isEquality()) return false;
    const auto swaps = [](const Value* swap, const Value* comparand) {
      const auto* call = llvm::dyn_cast<CallInst>(swap);
      return call && is_observing_atomic(*call) && is_cas(*call) && call->getArgOperand(5) == comparand &&
             !llvm::isa<llvm::Constant>(comparand);
    };
    return swaps(compare->getOperand(0), compare->getOperand(1)) ||
           swaps(compare->getOperand(1), compare->getOperand(0));
  }

  bool depends_on_observation(const Value* value) {
    const llvm::Instruction* instruction = inside(value);
    if (!instruction || !visited_.insert(instruction).second) return false;
    if (is_observation(*instruction)) return true;
    if (is_retry(*instruction)) return false;
    for (const Value* operand : instruction->operands())
      if (depends_on_observation(operand)) return true;
    // A phi also depends on the branches that choose among its values.
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction))
      for (const BasicBlock* block : phi->blocks())
        if (cycle_.contains(block) && depends_on_observation(condition(*block->getTerminator()))) return true;
    return false;
  }

  const Cycle& cycle_;
  bool calls_observer_ = false;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> visited_;
};

void add_yields_in(const Cycle& cycle, Function* yield, const std::set<const Function*>& observing,
                   llvm::SmallPtrSetImpl<BasicBlock*>& done) {
  for (const Cycle* child : cycle.children()) add_yields_in(*child, yield, observing, done);
  if (!CycleCheck(cycle, observing).waits()) return;
  for (BasicBlock* entry : cycle.getEntries())
    for (BasicBlock* block : llvm::predecessors(entry))
      if (cycle.contains(block) && done.insert(block).second)
        CallInst::Create(yield, "", block->getTerminator()->getIterator());
}

}  // namespace

void add_yields(llvm::Module& module) {
  const auto observing = observing_functions(module);
  if (observing.empty()) return;
  for (Function& function : module) {
    if (!observing.contains(&function)) continue;
    llvm::CycleInfo cycles;
    cycles.compute(function);
    llvm::SmallPtrSet<BasicBlock*, 8> done;
    for (const Cycle* cycle : cycles.toplevel_cycles())
      add_yields_in(*cycle, declare(module, Call::yield), observing, done);
  }
}

std::set<const Function*> meeting_functions(const llvm::Module& module,
                                            llvm::ArrayRef<Function*> indirect_functions) {
  std::set<const Function*> found;
  bool indirect_meets = false;
  for (bool changed = true; changed;) {
    changed = add_functions_with(module, found, [&](const CallInst& call) {
      const auto what = hsail_call(call);
      return what == Call::barrier || what == Call::yield || (!call.getCalledFunction() && indirect_meets);
    });
    for (const Function* function : indirect_functions)
      if (!indirect_meets && found.contains(function)) indirect_meets = changed = true;
  }
  return found;
}

}  // namespace heddle::finalizer::x86
