// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics on integers of any width, element by element.
#include <fmt/format.h>

#include "compiler/emit/arithmetic.h"
#include "compiler/emit/elements.h"
#include "compiler/emit/intrinsics.h"

namespace heddle::compiler {

namespace {

namespace ID = llvm::Intrinsic;
using I = llvm::Instruction;
using P = llvm::CmpInst;

// One element of the arguments of a call.
struct Element {
  FunctionEmitter& emitter;
  const llvm::CallInst& call;
  unsigned width;
  ElementArguments arguments;

  Builder& builder() const { return emitter.builder(); }
  unsigned full() const { return width <= 32 ? 32 : 64; }
  Type type() const { return unsigned_type(full()); }
  Parts operation(unsigned opcode, const Parts& a, const Parts& b) const {
    return integer_operation(emitter, opcode, width, a, b);
  }
  Scalar compare(P::Predicate predicate, const Parts& a, const Parts& b) const {
    return compare_integers(builder(), predicate, width, a, b);
  }
  Parts constant(const llvm::APInt& value) const {
    Parts parts;
    for (size_t i = 0; i < word_count(width); ++i) parts.push_back(Scalar::constant(value.getRawData()[i]));
    return parts;
  }
  Parts select(Scalar condition, const Parts& a, const Parts& b) const {
    Parts result;
    const Type part_type = width == 1 ? Type::b1 : type();
    for (size_t i = 0; i < a.size(); ++i)
      result.push_back(builder().select(part_type, condition, a[i], b[i]));
    return result;
  }
};

using ElementFunction = Parts (*)(const Element&, const IntrinsicRow&);

template <ElementFunction function>
void each(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  set_by_elements(emitter, call, [&](llvm::Type* type, const ElementArguments& arguments) {
    return function({emitter, call, emitter.width(type), arguments}, row);
  });
}

Parts extreme(const Element& e, const IntrinsicRow& row) {
  const auto predicate = static_cast<P::Predicate>(row.number);
  if ((e.width == 32 || e.width == 64) || (e.width < 64 && e.width > 1 && !P::isSigned(predicate))) {
    const Type type = P::isSigned(predicate) ? signed_type(e.full()) : e.type();
    return {e.builder().compute(row.stem, type, {e.arguments[0][0], e.arguments[1][0]})};
  }
  return e.select(e.compare(predicate, e.arguments[0], e.arguments[1]), e.arguments[0], e.arguments[1]);
}

Parts absolute(const Element& e, const IntrinsicRow&) {
  const Parts zero = e.constant(llvm::APInt(e.width, 0));
  const Parts negative = e.operation(I::Sub, zero, e.arguments[0]);
  return e.select(e.compare(P::ICMP_SLT, e.arguments[0], zero), negative, e.arguments[0]);
}

// Three-way comparison: -1, 0 or 1, in a type of its own.
void compare_three_ways(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& layout = emitter.layout(*call.getArgOperand(0));
  const Parts a = emitter.parts(*call.getArgOperand(0));
  const Parts b = emitter.parts(*call.getArgOperand(1));
  const Layout& results = emitter.layout(call);
  Builder& builder = emitter.builder();
  const bool is_signed = row.number != 0;
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    const unsigned width = emitter.width(layout.leaves[i].type);
    const Scalar less = compare_integers(builder, is_signed ? P::ICMP_SLT : P::ICMP_ULT, width,
                                         element(layout, a, i), element(layout, b, i));
    const Scalar more = compare_integers(builder, is_signed ? P::ICMP_SGT : P::ICMP_UGT, width,
                                         element(layout, a, i), element(layout, b, i));
    const unsigned to = emitter.width(results.leaves[i].type);
    const Scalar up = builder.select(Type::u32, more, Scalar::constant(1), Scalar::constant(0));
    const Scalar way = builder.select(Type::u32, less, Scalar::constant(0xffffffffU), up);
    result.append(cast_integer(builder, {way}, 32, to, true));
  }
  emitter.set(call, std::move(result));
}

// Whether a sum, difference or product does not fit, and the part of it that does.
struct Checked {
  Parts value;
  Scalar overflows;
};

// The exact product has twice as many bits.
Checked checked_wide_product(const Element& e, bool is_signed) {
  Builder& builder = e.builder();
  const unsigned twice = 2 * e.width;
  const auto extended = [&](const Parts& value) {
    return cast_integer(builder, value, e.width, twice, is_signed);
  };
  const Parts exact =
      integer_operation(e.emitter, I::Mul, twice, extended(e.arguments[0]), extended(e.arguments[1]));
  Parts value = cast_integer(builder, exact, twice, e.width, false);
  const Scalar differs = compare_integers(builder, P::ICMP_NE, twice, exact, extended(value));
  return {std::move(value), differs};
}

// The product is exact in 64 bits.
Checked checked_narrow_product(const Element& e, bool is_signed) {
  Builder& builder = e.builder();
  const Parts value = e.operation(I::Mul, e.arguments[0], e.arguments[1]);
  const Type narrow = is_signed ? Type::s32 : Type::u32;
  const Type wide = is_signed ? Type::s64 : Type::u64;
  auto widened = [&](Scalar s) {
    return builder.convert(wide, narrow, is_signed ? builder.sign_extended(s, e.width) : s);
  };
  const Scalar exact = builder.compute("mul", wide, {widened(e.arguments[0][0]), widened(e.arguments[1][0])});
  const Scalar back =
      builder.convert(wide, narrow, is_signed ? builder.sign_extended(value[0], e.width) : value[0]);
  return {value, builder.compare("ne", Type::u64, exact, back)};
}

Checked checked_product(const Element& e, bool is_signed) {
  const Parts& a = e.arguments[0];
  const Parts& b = e.arguments[1];
  if (e.width > 64) return checked_wide_product(e, is_signed);
  if (e.width > 1 && e.width <= 32) return checked_narrow_product(e, is_signed);
  const Parts value = e.operation(I::Mul, a, b);
  Builder& builder = e.builder();
  // The product of -1 and -1, which the only bit stands for if it is a sign, is the only one that does not
  // fit.
  if (e.width == 1) return {value, is_signed ? value[0] : Scalar::constant(0)};
  const Type type = is_signed ? Type::s64 : Type::u64;
  const Scalar x = is_signed ? builder.sign_extended(a[0], e.width) : a[0];
  const Scalar y = is_signed ? builder.sign_extended(b[0], e.width) : b[0];
  const Scalar low = builder.compute("mul", Type::u64, {x, y});
  const Scalar high = builder.compute("mulhi", type, {x, y});
  const Scalar kept = is_signed ? builder.sign_extended(value[0], e.width) : value[0];
  const Scalar sign =
      is_signed ? builder.shift("shr", Type::s64, kept, Scalar::constant(63)) : Scalar::constant(0);
  const Scalar wrong_high = builder.compare("ne", Type::u64, high, sign);
  const Scalar wrong_low = builder.compare("ne", Type::u64, low, kept);
  return {value, builder.compute("or", Type::b1, {wrong_high, wrong_low})};
}

// `number` of the rows: the opcode, and above it whether the operation is signed.
constexpr uint64_t signed_flag = 0x100;

Checked checked(const Element& e, const IntrinsicRow& row) {
  const bool is_signed = (row.number & signed_flag) != 0;
  const auto opcode = static_cast<unsigned>(row.number & 0xff);
  const Parts& a = e.arguments[0];
  const Parts& b = e.arguments[1];
  if (opcode == I::Mul) return checked_product(e, is_signed);
  Parts value = e.operation(opcode, a, b);
  if (!is_signed) {
    const Scalar wrapped = opcode == I::Add ? e.compare(P::ICMP_ULT, value, a) : e.compare(P::ICMP_ULT, a, b);
    return {std::move(value), wrapped};
  }
  // The result is below the first operand exactly if a negative number was added or a positive one
  // subtracted; otherwise it wrapped.
  const Parts zero = e.constant(llvm::APInt(e.width, 0));
  const Scalar falls = e.compare(opcode == I::Add ? P::ICMP_SLT : P::ICMP_SGT, b, zero);
  const Scalar fell = e.compare(P::ICMP_SLT, value, a);
  return {std::move(value), e.builder().compute("xor", Type::b1, {falls, fell})};
}

void with_overflow(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& layout = emitter.layout(*call.getArgOperand(0));
  const Parts a = emitter.parts(*call.getArgOperand(0));
  const Parts b = emitter.parts(*call.getArgOperand(1));
  Parts values;
  Parts overflows;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    const Element e{emitter,
                    call,
                    emitter.width(layout.leaves[i].type),
                    {element(layout, a, i), element(layout, b, i), {}}};
    Checked result = checked(e, row);
    values.append(result.value);
    overflows.push_back(result.overflows);
  }
  values.append(overflows);
  emitter.set(call, std::move(values));
}

