// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include "compiler/emit/arithmetic.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

using I = llvm::Instruction;

Scalar to_bits_of(Builder& builder, Scalar value, unsigned from, unsigned to) {
  if (from == to || value.is_number()) return value;
  return builder.convert(unsigned_type(to), unsigned_type(from), value);
}

unsigned full_width(unsigned width) { return width <= 32 ? 32 : 64; }

// Every cast between integers is cutting or extending; addresses are unsigned integers.
Parts truncate(Builder& builder, const Parts& value, unsigned from, unsigned to) {
  if (to > 64) return wide_truncated(builder, value, to);
  Scalar low = value[0];
  if (to == 1) {
    const Type type = unsigned_type(full_width(std::min(from, 64U)));
    return {builder.compare("ne", type, builder.bit_and(type, low, 1), Scalar::constant(0))};
  }
  low = to_bits_of(builder, low, full_width(std::min(from, 64U)), full_width(to));
  return {from == to ? low : builder.truncated(low, to)};
}

Parts zero_extend(Builder& builder, const Parts& value, unsigned from, unsigned to) {
  if (to > 64) {
    Parts wide = from > 64 ? value : zero_extend(builder, value, from, 64);
    wide.resize(word_count(to), Scalar::constant(0));
    return wide;
  }
  if (from == 1) {
    if (value[0].is_number()) return {Scalar::constant(value[0].bits & 1)};
    return {builder.convert(unsigned_type(full_width(to)), Type::b1, value[0])};
  }
  return {to_bits_of(builder, value[0], full_width(from), full_width(to))};
}

Parts sign_extend(Builder& builder, const Parts& value, unsigned from, unsigned to) {
  if (to > 64) {
    Parts wide = from > 64 ? wide_sign_extended(builder, value, from) : sign_extend(builder, value, from, 64);
    wide.resize(word_count(to), builder.shift("shr", Type::s64, wide.back(), Scalar::constant(63)));
    return wide_truncated(builder, wide, to);
  }
  const unsigned full = full_width(to);
  if (from == 1) {
    const uint64_t ones = to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
    return {builder.select(unsigned_type(full), value[0], Scalar::constant(ones), Scalar::constant(0))};
  }
  Scalar extended = builder.sign_extended(value[0], from);
  if (full != full_width(from)) {
    extended = extended.is_number() ? builder.sign_extended(extended, 32, 64)
                                    : builder.convert(Type::s64, Type::s32, extended);
  }
  return {builder.truncated(extended, to)};
}

Scalar real_to_real(Builder& builder, Scalar value, llvm::Type* from, llvm::Type* to) {
  const Real real = to_real(builder, value, from);
  const Type wanted = to->isBFloatTy() ? Type::f32 : float_type(to->getScalarSizeInBits());
  if (to->isBFloatTy() && real.type == Type::f64) {
    // Rounding to f32 first must not decide the rounding to bfloat: an inexact result keeps an odd last bit.
    const Scalar near = builder.convert(Type::f32, Type::f64, real.value, "zero");
    const Scalar back = builder.convert(Type::f64, Type::f32, near);
    const Scalar inexact = builder.compare("ne", Type::f64, back, real.value);
    const Scalar odd = builder.compute("or", Type::b32, {near, Scalar::constant(1)});
    return from_real(builder, builder.select(Type::u32, inexact, odd, near), to);
  }
  const Scalar converted = real.type == wanted ? real.value : builder.convert(wanted, real.type, real.value);
  return from_real(builder, converted, to);
}

Scalar real_to_integer(Builder& builder, Scalar value, llvm::Type* from, unsigned width, bool is_signed) {
  const Real real = to_real(builder, value, from);
  const unsigned full = full_width(width);
  // Out of range, the result is poison in IR and any value in HSAIL.
  const Scalar result =
      builder.convert(is_signed ? signed_type(full) : unsigned_type(full), real.type, real.value);
  if (width == 1)
    return builder.compare("ne", Type::u32, builder.bit_and(Type::u32, result, 1), Scalar::constant(0));
  return builder.truncated(result, width);
}

