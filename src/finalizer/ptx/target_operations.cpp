// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/target_operations.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <hsa/hsa_brig_opcodes.h>
#include <hsa/hsa_brig_types.h>

#include "codeobject/kernel_abi.h"
#include "codeobject/ptx_kernel.h"
#include "finalizer/device_library.h"
#include "finalizer/ptx/context.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;
using ptx_kernel::Hidden;
using ptx_kernel::MailboxSlot;

/// The memory of a work-group begins with its group segment and has nothing else but what kernels that take
/// tickets need. Its size is that of the launch.
llvm::GlobalVariable& group_memory(llvm::Module& module) {
  constexpr llvm::StringLiteral name = "hsail_group";
  if (auto* known = module.getGlobalVariable(name)) return *known;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* memory = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                          name, nullptr, llvm::GlobalValue::NotThreadLocal, shared_space);
  memory->setAlignment(llvm::Align(traits().group_alignment));
  return *memory;
}

/// Lowers one call of a target operation. The builder stands before the call. The tables below say which
/// member lowers which operation.
class OperationLowering {
 public:
  OperationLowering(llvm::CallInst& call, Places& places)
      : call_(call), ir_(&call), context_(ir_, call.getFunction()->getArg(0)), places_(places) {}

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::CallInst& call() { return call_; }
  Value* argument(unsigned index) { return call_.getArgOperand(index); }
  Value* number(uint32_t value) { return ir_.getInt32(value); }
  Value* word(uint64_t offset) { return context_.load_i32(offset); }
  Value* dimension(uint64_t offset) { return word(offset + 4 * (constant_argument(call_, 0) % 3)); }
  Value* hidden() { return context_.load_pointer(offsetof(Context, hidden)); }
  Value* hidden_word(uint64_t offset) { return unchanging(Fields(ir_, hidden()).load_i32(offset)); }
  Value* hidden_double_word(uint64_t offset) { return unchanging(Fields(ir_, hidden()).load_i64(offset)); }
  Value* hidden_dimension(uint64_t offset) {
    return hidden_word(offset + 4 * (constant_argument(call_, 0) % 3));
  }
  Value* base(uint64_t offset) { return context_.load_pointer(offset); }
  Value* group_base();
  Value* special_register(llvm::Intrinsic::ID id) {
    return ir_.CreateIntrinsic(id, llvm::ArrayRef<Value*>());
  }
  Value* one_less(Value* count) { return ir_.CreateSub(count, number(1)); }
  Value* device(llvm::StringRef name, llvm::ArrayRef<Value*> arguments) {
    return ir_.CreateCall(device_function(*call_.getModule(), name), arguments);
  }
  Value* ask(MailboxSlot::Kind kind, Value* operation, Value* address, Value* value, Value* second) {
    return device("hsail_dev_nvptx_ask",
                  {hidden(), number(kind), operation, number(1), number(8), address, value, second});
  }
  Value* null_address();
  Value* place() { return number(places_.number_of(call_)); }
  Value* barrier();
  Value* queue_index();
  Value* trap(Value* reason, Value* detail);
  Value* yield(uint64_t every);
  Value* check_private(Value* bytes);
  Value* image();

 private:
  /// Ends the work-item if a condition holds. Goes on before the call.
  void trap_if(Value* condition, uint32_t reason, Value* detail);

  llvm::CallInst& call_;
  llvm::IRBuilder<> ir_;
  Fields context_;
  Places& places_;
};

/// Lowering takes the number of a segment's pointer for the flat address (lower/addresses.cpp), which it is
/// only if the pointer is made a flat one first.
Value* OperationLowering::group_base() {
  llvm::Constant* memory = &group_memory(*call_.getModule());
  for (llvm::User* user : llvm::make_early_inc_range(call_.users()))
    if (auto* number = llvm::dyn_cast<llvm::PtrToIntInst>(user))
      number->setOperand(0, llvm::ConstantExpr::getAddrSpaceCast(memory, ir_.getPtrTy()));
  return memory;
}

