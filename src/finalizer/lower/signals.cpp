// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals (PRM 6.8) and user mode queues (PRM 11.3). A queue instruction is an atomic on an index that only
// the agent can find.
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// Extends a value to 64 bits, in which values are passed. Its signedness matters to comparisons.
llvm::Value* wide(F& f, llvm::Value* value, bool is_signed) {
  auto* type = f.ir().getInt64Ty();
  return is_signed ? f.ir().CreateSExt(value, type) : f.ir().CreateZExt(value, type);
}

bool has_timeout(unsigned operation) {
  return operation >= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ &&
         operation <= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE;
}

/// The memory order is not passed on, because operations on signals always have the strongest one
/// (hsam/signal.h).
llvm::Value* signal(F& f, const Instruction& i, unsigned at) {
  const unsigned operation = i[isa::Field::atomic_operation];
  const bool is_signed = i.type() == HSA_BRIG_TYPE_S32 || i.type() == HSA_BRIG_TYPE_S64;
  const auto value = [&](unsigned index) -> llvm::Value* {
    if (i.operands.size() <= index) return f.i64(0);
    if (index == at + 2 && has_timeout(operation)) return f.source(i, index, HSA_BRIG_TYPE_U64);
    return wide(f, f.source(i, index), is_signed);
  };
  llvm::Value* object = f.ir().CreateZExt(f.source(i, at, i.source_type()), f.ir().getInt64Ty());
  return f.call(TargetOperation::signal, {f.i32(operation), object, value(at + 1), value(at + 2)});
}

void lower_signal(F& f, const Instruction& i) {
  f.set(i, f.ir().CreateTrunc(signal(f, i, 1), f.bits_type(i.type())));
}
void lower_signalnoret(F& f, const Instruction& i) { signal(f, i, 0); }

template <bool write_index, hsa_brig_atomic_operation_t operation>
void lower_queue(F& f, const Instruction& i) {
  const unsigned at = operation == HSA_BRIG_ATOMIC_OPERATION_ST ? 0 : 1;  // where the address is
  const auto value = [&](unsigned index) -> llvm::Value* {
    return i.operands.size() > index ? f.source(i, index) : f.i64(0);
  };
  llvm::Value* queue = f.ir().CreateZExt(f.address(i, at, i[isa::Field::segment]), f.ir().getInt64Ty());
  llvm::Value* first = value(at + 1);
  llvm::Value* second = value(at + 2);
  llvm::Value* index = f.call(TargetOperation::queue_index, {queue, f.i32(write_index)});
  llvm::Value* old = f.call(TargetOperation::atomic64,
                            {f.i32(operation), f.i32(HSA_BRIG_TYPE_U64), f.i32(i[isa::Field::memory_order]),
                             f.i32(HSA_BRIG_MEMORY_SCOPE_SYSTEM), index, first, second});
  if (at == 1) f.set(i, old);
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_SIGNAL, lower_signal},
    {HSA_BRIG_OPCODE_SIGNALNORET, lower_signalnoret},
    {HSA_BRIG_OPCODE_ADDQUEUEWRITEINDEX, lower_queue<true, HSA_BRIG_ATOMIC_OPERATION_ADD>},
    {HSA_BRIG_OPCODE_CASQUEUEWRITEINDEX, lower_queue<true, HSA_BRIG_ATOMIC_OPERATION_CAS>},
    {HSA_BRIG_OPCODE_LDQUEUEREADINDEX, lower_queue<false, HSA_BRIG_ATOMIC_OPERATION_LD>},
    {HSA_BRIG_OPCODE_LDQUEUEWRITEINDEX, lower_queue<true, HSA_BRIG_ATOMIC_OPERATION_LD>},
    {HSA_BRIG_OPCODE_STQUEUEREADINDEX, lower_queue<false, HSA_BRIG_ATOMIC_OPERATION_ST>},
    {HSA_BRIG_OPCODE_STQUEUEWRITEINDEX, lower_queue<true, HSA_BRIG_ATOMIC_OPERATION_ST>},
};

}  // namespace

std::span<const LoweringEntry> signal_lowerings() { return entries; }

}  // namespace heddle::finalizer