Scalar integer_to_real(Builder& builder, const Parts& value, unsigned width, llvm::Type* to, bool is_signed) {
  Parts extended = value;
  unsigned full = full_width(width);
  if (width == 1) {
    extended = is_signed ? sign_extend(builder, value, 1, 32) : zero_extend(builder, value, 1, 32);
  } else if (is_signed) {
    extended = {builder.sign_extended(value[0], width)};
  }
  const Type from = is_signed ? signed_type(full) : unsigned_type(full);
  if (!to->isBFloatTy()) return builder.convert(float_type(to->getScalarSizeInBits()), from, extended[0]);
  if (full == 32) {
    // Exact in f64, so that only the way from there rounds.
    return real_to_real(builder, builder.convert(Type::f64, from, extended[0]),
                        llvm::Type::getDoubleTy(to->getContext()), to);
  }
  // To f32 with an odd last bit if that is inexact, as real_to_real does.
  const Scalar near = builder.convert(Type::f32, from, extended[0], "zero");
  const Scalar limited = builder.convert(from, Type::f32, near, "zeroi_sat");
  const Scalar inexact = builder.compare("ne", unsigned_type(64), limited, extended[0]);
  const Scalar odd = builder.compute("or", Type::b32, {near, Scalar::constant(1)});
  return from_real(builder, builder.select(Type::u32, inexact, odd, near), to);
}

Parts cast_element(FunctionEmitter& emitter, const llvm::Instruction& cast, llvm::Type* from, llvm::Type* to,
                   const Parts& value) {
  Builder& builder = emitter.builder();
  const unsigned from_width = emitter.width(from);
  const unsigned to_width = emitter.width(to);
  switch (cast.getOpcode()) {
    case I::Trunc:
      return truncate(builder, value, from_width, to_width);
    case I::ZExt:
      return zero_extend(builder, value, from_width, to_width);
    case I::SExt:
      return sign_extend(builder, value, from_width, to_width);
    case I::PtrToInt:
    case I::PtrToAddr:
    case I::IntToPtr:
      return from_width < to_width ? zero_extend(builder, value, from_width, to_width)
                                   : truncate(builder, value, from_width, to_width);
    case I::FPTrunc:
    case I::FPExt:
      return {real_to_real(builder, value[0], from, to)};
    case I::FPToSI:
    case I::FPToUI:
      if (to_width > 64)
        return real_to_wide(emitter, value[0], from, to_width, cast.getOpcode() == I::FPToSI, false);
      return {real_to_integer(builder, value[0], from, to_width, cast.getOpcode() == I::FPToSI)};
    default:
      if (from_width > 64)
        return {wide_to_real(emitter, value, from_width, cast.getOpcode() == I::SIToFP, to)};
      return {integer_to_real(builder, value, from_width, to, cast.getOpcode() == I::SIToFP)};
  }
}

// The bits of a value, in a row: casts between types of the same size whose elements differ.
class Repacker {
 public:
  Repacker(FunctionEmitter& emitter, const Layout& from, const Layout& to)
      : builder_(emitter.builder()),
        from_(from),
        to_(to),
        from_width_(emitter.width(from.leaves[0].type)),
        to_width_(emitter.width(to.leaves[0].type)) {}

  Parts run(const Parts& parts) {
    source_ = clean(parts);
    if (from_width_ == to_width_) return source_;
    Parts result;
    for (size_t leaf = 0; leaf < to_.leaves.size(); ++leaf) {
      for (unsigned done = 0; done < to_width_; done += 64)
        result.push_back(word_at(leaf * to_width_ + done, std::min(to_width_ - done, 64U)));
    }
    return result;
  }

 private:
  // The upper bits of a register that holds a half are undefined (PRM 4.13).
  Parts clean(const Parts& parts) {
    Parts result = parts;
    if (!from_.leaves[0].type->isHalfTy() || to_.leaves[0].type->isHalfTy()) return result;
    for (Scalar& part : result) part = builder_.bit_and(Type::u32, part, 0xffff);
    return result;
  }

  /// The same as bits_at, but a word of a long integer has a register of 64 bits even if fewer are left.
  Scalar word_at(uint64_t first, unsigned count) {
    const Scalar word = bits_at(first, count);
    return to_width_ > 64 ? zero_extend(builder_, {word}, count, 64)[0] : word;
  }

  /// The word of which a load has made the elements from a place in the row on, if these bits are that word.
  Scalar loaded_word(uint64_t first, unsigned count) {
    const bool are_elements =
        count == 32 && from_width_ < 32 && 32 % from_width_ == 0 && first % from_width_ == 0;
    if (!are_elements) return {};
    return builder_.word_of_pieces(llvm::ArrayRef(source_).slice(first / from_width_, 32 / from_width_));
  }

