// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/target_operations.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <hsa/hsa_brig_modifiers.h>

#include "codeobject/kernel_abi.h"
#include "finalizer/device_library.h"
#include "finalizer/spmd/lane_loop.h"
#include "finalizer/x86/context.h"
#include "finalizer/x86/coroutine.h"

namespace heddle::finalizer::x86 {
namespace {

using kernel_abi::Dispatch;
using kernel_abi::Worker;

static_assert(static_cast<uint32_t>(FbarrierOp::init) == kernel_abi::fbarrier_init &&
                  static_cast<uint32_t>(FbarrierOp::join) == kernel_abi::fbarrier_join &&
                  static_cast<uint32_t>(FbarrierOp::wait) == kernel_abi::fbarrier_wait &&
                  static_cast<uint32_t>(FbarrierOp::arrive) == kernel_abi::fbarrier_arrive &&
                  static_cast<uint32_t>(FbarrierOp::leave) == kernel_abi::fbarrier_leave &&
                  static_cast<uint32_t>(FbarrierOp::release) == kernel_abi::fbarrier_release,
              "the argument of the target operation is passed to the agent as it is");
static_assert(static_cast<uint64_t>(EventValueKind::number32) == kernel_abi::event_value_32 &&
                  static_cast<uint64_t>(EventValueKind::number64) == kernel_abi::event_value_64 &&
                  static_cast<uint64_t>(EventValueKind::string) == kernel_abi::event_value_string &&
                  static_cast<uint64_t>(EventValueKind::queue_id) == kernel_abi::event_value_queue_id,
              "the values of events are passed to the agent as they are");

/// Lowers one call of a target operation. The builder stands before the call. The tables below say which
/// member lowers which operation.
class OperationLowering {
 public:
  OperationLowering(llvm::CallInst& call, const FloatTarget& target, const spmd::WaveShape& wave)
      : call_(call), target_(target), wave_(wave), ir_(&call), context_(ir_, call.getFunction()->getArg(0)) {}

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::CallInst& call() { return call_; }
  const FloatTarget& target() const { return target_; }
  Level level() const { return target_.level; }
  unsigned lanes() const { return wave_.lanes; }
  const Fields& context() const { return context_; }
  Fields dispatch() { return {ir_, context_.load_pointer(offsetof(Context, dispatch))}; }
  Fields worker() { return {ir_, context_.load_pointer(offsetof(Context, worker))}; }
  llvm::Value* argument(unsigned index) { return call_.getArgOperand(index); }
  llvm::SmallVector<llvm::Value*, 4> arguments() { return {call_.arg_begin(), call_.arg_end()}; }
  llvm::Value* number(uint32_t value) { return ir_.getInt32(value); }

  /// Loads the word for one dimension, which is the first argument of the call, from three consecutive words.
  llvm::Value* dimension(const Fields& fields, uint64_t offset) {
    return fields.load_i32(offset + 4 * (constant_argument(call_, 0) % 3));
  }
  llvm::Value* dispatch_word(uint64_t offset) { return unchanging(dispatch().load_i32(offset)); }
  llvm::Value* dispatch_double_word(uint64_t offset) { return unchanging(dispatch().load_i64(offset)); }
  llvm::Value* worker_word(uint64_t offset) { return worker().load_i32(offset); }
  llvm::Value* segment_base(uint64_t offset) { return segment_pointer(context_.load_pointer(offset)); }
  llvm::Value* queue_index() {
    return segment_pointer(support(kernel_abi::support_queue_index, ir_.getPtrTy(), arguments()));
  }
  llvm::Value* address_word(llvm::StringRef prefix);
  llvm::Value* null_address();
  llvm::Value* support(kernel_abi::SupportFunction function, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> arguments = {});
  llvm::Value* barrier();
  llvm::Value* waveid();
  llvm::Value* id_of_trapping_lane(unsigned dimension);
  llvm::Value* trap(llvm::Value* reason, llvm::Value* detail);
  llvm::Value* yield(uint64_t every);
  llvm::Value* exceptions();
  llvm::Value* check_private(llvm::Value* bytes);
  llvm::Value* change_detected(bool set);
  llvm::Value* image();
  llvm::Value* activelanemask();
  llvm::Value* activelanepermute();

 private:
  /// Casts a pointer to the address space that the call has for its segment. All address spaces are the same
  /// memory.
  llvm::Value* segment_pointer(llvm::Value* pointer) {
    return ir_.CreateAddrSpaceCast(pointer, call_.getType());
  }

