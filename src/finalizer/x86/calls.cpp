// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/calls.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <hsa/hsa_brig_modifiers.h>

#include "codeobject/kernel_abi.h"
#include "finalizer/device_library.h"
#include "finalizer/x86/context.h"

namespace heddle::finalizer::x86 {
namespace {

using kernel_abi::Dispatch;
using kernel_abi::Worker;

uint64_t constant_argument(const llvm::CallInst& call, unsigned index) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue();
}

/// Lowers one call; the builder stands before it.
class CallLowering {
 public:
  CallLowering(llvm::CallInst& call, Level level)
      : call_(call), level_(level), ir_(&call), context_(ir_, call.getFunction()->getArg(0)) {}

  llvm::Value* run(Call what);

 private:
  Fields dispatch() { return {ir_, context_.load_pointer(offsetof(Context, dispatch))}; }
  Fields worker() { return {ir_, context_.load_pointer(offsetof(Context, worker))}; }

  /// Field of three words, one for each dimension.
  llvm::Value* dimension(const Fields& fields, uint64_t offset) {
    return fields.load_i32(offset + 4 * (constant_argument(call_, 0) % 3));
  }
  llvm::Value* dispatch_word(uint64_t offset) { return unchanging(dispatch().load_i32(offset)); }
  /// A pointer in the address space that the call has for its segment. All spaces are one memory.
  llvm::Value* segment_pointer(llvm::Value* pointer) {
    return ir_.CreateAddrSpaceCast(pointer, call_.getType());
  }
  llvm::Value* address_word(llvm::StringRef prefix);
  llvm::Value* null_address();
  llvm::Value* support(kernel_abi::SupportFunction function, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> arguments = {});
  llvm::Value* flat_id();
  llvm::Value* trap(llvm::Value* reason, llvm::Value* detail);
  llvm::Value* yield(uint64_t every);
  void exceptions();
  void check_private(llvm::Value* bytes);
  llvm::Value* change_detected(bool set);

