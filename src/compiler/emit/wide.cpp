// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of more than 64 bits: words of 64 bits, less significant first, the last of which is
// zero-extended. Divisions have become loops before (prepare/divisions.h).
#include <fmt/format.h>

#include "compiler/emit/arithmetic.h"

namespace heddle::compiler {

namespace {

using I = llvm::Instruction;

Scalar zero() { return Scalar::constant(0); }

/// How sums and differences pass from one word to the next.
struct Chain {
  std::string_view stem;   // add or sub
  std::string_view carry;  // carry or borrow
};

Parts add_or_subtract(Builder& builder, const Chain& chain, const Parts& a, const Parts& b) {
  Parts result;
  Scalar carry = zero();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool passes_on = i + 1 < a.size();
    Scalar word = builder.compute(chain.stem, Type::u64, {a[i], b[i]});
    Scalar next = passes_on ? builder.compute(chain.carry, Type::u64, {a[i], b[i]}) : zero();
    if (!carry.is_number(0)) {
      // At most one of the two steps carries.
      if (passes_on)
        next =
            builder.compute("or", Type::b64, {next, builder.compute(chain.carry, Type::u64, {word, carry})});
      word = builder.compute(chain.stem, Type::u64, {word, carry});
    }
    result.push_back(word);
    carry = next;
  }
  return result;
}

/// Adds the product of two words, and what comes from the word before, to a word. Returns what goes to the
/// next.
Scalar add_product(Builder& builder, Scalar a, Scalar b, Scalar& word, Scalar before) {
  Scalar sum = builder.compute("mul", Type::u64, {a, b});
  Scalar next = builder.compute("mulhi", Type::u64, {a, b});
  for (const Scalar more : {word, before}) {
    if (more.is_number(0)) continue;
    next = builder.compute("add", Type::u64, {next, builder.compute("carry", Type::u64, {sum, more})});
    sum = builder.compute("add", Type::u64, {sum, more});
  }
  word = sum;
  return next;
}

Parts multiply(Builder& builder, const Parts& a, const Parts& b) {
  const size_t last = a.size() - 1;
  Parts result(a.size(), zero());
  for (size_t i = 0; i <= last; ++i) {
    if (a[i].is_number(0)) continue;
    Scalar before = zero();
    for (size_t j = 0; i + j < last; ++j) before = add_product(builder, a[i], b[j], result[i + j], before);
    result[last] = builder.compute("mad", Type::u64, {a[i], b[last - i], result[last]});
    if (!before.is_number(0)) result[last] = builder.compute("add", Type::u64, {result[last], before});
  }
  return result;
}

/// A shift of `parts` by whole words, towards the last one if `left`; `fill` comes in.
Parts move_words(const Parts& parts, size_t words, bool left, Scalar fill) {
  Parts result(parts.size(), fill);
  for (size_t i = 0; i + words < parts.size(); ++i) {
    if (left)
      result[i + words] = parts[i];
    else
      result[i] = parts[i + words];
  }
  return result;
}

/// Shifts use the amount modulo 64 (PRM 5.4); an amount of 0 must let no bits pass from one word to the next.
Parts shift_bits(Builder& builder, const Parts& parts, Scalar amount, bool left, bool is_signed) {
  const Scalar modulo = builder.bit_and(Type::u32, amount, 63);
  if (modulo.is_number(0)) return parts;
  const Scalar rest = modulo.is_number() ? Scalar::constant(64 - modulo.bits)
                                         : builder.compute("sub", Type::u32, {zero(), amount});
  const bool may_be_nothing = !modulo.is_number();
  const Scalar is_nothing =
      may_be_nothing ? builder.compare("eq", Type::u32, modulo, zero()) : Scalar::constant(0);
  Parts result;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool signed_word = is_signed && i + 1 == parts.size();
    Scalar word = builder.shift(left ? "shl" : "shr", signed_word ? Type::s64 : Type::u64, parts[i], amount);
    const size_t neighbour = left ? i - 1 : i + 1;
    if (neighbour < parts.size()) {
      Scalar passing = builder.shift(left ? "shr" : "shl", Type::u64, parts[neighbour], rest);
      if (may_be_nothing) passing = builder.select(Type::u64, is_nothing, zero(), passing);
      word = builder.compute("or", Type::b64, {word, passing});
    }
    result.push_back(word);
  }
  return result;
}