Value* OperationLowering::null_address() {
  switch (constant_argument(call_, 0)) {
    case HSA_BRIG_SEGMENT_GROUP:
      return ir_.getInt64(ptx_kernel::null_group);
    case HSA_BRIG_SEGMENT_PRIVATE:
      return ir_.getInt64(ptx_kernel::null_private);
    case HSA_BRIG_SEGMENT_KERNARG:
      return ir_.getInt64(ptx_kernel::null_kernarg);
    default:
      return ir_.getInt64(ptx_kernel::null_flat);
  }
}

/// The form for threads that need not arrive together. The machine code is the same.
Value* OperationLowering::barrier() {
  return ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_all, {}, {number(0)});
}

/// The host operates on the index, because the GPU need not have access to it. All users are the atomic
/// operations of queue instructions (lower/signals.cpp).
Value* OperationLowering::queue_index() {
  const bool write = constant_argument(call_, 1) != 0;
  const auto kind = write ? MailboxSlot::queue_write_index : MailboxSlot::queue_read_index;
  for (llvm::User* user : llvm::make_early_inc_range(call_.users())) {
    auto& atomic = llvm::cast<llvm::CallInst>(*user);
    assert(target_operation_of(*atomic.getCalledFunction()) == TargetOperation::atomic64);
    ir_.SetInsertPoint(&atomic);
    Value* old =
        ask(kind, atomic.getArgOperand(0), argument(0), atomic.getArgOperand(5), atomic.getArgOperand(6));
    atomic.replaceAllUsesWith(old);
    atomic.eraseFromParent();
  }
  return llvm::PoisonValue::get(call_.getType());
}

/// Ends the work-item. Other work-items of its wave may go on, so nothing may follow that ends them too, such
/// as what LLVM makes of code that it believes unreachable.
Value* OperationLowering::trap(Value* reason, Value* detail) {
  Value* item = context_.pointer(work_item_offset);
  device("hsail_dev_nvptx_trap", {hidden(), reason, detail, place(), item});
  if (auto* end = llvm::dyn_cast<llvm::UnreachableInst>(call_.getParent()->getTerminator())) {
    ir_.SetInsertPoint(end);
    ir_.CreateRetVoid();
    end->eraseFromParent();
  }
  ir_.SetInsertPoint(&call_);
  return nullptr;
}

Value* OperationLowering::yield(uint64_t every) {
  if (every > 1) {
    Value* count = ir_.CreateAdd(word(offsetof(Context, spins)), number(1));
    Value* enough = ir_.CreateICmpUGE(count, number(static_cast<uint32_t>(every)));
    context_.store(ir_.CreateSelect(enough, number(0), count), offsetof(Context, spins));
    ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(enough, &call_, /*Unreachable=*/false));
  }
  return device("hsail_dev_nvptx_yield", {hidden()});
}

void OperationLowering::trap_if(Value* condition, uint32_t reason, Value* detail) {
  auto* rarely = llvm::MDBuilder(ir_.getContext()).createUnlikelyBranchWeights();
  ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(condition, &call_, /*Unreachable=*/false, rarely));
  device("hsail_dev_nvptx_trap",
         {hidden(), number(reason), detail, place(), context_.pointer(work_item_offset)});
  ir_.SetInsertPoint(&call_);
}

Value* OperationLowering::check_private(Value* bytes) {
  trap_if(ir_.CreateICmpUGT(bytes, word(offsetof(Context, private_size))), kernel_abi::trap_private_exhausted,
          bytes);
  return nullptr;
}

const char* image_function(uint64_t opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_RDIMAGE:
      return "hsail_dev_image_read";
    case HSA_BRIG_OPCODE_LDIMAGE:
      return "hsail_dev_image_load";
    case HSA_BRIG_OPCODE_STIMAGE:
      return "hsail_dev_image_store";
    case HSA_BRIG_OPCODE_QUERYSAMPLER:
      return "hsail_dev_image_sampler_query";
    default:
      assert(opcode == HSA_BRIG_OPCODE_QUERYIMAGE && "there are five instructions with images");
      return "hsail_dev_image_image_query";
  }
}

