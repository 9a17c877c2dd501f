// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_calls.h"

#include <llvm/Analysis/VectorUtils.h>

#include "finalizer/spmd/lane_zero.h"
#include "finalizer/spmd/masks.h"
#include "finalizer/spmd/serial_loops.h"
#include "finalizer/spmd/speculation.h"
#include "finalizer/spmd/widen_conversion.h"
#include "finalizer/spmd/widen_function_calls.h"
#include "finalizer/spmd/widen_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::CallInst;
using llvm::Type;
using llvm::Value;

/// Tells whether some active lane is in a mask. The calls in exits of endless loops are older than the
/// shapes, which know nothing of what they call, and so have a result for each lane.
void widen_any(Widening& w, const CallInst& call, const Value& mask) {
  Value* any = w.is_varying(mask) ? w.masks().any(w.ir(), w.mask(mask)) : w.scalar(mask);
  if (w.is_varying(call))
    w.set_mask(call, Parts(w.wave().parts(), w.masks().splat(w.ir(), any)));
  else
    w.set_scalar(call, any);
}

void widen_lane_0(Widening& w, const CallInst& call, const Value& value) {
  Value* lane = w.is_varying(value) ? extract_lane(w.ir(), w.parts(value).front(), 0, *value.getType())
                                    : w.scalar(value);
  w.set_scalar(call, lane);
}

/// Reports whether all arguments of an intrinsic that has vector forms can become vectors, apart from those
/// that the vector form takes as a scalar.
bool has_vector_form(Widening& w, const CallInst& call, llvm::Intrinsic::ID id) {
  if (!llvm::isTriviallyVectorizable(id) || call.getType()->isAggregateType()) return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr) && !w.is_uniform(*call.getArgOperand(i)))
      return false;
  return true;
}

void widen_elementwise(Widening& w, const CallInst& call, llvm::Intrinsic::ID id) {
  llvm::SmallVector<Parts, 4> arguments;
  llvm::SmallVector<Type*, 4> overloads;
  if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    overloads.push_back(part_type(*call.getType(), w.wave()));
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value& argument = *call.getArgOperand(i);
    const bool is_scalar = llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr);
    arguments.push_back(is_scalar ? Parts(w.wave().parts(), w.scalar(argument)) : w.parts(argument));
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr))
      overloads.push_back(arguments.back().front()->getType());
  }
  Parts results;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    llvm::SmallVector<Value*, 4> operands;
    for (const Parts& argument : arguments) operands.push_back(argument[p]);
    CallInst* made = w.ir().CreateIntrinsic(id, overloads, operands);
    made->copyIRFlags(&call);
    results.push_back(made);
  }
  w.set_parts(call, results);
}

void widen_intrinsic(Widening& w, const CallInst& call, llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
      return;  // they only help the optimiser
    default:
      break;
  }
  if (!is_speculatable(call)) {
    if (!w.create_for_active_lanes(call)) w.refuse(call, "an intrinsic has values without vectors");
  } else if (!w.is_varying(call)) {
    w.create_scalar(call);
  } else if (widen_conversion(w, call)) {
    return;
  } else if (has_vector_form(w, call, id)) {
    widen_elementwise(w, call, id);
  } else if (!call.getType()->isAggregateType() && LaneMemory::can_keep(*call.getType())) {
    w.create_for_all_lanes(call);
  } else {
    w.refuse(call, "there is no vector form of an intrinsic");
  }
}

void widen_serial_loop(Widening& w, const CallInst& call) {
  const bool is_possible = w.create_for_active_lanes(call);
  assert(is_possible && "a serial loop takes and returns what lanes can keep");
  (void)is_possible;
}

}  // namespace

void widen_call(Widening& w, const CallInst& call) {
  if (const Value* mask = tested_mask(call)) return widen_any(w, call, *mask);
  if (const Value* value = value_of_lane_0(call)) return widen_lane_0(w, call, *value);
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return widen_function_call(w, call);
  if (const auto operation = target_operation_of(*callee)) return widen_operation(w, call, *operation);
  if (callee->isIntrinsic()) return widen_intrinsic(w, call, callee->getIntrinsicID());
  if (is_serial_loop(*callee)) return widen_serial_loop(w, call);
  widen_function_call(w, call);
}

}  // namespace heddle::finalizer::spmd
