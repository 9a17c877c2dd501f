// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/function_lowering.h"

namespace heddle::finalizer {

// These functions lower instructions that integers have, too. The table of integer.cpp chooses by type.
void floating_abs(FunctionLowering& f, const Instruction& i);
void floating_add(FunctionLowering& f, const Instruction& i);
void floating_div(FunctionLowering& f, const Instruction& i);
void floating_fma(FunctionLowering& f, const Instruction& i);
void floating_max(FunctionLowering& f, const Instruction& i);
void floating_min(FunctionLowering& f, const Instruction& i);
void floating_mul(FunctionLowering& f, const Instruction& i);
void floating_neg(FunctionLowering& f, const Instruction& i);
void floating_sub(FunctionLowering& f, const Instruction& i);

// In an instruction on packed values (PackedOperands), all values below are vectors, and all types are the
// types of their elements.

/// The format of one of HSAIL's floating-point types.
struct FloatFormat {
  unsigned bits;
  unsigned fraction;  // explicit bits of the significand
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t infinity() const { return (sign() - 1) & ~((uint64_t{1} << fraction) - 1); }
  uint64_t quiet() const { return uint64_t{1} << (fraction - 1); }
  uint64_t smallest_normal() const { return uint64_t{1} << fraction; }
};
FloatFormat float_format(isa::Type type);

/// Replaces subnormal values by zeros of the same sign (PRM 4.19.3). A NaN of f32 or f64 may become quiet.
llvm::Value* flush(FunctionLowering& f, llvm::Value* value, isa::Type type);
/// Replaces a result of type f16 by a zero of its sign if it is tiny (PRM 4.19.3). Whether a result is tiny
/// is decided after rounding as if the exponent had no limit (PRM 4.19.2), so a result that is rounded up to
/// the least normal number may be tiny. `twice` shows whether it is: it is the result of an operation whose
/// exact value is twice as large, rounded in the same mode. If twice a source overflows, `twice` may be
/// anything that is not tiny.
llvm::Value* flush_tiny(FunctionLowering& f, llvm::Value* result, llvm::Value* twice, isa::Type type);
/// Returns twice a value that is not subnormal.
llvm::Value* doubled(FunctionLowering& f, llvm::Value* value, isa::Type type);
/// Returns an i1 that is true if the value is a NaN. A value of type f16 is an i16.
llvm::Value* is_nan(FunctionLowering& f, llvm::Value* value, isa::Type type);

/// Converts f16 or f32 to f32 or f64, which is exact.
llvm::Value* widen(FunctionLowering& f, llvm::Value* value, isa::Type from, isa::Type to);
/// Converts to a narrower type and rounds only once.
llvm::Value* narrow(FunctionLowering& f, llvm::Value* value, isa::Type from, isa::Type to,
                    hsa_brig_round_t round);

/// Returns a source operand, flushed if the instruction has ftz.
llvm::Value* float_source(FunctionLowering& f, const Instruction& i, unsigned index, isa::Type type);

}  // namespace heddle::finalizer