  llvm::CallInst& call_;
  FloatTarget target_;
  spmd::WaveShape wave_;
  llvm::IRBuilder<> ir_;
  Fields context_;
};

/// Calls through the support table; the worker is the first argument.
llvm::Value* OperationLowering::support(kernel_abi::SupportFunction function, llvm::Type* result,
                                        llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Value* worker = context_.load_pointer(offsetof(Context, worker));
  llvm::Value* table = unchanging(Fields(ir_, worker).load_pointer(offsetof(Worker, support)));
  llvm::Value* callee = unchanging(Fields(ir_, table).load_pointer(8 * uint64_t{function}));
  llvm::SmallVector<llvm::Value*, 4> all = {worker};
  all.append(arguments.begin(), arguments.end());
  llvm::SmallVector<llvm::Type*, 4> types;
  for (llvm::Value* argument : all) types.push_back(argument->getType());
  auto* call = ir_.CreateCall(llvm::FunctionType::get(result, types, false), callee, all);
  call->setConvergent();
  call->setDoesNotThrow();
  return call;
}

llvm::Value* OperationLowering::barrier() {
  if (call_.getFunction()->hasFnAttribute(suspends_at_barriers)) return create_suspension(ir_);
  return support(kernel_abi::support_barrier, ir_.getVoidTy());
}

/// Loads the word of the data section that the loader fills for the call's symbol.
llvm::Value* OperationLowering::address_word(llvm::StringRef prefix) {
  const std::string name = (prefix + llvm::Twine(constant_argument(call_, 0))).str();
  return unchanging(ir_.CreateLoad(ir_.getInt64Ty(), &data_word(*call_.getModule(), name)));
}

llvm::Value* OperationLowering::null_address() {
  switch (constant_argument(call_, 0)) {
    case HSA_BRIG_SEGMENT_GROUP:
      return ir_.getInt64(kernel_abi::null_group);
    case HSA_BRIG_SEGMENT_PRIVATE:
      return ir_.getInt64(kernel_abi::null_private);
    case HSA_BRIG_SEGMENT_KERNARG:
      return ir_.getInt64(kernel_abi::null_kernarg);
    default:
      return ir_.getInt64(kernel_abi::null_flat);
  }
}

/// A wave has the work-items from a multiple of its length on.
llvm::Value* OperationLowering::waveid() {
  const auto id = [&](unsigned dim) { return context_.load_i32(offsetof(Context, workitemid) + 4 * dim); };
  const auto size = [&](unsigned dim) {
    return context_.load_i32(offsetof(Context, currentworkgroupsize) + 4 * dim);
  };
  llvm::Value* row = ir_.CreateAdd(id(1), ir_.CreateMul(id(2), size(1)));
  llvm::Value* flat = ir_.CreateAdd(id(0), ir_.CreateMul(row, size(0)));
  return ir_.CreateUDiv(flat, ir_.getInt32(lanes()));
}

llvm::Value* OperationLowering::yield(uint64_t every) {
  assert(every != 0 && every <= UINT32_MAX);
  if (every > 1) {
    llvm::Value* count = ir_.CreateAdd(context_.load_i32(offsetof(Context, spins)), ir_.getInt32(1));
    llvm::Value* enough = ir_.CreateICmpUGE(count, ir_.getInt32(static_cast<uint32_t>(every)));
    context_.store(ir_.CreateSelect(enough, ir_.getInt32(0), count), offsetof(Context, spins));
    ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(enough, &call_, /*Unreachable=*/false));
  }
  return support(kernel_abi::support_yield, ir_.getVoidTy());
}

llvm::Value* OperationLowering::id_of_trapping_lane(unsigned dimension) {
  if (wave_.lanes == 1) return context_.load_i32(offsetof(Context, workitemid) + 4 * dimension);
  auto* type = ir_.getInt32Ty();
  spmd::Parts ids;
  for (unsigned lane = 0; lane < wave_.lanes; lane += wave_.part_lanes)
    ids.push_back(context_.load(spmd::part_type(*type, wave_), lane_id_offset(dimension, lane)));
  spmd::LaneMemory memory(*call_.getFunction(), wave_);
  return spmd::extract_lane(ir_, memory, ids, context_.load_i32(offsetof(Context, lane)), *type);
}

llvm::Value* OperationLowering::trap(llvm::Value* reason, llvm::Value* detail) {
  // Stores the work-item for the report of the trap, because the worker need not hold the current one here.
  llvm::Value* worker = context_.load_pointer(offsetof(Context, worker));
  for (unsigned d = 0; d < 3; ++d) store_work_item(ir_, worker, id_of_trapping_lane(d), d);
  Fields(ir_, worker).store(ir_.getInt32(1), offsetof(Worker, workitem_traps));
  return support(kernel_abi::support_trap, ir_.getVoidTy(), {reason, detail});
}

/// Asks the agent which exceptions the operation raises, and acts on the answer. Does nothing if the kernel
/// has no enabled exceptions but shares the function with a kernel that has some.
llvm::Value* OperationLowering::exceptions() {
  llvm::Value* masks = context_.load_i32(offsetof(Context, exception_masks));
  llvm::Instruction* enabled =
      llvm::SplitBlockAndInsertIfThen(ir_.CreateICmpNE(masks, ir_.getInt32(0)), &call_, false);
  ir_.SetInsertPoint(enabled);
  llvm::Value* raised = support(kernel_abi::support_exceptions, ir_.getInt32Ty(), arguments());
  llvm::Value* halting = ir_.CreateAnd(raised, ir_.CreateLShr(masks, 8));
  llvm::Instruction* halts = llvm::SplitBlockAndInsertIfThen(ir_.CreateICmpNE(halting, ir_.getInt32(0)),
                                                             enabled, /*Unreachable=*/true);
  ir_.SetInsertPoint(halts);
  trap(ir_.getInt32(kernel_abi::trap_exception), halting);
  ir_.SetInsertPoint(enabled);
  llvm::Value* detected = context_.load_i32(offsetof(Context, detected));
  llvm::Value* more = ir_.CreateAnd(ir_.CreateAnd(raised, masks), ir_.getInt32(0x1f));
  context_.store(ir_.CreateOr(detected, more), offsetof(Context, detected));
  return nullptr;
}

bool is_for_debuggers(const llvm::Function& function) {
  const llvm::DISubprogram* described = function.getSubprogram();
  return described != nullptr && described->getUnit()->getEmissionKind() == llvm::DICompileUnit::FullDebug;
}

/// Calls the support function, which traps if there is too little private memory, only in this case. In
/// functions for debuggers it decides itself: LLVM takes what follows the first branch of a function for its
/// body, and debuggers would stop there, before the formal arguments have their values.
llvm::Value* OperationLowering::check_private(llvm::Value* bytes) {
  if (!is_for_debuggers(*call_.getFunction())) {
    llvm::Value* exhausted = ir_.CreateICmpUGT(bytes, dispatch_word(offsetof(Dispatch, private_size)));
    ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(exhausted, &call_, /*Unreachable=*/false));
  }
  support(kernel_abi::support_stack_check, ir_.getVoidTy(), {bytes});
  return nullptr;
}

