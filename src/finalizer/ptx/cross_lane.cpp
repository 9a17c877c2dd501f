// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that depend on which lanes of the wave are active (PRM 9.2 to 9.4). Each names these lanes.
// Lanes that have ended since are among them, but take no part in any operation.
#include <cassert>

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codeobject/ptx_kernel.h"
#include "finalizer/device_library.h"
#include "finalizer/lower/target_operations.h"
#include "finalizer/ptx/active_lanes.h"
#include "finalizer/ptx/context.h"
#include "finalizer/ptx/machine.h"
#include "finalizer/ptx/wave_barriers.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;

Value* ballot(llvm::IRBuilder<>& ir, Value* active, Value* condition) {
  return ir.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {}, {active, condition});
}

Value* is_true(llvm::IRBuilder<>& ir, Value* condition) { return ir.CreateICmpNE(condition, ir.getInt32(0)); }

Value* count(llvm::IRBuilder<>& ir, Value* lanes) {
  return ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
}

/// Returns the number of active lanes below this one.
Value* active_lane_id(llvm::IRBuilder<>& ir, Value* active) {
  Value* below =
      ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, llvm::ArrayRef<Value*>());
  return count(ir, ir.CreateAnd(active, below));
}

Value* active_lane_mask(llvm::IRBuilder<>& ir, const llvm::CallInst& call, Value* active) {
  Value* lanes = ballot(ir, active, is_true(ir, call.getArgOperand(0)));
  return constant_argument(call, 1) == 0 ? ir.CreateZExt(lanes, ir.getInt64Ty())
                                         : static_cast<Value*>(ir.getInt64(0));
}

/// Reads a value of 64 bits from a lane. From a lane that is not active, the identity of the reader is read.
Value* permute(llvm::IRBuilder<>& ir, const llvm::CallInst& call, Value* active) {
  Value *value = call.getArgOperand(0), *identity = call.getArgOperand(2);
  Value* lane = ir.CreateAnd(call.getArgOperand(1), ir.getInt32(ptx_kernel::lanes - 1));
  const auto read = [&](Value* word) -> Value* {
    return ir.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                              {active, word, lane, ir.getInt32(ptx_kernel::lanes - 1)});
  };
  Value* low = read(ir.CreateTrunc(value, ir.getInt32Ty()));
  Value* high = read(ir.CreateTrunc(ir.CreateLShr(value, 32), ir.getInt32Ty()));
  Value* there = ir.CreateOr(ir.CreateZExt(low, ir.getInt64Ty()),
                             ir.CreateShl(ir.CreateZExt(high, ir.getInt64Ty()), 32));
  Value* is_there = ir.CreateTrunc(ir.CreateLShr(active, lane), ir.getInt1Ty());
  Value* takes_identity = ir.CreateOr(is_true(ir, call.getArgOperand(3)), ir.CreateNot(is_there));
  return ir.CreateSelect(takes_identity, identity, there);
}

Value* wave_barrier(llvm::IRBuilder<>& ir, Value* active) {
  Value* context = ir.GetInsertBlock()->getParent()->getArg(0);
  const Fields fields(ir, context);
  return ir.CreateCall(
      device_function(*ir.GetInsertBlock()->getModule(), "hsail_dev_nvptx_wave_barrier"),
      {fields.load_pointer(offsetof(Context, hidden)), fields.load_i32(offsetof(Context, counts_waves)),
       fields.load_pointer(offsetof(Context, waves)), active});
}

Value* fbarrier(llvm::IRBuilder<>& ir, const llvm::CallInst& call, Value* active) {
  if (constant_argument(call, 0) == wave_barrier_operation) return wave_barrier(ir, active);
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  Value* context = ir.GetInsertBlock()->getParent()->getArg(0);
  Value* group = ir.CreateCall(declare(module, TargetOperation::group_base, {.address_space = shared_space}));
  Value* word = ir.CreateGEP(ir.getInt8Ty(), group, ir.CreateZExt(call.getArgOperand(1), ir.getInt64Ty()));
  return ir.CreateCall(device_function(module, "hsail_dev_nvptx_fbarrier"),
                       {Fields(ir, context).load_pointer(offsetof(Context, hidden)), call.getArgOperand(0),
                        ir.CreateAddrSpaceCast(word, ir.getPtrTy()), active});
}

std::optional<TargetOperation> operation_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee ? target_operation_of(*callee) : std::nullopt;
}

}  // namespace

bool depends_on_lanes(const llvm::CallBase& call) {
  switch (operation_of(call).value_or(TargetOperation::count)) {
    case TargetOperation::activelanecount:
    case TargetOperation::activelaneid:
    case TargetOperation::activelanemask:
    case TargetOperation::activelanepermute:
    case TargetOperation::wavebarrier:
    case TargetOperation::fbarrier:
      return true;
    default:
      return false;
  }
}

Value* lower_with_lanes(llvm::IRBuilder<>& ir, llvm::CallInst& call, Value* active) {
  switch (*operation_of(call)) {
    case TargetOperation::activelanecount:
      return count(ir, ballot(ir, active, is_true(ir, call.getArgOperand(0))));
    case TargetOperation::activelaneid:
      return active_lane_id(ir, active);
    case TargetOperation::activelanemask:
      return active_lane_mask(ir, call, active);
    case TargetOperation::activelanepermute:
      return permute(ir, call, active);
    case TargetOperation::wavebarrier:
      return ir.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {active});
    default:
      return fbarrier(ir, call, active);
  }
}

}  // namespace heddle::finalizer::ptx
