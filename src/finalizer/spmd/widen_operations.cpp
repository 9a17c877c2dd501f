// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_operations.h"

#include <array>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/spmd/atomic_reduction.h"
#include "finalizer/spmd/cross_lane.h"
#include "finalizer/spmd/wave_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::CallInst;
using llvm::Value;

/// How the wave executes an operation.
enum class Way : uint8_t {
  once,        // for the wave, with arguments on which the active lanes agree
  identity,    // once if lane 0 tells all, and otherwise in the form for parts
  vector,      // in the form for vectors
  lanes,       // for one active lane after the other; once if all arguments and the result are uniform
  numbered,    // the same, in the form that is told which lane it is
  atomic,      // once for all lanes if their operands can be combined, otherwise as `lanes`
  signal,      // as `lanes`, but waiting needs all lanes at once
  cross_lane,  // by rules of its own (cross_lane.h)
};

struct Row {
  TargetOperation operation;
  Way way;
};

using Op = TargetOperation;

constexpr std::array<Row, target_operation_count> rows = {{
    {Op::workitemid, Way::identity},
    {Op::workgroupid, Way::once},
    {Op::workgroupsize, Way::once},
    {Op::currentworkgroupsize, Way::once},
    {Op::gridsize, Way::once},
    {Op::gridgroups, Way::once},
    {Op::dim, Way::once},
    {Op::packetid, Way::once},
    {Op::packetcompletionsig, Way::once},
    {Op::groupstaticsize, Way::once},
    {Op::grouptotalsize, Way::once},
    {Op::laneid, Way::cross_lane},
    {Op::waveid, Way::once},
    {Op::maxwaveid, Way::once},
    {Op::cuid, Way::once},
    {Op::maxcuid, Way::once},
    {Op::wavesize, Way::once},
    {Op::kernarg_base, Way::once},
    {Op::group_base, Way::once},
    {Op::private_base, Way::identity},
    {Op::private_size, Way::once},
    {Op::null_address, Way::once},
    {Op::variable_address, Way::once},
    {Op::kernel_handle, Way::once},
    {Op::function_handle, Way::once},
    {Op::barrier, Way::once},
    {Op::wavebarrier, Way::once},
    {Op::memfence, Way::once},
    {Op::atomic32, Way::atomic},
    {Op::atomic64, Way::atomic},
    {Op::fbarrier, Way::once},
    {Op::signal, Way::signal},
    {Op::signal_wait, Way::once},
    {Op::queue_index, Way::lanes},
    {Op::exceptions, Way::numbered},
    {Op::get_detected, Way::once},
    {Op::clear_detected, Way::once},
    {Op::set_detected, Way::once},
    {Op::image, Way::lanes},
    {Op::event, Way::lanes},
    {Op::clock, Way::once},
    {Op::yield, Way::once},
    {Op::trap, Way::numbered},
    {Op::check_private, Way::numbered},
    {Op::activelanecount, Way::cross_lane},
    {Op::activelaneid, Way::cross_lane},
    {Op::activelanemask, Way::cross_lane},
    {Op::activelanepermute, Way::cross_lane},
    {Op::arithmetic32, Way::vector},
    {Op::arithmetic64, Way::vector},
    {Op::narrow_ftz, Way::vector},
    {Op::flush32, Way::vector},
    {Op::flush64, Way::vector},
    {Op::min32, Way::vector},
    {Op::min64, Way::vector},
    {Op::max32, Way::vector},
    {Op::max64, Way::vector},
    {Op::f16_to_f32, Way::vector},
    {Op::f32_to_f16, Way::vector},
    {Op::native, Way::vector},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].operation != static_cast<TargetOperation>(i)) return false;
  return true;
}
static_assert(in_order(), "each target operation needs a row");

/// Calls the form of an operation for parts.
void create_for_parts(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  llvm::Function* function = declare_for_part(*call.getCalledFunction(), w.wave());
  Parts parts;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    llvm::SmallVector<Value*, 2> arguments;
    for (const Value* argument : call.args()) arguments.push_back(w.agreed(*argument, call));
    arguments.push_back(ir.getInt32(p * w.wave().part_lanes));
    parts.push_back(ir.CreateCall(function, arguments));
  }
  w.set_parts(call, parts);
}

