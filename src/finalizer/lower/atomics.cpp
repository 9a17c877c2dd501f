// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic memory instructions and fences (PRM 6.5 to 6.9) become opaque calls, which the target lowers.
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

llvm::Value* atomic(F& f, const Instruction& i, unsigned address, llvm::Value* first, llvm::Value* second) {
  const unsigned segment = i[isa::Field::segment];
  auto* type = f.bits_type(i.type());
  auto* zero = llvm::ConstantInt::get(type, 0);
  const TargetOperation call =
      type->getBitWidth() == 64 ? TargetOperation::atomic64 : TargetOperation::atomic32;
  auto* access = f.single_call(
      call, {f.i32(i[isa::Field::atomic_operation]), f.i32(i.type()), f.i32(i[isa::Field::memory_order]),
             f.i32(i[isa::Field::memory_scope]), f.place(i, address, segment).pointer, first ? first : zero,
             second ? second : zero});
  f.program().alias_facts().note(*access, segment, i[isa::Field::equiv_class]);
  return access;
}

void lower_atomic(F& f, const Instruction& i) {
  const size_t count = i.operands.size();
  llvm::Value* first = count > 2 ? f.source(i, 2) : nullptr;
  llvm::Value* second = count > 3 ? f.source(i, 3) : nullptr;
  f.set(i, atomic(f, i, 1, first, second));
}

void lower_atomicnoret(F& f, const Instruction& i) { atomic(f, i, 0, f.source(i, 1), nullptr); }

void lower_memfence(F& f, const Instruction& i) {
  f.call(TargetOperation::memfence, {f.i32(i[isa::Field::memory_order]), f.i32(i[isa::Field::memory_scope])});
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_ATOMIC, lower_atomic},
    {HSA_BRIG_OPCODE_ATOMICNORET, lower_atomicnoret},
    {HSA_BRIG_OPCODE_MEMFENCE, lower_memfence},
};

}  // namespace

std::span<const LoweringEntry> atomic_lowerings() { return entries; }

}  // namespace heddle::finalizer
