// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/shape_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <llvm/Support/MathExtras.h>

namespace heddle::finalizer::spmd {
namespace {

constexpr uint64_t largest_alignment = uint64_t{1} << 63;

bool any_bottom(const Shape& a, const Shape& b) { return a.is_bottom() || b.is_bottom(); }
bool any_varying(const Shape& a, const Shape& b) { return a.is_varying() || b.is_varying(); }

bool has_strides(const Numbers& numbers) { return numbers.bits > 1 && numbers.bits <= 64; }

uint64_t alignment_of(const llvm::APInt& constant) {
  return uint64_t{1} << (constant.isZero() ? 63 : std::min(constant.countr_zero(), 63u));
}

uint64_t product_alignment(uint64_t a, uint64_t b) {
  return a > largest_alignment / b ? largest_alignment : a * b;
}

/// Returns the distance of the last lane from lane 0 if the stride is positive and the distance is less than
/// 2^63.
std::optional<uint64_t> span(const Shape& a, const Numbers& numbers) {
  if (!a.is_strided() || a.stride <= 0) return std::nullopt;
  bool overflow = false;
  const uint64_t distance =
      llvm::SaturatingMultiply<uint64_t>(static_cast<uint64_t>(a.stride), numbers.lanes - 1, &overflow);
  return !overflow && distance < largest_alignment ? std::optional(distance) : std::nullopt;
}

/// If the values of all lanes lie in one aligned block, so that those of lane i have the bits of i * stride
/// in place of zeros in lane 0, returns the size of the smallest such block: a power of two, at most
/// 2^`bits`.
std::optional<uint64_t> block_of(const Shape& a, const Numbers& numbers) {
  const auto distance = span(a, numbers);
  if (!distance) return std::nullopt;
  const uint64_t size = std::bit_ceil(*distance + 1);
  const bool is_small = numbers.bits > 63 || size <= uint64_t{1} << numbers.bits;
  return size <= a.alignment && is_small ? std::optional(size) : std::nullopt;
}

/// Returns a shape if the lanes' distances from lane 0, which `offset` gives modulo 2^64, are multiples of
/// that of lane 1.
std::optional<Shape> steps(llvm::function_ref<uint64_t(uint64_t lane)> offset, uint64_t alignment,
                           const Numbers& numbers) {
  if (numbers.lanes == 1) return Shape::uniform(alignment);
  const uint64_t first = offset(0), stride = offset(1) - first;
  for (uint64_t lane = 2; lane < numbers.lanes; ++lane)
    if (offset(lane) - first != lane * stride) return std::nullopt;
  return wrapped(Shape::strided(static_cast<int64_t>(stride), alignment), numbers);
}

/// Returns the sum of two strides as numbers of `bits` bits have it, and whether it is exact.
std::pair<int64_t, bool> wrapped_stride(__int128 exact, unsigned bits) {
  const int64_t stride = llvm::SignExtend64(static_cast<uint64_t>(exact), bits);
  return {stride, stride == exact};
}

}  // namespace

Shape wrapped(Shape shape, const Numbers& numbers) {
  if (!shape.is_strided()) return shape;
  if (numbers.bits > 64) return Shape::varying();
  const int64_t stride = llvm::SignExtend64(static_cast<uint64_t>(shape.stride), numbers.bits);
  if (stride == 0) return Shape::uniform(shape.alignment);
  if (!has_strides(numbers)) return Shape::varying();
  shape.no_wrap = shape.no_wrap && stride == shape.stride;
  shape.stride = stride;
  return shape;
}

bool fits_unsigned(const Shape& shape, const Numbers& numbers) {
  return shape.is_uniform() || shape.no_wrap || block_of(shape, numbers);
}

bool fits_signed(const Shape& shape, const Numbers& numbers) {
  if (shape.is_uniform()) return true;
  const auto block = block_of(shape, numbers);
  return block && *block <= uint64_t{1} << (numbers.bits - 1);
}

namespace {

Shape sum(const Shape& a, const Shape& b, int sign, const Numbers& numbers, bool nuw) {
  if (any_bottom(a, b)) return {};
  if (any_varying(a, b)) return Shape::varying();
  const uint64_t alignment = std::min(a.alignment, b.alignment);
  if (a.is_uniform() && b.is_uniform()) return Shape::uniform(alignment);
  const auto [stride, exact] = wrapped_stride(__int128{a.stride} + sign * __int128{b.stride}, numbers.bits);
  Shape result = Shape::strided(stride, alignment);
  result.no_wrap =
      result.is_strided() && nuw && exact && fits_unsigned(a, numbers) && fits_unsigned(b, numbers);
  return result;
}

}  // namespace

Shape add(const Shape& a, const Shape& b, const Numbers& numbers, bool nuw) {
  return sum(a, b, 1, numbers, nuw);
}

Shape subtract(const Shape& a, const Shape& b, const Numbers& numbers, bool nuw) {
  return sum(a, b, -1, numbers, nuw);
}

Shape multiply(const Shape& a, const Shape& b, const Numbers&) {
  if (any_bottom(a, b)) return {};
  if (!a.is_uniform() || !b.is_uniform()) return Shape::varying();
  return Shape::uniform(product_alignment(a.alignment, b.alignment));
}

Shape multiply(const Shape& a, const llvm::APInt& factor, const Numbers& numbers, bool nuw) {
  assert(factor.getBitWidth() == numbers.bits);
  if (a.is_bottom() || a.is_varying()) return a;
  const uint64_t alignment = product_alignment(a.alignment, alignment_of(factor));
  if (a.is_uniform() || factor.isZero()) return Shape::uniform(alignment);
  // With nuw, the factor is unsigned.
  const auto value = nuw ? __int128{factor.getZExtValue()} : __int128{factor.getSExtValue()};
  const auto [stride, exact] = wrapped_stride(__int128{a.stride} * value, numbers.bits);
  Shape result = Shape::strided(stride, alignment);
  result.no_wrap = result.is_strided() && nuw && exact && fits_unsigned(a, numbers);
  return result;
}

Shape shift_right(const Shape& a, unsigned distance, const Numbers& numbers) {
  assert(distance < numbers.bits);
  if (a.is_bottom() || a.is_varying()) return a;
  const uint64_t unit = distance < 64 ? uint64_t{1} << distance : 0;
  const uint64_t alignment = unit != 0 ? std::max<uint64_t>(a.alignment / unit, 1) : 1;
  if (a.is_uniform()) return Shape::uniform(alignment);
  // An arithmetic shift of a block that starts at a negative number gives the same distances, since lane 0
  // loses no bits.
  if (!block_of(a, numbers) || a.alignment < unit) return Shape::varying();
  const auto stride = static_cast<uint64_t>(a.stride);
  return steps([&](uint64_t lane) { return lane * stride >> distance; }, alignment, numbers)
      .value_or(Shape::varying());
}

Shape bitwise(Bitwise what, const Shape& a, const Shape& b, const Numbers& numbers) {
  if (any_bottom(a, b)) return {};
  if (any_varying(a, b) || (a.is_strided() && b.is_strided())) return Shape::varying();
  const uint64_t alignment =
      what == Bitwise::and_ ? std::max(a.alignment, b.alignment) : std::min(a.alignment, b.alignment);
  if (a.is_uniform() && b.is_uniform()) return Shape::uniform(alignment);
  const Shape &strided = a.is_strided() ? a : b, &uniform = a.is_strided() ? b : a;
  const auto block = block_of(strided, numbers);
  // The bits in which the lanes differ have to be zeros in the other operand.
  if (!block || uniform.alignment < *block) return Shape::varying();
  return what == Bitwise::and_ ? Shape::uniform(alignment) : Shape::strided(strided.stride, alignment);
}

namespace {

uint64_t combine(Bitwise what, uint64_t a, uint64_t b) {
  switch (what) {
    case Bitwise::and_:
      return a & b;
    case Bitwise::or_:
      return a | b;
    case Bitwise::xor_:
      return a ^ b;
  }
  llvm_unreachable("there are three operators");
}

/// Combines with a constant a number of which nothing is known but that all lanes have the same value in the
/// bits below the lowest one of the stride.
Shape combine_low_bits(Bitwise what, const Shape& a, const llvm::APInt& mask, uint64_t alignment,
                       const Numbers& numbers) {
  const auto same = static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(a.stride)));
  if (what == Bitwise::xor_ && mask.isAllOnes())  // -1 - a
    return subtract(Shape::uniform(), {Shape::Kind::strided, a.stride, 1}, numbers);
  const bool and_keeps = what == Bitwise::and_ && mask.countl_one() + same >= mask.getBitWidth();
  const bool or_keeps = what != Bitwise::and_ && mask.getActiveBits() <= same;
  if (and_keeps || or_keeps) return Shape::strided(a.stride, alignment);
  if (what == Bitwise::and_ && mask.getActiveBits() <= same) return Shape::uniform(alignment);
  return Shape::varying();
}

}  // namespace

