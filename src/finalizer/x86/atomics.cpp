// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communication on x86-64 (PRM 6.2). All synchronizing operations with scacq, screl or scar are in one total
// order, so they become seq_cst. Agents and the host share coherent memory, so agent and system scope are the
// same. The work-items of a group run on one thread, so a fence for the wave or group only keeps the compiler
// from moving accesses.
#include "finalizer/x86/target_operations.h"

#include <hsa/hsa_brig_modifiers.h>

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

}  // namespace

llvm::Value* lower_atomic(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const uint64_t op = constant_argument(call, 0);
  const bool relaxed = constant_argument(call, 2) == HSA_BRIG_MEMORY_ORDER_RELAXED;
  const auto order = relaxed ? llvm::AtomicOrdering::Monotonic : llvm::AtomicOrdering::SequentiallyConsistent;
  llvm::Value* pointer = call.getArgOperand(4);
  llvm::Value* first = call.getArgOperand(5);
  const llvm::Align align(first->getType()->getIntegerBitWidth() / 8);
  const auto with_facts = [&](auto* access) {
    access->copyMetadata(call, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    return access;
  };
  switch (op) {
    case HSA_BRIG_ATOMIC_OPERATION_LD: {
      auto* load = with_facts(ir.CreateAlignedLoad(first->getType(), pointer, align));
      load->setAtomic(order);
      return load;
    }
    case HSA_BRIG_ATOMIC_OPERATION_ST: {
      auto* store = with_facts(ir.CreateAlignedStore(first, pointer, align));
      store->setAtomic(order);
      return first;  // nobody uses it
    }
    case HSA_BRIG_ATOMIC_OPERATION_CAS: {
      llvm::Value* swap = call.getArgOperand(6);
      auto* exchange = ir.CreateAtomicCmpXchg(pointer, first, swap, align, order, order);
      return ir.CreateExtractValue(with_facts(exchange), 0);
    }
    default:
      return with_facts(ir.CreateAtomicRMW(operation(op, is_signed_type(constant_argument(call, 1))), pointer,
                                           first, align, order));
  }
}

llvm::Value* lower_memfence(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const uint64_t scope = constant_argument(call, 1);
  const bool one_thread = scope <= HSA_BRIG_MEMORY_SCOPE_WORKGROUP;
  return ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                        one_thread ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
}

}  // namespace heddle::finalizer::x86