/// Sets those of the given exceptions that are enabled for DETECT, or clears them.
llvm::Value* OperationLowering::change_detected(bool set) {
  llvm::Value* detected = context_.load_i32(offsetof(Context, detected));
  llvm::Value* which = call_.getArgOperand(0);
  if (set) {
    llvm::Value* masks = context_.load_i32(offsetof(Context, exception_masks));
    which = ir_.CreateAnd(ir_.CreateAnd(which, masks), ir_.getInt32(0x1f));
  }
  context_.store(set ? ir_.CreateOr(detected, which) : ir_.CreateAnd(detected, ir_.CreateNot(which)),
                 offsetof(Context, detected));
  return nullptr;
}

/// An image operation packs its four constants into one word: opcode, geometry, type and detail.
llvm::Value* OperationLowering::image() {
  uint32_t what = 0;
  for (unsigned i = 0; i < 4; ++i) {
    assert(constant_argument(call_, i) <= UINT8_MAX && "each constant has a byte of the word");
    what |= static_cast<uint32_t>(constant_argument(call_, i)) << 8 * i;
  }
  return support(
      kernel_abi::support_image, ir_.getVoidTy(),
      {ir_.getInt32(what), call_.getArgOperand(4), call_.getArgOperand(5), call_.getArgOperand(6)});
}

llvm::Value* OperationLowering::activelanemask() {
  return constant_argument(call_, 1) == 0 ? ir_.CreateZExt(call_.getArgOperand(0), ir_.getInt64Ty())
                                          : ir_.getInt64(0);
}

llvm::Value* OperationLowering::activelanepermute() {
  return ir_.CreateSelect(ir_.CreateICmpNE(call_.getArgOperand(3), ir_.getInt32(0)), call_.getArgOperand(2),
                          call_.getArgOperand(0));
}

/// How one operation is lowered. `lower` returns null for an operation without a result.
struct OperationRow {
  TargetOperation operation;
  llvm::Value* (*lower)(OperationLowering&);
};
using L = OperationLowering;
using Op = TargetOperation;

