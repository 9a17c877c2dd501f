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
  if (to > 64) return {value[0], builder.truncated(value[1], to - 64, 64)};
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
    if (from > 64) return value;
    return {zero_extend(builder, value, from, 64)[0], Scalar::constant(0)};
  }
  if (from == 1) {
    if (value[0].is_number()) return {Scalar::constant(value[0].bits & 1)};
    return {builder.convert(unsigned_type(full_width(to)), Type::b1, value[0])};
  }
  return {to_bits_of(builder, value[0], full_width(from), full_width(to))};
}

Parts sign_extend(Builder& builder, const Parts& value, unsigned from, unsigned to) {
  if (to > 64) {
    Parts wide = value;
    if (from <= 64) {
      const Scalar low = sign_extend(builder, value, from, 64)[0];
      wide = {low, builder.shift("shr", Type::s64, low, Scalar::constant(63))};
    } else {
      wide = wide_sign_extended(builder, value, from);
    }
    return {wide[0], builder.truncated(wide[1], to - 64, 64)};
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
      return {real_to_integer(builder, value[0], from, to_width, cast.getOpcode() == I::FPToSI)};
    default:
      return {integer_to_real(builder, value, from_width, to, cast.getOpcode() == I::SIToFP)};
  }
}

bool is_wide_to_real(FunctionEmitter& emitter, const llvm::Instruction& cast) {
  llvm::Type* from = cast.getOperand(0)->getType()->getScalarType();
  llvm::Type* to = cast.getType()->getScalarType();
  return from->isFloatingPointTy() != to->isFloatingPointTy() && !from->isPointerTy() && !to->isPointerTy() &&
         (emitter.width(from) > 64 || emitter.width(to) > 64);
}

// The bits of a value, in a row: casts between types of the same size whose elements differ.
class Repacker {
 public:
  Repacker(FunctionEmitter& emitter, const Layout& from, const Layout& to)
      : emitter_(emitter), builder_(emitter.builder()), from_(from), to_(to) {}

  Parts run(const Parts& parts) {
    const unsigned from_width = emitter_.width(from_.leaves[0].type);
    const unsigned to_width = emitter_.width(to_.leaves[0].type);
    Parts source = clean(parts);
    if (from_width == to_width) return source;
    if (from_width < to_width) return join(source, from_width, to_width);
    return split(source, from_width, to_width);
  }

 private:
  // The upper bits of a register that holds a half are undefined (PRM 4.13).
  Parts clean(const Parts& parts) {
    Parts result = parts;
    if (!from_.leaves[0].type->isHalfTy() || to_.leaves[0].type->isHalfTy()) return result;
    for (Scalar& part : result) part = builder_.bit_and(Type::u32, part, 0xffff);
    return result;
  }

  Parts join(const Parts& parts, unsigned from_width, unsigned to_width) {
    const unsigned count = to_width / from_width;
    Parts result;
    for (size_t first = 0; first + count <= from_.leaves.size(); first += count) {
      if (from_width == 32 && to_width == 64) {
        result.push_back(builder_.combine(parts[first], parts[first + 1]));
        continue;
      }
      result.append(or_together(parts, first, count, from_width, to_width));
    }
    return result;
  }

  Parts or_together(const Parts& parts, size_t first, unsigned count, unsigned from_width,
                    unsigned to_width) {
    Parts sum;
    const unsigned of_part = std::min(to_width, 64U);
    const Type type = unsigned_type(full_width(of_part));
    for (unsigned i = 0; i < count; ++i) {
      const unsigned place = i * from_width % of_part;
      const Scalar wide = zero_extend(builder_, {parts[first + i]}, from_width, full_width(of_part))[0];
      const Scalar moved = place == 0 ? wide : builder_.shift("shl", type, wide, Scalar::constant(place));
      if (place == 0) {
        sum.push_back(moved);
      } else {
        sum.back() = builder_.compute("or", bit_type(bits(type)), {sum.back(), moved});
      }
    }
    return sum;
  }

  Parts split(const Parts& parts, unsigned from_width, unsigned to_width) {
    Parts result;
    const unsigned of_part = std::min(from_width, 64U);
    const Type type = unsigned_type(full_width(of_part));
    for (const Scalar& part : parts) {
      for (unsigned place = 0; place < of_part; place += to_width) {
        const Scalar moved = place == 0 ? part : builder_.shift("shr", type, part, Scalar::constant(place));
        result.append(truncate(builder_, {moved}, of_part, to_width));
      }
    }
    return result;
  }

  FunctionEmitter& emitter_;
  Builder& builder_;
  const Layout& from_;
  const Layout& to_;
};

}  // namespace

void emit_cast(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Layout& from = emitter.layout(*instruction.getOperand(0));
  const Layout& to = emitter.layout(instruction);
  if (is_wide_to_real(emitter, instruction)) {
    emitter.unsupported(instruction,
                        fmt::format("{} of an integer of more than 64 bits", instruction.getOpcodeName()));
    return;
  }
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
  const unsigned from_width = emitter.width(from.leaves[0].type);
  const unsigned to_width = emitter.width(to.leaves[0].type);
  if (std::max(from_width, to_width) % std::min(from_width, to_width) != 0) {
    emitter.unsupported(instruction, fmt::format("a bitcast from elements of {} bits to elements of {} bits",
                                                 from_width, to_width));
    return;
  }
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