/// The function of the device library has the arguments of the operation.
Value* OperationLowering::image() {
  const llvm::SmallVector<Value*, 8> arguments(call_.args());
  Value* misuse = device(image_function(constant_argument(call_, 0)), arguments);
  trap_if(ir_.CreateICmpNE(misuse, number(0)), kernel_abi::trap_image, misuse);
  return nullptr;
}

/// How one operation is lowered. `lower` returns null for an operation without a result.
struct OperationRow {
  TargetOperation operation;
  Value* (*lower)(OperationLowering&);
};
using L = OperationLowering;
using Op = TargetOperation;

constexpr OperationRow query_rows[] = {
    {Op::workitemid, [](L& l) { return l.dimension(offsetof(Context, workitemid)); }},
    {Op::workgroupid, [](L& l) { return l.dimension(offsetof(Context, workgroupid)); }},
    {Op::workgroupsize, [](L& l) { return l.dimension(offsetof(Context, workgroupsize)); }},
    {Op::currentworkgroupsize, [](L& l) { return l.dimension(offsetof(Context, currentworkgroupsize)); }},
    {Op::gridsize, [](L& l) { return l.dimension(offsetof(Context, gridsize)); }},
    {Op::gridgroups, [](L& l) { return l.hidden_dimension(offsetof(Hidden, grid_groups)); }},
    {Op::dim, [](L& l) { return l.hidden_word(offsetof(Hidden, dimensions)); }},
    {Op::packetid, [](L& l) { return l.hidden_double_word(offsetof(Hidden, packet_id)); }},
    {Op::packetcompletionsig, [](L& l) { return l.hidden_double_word(offsetof(Hidden, completion_signal)); }},
    {Op::groupstaticsize, [](L& l) { return l.hidden_word(offsetof(Hidden, group_static_size)); }},
    {Op::grouptotalsize, [](L& l) { return l.hidden_word(offsetof(Hidden, group_total_size)); }},
    {Op::laneid, [](L& l) { return l.special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid); }},
    // The place of the wave in its processor. No two waves that are there at once share one.
    {Op::waveid, [](L& l) { return l.special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_warpid); }},
    {Op::maxwaveid,
     [](L& l) { return l.one_less(l.special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nwarpid)); }},
    {Op::wavesize, [](L& l) { return l.number(ptx_kernel::lanes); }},
    {Op::cuid, [](L& l) { return l.special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_smid); }},
    {Op::maxcuid, [](L& l) { return l.hidden_word(offsetof(Hidden, max_compute_unit)); }},

    {Op::kernarg_base, [](L& l) { return l.base(offsetof(Context, kernarg)); }},
    {Op::group_base, [](L& l) { return l.group_base(); }},
    {Op::private_base, [](L& l) { return l.base(offsetof(Context, private_base)); }},
    {Op::private_size, [](L& l) { return l.word(offsetof(Context, private_size)); }},
    {Op::null_address, [](L& l) { return l.null_address(); }},
};

constexpr OperationRow communication_rows[] = {
    {Op::barrier, [](L& l) { return l.barrier(); }},
    {Op::memfence, [](L& l) { return lower_memfence(l.ir(), l.call()); }},
    {Op::atomic32, [](L& l) { return lower_atomic(l.ir(), l.call(), l.hidden()); }},
    {Op::atomic64, [](L& l) { return lower_atomic(l.ir(), l.call(), l.hidden()); }},
    {Op::signal,
     [](L& l) {
       return l.ask(MailboxSlot::signal, l.argument(0), l.argument(1), l.argument(2), l.argument(3));
     }},
    {Op::queue_index, [](L& l) { return l.queue_index(); }},
    // No exception has a policy: kernels that enable one are refused (refusals.h).
    {Op::get_detected, [](L& l) { return l.number(0); }},
    {Op::clear_detected, [](L&) -> Value* { return nullptr; }},
    {Op::set_detected, [](L&) -> Value* { return nullptr; }},
    {Op::clock, [](L& l) { return l.device("hsail_dev_nvptx_clock", {l.hidden()}); }},
    {Op::yield, [](L& l) { return l.yield(constant_argument(l.call(), 0)); }},
    {Op::trap, [](L& l) { return l.trap(l.argument(0), l.argument(1)); }},
    {Op::check_private, [](L& l) { return l.check_private(l.argument(0)); }},
    {Op::image, [](L& l) { return l.image(); }},
};