  /// Returns `count` bits from a place in the row on, up to 64, in a register for so many.
  Scalar bits_at(uint64_t first, unsigned count) {
    const bool is_pair = count == 64 && from_width_ == 32 && first % 32 == 0;
    if (is_pair) return builder_.combine(source_[first / 32], source_[first / 32 + 1]);
    if (const Scalar word = loaded_word(first, count); word.is_register()) return word;
    Scalar sum;
    bool is_empty = true;
    for (unsigned done = 0; done < count;) {
      const uint64_t leaf = (first + done) / from_width_;
      const auto in_leaf = static_cast<unsigned>((first + done) % from_width_);
      const unsigned word = in_leaf / 64;
      const unsigned in_word = in_leaf % 64;
      const unsigned of_word = std::min(from_width_ - word * 64, 64U);
      const unsigned taken = std::min(of_word - in_word, count - done);
      const Scalar part = source_[leaf * word_count(from_width_) + word];
      const Scalar piece = placed(part, from_width_ > 64 ? 64 : of_word, in_word, taken, done, count);
      sum = is_empty ? piece : builder_.compute("or", bit_type(full_width(count)), {sum, piece});
      is_empty = false;
      done += taken;
    }
    return sum;
  }

  /// Returns `taken` bits of a part, from its bit `from` on, at the bit `to` of a register for `count` bits.
  /// `width` is that of the part, or 64 for a word of a long integer, whose register has so many.
  Scalar placed(Scalar part, unsigned width, unsigned from, unsigned taken, unsigned to, unsigned count) {
    const Type type = unsigned_type(full_width(width));
    if (from != 0) part = builder_.shift("shr", type, part, Scalar::constant(from));
    const bool is_clean = from + taken == width && full_width(taken) == full_width(width) && taken > 1;
    if (!is_clean && taken != width) part = truncate(builder_, {part}, width, taken)[0];
    if (taken == count) return part;
    part = zero_extend(builder_, {part}, taken, full_width(count))[0];
    if (to == 0) return part;
    return builder_.shift("shl", unsigned_type(full_width(count)), part, Scalar::constant(to));
  }

  Builder& builder_;
  const Layout& from_;
  const Layout& to_;
  unsigned from_width_, to_width_;
  Parts source_;
};

}  // namespace

Parts cast_integer(Builder& builder, const Parts& value, unsigned from, unsigned to, bool is_signed) {
  if (from >= to) return from == to ? value : truncate(builder, value, from, to);
  return is_signed ? sign_extend(builder, value, from, to) : zero_extend(builder, value, from, to);
}

void emit_cast(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Layout& from = emitter.layout(*instruction.getOperand(0));
  const Layout& to = emitter.layout(instruction);
  const Parts value = emitter.parts(*instruction.getOperand(0));
  Parts result;
  for (size_t i = 0; i < to.leaves.size(); ++i) {
    result.append(
        cast_element(emitter, instruction, from.leaves[i].type, to.leaves[i].type, element(from, value, i)));
  }
  emitter.set(instruction, std::move(result));
}

void emit_bitcast(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Layout& from = emitter.layout(*instruction.getOperand(0));
  const Layout& to = emitter.layout(instruction);
  emitter.set(instruction, Repacker(emitter, from, to).run(emitter.parts(*instruction.getOperand(0))));
}

void emit_address_space_cast(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Address::Segment from =
      segment_of(instruction.getOperand(0)->getType()->getScalarType()->getPointerAddressSpace());
  const Address::Segment to = segment_of(instruction.getType()->getScalarType()->getPointerAddressSpace());
  Builder& builder = emitter.builder();
  Parts values = emitter.parts(*instruction.getOperand(0));
  for (Scalar& value : values) {
    // Flat and global addresses are the same numbers (PRM 2.8.2). A cast from private to constant memory
    // occurs for structures among the arguments, see prepare/kernel_arguments.h.
    if (address_bits(from) == 32 && address_bits(to) == 64) {
      value = builder.compute(fmt::format("stof_{}_u64_u32", name(from)), Type::u64, {{value, Type::u32}});
    } else if (address_bits(from) == 64 && address_bits(to) == 32) {
      value = builder.compute(fmt::format("ftos_{}_u32_u64", name(to)), Type::u32, {{value, Type::u64}});
    } else if (from != to && address_bits(from) == 32) {
      emitter.unsupported(instruction,
                          fmt::format("a cast from the {} to the {} address space", name(from), name(to)));
    }
  }
  emitter.set(instruction, std::move(values));
}

}  // namespace heddle::compiler