Parts saturating(const Element& e, const IntrinsicRow& row) {
  const bool is_signed = (row.number & signed_flag) != 0;
  const auto opcode = static_cast<unsigned>(row.number & 0xff);
  if (e.width == 8 || e.width == 16 || e.width == 32 || e.width == 64) {
    const Type type = is_signed ? signed_type(e.width) : unsigned_type(e.width);
    const Scalar result = e.builder().compute(row.stem, type, {e.arguments[0][0], e.arguments[1][0]});
    return {e.builder().truncated(result, e.width)};
  }
  const Checked result = checked(e, row);
  Parts limit =
      e.constant(opcode == I::Add ? llvm::APInt::getMaxValue(e.width) : llvm::APInt::getMinValue(e.width));
  if (is_signed) {
    const Scalar negative = e.compare(P::ICMP_SLT, e.arguments[0], e.constant(llvm::APInt(e.width, 0)));
    limit = e.select(negative, e.constant(llvm::APInt::getSignedMinValue(e.width)),
                     e.constant(llvm::APInt::getSignedMaxValue(e.width)));
  }
  return e.select(result.overflows, limit, result.value);
}

// The number of ones as u32.
Scalar ones(const Element& e, Scalar part, unsigned full) {
  return e.builder().compute(fmt::format("popcount_u32_b{}", full), Type::u32, {{part, bit_type(full)}});
}