Shape bitwise(Bitwise what, const Shape& a, const llvm::APInt& mask, const Numbers& numbers) {
  assert(mask.getBitWidth() == numbers.bits);
  if (!a.is_strided()) return bitwise(what, a, Shape::uniform(alignment_of(mask)), numbers);
  const uint64_t other = alignment_of(mask);
  const uint64_t alignment =
      what == Bitwise::and_ ? std::max(a.alignment, other) : std::min(a.alignment, other);
  if (const auto block = block_of(a, numbers)) {
    const uint64_t low = mask.getZExtValue() & (*block - 1);
    const auto stride = static_cast<uint64_t>(a.stride);
    const auto offset = [&](uint64_t lane) { return combine(what, lane * stride, low); };
    if (const auto shape = steps(offset, alignment, numbers)) return *shape;
  }
  return combine_low_bits(what, a, mask, alignment, numbers);
}

Shape compare(llvm::CmpInst::Predicate predicate, Shape a, Shape b, const Numbers& numbers) {
  using llvm::ICmpInst;
  if (any_bottom(a, b)) return {};
  if (any_varying(a, b)) return Shape::varying();
  if (a.is_uniform() && b.is_uniform()) return Shape::uniform();
  const bool is_signed = ICmpInst::isSigned(predicate);
  const auto fits = is_signed ? fits_signed : fits_unsigned;
  if (a.is_strided() && b.is_strided()) {
    const bool alike =
        a.stride == b.stride && (ICmpInst::isEquality(predicate) || (fits(a, numbers) && fits(b, numbers)));
    return alike ? Shape::uniform() : Shape::varying();
  }
  if (b.is_strided()) {
    std::swap(a, b);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  // A number between the blocks is on the same side of all lanes.
  const auto block = block_of(a, numbers);
  const bool between = block && b.alignment >= *block && fits(a, numbers);
  const bool less = ICmpInst::isLT(predicate) || ICmpInst::isGE(predicate);
  return between && less ? Shape::uniform() : Shape::varying();
}

Shape truncate(const Shape& a, const Numbers& numbers) {
  Shape result = wrapped(a, numbers);
  result.no_wrap = false;
  return result;
}

std::optional<llvm::ConstantRange> permitted_range(int64_t stride, const Numbers& numbers, bool is_signed) {
  assert(stride != 0 && has_strides(numbers));
  const unsigned bits = numbers.bits;
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  const auto step =
      stride < 0 ? -static_cast<unsigned __int128>(stride) : static_cast<unsigned __int128>(stride);
  const unsigned __int128 way = step * (numbers.lanes - 1);
  if (way > (most - least).getZExtValue()) return std::nullopt;
  const llvm::APInt distance(bits, static_cast<uint64_t>(way));
  if (distance.isZero()) return llvm::ConstantRange::getFull(bits);
  return stride > 0 ? llvm::ConstantRange::getNonEmpty(least, most - distance + 1)
                    : llvm::ConstantRange::getNonEmpty(least + distance, most + 1);
}

Shape extended(const Shape& a, bool is_signed) {
  Shape result = a;
  result.no_wrap = a.is_strided() && !is_signed;
  return result;
}

}  // namespace heddle::finalizer::spmd
