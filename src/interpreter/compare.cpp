// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cmp (PRM 5.18): 28 comparisons, each a set of the four outcomes that two values can have.
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

enum : uint8_t { less = 1, equal = 2, greater = 4, unordered = 8, signals = 16 };

/// For each hsa_brig_compare_operation_t, the outcomes for which it is true, and whether a quiet NaN raises
/// the invalid operation exception.
constexpr uint8_t relations[] = {
    /* eq   */ equal,
    /* ne   */ less | greater,
    /* lt   */ less,
    /* le   */ less | equal,
    /* gt   */ greater,
    /* ge   */ greater | equal,
    /* equ  */ equal | unordered,
    /* neu  */ less | greater | unordered,
    /* ltu  */ less | unordered,
    /* leu  */ less | equal | unordered,
    /* gtu  */ greater | unordered,
    /* geu  */ greater | equal | unordered,
    /* num  */ less | equal | greater,
    /* nan  */ unordered,
    /* seq  */ equal | signals,
    /* sne  */ less | greater | signals,
    /* slt  */ less | signals,
    /* sle  */ less | equal | signals,
    /* sgt  */ greater | signals,
    /* sge  */ greater | equal | signals,
    /* sgeu */ greater | equal | unordered | signals,
    /* sequ */ equal | unordered | signals,
    /* sneu */ less | greater | unordered | signals,
    /* sltu */ less | unordered | signals,
    /* sleu */ less | equal | unordered | signals,
    /* snum */ less | equal | greater | signals,
    /* snan */ unordered | signals,
    /* sgtu */ greater | unordered | signals,
};
static_assert(sizeof relations == HSA_BRIG_COMPARE_OPERATION_SGTU + 1);

uint8_t outcome(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  if (shape.source_kind == Kind::floating) {
    Mode mode = shape.mode();
    const Order order =
        compare(shape.source_format(), s[0], s[1], (relations[shape.compare] & signals) != 0, mode);
    raised |= mode.raised;
    return static_cast<uint8_t>(1 << static_cast<unsigned>(order));
  }
  if (shape.source_kind == Kind::signed_integer) {
    const int64_t a = sign_extend(s[0], shape.source_bits), b = sign_extend(s[1], shape.source_bits);
    return a < b ? less : a > b ? greater : equal;
  }
  return s[0] < s[1] ? less : s[0] > s[1] ? greater : equal;
}

bool holds(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  return (relations[shape.compare] & outcome(shape, s, raised)) != 0;
}

/// True is 1 for b1, all ones for integers (also the elements of packed ones), 1.0 for floating point.
uint64_t compare_to_integer(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  if (!holds(shape, s, raised)) return 0;
  return shape.kind == Kind::bit ? 1 : low_mask(shape.bits);
}
uint64_t compare_to_floating(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  return holds(shape, s, raised) ? shape.format().one() : 0;
}

constexpr Row rows[] = {{HSA_BRIG_OPCODE_CMP, elementwise, compare_to_integer, compare_to_floating}};

}  // namespace

std::span<const Row> compare_rows() { return rows; }

}  // namespace heddle::interpreter
