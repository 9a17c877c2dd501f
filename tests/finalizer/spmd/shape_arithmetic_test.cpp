// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the shapes of results with the results of all numbers of six bits that have the shapes of the
// operands.
#include "finalizer/spmd/shape_arithmetic.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;
using llvm::APInt;
using llvm::CmpInst;

constexpr unsigned bits = 6;
constexpr unsigned numbers_count = 1 << bits;
constexpr int64_t strides[] = {1, 2, 3, 4, 8, 12, 16, 31, -1, -2, -4, -6, -32};
constexpr uint64_t alignments[] = {1, 2, 4, 8, 16, 64};
using Lanes = llvm::SmallVector<unsigned, 16>;

unsigned low(int64_t number) { return static_cast<unsigned>(number) % numbers_count; }
int as_signed(unsigned number) { return static_cast<int>(llvm::SignExtend64(number, bits)); }

std::string text(const Shape& shape) {
  return "kind " + std::to_string(static_cast<int>(shape.kind)) + " stride " + std::to_string(shape.stride) +
         " alignment " + std::to_string(shape.alignment) + (shape.no_wrap ? " no wrap" : "");
}

/// Reports whether the numbers of the lanes have a shape.
bool has_shape(const Lanes& lanes, const Shape& shape) {
  if (shape.is_varying()) return true;
  if (shape.is_bottom() || lanes[0] % shape.alignment != 0) return false;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const int64_t exact = lanes[0] + static_cast<int64_t>(i) * shape.stride;
    if (lanes[i] != low(exact) || (shape.no_wrap && lanes[i] != exact)) return false;
  }
  return true;
}

/// Calls a function with all lanes of numbers that have a shape.
void for_all(const Shape& shape, uint32_t count, llvm::function_ref<void(const Lanes&)> use) {
  for (unsigned first = 0; first < numbers_count; first += static_cast<unsigned>(shape.alignment)) {
    Lanes lanes;
    for (uint32_t i = 0; i < count; ++i) lanes.push_back(low(first + i * shape.stride));
    if (has_shape(lanes, shape)) use(lanes);
  }
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> all;
  for (const uint64_t alignment : alignments) {
    all.push_back(Shape::uniform(alignment));
    for (const int64_t stride : strides) {
      all.push_back(Shape::strided(stride, alignment));
      all.push_back(all.back());
      all.back().no_wrap = true;
    }
  }
  return all;
}

/// Checks an operation with one operand that varies and a constant. `valid` tells for which lanes the
/// operation is defined.
void check_constant(const char* name,
                    const std::function<Shape(const Shape&, const APInt&, const Numbers&)>& rule,
                    const std::function<unsigned(unsigned, unsigned)>& operation,
                    unsigned constants = numbers_count,
                    const std::function<bool(unsigned, unsigned)>& valid = nullptr) {
  for (const uint32_t count : {1u, 4u, 8u}) {
    for (const Shape& shape : all_shapes()) {
      for (unsigned constant = 0; constant < constants; ++constant) {
        const Shape result = rule(shape, APInt(bits, constant), {bits, count});
        if (result.is_varying()) continue;
        for_all(shape, count, [&](const Lanes& lanes) {
          Lanes results;
          bool defined = true;
          for (const unsigned lane : lanes) {
            results.push_back(low(operation(lane, constant)));
            defined = defined && (!valid || valid(lane, constant));
          }
          if (!defined) return;
          ASSERT_TRUE(has_shape(results, result))
              << name << " by " << constant << " of " << text(shape) << " from " << lanes[0] << " in "
              << count << " lanes is not " << text(result);
        });
      }
    }
  }
}

/// Checks an operation with two operands of any shape.
void check_two(const char* name, const std::function<Shape(const Shape&, const Shape&, const Numbers&)>& rule,
               const std::function<unsigned(unsigned, unsigned)>& operation,
               const std::function<bool(unsigned, unsigned)>& valid = nullptr) {
  const uint32_t count = 4;
  const auto shapes = all_shapes();
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      const Shape result = rule(a, b, {bits, count});
      if (result.is_varying()) continue;
      for_all(a, count, [&](const Lanes& left) {
        for_all(b, count, [&](const Lanes& right) {
          Lanes results;
          bool defined = true;
          for (uint32_t i = 0; i < count; ++i) {
            results.push_back(low(operation(left[i], right[i])));
            defined = defined && (!valid || valid(left[i], right[i]));
          }
          if (!defined) return;
          ASSERT_TRUE(has_shape(results, result))
              << name << " of " << text(a) << " and " << text(b) << " is not " << text(result);
        });
      });
    }
  }
}

bool sum_fits(unsigned a, unsigned b) { return a + b < numbers_count; }

