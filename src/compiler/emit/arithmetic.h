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

/// The fields of a number of f32 or f64: bits of the fraction, the mask of the exponent, and the exponent
/// of 1.
struct Fields {
  unsigned fraction;
  uint32_t exponent_mask;
  unsigned bias;
};
constexpr Fields fields_of(Type type) {
  return type == Type::f64 ? Fields{52, 0x7ff, 1023} : Fields{23, 0xff, 127};
}
/// Returns 2 to the power of an s32 as f32 or f64. It must be a normal number; the exponent that follows the
/// greatest of them gives infinity.
Scalar power_of_two(Builder& builder, Type type, Scalar exponent);

/// Casts between integers of any width: cuts, or extends with zeros or the sign.
Parts cast_integer(Builder& builder, const Parts& value, unsigned from, unsigned to, bool is_signed);

// Integers of more than 64 bits, as words of 64 bits (wide.cpp).
Parts wide_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                     const Parts& second);
Scalar compare_wide(Builder& builder, llvm::CmpInst::Predicate predicate, unsigned width, const Parts& first,
                    const Parts& second);
/// Keeps the words and bits of integers of `width` bits, of which there may be more.
Parts wide_truncated(Builder& builder, Parts words, unsigned width);
Parts wide_sign_extended(Builder& builder, const Parts& value, unsigned width);
Scalar low_word_as_u32(Builder& builder, Scalar word);
/// Returns how many words integers of `width` bits have, which is 1 up to 64 bits.
size_t word_count(unsigned width);

/// Returns how many zeros are above the first one of all words, as u32.
Scalar wide_leading_zeros(Builder& builder, const Parts& words);

// Between them and floating-point numbers (wide_reals.cpp).
Scalar wide_to_real(FunctionEmitter& emitter, const Parts& value, unsigned width, bool is_signed,
                    llvm::Type* to);
/// Out of range, the result is the nearest integer if `saturates`; otherwise it may be any.
Parts real_to_wide(FunctionEmitter& emitter, Scalar value, llvm::Type* from, unsigned width, bool is_signed,
                   bool saturates);

}  // namespace heddle::compiler
