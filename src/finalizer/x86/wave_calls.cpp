// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/wave_calls.h"

#include "finalizer/spmd/wave_operations.h"
#include "finalizer/x86/context.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::Value;

/// The private segments of the lanes lie one behind the other.
Value* private_bases(llvm::IRBuilder<>& ir, const Fields& context, llvm::Type& part, unsigned first_lane,
                     const spmd::WaveShape& wave) {
  const Fields dispatch(ir, context.load_pointer(offsetof(Context, dispatch)));
  Value* stride = unchanging(dispatch.load_i32(offsetof(kernel_abi::Dispatch, private_stride)));
  Value* strides = ir.CreateVectorSplat(wave.part_lanes, ir.CreateZExt(stride, ir.getInt64Ty()));
  Value* offsets = ir.CreateMul(spmd::lane_multiples(*ir.getInt64Ty(), first_lane, 1, wave), strides);
  Value* base = context.load_pointer(offsetof(Context, private_base));
  return ir.CreatePtrAdd(ir.CreateAddrSpaceCast(base, part.getScalarType()), offsets);
}

/// Returns what the operation of a call has as its results for the lanes of one part.
Value* results_of_part(llvm::IRBuilder<>& ir, const llvm::CallInst& call, TargetOperation operation,
                       const spmd::WaveShape& wave) {
  const Fields context(ir, call.getFunction()->getArg(0));
  const auto first_lane = static_cast<unsigned>(constant_argument(call, call.arg_size() - 1));
  switch (operation) {
    case TargetOperation::workitemid:
      return context.load(call.getType(), lane_id_offset(constant_argument(call, 0) % 3, first_lane));
    case TargetOperation::private_base:
      return private_bases(ir, context, *call.getType(), first_lane, wave);
    default:
      llvm_unreachable("no other operation asks for the identity of lanes");
  }
}

/// Tells the context which lane executes the operation, and executes it.
void execute_in_lane(llvm::IRBuilder<>& ir, llvm::CallInst& call, TargetOperation operation) {
  Fields(ir, call.getFunction()->getArg(0)).store(call.getArgOperand(0), offsetof(Context, lane));
  const llvm::SmallVector<Value*, 8> arguments(llvm::drop_begin(call.args()));
  auto* made = ir.CreateCall(declare(*call.getModule(), operation), arguments);
  assert(made->getType() == call.getType() && "operations of single lanes have no pointers");
  call.replaceAllUsesWith(made);
}

}  // namespace

void lower_wave_operations(llvm::Module& module,
                           llvm::function_ref<spmd::WaveShape(const llvm::Function&)> wave_of) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const auto what = spmd::wave_operation_of(function);
    if (!what) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      llvm::IRBuilder<> ir(&call);
      if (what->form == spmd::WaveOperation::Form::part)
        call.replaceAllUsesWith(results_of_part(ir, call, what->operation, wave_of(*call.getFunction())));
      else
        execute_in_lane(ir, call, what->operation);
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
}

}  // namespace heddle::finalizer::x86