TEST(ShapeArithmetic, Sums) {
  check_two(
      "add", [](auto& a, auto& b, auto& n) { return add(a, b, n); },
      [](unsigned a, unsigned b) { return a + b; });
  check_two(
      "add nuw", [](auto& a, auto& b, auto& n) { return add(a, b, n, true); },
      [](unsigned a, unsigned b) { return a + b; }, sum_fits);
  check_two(
      "sub", [](auto& a, auto& b, auto& n) { return subtract(a, b, n); },
      [](unsigned a, unsigned b) { return a - b; });
  check_two(
      "sub nuw", [](auto& a, auto& b, auto& n) { return subtract(a, b, n, true); },
      [](unsigned a, unsigned b) { return a - b; }, [](unsigned a, unsigned b) { return a >= b; });
}

TEST(ShapeArithmetic, Products) {
  check_two(
      "mul", [](auto& a, auto& b, auto& n) { return multiply(a, b, n); },
      [](unsigned a, unsigned b) { return a * b; });
  check_constant(
      "mul", [](auto& a, auto& c, auto& n) { return multiply(a, c, n); },
      [](unsigned a, unsigned c) { return a * c; });
  check_constant(
      "mul nuw", [](auto& a, auto& c, auto& n) { return multiply(a, c, n, true); },
      [](unsigned a, unsigned c) { return a * c; }, numbers_count,
      [](unsigned a, unsigned c) { return a * c < numbers_count; });
}

TEST(ShapeArithmetic, ShiftsToTheRight) {
  const auto rule = [](const Shape& a, const APInt& c, const Numbers& n) {
    return shift_right(a, static_cast<unsigned>(c.getZExtValue()), n);
  };
  check_constant("lshr", rule, [](unsigned a, unsigned c) { return a >> c; }, bits);
  const auto signed_rule = [&](const Shape& a, const APInt& c, const Numbers& n) {
    return fits_signed(a, n) ? rule(a, c, n) : Shape::varying();
  };
  check_constant(
      "ashr", signed_rule, [](unsigned a, unsigned c) { return static_cast<unsigned>(as_signed(a) >> c); },
      bits);
}

TEST(ShapeArithmetic, BitwiseOperations) {
  const std::pair<Bitwise, std::function<unsigned(unsigned, unsigned)>> operations[] = {
      {Bitwise::and_, [](unsigned a, unsigned b) { return a & b; }},
      {Bitwise::or_, [](unsigned a, unsigned b) { return a | b; }},
      {Bitwise::xor_, [](unsigned a, unsigned b) { return a ^ b; }}};
  for (const auto& [what, operation] : operations) {
    check_two("bitwise", [&](auto& a, auto& b, auto& n) { return bitwise(what, a, b, n); }, operation);
    check_constant("bitwise", [&](auto& a, auto& c, auto& n) { return bitwise(what, a, c, n); }, operation);
  }
}

TEST(ShapeArithmetic, Comparisons) {
  const std::pair<CmpInst::Predicate, std::function<bool(int, int)>> relations[] = {
      {CmpInst::ICMP_EQ, std::equal_to<int>()}, {CmpInst::ICMP_NE, std::not_equal_to<int>()},
      {CmpInst::ICMP_ULT, std::less<int>()},    {CmpInst::ICMP_ULE, std::less_equal<int>()},
      {CmpInst::ICMP_UGT, std::greater<int>()}, {CmpInst::ICMP_UGE, std::greater_equal<int>()},
      {CmpInst::ICMP_SLT, std::less<int>()},    {CmpInst::ICMP_SLE, std::less_equal<int>()},
      {CmpInst::ICMP_SGT, std::greater<int>()}, {CmpInst::ICMP_SGE, std::greater_equal<int>()}};
  for (const auto& [predicate, relation] : relations) {
    check_two(
        CmpInst::getPredicateName(predicate).data(),
        [&](auto& a, auto& b, auto& n) { return compare(predicate, a, b, n); },
        [&](unsigned a, unsigned b) {
          return CmpInst::isSigned(predicate) ? relation(as_signed(a), as_signed(b)) : relation(a, b);
        });
  }
}

TEST(ShapeArithmetic, Truncation) {
  for (const unsigned to : {1u, 3u, 5u}) {
    for (const Shape& shape : all_shapes()) {
      const Shape result = truncate(shape, {to, 8});
      if (result.is_varying()) continue;
      for_all(shape, 8, [&](const Lanes& lanes) {
        for (uint32_t i = 0; i < lanes.size(); ++i) {
          const unsigned expected = (lanes[0] + i * static_cast<unsigned>(result.stride)) % (1u << to);
          ASSERT_EQ(lanes[i] % (1u << to), expected) << to << " bits of " << text(shape);
        }
        ASSERT_EQ(lanes[0] % (1u << to) % result.alignment, 0u);
      });
      EXPECT_EQ(result.stride, llvm::SignExtend64(static_cast<uint64_t>(result.stride), to));
    }
  }
}