// A count, as an integer of the width of the element.
Parts counted(const Element& e, Scalar count) {
  if (e.width == 1) {
    return {
        e.builder().compare("ne", Type::u32, e.builder().bit_and(Type::u32, count, 1), Scalar::constant(0))};
  }
  if (e.width <= 32) return {count};
  Parts result{e.builder().convert(Type::u64, Type::u32, count)};
  result.resize(word_count(e.width), Scalar::constant(0));
  return result;
}

Parts population(const Element& e, const IntrinsicRow&) {
  const Parts& value = e.arguments[0];
  if (e.width == 1) return value;
  if (e.width <= 64) return counted(e, ones(e, value[0], e.full()));
  Scalar sum = ones(e, value[0], 64);
  for (const Scalar word : llvm::drop_begin(value))
    sum = e.builder().compute("add", Type::u32, {sum, ones(e, word, 64)});
  return counted(e, sum);
}

// The number of zeros above (firstbit) or below (lastbit) the first one of a register of `full` bits; `full`
// if there is none.
Scalar zeros(const Element& e, std::string_view stem, Scalar part, unsigned full) {
  const Scalar found =
      e.builder().compute(fmt::format("{}_u32_u{}", stem, full), Type::u32, {{part, unsigned_type(full)}});
  return e.builder().compute("min", Type::u32, {found, Scalar::constant(full)});
}

Parts count_zeros(const Element& e, const IntrinsicRow& row) {
  Builder& builder = e.builder();
  const Parts& value = e.arguments[0];
  const bool leading = row.stem == "firstbit";
  if (e.width == 1) return {builder.compute("not", Type::b1, {value[0]})};
  if (e.width <= 64) {
    const Scalar found = zeros(e, row.stem, value[0], e.full());
    if (leading)
      return counted(e, builder.compute("sub", Type::u32, {found, Scalar::constant(e.full() - e.width)}));
    return counted(e, builder.compute("min", Type::u32, {found, Scalar::constant(e.width)}));
  }
  // The first word of the way that is not empty has it.
  Parts words = value;
  if (!leading) {
    words.assign(value.rbegin(), value.rend());
    for (Scalar& word : words) word = builder.compute("bitrev", Type::b64, {word});
  }
  const Scalar found = wide_leading_zeros(builder, words);
  const auto unused = Scalar::constant(words.size() * 64 - e.width);
  if (leading) return counted(e, builder.compute("sub", Type::u32, {found, unused}));
  return counted(e, builder.compute("min", Type::u32, {found, Scalar::constant(e.width)}));
}

