// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations and fences (PRM 6.2). All synchronizing operations with scacq, screl or scar are in one
// total order: a fence.sc comes before them, and they acquire and release. Operations that read and write are
// inline assembly, because LLVM 22 loses their order and scope. In memory of the host they are not atomic
// with the accesses of other processors; those of system scope ask the host (codeobject/ptx_dispatch.h). So
// do those of other scopes in the same module, because all of them have to be atomic with each other
// (PRM 6.2.1).
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <hsa/hsa_brig_modifiers.h>

#include "codeobject/ptx_dispatch.h"
#include "finalizer/device_library.h"
#include "finalizer/fields.h"
#include "finalizer/ptx/machine.h"
#include "finalizer/ptx/target_operations.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;

/// Marks an operation in a module with others of system scope, which let_atomics_ask_host() has found.
constexpr const char* beside_system_attribute = "hsail-beside-system-scope";

struct Scope {
  const char* ptx;
  const char* llvm;
};

/// A wave has no scope of its own; its group has one.
Scope scope_of(uint64_t scope) {
  switch (scope) {
    case HSA_BRIG_MEMORY_SCOPE_SYSTEM:
      return {"sys", ""};
    case HSA_BRIG_MEMORY_SCOPE_AGENT:
      return {"gpu", "device"};
    default:
      return {"cta", "block"};
  }
}

const char* space_name(unsigned address_space) {
  return address_space == global_space ? ".global" : address_space == shared_space ? ".shared" : "";
}

/// An atomic operation of HSAIL.
struct Atomic {
  explicit Atomic(llvm::CallInst& call)
      : call(call),
        operation(constant_argument(call, 0)),
        is_signed(constant_argument(call, 1) >= HSA_BRIG_TYPE_S8 &&
                  constant_argument(call, 1) <= HSA_BRIG_TYPE_S64),
        is_relaxed(constant_argument(call, 2) == HSA_BRIG_MEMORY_ORDER_RELAXED),
        pointer(call.getArgOperand(4)),
        first(call.getArgOperand(5)),
        second(call.getArgOperand(6)),
        space(pointer->getType()->getPointerAddressSpace()),
        scope(space == shared_space ? scope_of(HSA_BRIG_MEMORY_SCOPE_WORKGROUP)
                                    : scope_of(constant_argument(call, 3))) {}

  bool is_of_system() const { return llvm::StringRef(scope.ptx) == "sys"; }
  bool reads_and_writes() const {
    return operation != HSA_BRIG_ATOMIC_OPERATION_LD && operation != HSA_BRIG_ATOMIC_OPERATION_ST;
  }
  /// Whether the host carries it out if the memory is not the GPU's own.
  bool may_ask_host() const {
    return reads_and_writes() && (is_of_system() || call.hasFnAttr(beside_system_attribute));
  }
  unsigned bits() const { return first->getType()->getIntegerBitWidth(); }

  llvm::CallInst& call;
  const uint64_t operation;
  const bool is_signed, is_relaxed;
  Value *const pointer, *const first, *const second;
  const unsigned space;
  const Scope scope;
};

/// The name and the type of an operation in PTX. There is none for those that need a loop.
struct Instruction {
  const char* name = nullptr;
  char type = 'b';  ///< b bits, u unsigned, s signed
};

Instruction instruction_of(const Atomic& atomic) {
  const char ordered = atomic.is_signed ? 's' : 'u';
  switch (atomic.operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return {"add", 'u'};
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return {"and"};
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return {"or"};
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return {"xor"};
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
      return {"exch"};
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return {"cas"};
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      return {"max", ordered};
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      return {"min", ordered};
    case HSA_BRIG_ATOMIC_OPERATION_WRAPINC:
      return atomic.bits() == 32 ? Instruction{"inc", 'u'} : Instruction{};
    case HSA_BRIG_ATOMIC_OPERATION_WRAPDEC:
      return atomic.bits() == 32 ? Instruction{"dec", 'u'} : Instruction{};
    default:
      return {};
  }
}