/// Lanes fit if and only if they are those of lane 0 in more bits, too.
TEST(ShapeArithmetic, LanesThatFitDoNotWrap) {
  for (const uint32_t count : {1u, 4u, 8u}) {
    for (const Shape& shape : all_shapes()) {
      for_all(shape, count, [&](const Lanes& lanes) {
        bool is_unsigned = true, is_signed = true;
        for (uint32_t i = 0; i < count; ++i) {
          const int64_t way = i * shape.stride;
          is_unsigned = is_unsigned && static_cast<int64_t>(lanes[i]) == lanes[0] + way;
          is_signed = is_signed && as_signed(lanes[i]) == as_signed(lanes[0]) + way;
        }
        if (fits_unsigned(shape, {bits, count})) ASSERT_TRUE(is_unsigned) << text(shape);
        if (fits_signed(shape, {bits, count})) ASSERT_TRUE(is_signed) << text(shape);
        if (!shape.is_strided()) return;
        for (const bool with_sign : {false, true}) {
          const auto range = permitted_range(shape.stride, {bits, count}, with_sign);
          ASSERT_EQ(range && range->contains(APInt(bits, lanes[0])), with_sign ? is_signed : is_unsigned)
              << text(shape) << " from " << lanes[0];
        }
      });
    }
  }
}

/// The cases that code generation depends on, so that rules do not just say that everything varies.
TEST(ShapeArithmetic, KnowsWhatAlignmentMeans) {
  const Numbers numbers = {32, 8};
  const Shape ids = Shape::strided(1, 8);
  EXPECT_EQ(bitwise(Bitwise::and_, ids, APInt(32, -8, true), numbers), Shape::uniform(8));
  EXPECT_EQ(bitwise(Bitwise::and_, ids, APInt(32, 7), numbers), Shape::strided(1, 8));
  EXPECT_EQ(bitwise(Bitwise::and_, ids, APInt(32, 3), numbers), Shape::varying());
  EXPECT_EQ(bitwise(Bitwise::and_, Shape::strided(1, 4), APInt(32, -8, true), numbers), Shape::varying());
  EXPECT_EQ(bitwise(Bitwise::and_, Shape::strided(4), APInt(32, -4, true), numbers), Shape::strided(4, 4));
  EXPECT_EQ(bitwise(Bitwise::and_, Shape::strided(4), APInt(32, 3), numbers), Shape::uniform());
  EXPECT_EQ(bitwise(Bitwise::or_, Shape::strided(4, 32), APInt(32, 3), numbers), Shape::strided(4));
  EXPECT_EQ(bitwise(Bitwise::xor_, ids, APInt(32, 7), numbers), Shape::strided(-1));
  EXPECT_EQ(bitwise(Bitwise::xor_, ids, APInt::getAllOnes(32), numbers), Shape::strided(-1));
  EXPECT_EQ(bitwise(Bitwise::or_, ids, Shape::uniform(8), numbers), Shape::strided(1, 8));
  EXPECT_EQ(bitwise(Bitwise::or_, ids, Shape::uniform(4), numbers), Shape::varying());
  EXPECT_EQ(shift_right(ids, 3, numbers), Shape::uniform());
  EXPECT_EQ(shift_right(Shape::strided(1, 64), 3, numbers), Shape::uniform(8));
  EXPECT_EQ(shift_right(ids, 2, numbers), Shape::varying());
  EXPECT_EQ(shift_right(Shape::strided(4, 32), 2, numbers), Shape::strided(1, 8));
  EXPECT_EQ(shift_right(Shape::strided(4, 16), 2, numbers), Shape::varying());
  EXPECT_EQ(compare(CmpInst::ICMP_ULT, ids, Shape::uniform(8), numbers), Shape::uniform());
  EXPECT_EQ(compare(CmpInst::ICMP_UGT, Shape::uniform(8), ids, numbers), Shape::uniform());
  EXPECT_EQ(compare(CmpInst::ICMP_SGE, ids, Shape::uniform(16), numbers), Shape::uniform());
  EXPECT_EQ(compare(CmpInst::ICMP_ULT, ids, Shape::uniform(4), numbers), Shape::varying());
  EXPECT_EQ(compare(CmpInst::ICMP_ULE, ids, Shape::uniform(8), numbers), Shape::varying());
  EXPECT_EQ(compare(CmpInst::ICMP_EQ, ids, Shape::uniform(8), numbers), Shape::varying());
  EXPECT_EQ(compare(CmpInst::ICMP_EQ, ids, Shape::strided(1), numbers), Shape::uniform());
  EXPECT_EQ(compare(CmpInst::ICMP_ULT, ids, Shape::strided(1), numbers), Shape::varying());
  EXPECT_EQ(compare(CmpInst::ICMP_ULT, ids, Shape::strided(1, 16), numbers), Shape::uniform());
}

