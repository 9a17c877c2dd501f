// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hardware exceptions (PRM 12.2, 12.3) and the instructions about them (PRM 11.2). Where a policy is enabled,
// each instruction that may raise exceptions is preceded by a call that finds out which it raises; its result
// is computed as always. So no optimisation of arithmetic can add or lose an exception (PRM 17.13).
#include <optional>

#include "finalizer/lower/table.h"
#include "hsail/isa/rounding.h"
#include "support/float_exceptions.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using exact::Description;
using exact::Operation;
using exact::Rounding;

/// f.rounding() has already replaced a default rounding by that of the module.
Rounding rounding_of(F& f, const Instruction& i) {
  return isa::float_rounding(f.rounding(i), HSA_BRIG_ROUND_FLOAT_NEAR_EVEN);
}

std::optional<Description> conversion(F& f, const Instruction& i) {
  const isa::Type from = i.source_type(), to = i.type();
  if (from == HSA_BRIG_TYPE_B1 || to == HSA_BRIG_TYPE_B1) return std::nullopt;
  Description d;
  d.flush = i[isa::Field::ftz] != 0;
  d.rounding = rounding_of(f, i);
  if (isa::is_float(from) && isa::is_float(to)) {
    d.operation = Operation::convert;
    d.bits = static_cast<uint8_t>(isa::bit_size(to));
    d.source_bits = static_cast<uint8_t>(isa::bit_size(from));
    return d;
  }
  const isa::Type integer = isa::is_float(from) ? to : from;
  d.integer_bits = static_cast<uint8_t>(isa::bit_size(integer));
  d.is_signed = isa::is_signed(integer);
  d.bits = static_cast<uint8_t>(isa::bit_size(isa::is_float(from) ? from : to));
  if (isa::is_float(from)) {
    d.operation = Operation::to_integer;
    const isa::IntegerRounding how = isa::integer_rounding(i[isa::Field::round]);
    d.rounding = how.direction;
    d.saturates = how.saturates;
    d.signals = how.signals_inexact;
    return d;
  }
  d.operation = Operation::from_integer;
  return isa::is_float(to) ? std::optional(d) : std::nullopt;
}

struct Arithmetic {
  unsigned opcode;
  Operation operation;
  Rounding direction = Rounding::near_even;  ///< for opcodes that imply a rounding
};
constexpr Arithmetic arithmetic[] = {
    {HSA_BRIG_OPCODE_ADD, Operation::add},
    {HSA_BRIG_OPCODE_SUB, Operation::subtract},
    {HSA_BRIG_OPCODE_MUL, Operation::multiply},
    {HSA_BRIG_OPCODE_DIV, Operation::divide},
    {HSA_BRIG_OPCODE_FMA, Operation::fused_multiply_add},
    {HSA_BRIG_OPCODE_MAD, Operation::fused_multiply_add},
    {HSA_BRIG_OPCODE_SQRT, Operation::square_root},
    {HSA_BRIG_OPCODE_FRACT, Operation::fraction_part},
    {HSA_BRIG_OPCODE_MAX, Operation::maximum},
    {HSA_BRIG_OPCODE_MIN, Operation::minimum},
    {HSA_BRIG_OPCODE_CEIL, Operation::round_to_integral, Rounding::up},
    {HSA_BRIG_OPCODE_FLOOR, Operation::round_to_integral, Rounding::down},
    {HSA_BRIG_OPCODE_RINT, Operation::round_to_integral, Rounding::near_even},
    {HSA_BRIG_OPCODE_TRUNC, Operation::round_to_integral, Rounding::zero},
};

/// Describes when an instruction raises exceptions. Returns nothing for an instruction that this file does
/// not know; `exceptions` in isa/*.isa says which instructions may raise any.
std::optional<Description> describe(F& f, const Instruction& i) {
  Description d;
  switch (i.opcode()) {
    case HSA_BRIG_OPCODE_CVT:
      return conversion(f, i);
    case HSA_BRIG_OPCODE_CMP:
      if (!isa::is_float(i.source_type())) return std::nullopt;
      d.operation = Operation::compare;
      d.bits = static_cast<uint8_t>(isa::bit_size(i.source_type()));
      d.flush = i[isa::Field::ftz] != 0;
      d.signals = i[isa::Field::compare] >= HSA_BRIG_COMPARE_OPERATION_SEQ;
      return d;
    case HSA_BRIG_OPCODE_PACKCVT:
      d.operation = Operation::to_integer;
      d.integer_bits = 8;
      d.saturates = true;
      return d;
    default:
      break;
  }
  const auto bits = static_cast<uint8_t>(isa::bit_size(i.type()));
  if (!isa::is_float(i.type())) {
    if (i.opcode() != HSA_BRIG_OPCODE_DIV && i.opcode() != HSA_BRIG_OPCODE_REM) return std::nullopt;
    d.operation = Operation::integer_divide;
    d.integer_bits = bits;
    return d;
  }
  for (const Arithmetic& a : arithmetic) {
    if (a.opcode != i.opcode()) continue;
    d.operation = a.operation;
    d.bits = bits;
    d.flush = i[isa::Field::ftz] != 0;
    d.rounding = a.operation == Operation::round_to_integral ? a.direction : rounding_of(f, i);
    return d;
  }
  return std::nullopt;
}

isa::Type source_type(const Instruction& i) {
  switch (i.opcode()) {
    case HSA_BRIG_OPCODE_CVT:
    case HSA_BRIG_OPCODE_CMP:
      return i.source_type();
    case HSA_BRIG_OPCODE_PACKCVT:
      return HSA_BRIG_TYPE_F32;
    default:
      return i.type();
  }
}

void lower_getdetectexcept(F& f, const Instruction& i) { f.set(i, f.call(TargetOperation::get_detected)); }

template <TargetOperation what>
void lower_change(F& f, const Instruction& i) {
  f.call(what, f.source(i, 0, HSA_BRIG_TYPE_U32));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_CLEARDETECTEXCEPT, lower_change<TargetOperation::clear_detected>},
    {HSA_BRIG_OPCODE_SETDETECTEXCEPT, lower_change<TargetOperation::set_detected>},
    {HSA_BRIG_OPCODE_GETDETECTEXCEPT, lower_getdetectexcept},
};

}  // namespace

unsigned FunctionLowering::exceptions_to_tell(const isa::Fields& fields) const {
  const uint32_t enabled = program_.enabled_exceptions(instance_);
  if (enabled == 0) return 0;
  const auto variant = isa::match(fields);
  return variant ? (*variant)->exceptions & enabled : 0;
}

void FunctionLowering::check_exceptions(const Instruction& i) {
  if (i.exceptions == 0) return;
  const auto description = describe(*this, i);
  if (!description) return unsupported(i, "it is not known when it raises exceptions");
  const auto bits = [&](unsigned index) -> llvm::Value* {
    if (index >= i.operands.size()) return i64(0);
    return ir_.CreateZExt(as_bits(source(i, index, source_type(i))), ir_.getInt64Ty());
  };
  auto* operation = i32(description->encode());
  if (i.opcode() != HSA_BRIG_OPCODE_PACKCVT) {
    call(TargetOperation::exceptions, {operation, bits(1), bits(2), bits(3)});
    return;
  }
  for (unsigned n = 1; n <= 4; ++n) call(TargetOperation::exceptions, {operation, bits(n), i64(0), i64(0)});
}

std::span<const LoweringEntry> exception_lowerings() { return entries; }

}  // namespace heddle::finalizer
