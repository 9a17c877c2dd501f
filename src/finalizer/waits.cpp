// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/waits.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/CFG.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/lower/callers.h"
#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Cycle;
using llvm::Function;
using llvm::Value;

/// Returns the target operation that an instruction calls, if it calls one.
std::optional<TargetOperation> target_operation(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? target_operation_of(*callee) : std::nullopt;
}

/// Returns the operation (HSA_BRIG_ATOMIC_OPERATION_*) of an atomic or signal call, which accesses memory
/// that other work-items write.
std::optional<uint64_t> shared_operation(const llvm::Instruction& instruction) {
  const auto what = target_operation(instruction);
  if (what != TargetOperation::atomic32 && what != TargetOperation::atomic64 &&
      what != TargetOperation::signal)
    return std::nullopt;
  return llvm::cast<llvm::ConstantInt>(llvm::cast<CallInst>(instruction).getArgOperand(0))->getZExtValue();
}

/// Reports whether the result of the operation is used and depends on what other work-items do, so that a
/// loop may wait for it.
bool is_observing_atomic(const llvm::Instruction& instruction) {
  const auto operation = shared_operation(instruction);
  return operation && *operation != HSA_BRIG_ATOMIC_OPERATION_ST && !instruction.use_empty();
}

/// Reports whether the operation reads without changing by an amount. Those that change are more often done
/// to get work than to wait.
bool only_looks(const llvm::Instruction& instruction) {
  switch (*shared_operation(instruction)) {
    case HSA_BRIG_ATOMIC_OPERATION_LD:
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return true;
    default:
      return false;
  }
}

/// Reports whether an operation adds or subtracts an amount that is not 0. A loop around it makes progress by
/// itself, as when work-items draw numbers from a counter.
bool changes_by_an_amount(const llvm::Instruction& instruction) {
  switch (*shared_operation(instruction)) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
    case HSA_BRIG_ATOMIC_OPERATION_SUB: {
      const unsigned index = target_operation(instruction) == TargetOperation::signal ? 2 : 5;
      const auto* amount =
          llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<CallInst>(instruction).getArgOperand(index));
      return amount && !amount->isZero();
    }
    case HSA_BRIG_ATOMIC_OPERATION_WRAPINC:
    case HSA_BRIG_ATOMIC_OPERATION_WRAPDEC:
      return true;
    default:
      return false;
  }
}

bool is_cas(const llvm::Instruction& instruction) {
  return shared_operation(instruction) == HSA_BRIG_ATOMIC_OPERATION_CAS;
}

/// Returns the value that a compare-and-swap compares with.
const Value* comparand(const llvm::Instruction& cas) {
  const unsigned index = target_operation(cas) == TargetOperation::signal ? 2 : 5;
  return llvm::cast<CallInst>(cas).getArgOperand(index);
}

/// Reports whether the instruction is a signal operation that waits.
bool is_wait(const llvm::Instruction& instruction) {
  const auto operation = shared_operation(instruction);
  return operation && *operation >= HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ &&
         *operation <= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE;
}

/// Reports whether the instruction makes stores of other work-items visible to loads that are not atomic.
bool synchronizes(const llvm::Instruction& instruction) {
  return shared_operation(instruction) || target_operation(instruction) == TargetOperation::memfence;
}

/// Reports whether the instruction is an icall. The function that it calls may have been finalized at another
/// time, so that it counts as one that does whatever a function can do.
bool is_indirect_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<CallInst>(&instruction);
  return call && call->isIndirectCall();
}

/// Returns the functions that may see what other work-items do, themselves or through calls.
std::set<const Function*> observing_functions(const llvm::Module& module) {
  return functions_leading_to(
      module, [](const llvm::CallBase& call) { return synchronizes(call) || is_indirect_call(call); });
}

/// Whether a cycle waits for other work-items.
enum class Waiting : uint8_t { no, perhaps, surely };

