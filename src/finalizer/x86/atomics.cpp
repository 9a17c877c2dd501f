// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communication on x86-64 (PRM 6.2). All synchronizing operations with scacq, screl or scar are in one total
// order, so they become seq_cst. Agents and the host share coherent memory, so agent and system scope are the
// same. The work-items of a group run on one thread, so a fence for the wave or group only keeps the compiler
// from moving accesses, and nobody comes between the accesses of an atomic operation in the group segment.
#include "finalizer/x86/target_operations.h"

#include <hsa/hsa_brig_modifiers.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace heddle::finalizer::x86 {
namespace {

bool is_signed_type(uint64_t type) { return type >= HSA_BRIG_TYPE_S8 && type <= HSA_BRIG_TYPE_S64; }

llvm::AtomicRMWInst::BinOp operation(uint64_t operation, bool is_signed) {
  using llvm::AtomicRMWInst;
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
      return AtomicRMWInst::Add;
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return AtomicRMWInst::And;
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
      return AtomicRMWInst::Xchg;
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return AtomicRMWInst::Or;
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return AtomicRMWInst::Sub;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPDEC:
      return AtomicRMWInst::UDecWrap;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPINC:
      return AtomicRMWInst::UIncWrap;
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return AtomicRMWInst::Xor;
    default:
      return AtomicRMWInst::BAD_BINOP;
  }
}

/// The parts of an atomic operation.
struct Atomic {
  llvm::Value* pointer;
  llvm::Value *first, *second;
  llvm::Align align;
  llvm::AtomicOrdering order;
  const llvm::CallInst& call;

  template <typename Access>
  Access* with_facts(Access* access) const {
    access->copyMetadata(call, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    return access;
  }
  llvm::LoadInst* load(llvm::IRBuilder<>& ir, llvm::AtomicOrdering how) const {
    auto* load = with_facts(ir.CreateAlignedLoad(first->getType(), pointer, align));
    load->setAtomic(how);
    return load;
  }
  void store(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::AtomicOrdering how) const {
    with_facts(ir.CreateAlignedStore(value, pointer, align))->setAtomic(how);
  }
};

/// Reads and writes memory that no other thread accesses. The accesses are atomic all the same, so that loops
/// that wait for another work-item keep them.
llvm::Value* update_on_one_thread(llvm::IRBuilder<>& ir, const Atomic& atomic, uint64_t op, bool is_signed) {
  const bool is_ordered = atomic.order != llvm::AtomicOrdering::Monotonic;
  const auto fence = [&] {
    if (is_ordered)
      ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  };
  fence();
  llvm::Value* old = atomic.load(ir, llvm::AtomicOrdering::Monotonic);
  llvm::Value* now = op == HSA_BRIG_ATOMIC_OPERATION_CAS
                         ? ir.CreateSelect(ir.CreateICmpEQ(old, atomic.first), atomic.second, old)
                         : llvm::buildAtomicRMWValue(operation(op, is_signed), ir, old, atomic.first);
  atomic.store(ir, now, llvm::AtomicOrdering::Monotonic);
  fence();
  return old;
}

}  // namespace

llvm::Value* lower_atomic(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const uint64_t op = constant_argument(call, 0);
  const bool is_signed = is_signed_type(constant_argument(call, 1));
  const bool relaxed = constant_argument(call, 2) == HSA_BRIG_MEMORY_ORDER_RELAXED;
  const auto order = relaxed ? llvm::AtomicOrdering::Monotonic : llvm::AtomicOrdering::SequentiallyConsistent;
  llvm::Value* pointer = call.getArgOperand(4);
  llvm::Value* first = call.getArgOperand(5);
  const llvm::Align align(first->getType()->getIntegerBitWidth() / 8);
  const Atomic atomic = {pointer, first, call.getArgOperand(6), align, order, call};
  const unsigned group_space = traits(1).address_space(HSA_BRIG_SEGMENT_GROUP);
  const bool on_one_thread = pointer->getType()->getPointerAddressSpace() == group_space;
  switch (op) {
    case HSA_BRIG_ATOMIC_OPERATION_LD:
      return atomic.load(ir, order);
    case HSA_BRIG_ATOMIC_OPERATION_ST:
      atomic.store(ir, first, order);
      return first;  // nobody uses it
    case HSA_BRIG_ATOMIC_OPERATION_CAS: {
      if (on_one_thread) return update_on_one_thread(ir, atomic, op, is_signed);
      auto* exchange = ir.CreateAtomicCmpXchg(pointer, first, atomic.second, align, order, order);
      return ir.CreateExtractValue(atomic.with_facts(exchange), 0);
    }
    default:
      if (on_one_thread) return update_on_one_thread(ir, atomic, op, is_signed);
      return atomic.with_facts(ir.CreateAtomicRMW(operation(op, is_signed), pointer, first, align, order));
  }
}

llvm::Value* lower_memfence(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const uint64_t scope = constant_argument(call, 1);
  const bool one_thread = scope <= HSA_BRIG_MEMORY_SCOPE_WORKGROUP;
  return ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                        one_thread ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
}

}  // namespace heddle::finalizer::x86