// The words of an integer of more than 64 bits in the opposite order, each turned around.
Parts turned_around(const Element& e, llvm::function_ref<Scalar(Scalar)> turn) {
  Parts words;
  for (const Scalar word : llvm::reverse(e.arguments[0])) words.push_back(turn(word));
  const auto full = static_cast<unsigned>(words.size() * 64);
  return e.operation(I::LShr, words, e.constant(llvm::APInt(full, full - e.width)));
}

Parts reverse_bits(const Element& e, const IntrinsicRow&) {
  const Parts& value = e.arguments[0];
  if (e.width == 1) return value;
  if (e.width > 64) {
    return turned_around(e, [&](Scalar word) { return e.builder().compute("bitrev", Type::b64, {word}); });
  }
  const Scalar reversed = e.builder().compute("bitrev", bit_type(e.full()), {value[0]});
  if (e.width == e.full()) return {reversed};
  return {e.builder().shift("shr", e.type(), reversed, Scalar::constant(e.full() - e.width))};
}

// Exchanges neighbouring groups of bits: the bytes of each pair, then the pairs.
Scalar swap_register(Builder& builder, Scalar value, unsigned full) {
  const Type type = unsigned_type(full);
  const Type bit = bit_type(full);
  auto exchange = [&](Scalar s, unsigned distance, uint64_t mask) {
    if (full == 32) mask &= 0xffffffffU;
    const Scalar up = builder.shift("shl", type, builder.bit_and(type, s, mask), Scalar::constant(distance));
    const Scalar down =
        builder.bit_and(type, builder.shift("shr", type, s, Scalar::constant(distance)), mask);
    return builder.compute("or", bit, {up, down});
  };
  value = exchange(value, 8, 0x00ff00ff00ff00ffU);
  value = exchange(value, 16, 0x0000ffff0000ffffU);
  return full == 32 ? value : exchange(value, 32, 0x00000000ffffffffU);
}

Parts swap_bytes(const Element& e, const IntrinsicRow&) {
  const Parts& value = e.arguments[0];
  if (e.width > 64) {
    return turned_around(e, [&](Scalar word) { return swap_register(e.builder(), word, 64); });
  }
  const Scalar swapped = swap_register(e.builder(), value[0], e.full());
  if (e.width == e.full()) return {swapped};
  return {e.builder().shift("shr", e.type(), swapped, Scalar::constant(e.full() - e.width))};
}

// The same for a constant amount below the width.
Parts funnel_shift_by(const Element& e, bool left, uint64_t amount) {
  if (amount == 0) return left ? e.arguments[0] : e.arguments[1];
  const auto number = [&](uint64_t bits) { return e.constant(llvm::APInt(e.width, bits)); };
  const uint64_t to_left = left ? amount : e.width - amount;
  const Parts high = e.operation(I::Shl, e.arguments[0], number(to_left));
  const Parts low = e.operation(I::LShr, e.arguments[1], number(e.width - to_left));
  return e.operation(I::Or, high, low);
}

// The lower word of two words side by side, shifted to the right by an amount modulo 32: bitalign. A shift to
// the left is one to the right by what is left of the 32, as long as that is not all of them; so both words
// are shifted by one first, and then by one less.
Scalar funnel_shift_of_words(const Element& e, bool left) {
  Builder& builder = e.emitter.builder();
  const auto align = [&](Scalar low, Scalar high, Scalar amount) {
    return builder.compute("bitalign", Type::b32, {low, high, amount});
  };
  const Scalar high = e.arguments[0][0];
  const Scalar low = e.arguments[1][0];
  const Scalar amount = e.arguments[2][0];
  if (amount.is_number()) {
    const uint64_t bits = amount.bits % 32;
    if (bits == 0) return left ? high : low;
    return align(low, high, Scalar::constant(left ? 32 - bits : bits));
  }
  if (!left) return align(low, high, amount);
  const bool same = high.is_register() && low.is_register() && high.id == low.id;
  if (same) return align(low, high, builder.compute("neg", Type::s32, {amount}));
  return align(align(low, high, Scalar::constant(1)),
               builder.shift("shr", Type::u32, high, Scalar::constant(1)),
               builder.compute("not", Type::b32, {amount}));
}