class CycleCheck {
 public:
  CycleCheck(const Cycle& cycle, const std::set<const Function*>& observing) : cycle_(cycle) {
    for (const BasicBlock* block : cycle.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        const auto* call = llvm::dyn_cast<CallInst>(&instruction);
        if (!call) continue;
        calls_observer_ =
            calls_observer_ || is_indirect_call(*call) || observing.contains(call->getCalledFunction());
        observes_ = observes_ || is_observing_atomic(instruction);
        synchronizes_ = synchronizes_ || synchronizes(instruction);
      }
    }
    synchronizes_ = synchronizes_ || calls_observer_;
  }

  /// For use while registers are in memory. Nothing then tells what an exit depends on, so each cycle that
  /// could wait counts as waiting.
  Waiting may_wait() const {
    if (observes_ || calls_observer_) return Waiting::surely;
    return synchronizes_ ? Waiting::perhaps : Waiting::no;
  }

  /// Reports whether a cycle without any synchronization does nothing but wait. It must store nothing, and
  /// one of its exits must depend on nothing but loads of fixed addresses, so that only other work-items can
  /// cause it to be taken. If other exits depend on what the cycle computes, such as a count, the cycle must
  /// load from fixed addresses only. No loop that computes anything looks like this.
  bool only_waits() {
    bool others_end_it = false, loop_ends_it = false;
    llvm::SmallVector<const Value*, 8> loads;
    size_t conditions = 0;
    for (const BasicBlock* block : cycle_.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (instruction.mayWriteToMemory()) return false;
        if (llvm::isa<llvm::LoadInst>(instruction)) loads.push_back(&instruction);
      }
      if (!exits(*block)) continue;
      const Value* whole = condition(*block->getTerminator());
      if (whole == nullptr) return false;
      for (const Value* part : parts(whole)) {
        if (++conditions > conditions_max) return false;
        const auto others_change_it = is_same_each_time(part);
        others_end_it = others_end_it || others_change_it == true;
        loop_ends_it = loop_ends_it || !others_change_it;
      }
    }
    return others_end_it && (!loop_ends_it || is_same_each_time(loads).has_value());
  }

  /// Reports whether an exit depends on an observation, or whether there is no exit and memory is observed.
  Waiting waits() {
    if (!synchronizes_) return Waiting::no;
    forget_visits();
    bool has_exit = false;
    for (const BasicBlock* block : cycle_.blocks()) {
      if (!exits(*block)) continue;
      has_exit = true;
      visit(condition(*block->getTerminator()));
    }
    if (!has_exit) return observes_ || calls_observer_ ? Waiting::surely : Waiting::perhaps;
    return find_observation();
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

  /// Returns the operands that the `and` and `or` operations of a condition join.
  static llvm::SmallVector<const Value*, 4> parts(const Value* condition) {
    llvm::SmallVector<const Value*, 4> found = {condition};
    for (size_t i = 0; i < found.size() && i < 8;) {
      const auto* join = llvm::dyn_cast<llvm::BinaryOperator>(found[i]);
      if (join &&
          (join->getOpcode() == llvm::Instruction::And || join->getOpcode() == llvm::Instruction::Or)) {
        found[i] = join->getOperand(0);
        found.push_back(join->getOperand(1));
      } else {
        ++i;
      }
    }
    return found;
  }

  /// Reports whether the values depend on memory that other work-items may change. Returns nothing if they
  /// depend on what the cycle itself changes.
  std::optional<bool> is_same_each_time(llvm::ArrayRef<const Value*> values) {
    forget_visits();
    for (const Value* value : values) visit(value);
    bool loads = false;
    while (!pending_.empty()) {
      const llvm::Instruction* instruction = pending_.pop_back_val();
      if (llvm::isa<llvm::PHINode>(instruction)) return std::nullopt;
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
        loads = loads || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
      for (const Value* operand : instruction->operands()) visit(operand);
    }
    return loads;
  }

  const llvm::Instruction* inside(const Value* value) const {
    const auto* instruction = value ? llvm::dyn_cast<llvm::Instruction>(value) : nullptr;
    return instruction && cycle_.contains(instruction->getParent()) ? instruction : nullptr;
  }

  /// To be called before another question follows what values depend on.
  void forget_visits() {
    visited_.clear();
    pending_.clear();
  }

  void visit(const Value* value) {
    const llvm::Instruction* instruction = inside(value);
    if (instruction && visited_.insert(instruction).second) pending_.push_back(instruction);
  }

  /// Visits the conditions of the branches that choose among the values of a phi: the last ones on each way
  /// there. A branch of which both ways lead to the phi without another one is among them.
  void visit_choices(const llvm::PHINode& phi) {
    llvm::SmallVector<const BasicBlock*, 8> ways(phi.block_begin(), phi.block_end());
    llvm::SmallPtrSet<const BasicBlock*, 8> seen;
    while (!ways.empty()) {
      const BasicBlock* block = ways.pop_back_val();
      if (!cycle_.contains(block) || !seen.insert(block).second) continue;
      if (const Value* choice = condition(*block->getTerminator()))
        visit(choice);
      else
        ways.append(llvm::pred_begin(block), llvm::pred_end(block));
    }
  }

  /// Reports whether an address is the same in each iteration because pure operations compute it from values
  /// from outside the cycle.
  bool is_invariant(const Value* value, unsigned depth = 0) const {
    const llvm::Instruction* instruction = inside(value);
    if (!instruction) return true;
    if (depth == 8 || llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory())
      return false;
    return llvm::all_of(instruction->operands(),
                        [&](const Value* operand) { return is_invariant(operand, depth + 1); });
  }

  Waiting observation(const llvm::Instruction& instruction) const {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (calls_observer_) return Waiting::surely;  // may be what the callee saw
      const bool constant = load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
      return !constant && is_invariant(load->getPointerOperand()) ? Waiting::perhaps : Waiting::no;
    }
    if (!is_observing_atomic(instruction)) return Waiting::no;
    // A compare-and-swap with a value that was read in this loop retries; it does not wait.
    if (is_cas(instruction) && inside(comparand(instruction))) return Waiting::no;
    if (changes_by_an_amount(instruction)) return Waiting::no;
    return only_looks(instruction) ? Waiting::surely : Waiting::perhaps;
  }

  /// Reports whether the instruction tests the success of a compare-and-swap. If it failed, another one
  /// succeeded, so the loop waits for nobody.
  static bool is_retry(const llvm::Instruction& instruction) {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare || !compare->isEquality()) return false;
    const auto swaps = [](const Value* swap, const Value* with) {
      const auto* call = llvm::dyn_cast<CallInst>(swap);
      return call && is_cas(*call) && comparand(*call) == with && !llvm::isa<llvm::Constant>(with);
    };
    return swaps(compare->getOperand(0), compare->getOperand(1)) ||
           swaps(compare->getOperand(1), compare->getOperand(0));
  }

  /// Returns the strongest observation that the visited conditions depend on. This is not recursive, because
  /// a program can make the chains of operands arbitrarily long.
  Waiting find_observation() {
    Waiting found = Waiting::no;
    while (!pending_.empty()) {
      const llvm::Instruction* instruction = pending_.pop_back_val();
      found = std::max(found, observation(*instruction));
      if (found == Waiting::surely) break;
      if (is_retry(*instruction)) continue;
      for (const Value* operand : instruction->operands()) visit(operand);
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) visit_choices(*phi);
    }
    return found;
  }

  /// Loops that only wait have few conditions.
  static constexpr size_t conditions_max = 64;

  const Cycle& cycle_;
  bool calls_observer_ = false;
  bool observes_ = false;
  bool synchronizes_ = false;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> visited_;
  llvm::SmallVector<const llvm::Instruction*, 32> pending_;
};