/// Executes one instruction that reads and writes.
Value* execute(llvm::IRBuilder<>& ir, const Atomic& atomic, const Instruction& instruction,
               llvm::ArrayRef<Value*> values) {
  const char* letter = atomic.bits() == 32 ? "r" : "l";
  std::string code = atomic.is_relaxed ? "" : fmt::format("fence.sc.{};\n\t", atomic.scope.ptx);
  code += fmt::format("atom.{}.{}{}.{}.{}{} $0, [$1], $2", atomic.is_relaxed ? "relaxed" : "acq_rel",
                      atomic.scope.ptx, space_name(atomic.space), instruction.name, instruction.type,
                      atomic.bits());
  code += values.size() == 2 ? ", $3;" : ";";
  std::string constraints = fmt::format("={},l,{}", letter, letter);
  if (values.size() == 2) constraints += fmt::format(",{}", letter);
  llvm::SmallVector<Value*, 3> arguments = {atomic.pointer};
  arguments.append(values.begin(), values.end());
  llvm::SmallVector<llvm::Type*, 3> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(atomic.first->getType(), types, false);
  auto* call = ir.CreateCall(llvm::InlineAsm::get(type, code, constraints + ",~{memory}", true), arguments);
  call->setDoesNotThrow();
  return call;
}

/// wrapinc and wrapdec of 64 bits: tries until nobody has come between.
Value* execute_in_loop(llvm::IRBuilder<>& ir, const Atomic& atomic) {
  const auto operation = atomic.operation == HSA_BRIG_ATOMIC_OPERATION_WRAPINC
                             ? llvm::AtomicRMWInst::UIncWrap
                             : llvm::AtomicRMWInst::UDecWrap;
  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::BasicBlock* after = before->splitBasicBlock(ir.GetInsertPoint());
  auto* loop = llvm::BasicBlock::Create(ir.getContext(), "", before->getParent(), after);
  before->getTerminator()->eraseFromParent();
  ir.SetInsertPoint(before);
  auto* first_guess = ir.CreateLoad(atomic.first->getType(), atomic.pointer);
  first_guess->setAtomic(llvm::AtomicOrdering::Monotonic);
  first_guess->setAlignment(llvm::Align(8));
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  auto* guess = ir.CreatePHI(first_guess->getType(), 2);
  Value* next = llvm::buildAtomicRMWValue(operation, ir, guess, atomic.first);
  Value* found = execute(ir, atomic, {"cas"}, {guess, next});
  guess->addIncoming(first_guess, before);
  guess->addIncoming(found, loop);
  ir.CreateCondBr(ir.CreateICmpEQ(found, guess), after, loop);
  ir.SetInsertPoint(after, after->begin());
  return found;
}

Value* read_and_write(llvm::IRBuilder<>& ir, const Atomic& atomic) {
  const Instruction instruction = instruction_of(atomic);
  if (instruction.name == nullptr) return execute_in_loop(ir, atomic);
  if (atomic.operation == HSA_BRIG_ATOMIC_OPERATION_CAS)
    return execute(ir, atomic, instruction, {atomic.first, atomic.second});
  const bool negate = atomic.operation == HSA_BRIG_ATOMIC_OPERATION_SUB;
  return execute(ir, atomic, instruction, {negate ? ir.CreateNeg(atomic.first) : atomic.first});
}

/// Reports, as an i1, whether this GPU's operations on the memory are atomic at system scope: it is the GPU's
/// own, or that of the work-group or the work-item.
Value* is_own_memory(llvm::IRBuilder<>& ir, const Atomic& atomic, Value* hidden) {
  using ptx_kernel::Hidden;
  const Fields fields(ir, hidden);
  Value* distance = ir.CreateSub(ir.CreatePtrToInt(atomic.pointer, ir.getInt64Ty()),
                                 unchanging(fields.load_i64(offsetof(Hidden, device_begin))));
  Value* own = ir.CreateICmpULT(distance, unchanging(fields.load_i64(offsetof(Hidden, device_size))));
  if (atomic.space != generic_space) return own;
  for (const auto id : {llvm::Intrinsic::nvvm_isspacep_shared, llvm::Intrinsic::nvvm_isspacep_local})
    own = ir.CreateOr(own, ir.CreateIntrinsic(id, {}, {atomic.pointer}));
  return own;
}

