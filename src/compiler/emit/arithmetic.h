// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on single elements, which instructions and intrinsics share.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "compiler/emit/function_emitter.h"

namespace heddle::compiler {

/// Returns the parts of one element of a value.
Parts element(const Layout& layout, const Parts& parts, size_t leaf);

/// Computes a binary operation of LLVM (llvm::Instruction::Add and others) on integers of `width` bits.
Parts integer_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                        const Parts& second);

/// Compares integers or addresses of `width` bits.
Scalar compare_integers(Builder& builder, llvm::CmpInst::Predicate predicate, unsigned width,
                        const Parts& first, const Parts& second);

/// Selects the first or the second value of integers of `width` bits.
Parts select_parts(Builder& builder, Scalar condition, const Layout& layout, const Parts& if_true,
                   const Parts& if_false);

/// A floating-point number in the type in which it is computed: bfloat as f32, all others as they are.
struct Real {
  Scalar value;
  Type type;
};
Real to_real(Builder& builder, Scalar part, llvm::Type* scalar);
/// Back to the part of a value of type `scalar`; bfloat is rounded to nearest even.
Scalar from_real(Builder& builder, Scalar value, llvm::Type* scalar);

// Integers of 65 to 128 bits, as two u64 (wide.cpp).
Parts wide_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                     const Parts& second);
Scalar compare_wide(Builder& builder, llvm::CmpInst::Predicate predicate, unsigned width, const Parts& first,
                    const Parts& second);
Parts wide_sign_extended(Builder& builder, const Parts& value, unsigned width);

}  // namespace heddle::compiler