/// Identity and segments. Most of them are fields of structures in memory (context.h, kernel_abi.h).
constexpr OperationRow query_rows[] = {
    {Op::workitemid, [](L& l) { return l.dimension(l.context(), offsetof(Context, workitemid)); }},
    {Op::workgroupid, [](L& l) { return l.dimension(l.context(), offsetof(Context, workgroupid)); }},
    {Op::workgroupsize, [](L& l) { return l.dimension(l.context(), offsetof(Context, workgroupsize)); }},
    {Op::currentworkgroupsize,
     [](L& l) { return l.dimension(l.context(), offsetof(Context, currentworkgroupsize)); }},
    {Op::gridsize, [](L& l) { return l.dimension(l.context(), offsetof(Context, gridsize)); }},
    {Op::gridgroups, [](L& l) { return l.dimension(l.dispatch(), offsetof(Dispatch, grid_groups)); }},
    {Op::dim, [](L& l) { return l.dispatch_word(offsetof(Dispatch, dimensions)); }},
    {Op::packetid, [](L& l) { return l.dispatch_double_word(offsetof(Dispatch, packet_id)); }},
    {Op::packetcompletionsig,
     [](L& l) { return l.dispatch_double_word(offsetof(Dispatch, completion_signal)); }},
    {Op::groupstaticsize, [](L& l) { return l.dispatch_word(offsetof(Dispatch, group_static_size)); }},
    {Op::grouptotalsize, [](L& l) { return l.dispatch_word(offsetof(Dispatch, group_total_size)); }},
    {Op::laneid, [](L& l) { return l.number(0); }},
    {Op::waveid, [](L& l) { return l.waveid(); }},
    {Op::maxwaveid, [](L& l) { return l.number(kernel_abi::max_group_size / l.lanes() - 1); }},
    {Op::wavesize, [](L& l) { return l.number(l.lanes()); }},
    // The waves of a work-group share a compute unit.
    {Op::cuid, [](L& l) { return l.worker_word(offsetof(Worker, compute_unit)); }},
    {Op::maxcuid, [](L& l) { return l.worker_word(offsetof(Worker, max_compute_unit)); }},

    {Op::kernarg_base, [](L& l) { return l.segment_base(offsetof(Context, kernarg)); }},
    {Op::group_base, [](L& l) { return l.segment_base(offsetof(Context, group_base)); }},
    {Op::private_base, [](L& l) { return l.segment_base(offsetof(Context, private_base)); }},
    {Op::private_size, [](L& l) { return l.dispatch_word(offsetof(Dispatch, private_size)); }},
    {Op::null_address, [](L& l) { return l.null_address(); }},
    {Op::variable_address, [](L& l) { return l.address_word(variable_word); }},
    {Op::kernel_handle, [](L& l) { return l.address_word(kernel_word); }},
    {Op::function_handle, [](L& l) { return l.address_word(function_word); }},
};

constexpr OperationRow communication_rows[] = {
    {Op::barrier, [](L& l) { return l.barrier(); }},
    // The lanes of a wave are never apart.
    {Op::wavebarrier, [](L&) -> llvm::Value* { return nullptr; }},
    {Op::memfence, [](L& l) { return lower_memfence(l.ir(), l.call()); }},
    {Op::atomic32, [](L& l) { return lower_atomic(l.ir(), l.call()); }},
    {Op::atomic64, [](L& l) { return lower_atomic(l.ir(), l.call()); }},
    {Op::fbarrier,
     [](L& l) { return l.support(kernel_abi::support_fbarrier, l.ir().getVoidTy(), l.arguments()); }},
    {Op::signal,
     [](L& l) { return l.support(kernel_abi::support_signal, l.ir().getInt64Ty(), l.arguments()); }},
    {Op::signal_wait,
     [](L& l) { return l.support(kernel_abi::support_signal_wait, l.ir().getVoidTy(), l.arguments()); }},
    {Op::queue_index, [](L& l) { return l.queue_index(); }},
    {Op::exceptions, [](L& l) { return l.exceptions(); }},
    {Op::get_detected,
     [](L& l) -> llvm::Value* { return l.context().load_i32(offsetof(Context, detected)); }},
    {Op::clear_detected, [](L& l) { return l.change_detected(false); }},
    {Op::set_detected, [](L& l) { return l.change_detected(true); }},
    {Op::image, [](L& l) { return l.image(); }},
    {Op::event, [](L& l) { return l.support(kernel_abi::support_event, l.ir().getVoidTy(), l.arguments()); }},
    {Op::clock, [](L& l) { return l.support(kernel_abi::support_clock, l.ir().getInt64Ty()); }},
    {Op::yield, [](L& l) { return l.yield(constant_argument(l.call(), 0)); }},
    {Op::trap, [](L& l) { return l.trap(l.argument(0), l.argument(1)); }},
    {Op::check_private, [](L& l) { return l.check_private(l.argument(0)); }},
};