TEST(ShapeArithmetic, KnowsStrides) {
  const Numbers numbers = {32, 8};
  EXPECT_EQ(add(Shape::strided(3, 8), Shape::strided(1, 4), numbers), Shape::strided(4, 4));
  EXPECT_EQ(subtract(Shape::strided(3, 8), Shape::strided(3, 4), numbers), Shape::uniform(4));
  EXPECT_EQ(subtract(Shape::uniform(2), Shape::strided(3, 4), numbers), Shape::strided(-3, 2));
  EXPECT_EQ(add(Shape::strided(INT32_MAX), Shape::strided(1), numbers), Shape::strided(INT32_MIN));
  EXPECT_EQ(multiply(Shape::strided(3, 2), APInt(32, 12), numbers), Shape::strided(36, 8));
  EXPECT_EQ(multiply(Shape::strided(3, 2), APInt(32, -1, true), numbers), Shape::strided(-3, 2));
  EXPECT_EQ(multiply(Shape::strided(1 << 16), APInt(32, 1 << 16), numbers), Shape::uniform(1 << 16));
  EXPECT_EQ(multiply(Shape::uniform(4), Shape::uniform(8), numbers), Shape::uniform(32));
  EXPECT_EQ(multiply(Shape::strided(1), Shape::uniform(), numbers), Shape::varying());
  EXPECT_EQ(truncate(Shape::strided(0x101, 4), {8, 8}), Shape::strided(1, 4));
  EXPECT_EQ(truncate(Shape::strided(2), {1, 8}), Shape::uniform());
  EXPECT_EQ(truncate(Shape::strided(1), {1, 8}), Shape::varying());
  Shape exact = Shape::strided(1);
  exact.no_wrap = true;
  EXPECT_TRUE(add(exact, Shape::uniform(), numbers, true).no_wrap);
  EXPECT_FALSE(add(exact, Shape::uniform(), numbers, false).no_wrap);
  EXPECT_FALSE(add(Shape::strided(1), Shape::uniform(), numbers, true).no_wrap);
  EXPECT_TRUE(multiply(exact, APInt(32, 4), numbers, true).no_wrap);
}

/// What is not known yet stays so, unless the other operand decides alone.
TEST(ShapeArithmetic, WaitsForOperands) {
  const Numbers numbers = {32, 8};
  for (const Shape& other : {Shape::uniform(), Shape::strided(1), Shape::varying()}) {
    EXPECT_TRUE(add({}, other, numbers).is_bottom());
    EXPECT_TRUE(subtract(other, {}, numbers).is_bottom());
    EXPECT_TRUE(multiply(other, Shape(), numbers).is_bottom());
    EXPECT_TRUE(bitwise(Bitwise::and_, {}, other, numbers).is_bottom());
    EXPECT_TRUE(compare(CmpInst::ICMP_EQ, {}, other, numbers).is_bottom());
    EXPECT_EQ(join({}, other), other);
    EXPECT_EQ(join(other, {}), other);
  }
  EXPECT_TRUE(multiply(Shape(), APInt(32, 3), numbers).is_bottom());
  EXPECT_TRUE(shift_right({}, 3, numbers).is_bottom());
  EXPECT_TRUE(truncate({}, {8, 8}).is_bottom());
}

TEST(ShapeArithmetic, JoinsShapes) {
  EXPECT_EQ(join(Shape::uniform(8), Shape::uniform(4)), Shape::uniform(4));
  EXPECT_EQ(join(Shape::strided(2, 8), Shape::strided(2, 16)), Shape::strided(2, 8));
  EXPECT_EQ(join(Shape::strided(2), Shape::strided(3)), Shape::varying());
  EXPECT_EQ(join(Shape::strided(2), Shape::uniform()), Shape::varying());
  EXPECT_EQ(join(Shape::varying(), Shape::uniform()), Shape::varying());
}

/// Numbers of other sizes are uniform or varying.
TEST(ShapeArithmetic, KnowsNoStridesOfHugeNumbersAndTruthValues) {
  EXPECT_EQ(wrapped(Shape::strided(1), {128, 8}), Shape::varying());
  EXPECT_EQ(wrapped(Shape::strided(1), {1, 8}), Shape::varying());
  EXPECT_EQ(wrapped(Shape::strided(2), {1, 8}), Shape::uniform());
  EXPECT_EQ(shift_right(Shape::uniform(8), 100, {128, 8}), Shape::uniform());
  EXPECT_EQ(multiply(Shape::uniform(8), APInt(128, 8), {128, 8}), Shape::uniform(64));
}

}  // namespace
}  // namespace heddle::testing