/// Calls the form of an operation for vectors. Arguments that say what the operation is stay scalar.
void create_for_vectors(Widening& w, const CallInst& call, TargetOperation operation) {
  llvm::SmallVector<Parts, 6> arguments;
  for (const llvm::Use& use : call.args()) {
    const Value& argument = *use.get();
    if (is_vector_argument(operation, call.getArgOperandNo(&use)))
      arguments.push_back(w.parts(argument));
    else if (w.is_uniform(argument))
      arguments.push_back(Parts(w.wave().parts(), w.scalar(argument)));
    else
      return w.refuse(call, "the lanes do not agree on what an operation is");
  }
  const unsigned elements = elements_of(*call.getType()) * w.wave().part_lanes;
  llvm::Function* function = declare(*w.result().function->getParent(), operation, {0, elements});
  Parts results;
  for (unsigned p = 0; p < w.wave().parts(); ++p) {
    llvm::SmallVector<Value*, 6> operands;
    for (const Parts& argument : arguments) operands.push_back(argument[p]);
    results.push_back(w.ir().CreateCall(function, operands));
  }
  w.set_parts(call, results);
}

bool has_equal_lanes(const Widening& w, const CallInst& call) {
  return w.is_uniform(call) &&
         llvm::all_of(call.args(), [&](const Value* argument) { return w.is_uniform(*argument); });
}

/// Executes an operation for one lane after the other. The last argument of `numbered` tells which.
void create_for_lanes(Widening& w, const CallInst& call, bool numbered) {
  const auto create = [&](Value* lane, llvm::ArrayRef<Value*> operands) -> Value* {
    llvm::SmallVector<Value*, 8> arguments(operands.drop_back());  // the last operand is the callee
    if (!numbered) return w.ir().CreateCall(call.getCalledFunction(), arguments);
    arguments.insert(arguments.begin(), lane);
    return w.ir().CreateCall(declare_for_lane(*call.getCalledFunction()), arguments);
  };
  if (!w.create_for_lanes(call, create)) w.refuse(call, "an operation has values without vectors");
}

bool is_wait(const CallInst& call) {
  switch (constant_argument(call, 0)) {
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ:
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_NE:
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_LT:
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_GTE:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_NE:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_LT:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE:
      return true;
    default:
      return false;
  }
}

/// Makes all active lanes wait at the same time. If they waited one after the other, a lane could miss what a
/// later one is waiting for, and would keep it from seeing that.
void create_wait_of_lanes(Widening& w, const CallInst& call) {
  auto& ir = w.ir();
  llvm::Type& number = *call.getType();
  const LaneMemory::Array signals(w.memory(), number), values(w.memory(), number),
      timeouts(w.memory(), number);
  unsigned index = 1;
  for (const LaneMemory::Array* array : {&signals, &values, &timeouts})
    array->store(ir, w.parts(*call.getArgOperand(index++)));
  Value* lanes = ir.CreateZExt(w.masks().word(ir, w.mask_of(call)), ir.getInt64Ty());
  ir.CreateCall(declare(*w.result().function->getParent(), TargetOperation::signal_wait),
                {call.getArgOperand(0), lanes, signals.address(), values.address(), timeouts.address()});
  w.set_parts(call, values.load(ir));
  ++w.result().lane_loops;
}

/// Executes an operation on a signal. If all lanes wait for the same, one value that ends the wait is right
/// for all.
void widen_signal(Widening& w, const CallInst& call) {
  if (!is_wait(call)) return create_for_lanes(w, call, false);
  if (!llvm::all_of(call.args(), [&](const Value* argument) { return w.is_uniform(*argument); }))
    return create_wait_of_lanes(w, call);
  const llvm::CallInst* made = llvm::cast<CallInst>(w.create_scalar(call));
  if (w.is_varying(call))
    w.set_parts(call, Parts(w.wave().parts(), create_splat(w.ir(), const_cast<CallInst*>(made), w.wave())));
}

}  // namespace

void widen_operation(Widening& w, const CallInst& call, TargetOperation operation) {
  switch (rows[static_cast<size_t>(operation)].way) {
    case Way::once:
      if (w.is_varying(call)) return w.refuse(call, "the lanes have different results of an operation");
      w.create_scalar(call);
      return;
    case Way::identity:
      if (w.is_varying(call)) return create_for_parts(w, call);
      w.create_scalar(call);
      return;
    case Way::vector:
      if (w.is_varying(call)) return create_for_vectors(w, call, operation);
      w.create_scalar(call);
      return;
    case Way::atomic:
      if (widen_as_reduction(w, call)) return;
      [[fallthrough]];
    case Way::lanes:
      if (!has_equal_lanes(w, call) || call.getType()->isVoidTy()) return create_for_lanes(w, call, false);
      w.create_scalar(call);
      return;
    case Way::numbered:
      return create_for_lanes(w, call, true);
    case Way::signal:
      if (has_equal_lanes(w, call) && !call.getType()->isVoidTy() && !is_wait(call))
        w.create_scalar(call);
      else
        widen_signal(w, call);
      return;
    case Way::cross_lane:
      return widen_cross_lane(w, call, operation);
  }
}

}  // namespace heddle::finalizer::spmd