/// A shift by bits, then by one word if the amount says so, by two, by four and so on.
Parts shift(Builder& builder, Parts parts, Scalar amount, bool left, bool is_signed) {
  const Scalar fill =
      is_signed ? builder.shift("shr", Type::s64, parts.back(), Scalar::constant(63)) : zero();
  if (amount.is_number()) {
    const size_t words = std::min<uint64_t>(amount.bits / 64, parts.size());
    return move_words(shift_bits(builder, parts, amount, left, is_signed), words, left, fill);
  }
  amount = low_word_as_u32(builder, amount);
  parts = shift_bits(builder, parts, amount, left, is_signed);
  for (size_t words = 1; words < parts.size(); words *= 2) {
    const bool is_last = words * 2 >= parts.size();
    const Scalar moves =
        is_last ? builder.compare("ge", Type::u32, amount, Scalar::constant(words * 64))
                : builder.compare("ne", Type::u32, builder.bit_and(Type::u32, amount, words * 64), zero());
    const Parts moved = move_words(parts, words, left, fill);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = builder.select(Type::u64, moves, moved[i], parts[i]);
  }
  return parts;
}

Parts bitwise(Builder& builder, std::string_view stem, const Parts& a, const Parts& b) {
  Parts result;
  for (size_t i = 0; i < a.size(); ++i) result.push_back(builder.compute(stem, Type::b64, {a[i], b[i]}));
  return result;
}

unsigned width_of_last_word(unsigned width) { return (width - 1) % 64 + 1; }

}  // namespace

size_t word_count(unsigned width) { return width <= 64 ? 1 : (width + 63) / 64; }

Scalar low_word_as_u32(Builder& builder, Scalar word) {
  return word.is_number() ? word : builder.convert(Type::u32, Type::u64, word);
}

Parts wide_truncated(Builder& builder, Parts words, unsigned width) {
  words.truncate(word_count(width));
  words.back() = builder.truncated(words.back(), width_of_last_word(width), 64);
  return words;
}

Parts wide_sign_extended(Builder& builder, const Parts& value, unsigned width) {
  Parts result = value;
  result.back() = builder.sign_extended(result.back(), width_of_last_word(width), 64);
  return result;
}

Parts wide_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                     const Parts& second) {
  Builder& builder = emitter.builder();
  switch (opcode) {
    case I::Add:
      return wide_truncated(builder, add_or_subtract(builder, {"add", "carry"}, first, second), width);
    case I::Sub:
      return wide_truncated(builder, add_or_subtract(builder, {"sub", "borrow"}, first, second), width);
    case I::Mul:
      return wide_truncated(builder, multiply(builder, first, second), width);
    case I::Shl:
      return wide_truncated(builder, shift(builder, first, second[0], true, false), width);
    case I::LShr:
      return shift(builder, first, second[0], false, false);
    case I::AShr:
      return wide_truncated(
          builder, shift(builder, wide_sign_extended(builder, first, width), second[0], false, true), width);
    case I::And:
      return bitwise(builder, "and", first, second);
    case I::Or:
      return bitwise(builder, "or", first, second);
    default:
      assert(opcode == I::Xor && "prepare has expanded divisions");
      return bitwise(builder, "xor", first, second);
  }
}

Scalar compare_wide(Builder& builder, llvm::CmpInst::Predicate predicate, unsigned width, const Parts& first,
                    const Parts& second) {
  const bool is_signed = llvm::CmpInst::isSigned(predicate);
  const Parts a = is_signed ? wide_sign_extended(builder, first, width) : first;
  const Parts b = is_signed ? wide_sign_extended(builder, second, width) : second;
  if (llvm::CmpInst::isEquality(predicate)) {
    Scalar same = builder.compare("eq", Type::u64, a.back(), b.back());
    for (size_t i = a.size() - 1; i-- > 0;)
      same = builder.compute("and", Type::b1, {same, builder.compare("eq", Type::u64, a[i], b[i])});
    return predicate == llvm::CmpInst::ICMP_EQ ? same : builder.compute("not", Type::b1, {same});
  }
  const bool less = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_ULE ||
                    predicate == llvm::CmpInst::ICMP_SLT || predicate == llvm::CmpInst::ICMP_SLE;
  const bool strict = llvm::CmpInst::isStrictPredicate(predicate);
  const char* const strictly = less ? "lt" : "gt";
  Scalar result = builder.compare(strict ? strictly : less ? "le" : "ge", Type::u64, a[0], b[0]);
  // Each word decides unless it is the same in both.
  for (size_t i = 1; i < a.size(); ++i) {
    const Type type = is_signed && i + 1 == a.size() ? Type::s64 : Type::u64;
    const Scalar same = builder.compare("eq", Type::u64, a[i], b[i]);
    const Scalar here = builder.compare(strictly, type, a[i], b[i]);
    result = builder.compute("or", Type::b1, {here, builder.compute("and", Type::b1, {same, result})});
  }
  return result;
}

}  // namespace heddle::compiler