/// Iterations between two yields of a cycle that may do other things than wait.
constexpr uint32_t patience = 32;

void add_yields_in(const Cycle& cycle, bool ssa, Function* yield, const std::set<const Function*>& observing,
                   llvm::SmallPtrSetImpl<BasicBlock*>& done) {
  for (const Cycle* child : cycle.children()) add_yields_in(*child, ssa, yield, observing, done);
  CycleCheck check(cycle, observing);
  Waiting waiting = Waiting::no;
  if (!ssa)
    waiting = check.may_wait();
  else
    waiting = check.only_waits() ? Waiting::perhaps : check.waits();
  if (waiting == Waiting::no) return;
  auto* every = llvm::ConstantInt::get(llvm::Type::getInt32Ty(yield->getContext()),
                                       waiting == Waiting::surely ? 1 : patience);
  for (BasicBlock* entry : cycle.getEntries())
    for (BasicBlock* block : llvm::predecessors(entry))
      if (cycle.contains(block) && done.insert(block).second)
        CallInst::Create(yield, {every}, "", block->getTerminator()->getIterator());
}

}  // namespace

void add_yields(llvm::Module& module, bool ssa) {
  const auto observing = observing_functions(module);
  if (!ssa && observing.empty()) return;
  for (Function& function : module) {
    if (function.isDeclaration() || (!ssa && !observing.contains(&function))) continue;
    llvm::CycleInfo cycles;
    cycles.compute(function);
    llvm::SmallPtrSet<BasicBlock*, 8> done;
    for (const Cycle* cycle : cycles.toplevel_cycles())
      add_yields_in(*cycle, ssa, declare(module, TargetOperation::yield), observing, done);
  }
}

std::set<const Function*> functions_needing_fibers(const llvm::Module& module) {
  return functions_leading_to(module, [](const llvm::CallBase& call) {
    const auto what = target_operation(call);
    return what == TargetOperation::yield || what == TargetOperation::fbarrier || is_wait(call) ||
           is_indirect_call(call);
  });
}

std::set<const Function*> functions_with_barriers(const llvm::Module& module) {
  return functions_leading_to(
      module, [](const llvm::CallBase& call) { return target_operation(call) == TargetOperation::barrier; });
}

}  // namespace heddle::finalizer