constexpr OperationRow arithmetic_rows[] = {
    {Op::arithmetic32, [](L& l) { return lower_arithmetic(l.ir(), l.call()); }},
    {Op::arithmetic64, [](L& l) { return lower_arithmetic(l.ir(), l.call()); }},
    {Op::narrow_ftz, [](L& l) { return lower_narrow(l.ir(), l.call()); }},
    {Op::flush32, [](L& l) { return lower_flush(l.ir(), l.call()); }},
    {Op::flush64, [](L& l) { return lower_flush(l.ir(), l.call()); }},
    {Op::min32, [](L& l) { return lower_min_max(l.ir(), l.call(), false); }},
    {Op::min64, [](L& l) { return lower_min_max(l.ir(), l.call(), false); }},
    {Op::max32, [](L& l) { return lower_min_max(l.ir(), l.call(), true); }},
    {Op::max64, [](L& l) { return lower_min_max(l.ir(), l.call(), true); }},
    {Op::f16_to_f32, [](L& l) { return lower_f16_to_f32(l.ir(), l.call()); }},
    {Op::f32_to_f16, [](L& l) { return lower_f32_to_f16(l.ir(), l.call()); }},
    {Op::native, [](L& l) { return lower_native(l.ir(), l.call()); }},
};

/// What other files have replaced before: what depends on active lanes (active_lanes.h) and addresses
/// (addresses.h). What is refused (refusals.h): events and exceptions. What only the wave vectoriser makes.
constexpr Op operations_of_others[] = {
    Op::wavebarrier,       Op::fbarrier,         Op::activelanecount, Op::activelaneid,    Op::activelanemask,
    Op::activelanepermute, Op::variable_address, Op::kernel_handle,   Op::function_handle, Op::event,
    Op::exceptions,        Op::signal_wait,
};

using OperationTable = std::array<Value* (*)(OperationLowering&), target_operation_count>;

constexpr OperationTable make_table() {
  OperationTable table{};
  for (std::span<const OperationRow> rows :
       {std::span<const OperationRow>(query_rows), std::span<const OperationRow>(communication_rows),
        std::span<const OperationRow>(arithmetic_rows)})
    for (const OperationRow& row : rows) table[static_cast<size_t>(row.operation)] = row.lower;
  return table;
}
constexpr OperationTable operation_table = make_table();
static_assert(std::ranges::count(operation_table, nullptr) == std::size(operations_of_others),
              "every target operation is lowered, here or elsewhere");

/// Lowers all calls of one operation.
void lower_operation(llvm::Function& function, TargetOperation what, Places& places) {
  const auto lower = operation_table[static_cast<size_t>(what)];
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    assert(lower != nullptr && "the operation has been replaced or refused before");
    auto& call = llvm::cast<llvm::CallInst>(*user);
    OperationLowering lowering(call, places);
    Value* value = lower(lowering);
    if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }
  function.eraseFromParent();
}

}  // namespace

void lower_target_operations(llvm::Module& module, Places& places) {
  // The operations on queues' indices come first: they take atomic operations with them.
  for (const bool of_queues : {true, false})
    for (llvm::Function& function : llvm::make_early_inc_range(module)) {
      const auto what = target_operation_of(function);
      if (what && (*what == TargetOperation::queue_index || !of_queues))
        lower_operation(function, *what, places);
    }
}

}  // namespace heddle::finalizer::ptx
