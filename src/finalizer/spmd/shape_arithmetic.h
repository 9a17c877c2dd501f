// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes of sums, products, shifts, masks, comparisons and extensions of integers. Nothing here looks at
// IR.
#pragma once

#include <optional>

#include <llvm/IR/ConstantRange.h>

#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// The integers, or pointers as integers, that operands are, and the waves in which they are computed.
/// Numbers of 1 bit or of more than 64 bits are never strided.
struct Numbers {
  unsigned bits = 0;
  uint32_t lanes = 1;  ///< a power of two, at most 256
};

/// Returns the shape with the stride as a number of this many bits has it: 0 makes it uniform.
Shape wrapped(Shape shape, const Numbers& numbers);

/// Reports whether the values of all lanes, as unsigned or as signed numbers, are that of lane 0 plus i times
/// the stride without wrapping, as far as the shape tells.
bool fits_unsigned(const Shape& shape, const Numbers& numbers);
bool fits_signed(const Shape& shape, const Numbers& numbers);

/// For operators with a flag for unsigned overflow, `nuw` says that it is set and can be relied on in all
/// lanes of the wave.
Shape add(const Shape& a, const Shape& b, const Numbers& numbers, bool nuw = false);
Shape subtract(const Shape& a, const Shape& b, const Numbers& numbers, bool nuw = false);
Shape multiply(const Shape& a, const Shape& b, const Numbers& numbers);
/// Multiplies by a constant, of which `factor` has as many bits as the numbers have.
Shape multiply(const Shape& a, const llvm::APInt& factor, const Numbers& numbers, bool nuw = false);
/// Shifts right by a constant number of bits that is less than the numbers have.
Shape shift_right(const Shape& a, unsigned distance, const Numbers& numbers);

enum class Bitwise : uint8_t { and_, or_, xor_ };
/// Combines two numbers bit by bit.
Shape bitwise(Bitwise what, const Shape& a, const Shape& b, const Numbers& numbers);
/// Combines a number with a constant, bit by bit.
Shape bitwise(Bitwise what, const Shape& a, const llvm::APInt& mask, const Numbers& numbers);

/// Returns the shape of a comparison of two numbers.
Shape compare(llvm::CmpInst::Predicate predicate, Shape a, Shape b, const Numbers& numbers);

/// Returns the shape of what has fewer bits, `numbers` being the result.
Shape truncate(const Shape& a, const Numbers& numbers);

/// Returns the values of a strided number in lane 0 with which no lane wraps around, taken as unsigned or
/// signed numbers; nothing if there are none, so that some lane always does.
std::optional<llvm::ConstantRange> permitted_range(int64_t stride, const Numbers& numbers, bool is_signed);

/// Returns the shape of the operand that an extension has, if the lanes do not wrap around in the operand.
Shape extended(const Shape& a, bool is_signed);

}  // namespace heddle::finalizer::spmd
