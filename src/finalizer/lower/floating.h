// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/function_lowering.h"

namespace heddle::finalizer {

// Instructions that integers have too; the table of integer.cpp chooses by type.
void floating_abs(FunctionLowering& f, const Instruction& i);
void floating_add(FunctionLowering& f, const Instruction& i);
void floating_div(FunctionLowering& f, const Instruction& i);
void floating_fma(FunctionLowering& f, const Instruction& i);
void floating_max(FunctionLowering& f, const Instruction& i);
void floating_min(FunctionLowering& f, const Instruction& i);
void floating_mul(FunctionLowering& f, const Instruction& i);
void floating_neg(FunctionLowering& f, const Instruction& i);
void floating_sub(FunctionLowering& f, const Instruction& i);

// In an instruction on packed values (PackedOperands) all values below are vectors, and types are those of
// the elements.

/// Formats of HSAIL's floating-point types.
struct FloatFormat {
  unsigned bits;
  unsigned fraction;  // explicit bits of the significand
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t infinity() const { return (sign() - 1) & ~((uint64_t{1} << fraction) - 1); }
  uint64_t quiet() const { return uint64_t{1} << (fraction - 1); }
  uint64_t smallest_normal() const { return uint64_t{1} << fraction; }
};
FloatFormat float_format(isa::Type type);

/// Subnormal values become zeros of the same sign (PRM 4.19.3). A NaN of f32 or f64 may become quiet.
llvm::Value* flush(FunctionLowering& f, llvm::Value* value, isa::Type type);
/// A result of type f16 becomes a zero of its sign if it is tiny (PRM 4.19.2, 4.19.3). What is tiny is seen
/// after rounding as if there were smaller exponents: in `twice`, the result of an operation whose exact
/// value is twice as large, rounded alike. It matters where the result is rounded up to the least normal
/// number; `twice` may be anything that is not tiny where twice the sources overflow.
llvm::Value* flush_tiny(FunctionLowering& f, llvm::Value* result, llvm::Value* twice, isa::Type type);
/// Twice a value that is not subnormal.
llvm::Value* doubled(FunctionLowering& f, llvm::Value* value, isa::Type type);
/// i1: the value is a NaN; an i16 for f16.
llvm::Value* is_nan(FunctionLowering& f, llvm::Value* value, isa::Type type);

/// f16 and f32 to a wider type: exact. To float or double.
llvm::Value* widen(FunctionLowering& f, llvm::Value* value, isa::Type from, isa::Type to);
/// To a narrower type, rounded once.
llvm::Value* narrow(FunctionLowering& f, llvm::Value* value, isa::Type from, isa::Type to,
                    hsa_brig_round_t round);

/// A source operand, flushed if the instruction says so.
llvm::Value* float_source(FunctionLowering& f, const Instruction& i, unsigned index, isa::Type type);

}  // namespace heddle::finalizer