/// Cross-lane operations in a wave of one lane, which is active.
constexpr OperationRow cross_lane_rows[] = {
    {Op::activelanecount, [](L& l) { return l.argument(0); }},
    {Op::activelaneid, [](L& l) { return l.number(0); }},
    {Op::activelanemask, [](L& l) { return l.activelanemask(); }},
    {Op::activelanepermute, [](L& l) { return l.activelanepermute(); }},
};

constexpr OperationRow arithmetic_rows[] = {
    {Op::arithmetic32, [](L& l) { return lower_arithmetic(l.ir(), l.call(), l.target()); }},
    {Op::arithmetic64, [](L& l) { return lower_arithmetic(l.ir(), l.call(), l.target()); }},
    {Op::narrow_ftz, [](L& l) { return lower_narrow(l.ir(), l.call(), l.target()); }},
    {Op::flush32, [](L& l) { return lower_flush(l.ir(), l.call(), l.target()); }},
    {Op::flush64, [](L& l) { return lower_flush(l.ir(), l.call(), l.target()); }},
    {Op::min32, [](L& l) { return lower_min_max(l.ir(), l.call(), l.target(), false); }},
    {Op::min64, [](L& l) { return lower_min_max(l.ir(), l.call(), l.target(), false); }},
    {Op::max32, [](L& l) { return lower_min_max(l.ir(), l.call(), l.target(), true); }},
    {Op::max64, [](L& l) { return lower_min_max(l.ir(), l.call(), l.target(), true); }},
    {Op::f16_to_f32, [](L& l) { return lower_f16_to_f32(l.ir(), l.call(), l.level()); }},
    {Op::f32_to_f16, [](L& l) { return lower_f32_to_f16(l.ir(), l.call(), l.level()); }},
    {Op::native, [](L& l) { return lower_native(l.ir(), l.call()); }},
};

using OperationTable = std::array<llvm::Value* (*)(OperationLowering&), target_operation_count>;

constexpr OperationTable make_table() {
  OperationTable table{};
  for (std::span<const OperationRow> rows :
       {std::span<const OperationRow>(query_rows), std::span<const OperationRow>(communication_rows),
        std::span<const OperationRow>(cross_lane_rows), std::span<const OperationRow>(arithmetic_rows)})
    for (const OperationRow& row : rows) table[static_cast<size_t>(row.operation)] = row.lower;
  return table;
}

constexpr OperationTable operation_table = make_table();
static_assert(std::ranges::find(operation_table, nullptr) == operation_table.end(),
              "every target operation is lowered");

/// Replaces fused multiply-add by calls of the device library, because level v2 has no instruction for it.
void replace_fma(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::fma) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      llvm::IRBuilder<> ir(&call);
      const auto* name = call.getType()->isFloatTy() ? "hsail_dev_fma_f32" : "hsail_dev_fma_f64";
      llvm::Function* replacement = device_function(module, name);
      call.replaceAllUsesWith(
          ir.CreateCall(replacement, {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
                                      ir.getInt32(HSA_BRIG_ROUND_FLOAT_NEAR_EVEN)}));
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
}

}  // namespace

llvm::GlobalVariable& data_word(llvm::Module& module, llvm::StringRef name) {
  if (auto* known = module.getGlobalVariable(name)) return *known;
  auto* type = llvm::Type::getInt64Ty(module.getContext());
  auto* word = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                        llvm::ConstantInt::get(type, 0), name);
  word->setVisibility(llvm::GlobalValue::HiddenVisibility);
  word->setDSOLocal(true);
  word->setExternallyInitialized(true);
  word->setSection(".data.hsail");
  word->setAlignment(llvm::Align(8));
  return *word;
}

void lower_target_operations(llvm::Module& module, const FloatTarget& target,
                             llvm::function_ref<spmd::WaveShape(const llvm::Function&)> wave_of) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const auto what = target_operation_of(function);
    if (!what) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      OperationLowering lowering(call, target, wave_of(*call.getFunction()));
      llvm::Value* value = operation_table[static_cast<size_t>(*what)](lowering);
      assert((value != nullptr || call.getType()->isVoidTy()) && "the row of the operation makes its result");
      if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
  if (target.level == Level::v2) replace_fma(module);
}

}  // namespace heddle::finalizer::x86
