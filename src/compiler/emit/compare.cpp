// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/arithmetic.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

using P = llvm::CmpInst;

struct PredicateRow {
  P::Predicate predicate;
  std::string_view operation;  // of cmp (PRM 5.18)
};

constexpr PredicateRow predicate_rows[] = {
    {P::ICMP_EQ, "eq"},   {P::ICMP_NE, "ne"},   {P::ICMP_UGT, "gt"},  {P::ICMP_UGE, "ge"},
    {P::ICMP_ULT, "lt"},  {P::ICMP_ULE, "le"},  {P::ICMP_SGT, "gt"},  {P::ICMP_SGE, "ge"},
    {P::ICMP_SLT, "lt"},  {P::ICMP_SLE, "le"},  {P::FCMP_OEQ, "eq"},  {P::FCMP_OGT, "gt"},
    {P::FCMP_OGE, "ge"},  {P::FCMP_OLT, "lt"},  {P::FCMP_OLE, "le"},  {P::FCMP_ONE, "ne"},
    {P::FCMP_ORD, "num"}, {P::FCMP_UNO, "nan"}, {P::FCMP_UEQ, "equ"}, {P::FCMP_UGT, "gtu"},
    {P::FCMP_UGE, "geu"}, {P::FCMP_ULT, "ltu"}, {P::FCMP_ULE, "leu"}, {P::FCMP_UNE, "neu"},
};

std::string_view operation(P::Predicate predicate) {
  const auto* row = std::find_if(std::begin(predicate_rows), std::end(predicate_rows),
                                 [&](const PredicateRow& r) { return r.predicate == predicate; });
  assert(row != std::end(predicate_rows));
  return row->operation;
}

}  // namespace

Scalar compare_integers(Builder& builder, P::Predicate predicate, unsigned width, const Parts& first,
                        const Parts& second) {
  if (width > 64) return compare_wide(builder, predicate, width, first, second);
  const bool is_signed = P::isSigned(predicate);
  Scalar a = first[0];
  Scalar b = second[0];
  if (width == 1) {
    if (P::isEquality(predicate)) return builder.compare(operation(predicate), Type::b1, a, b);
    // A set bit of one bit is -1 as a signed number.
    const Scalar set = Scalar::constant(is_signed ? 0xffffffffU : 1);
    a = builder.select(Type::u32, a, set, Scalar::constant(0));
    b = builder.select(Type::u32, b, set, Scalar::constant(0));
    return builder.compare(operation(predicate), is_signed ? Type::s32 : Type::u32, a, b);
  }
  const unsigned full = width <= 32 ? 32 : 64;
  if (is_signed) {
    a = builder.sign_extended(a, width);
    b = builder.sign_extended(b, width);
  }
  return builder.compare(operation(predicate), is_signed ? signed_type(full) : unsigned_type(full), a, b);
}

void emit_icmp(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& compare = llvm::cast<llvm::ICmpInst>(instruction);
  const Layout& layout = emitter.layout(*compare.getOperand(0));
  const Parts a = emitter.parts(*compare.getOperand(0));
  const Parts b = emitter.parts(*compare.getOperand(1));
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    result.push_back(compare_integers(emitter.builder(), compare.getPredicate(),
                                      emitter.width(layout.leaves[i].type), element(layout, a, i),
                                      element(layout, b, i)));
  }
  emitter.set(instruction, std::move(result));
}

void emit_fcmp(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& compare = llvm::cast<llvm::FCmpInst>(instruction);
  const Layout& layout = emitter.layout(*compare.getOperand(0));
  const Parts a = emitter.parts(*compare.getOperand(0));
  const Parts b = emitter.parts(*compare.getOperand(1));
  Builder& builder = emitter.builder();
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    if (compare.getPredicate() == P::FCMP_FALSE || compare.getPredicate() == P::FCMP_TRUE) {
      result.push_back(Scalar::constant(compare.getPredicate() == P::FCMP_TRUE));
      continue;
    }
    const Real x = to_real(builder, a[i], layout.leaves[i].type);
    const Real y = to_real(builder, b[i], layout.leaves[i].type);
    result.push_back(builder.compare(operation(compare.getPredicate()), x.type, x.value, y.value));
  }
  emitter.set(instruction, std::move(result));
}

}  // namespace heddle::compiler
