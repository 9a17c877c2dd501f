// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cmp (PRM 5.18).
#include "finalizer/lower/floating.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using P = llvm::CmpInst::Predicate;

struct Predicates {
  P of_unsigned, of_signed, of_float;
};

/// In the order of hsa_brig_compare_operation_t; the signalling forms differ in exceptions only.
constexpr Predicates predicates[] = {
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},
    {P::ICMP_ULT, P::ICMP_SLT, P::FCMP_OLT}, {P::ICMP_ULE, P::ICMP_SLE, P::FCMP_OLE},
    {P::ICMP_UGT, P::ICMP_SGT, P::FCMP_OGT}, {P::ICMP_UGE, P::ICMP_SGE, P::FCMP_OGE},
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_UEQ},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
    {P::ICMP_ULT, P::ICMP_SLT, P::FCMP_ULT}, {P::ICMP_ULE, P::ICMP_SLE, P::FCMP_ULE},
    {P::ICMP_UGT, P::ICMP_SGT, P::FCMP_UGT}, {P::ICMP_UGE, P::ICMP_SGE, P::FCMP_UGE},
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_ORD},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNO},
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},    // seq, sne
    {P::ICMP_ULT, P::ICMP_SLT, P::FCMP_OLT}, {P::ICMP_ULE, P::ICMP_SLE, P::FCMP_OLE},  // slt, sle
    {P::ICMP_UGT, P::ICMP_SGT, P::FCMP_OGT}, {P::ICMP_UGE, P::ICMP_SGE, P::FCMP_OGE},  // sgt, sge
    {P::ICMP_UGE, P::ICMP_SGE, P::FCMP_UGE},                                           // sgeu
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_UEQ},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},    // sequ, sneu
    {P::ICMP_ULT, P::ICMP_SLT, P::FCMP_ULT}, {P::ICMP_ULE, P::ICMP_SLE, P::FCMP_ULE},  // sltu, sleu
    {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_ORD},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNO},    // snum, snan
    {P::ICMP_UGT, P::ICMP_SGT, P::FCMP_UGT},                                           // sgtu
};
static_assert(std::size(predicates) == HSA_BRIG_COMPARE_OPERATION_SGTU + 1);

void lower_cmp(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const isa::Type type = i.source_type();
  const unsigned operation = i[isa::Field::compare];
  if (operation >= std::size(predicates)) return f.unsupported(i);
  const Predicates& p = predicates[operation];
  llvm::Value* truth;
  if (isa::is_float(type)) {
    const isa::Type wide = type == HSA_BRIG_TYPE_F16 ? isa::Type{HSA_BRIG_TYPE_F32} : type;
    truth = ir.CreateFCmp(p.of_float, widen(f, float_source(f, i, 1, type), type, wide),
                          widen(f, float_source(f, i, 2, type), type, wide));
  } else {
    truth = ir.CreateICmp(isa::is_signed(type) ? p.of_signed : p.of_unsigned, f.source(i, 1, type),
                          f.source(i, 2, type));
  }
  // True is 1 as b1, all ones as an integer, 1.0 as a float.
  const isa::Type to = i.type();
  if (to == HSA_BRIG_TYPE_B1) return f.set(i, truth);
  auto* bits = f.bits_type(to, truth);
  if (!isa::is_float(to)) return f.set(i, ir.CreateSExt(truth, bits));
  const FloatFormat format = float_format(to);
  const uint64_t one = format.infinity() >> 1 & ~((uint64_t{1} << format.fraction) - 1);
  f.set(i, ir.CreateSelect(truth, llvm::ConstantInt::get(bits, one), llvm::ConstantInt::get(bits, 0)));
}

constexpr LoweringEntry entries[] = {{HSA_BRIG_OPCODE_CMP, lower_cmp}};

}  // namespace

std::span<const LoweringEntry> compare_lowerings() { return entries; }

}  // namespace heddle::finalizer