  llvm::CallInst& call_;
  Level level_;
  llvm::IRBuilder<> ir_;
  Fields context_;
};

/// Calls through the support table; the worker is the first argument.
llvm::Value* CallLowering::support(kernel_abi::SupportFunction function, llvm::Type* result,
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

/// What the loader has put in a word of the data section.
llvm::Value* CallLowering::address_word(llvm::StringRef prefix) {
  const std::string name = (prefix + llvm::Twine(constant_argument(call_, 0))).str();
  return unchanging(ir_.CreateLoad(ir_.getInt64Ty(), &data_word(*call_.getModule(), name)));
}

llvm::Value* CallLowering::null_address() {
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

llvm::Value* CallLowering::flat_id() {
  const auto id = [&](unsigned dim) { return context_.load_i32(offsetof(Context, workitemid) + 4 * dim); };
  const auto size = [&](unsigned dim) {
    return context_.load_i32(offsetof(Context, currentworkgroupsize) + 4 * dim);
  };
  llvm::Value* row = ir_.CreateAdd(id(1), ir_.CreateMul(id(2), size(1)));
  return ir_.CreateAdd(id(0), ir_.CreateMul(row, size(0)));
}

llvm::Value* CallLowering::yield(uint64_t every) {
  if (every > 1) {
    llvm::Value* count = ir_.CreateAdd(context_.load_i32(offsetof(Context, spins)), ir_.getInt32(1));
    llvm::Value* enough = ir_.CreateICmpUGE(count, ir_.getInt32(static_cast<uint32_t>(every)));
    context_.store(ir_.CreateSelect(enough, ir_.getInt32(0), count), offsetof(Context, spins));
    ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(enough, &call_, /*Unreachable=*/false));
  }
  return support(kernel_abi::support_yield, ir_.getVoidTy());
}

llvm::Value* CallLowering::trap(llvm::Value* reason, llvm::Value* detail) {
  // Whoever reports it may run loops in vectors elsewhere, and knows no better.
  llvm::Value* worker = context_.load_pointer(offsetof(Context, worker));
  for (unsigned d = 0; d < 3; ++d)
    store_work_item(ir_, worker, context_.load_i32(offsetof(Context, workitemid) + 4 * d), d);
  return support(kernel_abi::support_trap, ir_.getVoidTy(), {reason, detail});
}

/// The call and what follows from its answer; nothing in a kernel without exceptions that shares a function
/// with one that has some enabled.
void CallLowering::exceptions() {
  llvm::Value* masks = context_.load_i32(offsetof(Context, exception_masks));
  llvm::Instruction* enabled =
      llvm::SplitBlockAndInsertIfThen(ir_.CreateICmpNE(masks, ir_.getInt32(0)), &call_, false);
  ir_.SetInsertPoint(enabled);
  llvm::Value* raised = support(
      kernel_abi::support_exceptions, ir_.getInt32Ty(),
      {call_.getArgOperand(0), call_.getArgOperand(1), call_.getArgOperand(2), call_.getArgOperand(3)});
  llvm::Value* halting = ir_.CreateAnd(raised, ir_.CreateLShr(masks, 8));
  llvm::Instruction* halts = llvm::SplitBlockAndInsertIfThen(ir_.CreateICmpNE(halting, ir_.getInt32(0)),
                                                             enabled, /*Unreachable=*/true);
  ir_.SetInsertPoint(halts);
  trap(ir_.getInt32(kernel_abi::trap_exception), halting);
  ir_.SetInsertPoint(enabled);
  llvm::Value* detected = context_.load_i32(offsetof(Context, detected));
  llvm::Value* more = ir_.CreateAnd(ir_.CreateAnd(raised, masks), ir_.getInt32(0x1f));
  context_.store(ir_.CreateOr(detected, more), offsetof(Context, detected));
}

/// The support function traps; asking it is only worth a call where there is too little.
void CallLowering::check_private(llvm::Value* bytes) {
  llvm::Value* exhausted = ir_.CreateICmpUGT(bytes, dispatch_word(offsetof(Dispatch, private_size)));
  ir_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(exhausted, &call_, /*Unreachable=*/false));
  support(kernel_abi::support_stack_check, ir_.getVoidTy(), {bytes});
}

/// Sets those of the given exceptions that are enabled for DETECT, or clears them.
llvm::Value* CallLowering::change_detected(bool set) {
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

llvm::Value* CallLowering::run(Call what) {
  switch (what) {
    case Call::workitemid:
      return dimension(context_, offsetof(Context, workitemid));
    case Call::workgroupid:
      return dimension(context_, offsetof(Context, workgroupid));
    case Call::workgroupsize:
      return dimension(context_, offsetof(Context, workgroupsize));
    case Call::currentworkgroupsize:
      return dimension(context_, offsetof(Context, currentworkgroupsize));
    case Call::gridsize:
      return dimension(context_, offsetof(Context, gridsize));
    case Call::gridgroups:
      return dimension(dispatch(), offsetof(Dispatch, grid_groups));
    case Call::dim:
      return dispatch_word(offsetof(Dispatch, dimensions));
    case Call::packetid:
      return unchanging(dispatch().load_i64(offsetof(Dispatch, packet_id)));
    case Call::packetcompletionsig:
      return unchanging(dispatch().load_i64(offsetof(Dispatch, completion_signal)));
    case Call::groupstaticsize:
      return dispatch_word(offsetof(Dispatch, group_static_size));
    case Call::grouptotalsize:
      return dispatch_word(offsetof(Dispatch, group_total_size));
    // A wave is one work-item, and the waves of a group share a compute unit.
    case Call::laneid:
      return ir_.getInt32(0);
    case Call::waveid:
      return flat_id();
    case Call::maxwaveid:
      return ir_.getInt32(kernel_abi::max_group_size - 1);
    case Call::wavesize:
      return ir_.getInt32(1);
    case Call::cuid:
      return worker().load_i32(offsetof(Worker, compute_unit));
    case Call::maxcuid:
      return worker().load_i32(offsetof(Worker, max_compute_unit));

    case Call::kernarg_base:
      return segment_pointer(context_.load_pointer(offsetof(Context, kernarg)));
    case Call::group_base:
      return segment_pointer(context_.load_pointer(offsetof(Context, group_base)));
    case Call::private_base:
      return segment_pointer(context_.load_pointer(offsetof(Context, private_base)));
    case Call::private_size:
      return dispatch_word(offsetof(Dispatch, private_size));
    case Call::null_address:
      return null_address();
    case Call::variable_address:
      return address_word(variable_word);
    case Call::kernel_handle:
      return address_word(kernel_word);
    case Call::function_handle:
      return address_word(function_word);

    case Call::barrier:
      return support(kernel_abi::support_barrier, ir_.getVoidTy());
    case Call::wavebarrier:
      return nullptr;  // all of one work-item are there
    case Call::memfence:
      return lower_memfence(ir_, call_);
    case Call::atomic32:
    case Call::atomic64:
      return lower_atomic(ir_, call_);
    case Call::fbarrier:
      return support(kernel_abi::support_fbarrier, ir_.getVoidTy(),
                     {call_.getArgOperand(0), call_.getArgOperand(1)});
    case Call::signal:
      return support(
          kernel_abi::support_signal, ir_.getInt64Ty(),
          {call_.getArgOperand(0), call_.getArgOperand(1), call_.getArgOperand(2), call_.getArgOperand(3)});
    case Call::queue_index:
      return segment_pointer(support(kernel_abi::support_queue_index, ir_.getPtrTy(),
                                     {call_.getArgOperand(0), call_.getArgOperand(1)}));
    case Call::exceptions:
      exceptions();
      return nullptr;
    case Call::get_detected:
      return context_.load_i32(offsetof(Context, detected));
    case Call::clear_detected:
      return change_detected(false);
    case Call::set_detected:
      return change_detected(true);
    case Call::image: {
      uint32_t what = 0;
      for (unsigned i = 0; i < 4; ++i) what |= static_cast<uint32_t>(constant_argument(call_, i)) << 8 * i;
      return support(
          kernel_abi::support_image, ir_.getVoidTy(),
          {ir_.getInt32(what), call_.getArgOperand(4), call_.getArgOperand(5), call_.getArgOperand(6)});
    }
    case Call::clock:
      return support(kernel_abi::support_clock, ir_.getInt64Ty());
    case Call::yield:
      return yield(constant_argument(call_, 0));
    case Call::trap:
      return trap(call_.getArgOperand(0), call_.getArgOperand(1));
    case Call::check_private:
      check_private(call_.getArgOperand(0));
      return nullptr;

    // Cross-lane in a wave of one lane, which is active: the others are those beyond the wave.
    case Call::activelanecount:
      return call_.getArgOperand(0);
    case Call::activelaneid:
      return ir_.getInt32(0);
    case Call::activelanemask:
      return constant_argument(call_, 1) == 0 ? ir_.CreateZExt(call_.getArgOperand(0), ir_.getInt64Ty())
                                              : ir_.getInt64(0);
    case Call::activelanepermute:
      return ir_.CreateSelect(ir_.CreateICmpNE(call_.getArgOperand(3), ir_.getInt32(0)),
                              call_.getArgOperand(2), call_.getArgOperand(0));

    case Call::round32:
    case Call::round64:
      return lower_rounded(ir_, call_, level_);
    case Call::f16_to_f32:
      return lower_f16_to_f32(ir_, call_, level_);
    case Call::f32_to_f16:
      return lower_f32_to_f16(ir_, call_, level_);
    case Call::native:
      return lower_native(ir_, call_);
    case Call::count:
      break;
  }
  return nullptr;
}

/// Level v2 has no fused multiply-add: the device library computes it.
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

void lower_calls(llvm::Module& module, Level level) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const auto what = call_of(function);
    if (!what) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      llvm::Value* value = CallLowering(call, level).run(*what);
      if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
  if (level == Level::v2) replace_fma(module);
}

}  // namespace heddle::finalizer::x86
