// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the translation of an intrinsic, and has those that belong to no family.
#include "compiler/emit/intrinsics.h"

#include <fmt/format.h>

#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

namespace ID = llvm::Intrinsic;

void nothing(FunctionEmitter&, const llvm::CallInst&, const IntrinsicRow&) {}

void first_argument(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  emitter.set(call, emitter.parts(*call.getArgOperand(0)));
}

void constant(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  emitter.set(call, Scalar::constant(row.number));
}

// An exception that ends the dispatch with an error, unless a debugger is attached (PRM 11.4).
void trap(FunctionEmitter& emitter, const llvm::CallInst&, const IntrinsicRow& row) {
  emitter.builder().append("debugtrap_u32", {Operand::immediate(row.number, Type::u32)});
}

void clock(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  Builder& builder = emitter.builder();
  const Scalar result = builder.fresh(Type::u64);
  builder.append("clock_u64", {Operand::definition(result.id, Type::u64)});
  emitter.set(call, result);
}

constexpr IntrinsicRow rows[] = {
    {ID::lifetime_start, nothing},
    {ID::lifetime_end, nothing},
    {ID::assume, nothing},
    {ID::experimental_noalias_scope_decl, nothing},
    {ID::dbg_declare, nothing},
    {ID::dbg_value, nothing},
    {ID::dbg_label, nothing},
    {ID::dbg_assign, nothing},
    {ID::donothing, nothing},
    {ID::sideeffect, nothing},
    {ID::var_annotation, nothing},
    {ID::invariant_end, nothing},
    {ID::stackrestore, nothing},
    {ID::prefetch, nothing},
    {ID::fake_use, nothing},
    {ID::pseudoprobe, nothing},
    {ID::expect, first_argument},
    {ID::expect_with_probability, first_argument},
    {ID::launder_invariant_group, first_argument},
    {ID::strip_invariant_group, first_argument},
    {ID::annotation, first_argument},
    {ID::ptr_annotation, first_argument},
    {ID::arithmetic_fence, first_argument},
    {ID::ssa_copy, first_argument},
    {ID::stacksave, constant, {}, 0},
    {ID::invariant_start, constant, {}, 0},
    {ID::allow_runtime_check, constant, {}, 1},
    {ID::allow_ubsan_check, constant, {}, 1},
    {ID::trap, trap, {}, 0},
    {ID::debugtrap, trap, {}, 1},
    {ID::ubsantrap, trap, {}, 2},
    {ID::readcyclecounter, clock},
    {ID::readsteadycounter, clock},
    {ID::amdgcn_s_memtime, clock},
    {ID::amdgcn_s_memrealtime, clock},
};

using Table = llvm::DenseMap<unsigned, const IntrinsicRow*>;

const Table& table() {
  static const Table made = [] {
    Table result;
    for (const llvm::ArrayRef<IntrinsicRow> family :
         {integer_intrinsics(), real_intrinsics(), amdgcn_intrinsics(), other_intrinsics()}) {
      for (const IntrinsicRow& row : family) result[row.id] = &row;
    }
    return result;
  }();
  return made;
}

}  // namespace

llvm::ArrayRef<IntrinsicRow> other_intrinsics() { return rows; }

void emit_intrinsic(FunctionEmitter& emitter, const llvm::CallInst& call) {
  const IntrinsicRow* row = table().lookup(call.getIntrinsicID());
  if (row == nullptr) {
    emitter.unsupported(call, fmt::format("the intrinsic {}", call.getCalledFunction()->getName().str()));
    return;
  }
  row->handler(emitter, call, *row);
}

}  // namespace heddle::compiler