// The upper (or lower) half of two integers side by side, shifted by an amount modulo their width.
Parts funnel_shift(const Element& e, const IntrinsicRow& row) {
  const bool left = row.number != 0;
  if (e.width == 1) return {left ? e.arguments[0] : e.arguments[1]};  // the amount is 0 modulo 1
  if (e.width == 32) return {funnel_shift_of_words(e, left)};
  if (e.arguments[2][0].is_number()) return funnel_shift_by(e, left, e.arguments[2][0].bits % e.width);
  const Parts width = e.constant(llvm::APInt(std::max(e.width, 8U), e.width));
  const Parts amount = e.operation(I::URem, e.arguments[2], width);
  const Parts rest = e.operation(I::Sub, width, amount);
  const Scalar none = e.compare(P::ICMP_EQ, amount, e.constant(llvm::APInt(e.width, 0)));
  const Parts high = e.operation(I::Shl, e.arguments[0], left ? amount : rest);
  const Parts low = e.operation(I::LShr, e.arguments[1], left ? rest : amount);
  return e.select(none, left ? e.arguments[0] : e.arguments[1], e.operation(I::Or, high, low));
}

// Those of more than 64 bits have been expanded (prepare/divisions.h).
void funnel(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  each<funnel_shift>(emitter, call, row);
}

// Combines all elements of a vector.
void reduce(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& layout = emitter.layout(*call.getArgOperand(0));
  const Parts all = emitter.parts(*call.getArgOperand(0));
  const unsigned width = emitter.width(layout.leaves[0].type);
  Parts result = element(layout, all, 0);
  for (size_t i = 1; i < layout.leaves.size(); ++i) {
    const Element e{emitter, call, width, {result, element(layout, all, i), {}}};
    result = row.stem.empty() ? e.operation(static_cast<unsigned>(row.number), e.arguments[0], e.arguments[1])
                              : extreme(e, row);
  }
  emitter.set(call, std::move(result));
}

constexpr uint64_t add_signed = I::Add | signed_flag;
constexpr uint64_t sub_signed = I::Sub | signed_flag;
constexpr uint64_t mul_signed = I::Mul | signed_flag;

constexpr IntrinsicRow rows[] = {
    {ID::smin, each<extreme>, "min", P::ICMP_SLT},
    {ID::smax, each<extreme>, "max", P::ICMP_SGT},
    {ID::umin, each<extreme>, "min", P::ICMP_ULT},
    {ID::umax, each<extreme>, "max", P::ICMP_UGT},
    {ID::abs, each<absolute>},
    {ID::scmp, compare_three_ways, {}, 1},
    {ID::ucmp, compare_three_ways, {}, 0},
    {ID::ctpop, each<population>},
    {ID::ctlz, each<count_zeros>, "firstbit"},
    {ID::cttz, each<count_zeros>, "lastbit"},
    {ID::bitreverse, each<reverse_bits>},
    {ID::bswap, each<swap_bytes>},
    {ID::fshl, funnel, {}, 1},
    {ID::fshr, funnel, {}, 0},
    {ID::uadd_sat, each<saturating>, "add_sat", I::Add},
    {ID::sadd_sat, each<saturating>, "add_sat", add_signed},
    {ID::usub_sat, each<saturating>, "sub_sat", I::Sub},
    {ID::ssub_sat, each<saturating>, "sub_sat", sub_signed},
    {ID::uadd_with_overflow, with_overflow, {}, I::Add},
    {ID::sadd_with_overflow, with_overflow, {}, add_signed},
    {ID::usub_with_overflow, with_overflow, {}, I::Sub},
    {ID::ssub_with_overflow, with_overflow, {}, sub_signed},
    {ID::umul_with_overflow, with_overflow, {}, I::Mul},
    {ID::smul_with_overflow, with_overflow, {}, mul_signed},
    {ID::vector_reduce_add, reduce, {}, I::Add},
    {ID::vector_reduce_mul, reduce, {}, I::Mul},
    {ID::vector_reduce_and, reduce, {}, I::And},
    {ID::vector_reduce_or, reduce, {}, I::Or},
    {ID::vector_reduce_xor, reduce, {}, I::Xor},
    {ID::vector_reduce_smin, reduce, "min", P::ICMP_SLT},
    {ID::vector_reduce_smax, reduce, "max", P::ICMP_SGT},
    {ID::vector_reduce_umin, reduce, "min", P::ICMP_ULT},
    {ID::vector_reduce_umax, reduce, "max", P::ICMP_UGT},
};

}  // namespace

llvm::ArrayRef<IntrinsicRow> integer_intrinsics() { return rows; }

}  // namespace heddle::compiler