Value* ask_host(llvm::IRBuilder<>& ir, const Atomic& atomic, Value* hidden) {
  const auto wide = [&](Value* value) {
    return atomic.is_signed ? ir.CreateSExt(value, ir.getInt64Ty()) : ir.CreateZExt(value, ir.getInt64Ty());
  };
  llvm::Function* ask = device_function(*atomic.call.getModule(), "hsail_dev_nvptx_ask");
  Value* old =
      ir.CreateCall(ask, {hidden, ir.getInt32(ptx_kernel::MailboxSlot::atomic),
                          ir.getInt32(static_cast<uint32_t>(atomic.operation)), ir.getInt32(atomic.is_signed),
                          ir.getInt32(atomic.bits() / 8), ir.CreatePtrToInt(atomic.pointer, ir.getInt64Ty()),
                          wide(atomic.first), wide(atomic.second)});
  return ir.CreateTrunc(old, atomic.first->getType());
}

Value* read_and_write_in_any_memory(llvm::IRBuilder<>& ir, const Atomic& atomic, Value* hidden) {
  llvm::Instruction *own = nullptr, *foreign = nullptr;
  llvm::Instruction* here = &*ir.GetInsertPoint();
  llvm::SplitBlockAndInsertIfThenElse(is_own_memory(ir, atomic, hidden), here, &own, &foreign);
  ir.SetInsertPoint(own);
  Value* native = read_and_write(ir, atomic);
  llvm::BasicBlock* native_end = ir.GetInsertBlock();
  ir.SetInsertPoint(foreign);
  Value* asked = ask_host(ir, atomic, hidden);
  llvm::BasicBlock* asked_end = ir.GetInsertBlock();
  ir.SetInsertPoint(here);
  auto* old = ir.CreatePHI(native->getType(), 2);
  old->addIncoming(native, native_end);
  old->addIncoming(asked, asked_end);
  return old;
}

}  // namespace

bool may_ask_host(const llvm::CallInst& call) {
  return Atomic(const_cast<llvm::CallInst&>(call)).may_ask_host();
}

void let_atomics_ask_host(llvm::Module& module) {
  std::vector<llvm::CallInst*> others;
  bool of_system = false;
  for (const llvm::Function& callee : module) {
    const auto what = target_operation_of(callee);
    if (what != TargetOperation::atomic32 && what != TargetOperation::atomic64) continue;
    for (const llvm::User* user : callee.users()) {
      auto* call = const_cast<llvm::CallInst*>(llvm::cast<llvm::CallInst>(user));
      const Atomic atomic(*call);
      if (!atomic.reads_and_writes() || atomic.space == shared_space) continue;
      if (atomic.is_of_system())
        of_system = true;
      else
        others.push_back(call);
    }
  }
  if (!of_system) return;
  for (llvm::CallInst* call : others)
    call->addFnAttr(llvm::Attribute::get(module.getContext(), beside_system_attribute));
}

Value* lower_atomic(llvm::IRBuilder<>& ir, llvm::CallInst& call, Value* hidden) {
  const Atomic atomic(call);
  const auto order =
      atomic.is_relaxed ? llvm::AtomicOrdering::Monotonic : llvm::AtomicOrdering::SequentiallyConsistent;
  const llvm::Align align(atomic.bits() / 8);
  const auto scope = ir.getContext().getOrInsertSyncScopeID(atomic.scope.llvm);
  const unsigned known[] = {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias};
  switch (atomic.operation) {
    case HSA_BRIG_ATOMIC_OPERATION_LD: {
      auto* load = ir.CreateAlignedLoad(atomic.first->getType(), atomic.pointer, align);
      load->setAtomic(order, scope);
      load->copyMetadata(call, known);
      return load;
    }
    case HSA_BRIG_ATOMIC_OPERATION_ST: {
      auto* store = ir.CreateAlignedStore(atomic.first, atomic.pointer, align);
      store->setAtomic(order, scope);
      store->copyMetadata(call, known);
      return atomic.first;  // nobody uses it
    }
    default:
      return atomic.may_ask_host() ? read_and_write_in_any_memory(ir, atomic, hidden)
                                   : read_and_write(ir, atomic);
  }
}

Value* lower_memfence(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const auto scope = ir.getContext().getOrInsertSyncScopeID(scope_of(constant_argument(call, 1)).llvm);
  return ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, scope);
}

}  // namespace heddle::finalizer::ptx
