// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics on floating-point numbers, element by element.
#include <cmath>

#include <fmt/format.h>

#include "compiler/emit/arithmetic.h"
#include "compiler/emit/elements.h"
#include "compiler/emit/intrinsics.h"

namespace heddle::compiler {

namespace {

namespace ID = llvm::Intrinsic;

// One element of the arguments of a call, in the type in which it is computed.
struct RealElement {
  FunctionEmitter& emitter;
  const llvm::CallInst& call;
  Type type;
  std::array<Scalar, 3> arguments;

  Builder& builder() const { return emitter.builder(); }
  Scalar constant(double value) const {
    llvm::APFloat number(value);
    bool ignored = false;
    const llvm::fltSemantics& semantics = type == Type::f16   ? llvm::APFloat::IEEEhalf()
                                          : type == Type::f32 ? llvm::APFloat::IEEEsingle()
                                                              : llvm::APFloat::IEEEdouble();
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &ignored);
    return Scalar::constant(number.bitcastToAPInt().getZExtValue());
  }
  Type part_type() const { return type == Type::f64 ? Type::u64 : Type::u32; }
};

using RealFunction = Scalar (*)(const RealElement&, const IntrinsicRow&);

// The result is a floating-point number as the first argument is. Arguments that are none stay as they are.
template <RealFunction function>
void each(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  Builder& builder = emitter.builder();
  set_by_elements(emitter, call, [&](llvm::Type* type, const ElementArguments& arguments) -> Parts {
    RealElement element{emitter, call, to_real(builder, arguments[0][0], type).type, {}};
    for (unsigned i = 0; i < std::min<unsigned>(call.arg_size(), arguments.size()); ++i) {
      const bool real = call.getArgOperand(i)->getType()->isFPOrFPVectorTy();
      element.arguments[i] = real ? to_real(builder, arguments[i][0], type).value : arguments[i][0];
    }
    return {from_real(builder, function(element, row), type)};
  });
}

Scalar unary(const RealElement& e, const IntrinsicRow& row) {
  return e.builder().compute(row.stem, e.type, {e.arguments[0]});
}

Scalar binary(const RealElement& e, const IntrinsicRow& row) {
  return e.builder().compute(row.stem, e.type, {e.arguments[0], e.arguments[1]});
}

Scalar ternary(const RealElement& e, const IntrinsicRow& row) {
  return e.builder().compute(row.stem, e.type, {e.arguments[0], e.arguments[1], e.arguments[2]});
}

// Unlike min and max of HSAIL, a NaN wins, and -0 is less than +0.
Scalar strict_extreme(const RealElement& e, const IntrinsicRow& row) {
  Builder& builder = e.builder();
  const Scalar a = e.arguments[0];
  const Scalar b = e.arguments[1];
  const Scalar plain = builder.compute(row.stem, e.type, {a, b});
  // For zeros, the sign of the least is the disjunction of the signs, and that of the greatest the
  // conjunction.
  const Type bit = bit_type(bits(e.part_type()));
  const bool half = e.type == Type::f16;
  const Scalar both = builder.compute(row.number != 0 ? "and" : "or", half ? Type::b32 : bit, {a, b});
  const Scalar equal = builder.compare("eq", e.type, a, b);
  const Scalar ordered = builder.select(e.part_type(), equal, both, plain);
  const Scalar sum = builder.compute("add", e.type, {a, b});
  return builder.select(e.part_type(), builder.compare("nan", e.type, a, b), sum, ordered);
}

// A number wins over a NaN, signalling or quiet, and -0 is less than +0.
Scalar number_extreme(const RealElement& e, const IntrinsicRow& row) {
  Builder& builder = e.builder();
  const Scalar one = e.constant(1);
  RealElement quiet = e;
  for (size_t i = 0; i < 2; ++i) quiet.arguments[i] = builder.compute("mul", e.type, {e.arguments[i], one});
  const Scalar plain = builder.compute(row.stem, e.type, {quiet.arguments[0], quiet.arguments[1]});
  const Type bit = bit_type(bits(e.part_type()));
  const Scalar both =
      builder.compute(row.number != 0 ? "and" : "or", bit, {quiet.arguments[0], quiet.arguments[1]});
  const Scalar equal = builder.compare("eq", e.type, quiet.arguments[0], quiet.arguments[1]);
  return builder.select(e.part_type(), equal, both, plain);
}

// Halves away from zero.
Scalar round_away(const RealElement& e, const IntrinsicRow&) {
  Builder& builder = e.builder();
  const Scalar x = e.arguments[0];
  const Scalar whole = builder.compute("trunc", e.type, {x});
  const Scalar rest = builder.compute("abs", e.type, {builder.compute("sub", e.type, {x, whole})});
  const Scalar step = builder.select(e.part_type(), builder.compare("ge", e.type, rest, e.constant(0.5)),
                                     e.constant(1), e.constant(0));
  const Scalar signed_step = builder.compute("copysign", e.type, {step, x});
  const Scalar sum = builder.compute("add", e.type, {whole, signed_step});
  return builder.compute("copysign", e.type, {sum, x});
}

// A product with 1 is what HSAIL calls canonical: NaNs become quiet.
Scalar canonical(const RealElement& e, const IntrinsicRow&) {
  return e.builder().compute("mul", e.type, {e.arguments[0], e.constant(1)});
}

Scalar reciprocal(const RealElement& e, const IntrinsicRow&) {
  return e.builder().compute("div", e.type, {e.constant(1), e.arguments[0]});
}

Scalar reciprocal_root(const RealElement& e, const IntrinsicRow&) {
  return e.builder().compute("nrsqrt", e.type, {e.arguments[0]});
}

// The same element with its first argument in single precision, if it was in half, which loses nothing.
RealElement single_or_double(const RealElement& e) {
  RealElement wider = e;
  if (e.type != Type::f16) return wider;
  wider.type = Type::f32;
  wider.arguments[0] = e.builder().convert(Type::f32, Type::f16, e.arguments[0]);
  return wider;
}

// A result that was computed so, in the type of the element.
Scalar narrowed(const RealElement& e, Scalar result) {
  return e.type == Type::f16 ? e.builder().convert(Type::f16, Type::f32, result) : result;
}

// The second argument as an s32. What does not fit is limited to a number that is beyond all exponents, too.
Scalar exponent_argument(const RealElement& e) {
  Builder& builder = e.builder();
  const unsigned width = e.emitter.width(e.call.getArgOperand(1)->getType()->getScalarType());
  if (width > 64) {
    e.emitter.unsupported(e.call, "an exponent of more than 64 bits");
    return Scalar::constant(0);
  }
  const Scalar n = builder.sign_extended(e.arguments[1], width);
  if (width <= 32) return n;
  const Scalar above =
      builder.compute("max", Type::s64, {n, Scalar::constant(static_cast<uint64_t>(-0x10000))});
  return builder.convert(Type::u32, Type::u64,
                         builder.compute("min", Type::s64, {above, Scalar::constant(0x10000)}));
}

Scalar clamped(Builder& builder, Scalar value, int low, int high) {
  value = builder.compute("max", Type::s32, {value, Scalar::constant(static_cast<uint32_t>(low))});
  return builder.compute("min", Type::s32, {value, Scalar::constant(static_cast<uint32_t>(high))});
}

// x * 2^n, rounded once, as a product of three powers of two. The last one takes as much of n as it can, so
// that the others are 1 unless the last is the least or the greatest: then their products are exact, or the
// result is zero or infinity whatever they lose. Half is scaled in single precision, where all steps but the
// last conversion are exact.
Scalar scale_by_power(const RealElement& e, const IntrinsicRow&) {
  Builder& builder = e.builder();
  const Scalar n = exponent_argument(e);
  const RealElement wider = single_or_double(e);
  const int limit = static_cast<int>(fields_of(wider.type).bias) - 1;
  const Scalar last = clamped(builder, n, -limit, limit);
  Scalar rest = builder.compute("sub", Type::u32, {n, last});
  Scalar x = wider.arguments[0];
  for (int round = 0; round < 2; ++round) {
    const Scalar step = clamped(builder, rest, -limit, limit);
    x = builder.compute("mul", wider.type, {x, power_of_two(builder, wider.type, step)});
    if (round == 0) rest = builder.compute("sub", Type::u32, {rest, step});
  }
  x = builder.compute("mul", wider.type, {x, power_of_two(builder, wider.type, last)});
  return narrowed(e, x);
}

// Instructions of f32 without limits of error (PRM 5.13), which only calls that allow approximations may use.
Scalar native(const RealElement& e, const IntrinsicRow& row) {
  if (e.type != Type::f32 || (row.number == 0 && !e.call.hasApproxFunc())) {
    e.emitter.unsupported(e.call, fmt::format("the intrinsic {} without leave to approximate",
                                              e.call.getCalledFunction()->getName().str()));
    return Scalar::constant(0);
  }
  return e.builder().compute(row.stem, e.type, {e.arguments[0]});
}

// Sines of revolutions instead of radians.
Scalar native_turns(const RealElement& e, const IntrinsicRow& row) {
  const Scalar angle = e.builder().compute("mul", e.type, {e.arguments[0], e.constant(6.283185307179586)});
  return e.builder().compute(row.stem, e.type, {angle});
}

Scalar median(const RealElement& e, const IntrinsicRow&) {
  Builder& builder = e.builder();
  const auto& [a, b, c] = e.arguments;
  const Scalar low = builder.compute("min", e.type, {a, b});
  const Scalar high = builder.compute("max", e.type, {a, b});
  return builder.compute("max", e.type, {low, builder.compute("min", e.type, {high, c})});
}

// Results of other types than the arguments.

void classify(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  const Layout& layout = emitter.layout(*call.getArgOperand(0));
  const Parts values = emitter.parts(*call.getArgOperand(0));
  const Scalar mask = emitter.parts(*call.getArgOperand(1))[0];
  Builder& builder = emitter.builder();
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    // Bits of the mask mean the same in LLVM, AMD's instructions and HSAIL (PRM 5.12). f32 has more exponents
    // than bfloat has fractions less, so that subnormal numbers stay such.
    const Real real = to_real(builder, values[i], layout.leaves[i].type);
    result.push_back(builder.compute(fmt::format("class_b1_{}", name(real.type)), Type::b1,
                                     {{real.value, real.type}, {mask, Type::u32}}));
  }
  emitter.set(call, std::move(result));
}

Scalar limited(Builder& builder, Scalar value, unsigned width, bool is_signed, unsigned full) {
  const Type type = is_signed ? signed_type(full) : unsigned_type(full);
  if (is_signed) {
    const llvm::APInt low = llvm::APInt::getSignedMinValue(width).sext(full);
    value = builder.compute("max", type, {value, Scalar::constant(low.getZExtValue())});
  }
  const llvm::APInt high =
      is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  return builder.compute("min", type, {value, Scalar::constant(high.getZExtValue())});
}

void to_integer_saturating(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& from = emitter.layout(*call.getArgOperand(0));
  const Layout& to = emitter.layout(call);
  const Parts values = emitter.parts(*call.getArgOperand(0));
  const bool is_signed = row.number != 0;
  Builder& builder = emitter.builder();
  Parts result;
  for (size_t i = 0; i < to.leaves.size(); ++i) {
    const unsigned width = emitter.width(to.leaves[i].type);
    if (width > 64) {
      result.append(real_to_wide(emitter, values[i], from.leaves[i].type, width, is_signed, true));
      continue;
    }
    const Real real = to_real(builder, values[i], from.leaves[i].type);
    const unsigned full = width <= 32 ? 32 : 64;
    Scalar converted = builder.convert(is_signed ? signed_type(full) : unsigned_type(full), real.type,
                                       real.value, "zeroi_sat");
    if (width != full)
      converted = builder.truncated(limited(builder, converted, width, is_signed, full), width);
    if (width == 1) converted = builder.compare("ne", Type::u32, converted, Scalar::constant(0));
    result.push_back(converted);
  }
  emitter.set(call, std::move(result));
}

void round_to_integer(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& from = emitter.layout(*call.getArgOperand(0));
  const Layout& to = emitter.layout(call);
  const Parts values = emitter.parts(*call.getArgOperand(0));
  Builder& builder = emitter.builder();
  Parts result;
  for (size_t i = 0; i < to.leaves.size(); ++i) {
    const unsigned width = emitter.width(to.leaves[i].type);
    if (width != 32 && width != 64)
      return emitter.unsupported(call, fmt::format("rounding to {} bits", width));
    Real real = to_real(builder, values[i], from.leaves[i].type);
    if (row.number != 0) {
      const RealElement e{emitter, call, real.type, {real.value}};
      real.value = round_away(e, row);
    }
    result.push_back(
        builder.convert(signed_type(width), real.type, real.value, row.number != 0 ? "zeroi" : "neari"));
  }
  emitter.set(call, std::move(result));
}

// The fraction in [0.5, 1) and the exponent; zeros, infinities and NaNs stay as they are, with exponent 0.
struct Fraction {
  Scalar value;
  Scalar exponent;  // s32
};

// A number that is subnormal, times the power of two that makes it normal, and the exponent of this power.
struct Normalised {
  Scalar value;
  Scalar shift;  // u32
};

// For f32 and f64. Other numbers stay as they are, with 0.
Normalised normalised(const RealElement& e) {
  Builder& builder = e.builder();
  const unsigned shift = e.type == Type::f64 ? 54 : 25;
  const Scalar x = e.arguments[0];
  const Scalar magnitude = builder.compute("abs", e.type, {x});
  const Scalar smallest = Scalar::constant(uint64_t{1} << fields_of(e.type).fraction);
  const Scalar subnormal = builder.compare("lt", e.type, magnitude, smallest);
  const Scalar larger =
      builder.compute("mul", e.type, {x, e.constant(std::ldexp(1.0, static_cast<int>(shift)))});
  const Scalar value = builder.select(e.part_type(), subnormal, larger, x);
  return {value, builder.select(Type::u32, subnormal, Scalar::constant(shift), Scalar::constant(0))};
}

// The exponent of a normalised number as a fraction in [0.5, 1) has it.
Scalar exponent_of(const RealElement& e, const Normalised& normal) {
  Builder& builder = e.builder();
  const Fields fields = fields_of(e.type);
  const Type part = e.part_type();
  const Scalar shifted = builder.shift("shr", part, normal.value, Scalar::constant(fields.fraction));
  Scalar exponent = builder.bit_and(part, shifted, fields.exponent_mask);
  if (e.type == Type::f64) exponent = builder.convert(Type::u32, Type::u64, exponent);
  const Scalar unbiased = builder.compute("sub", Type::u32, {exponent, Scalar::constant(fields.bias - 1)});
  return builder.compute("sub", Type::u32, {unbiased, normal.shift});
}

// A normalised number with the exponent of 1/2.
Scalar with_exponent_of_half(const RealElement& e, const Normalised& normal) {
  Builder& builder = e.builder();
  const Fields fields = fields_of(e.type);
  const Type part = e.part_type();
  const uint64_t all = e.type == Type::f64 ? ~uint64_t{0} : 0xffffffffU;
  const uint64_t exponent = uint64_t{fields.exponent_mask} << fields.fraction;
  const Scalar bare = builder.bit_and(part, normal.value, all & ~exponent);
  return builder.compute("or", bit_type(bits(part)), {bare, e.constant(0.5)});
}

// Half is split in single precision.
Fraction split_number(const RealElement& e) {
  Builder& builder = e.builder();
  const RealElement wider = single_or_double(e);
  const Scalar x = wider.arguments[0];
  const Normalised normal = normalised(wider);
  const Scalar exponent = exponent_of(wider, normal);
  const Scalar half = with_exponent_of_half(wider, normal);
  // Zeros (0x60), infinities (0x204) and NaNs (0x3).
  const Scalar special = builder.compute(fmt::format("class_b1_{}", name(wider.type)), Type::b1,
                                         {{x, wider.type}, {Scalar::constant(0x267), Type::u32}});
  const Scalar value = narrowed(e, builder.select(wider.part_type(), special, x, half));
  return {value, builder.select(Type::u32, special, Scalar::constant(0), exponent)};
}

Scalar integer_from_s32(Builder& builder, Scalar value, unsigned width) {
  if (width <= 32) return builder.truncated(value, width);
  return builder.truncated(builder.convert(Type::s64, Type::s32, value), width);
}

// `number`: 0 for both results, 1 for the fraction, 2 for the exponent.
void fraction_and_exponent(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  const Layout& from = emitter.layout(*call.getArgOperand(0));
  const Parts values = emitter.parts(*call.getArgOperand(0));
  Builder& builder = emitter.builder();
  llvm::Type* last = call.getType();
  if (auto* both = llvm::dyn_cast<llvm::StructType>(last)) last = both->getElementType(1);
  const unsigned width = row.number == 1 ? 32 : emitter.width(last->getScalarType());
  if (width > 64) return emitter.unsupported(call, "an exponent of more than 64 bits");
  Parts fractions;
  Parts exponents;
  for (size_t i = 0; i < from.leaves.size(); ++i) {
    llvm::Type* scalar = from.leaves[i].type;
    const Real real = to_real(builder, values[i], scalar);
    const Fraction split = split_number({emitter, call, real.type, {real.value}});
    fractions.push_back(from_real(builder, split.value, scalar));
    exponents.push_back(integer_from_s32(builder, split.exponent, width));
  }
  if (row.number == 0) fractions.append(exponents);
  emitter.set(call, row.number == 2 ? std::move(exponents) : std::move(fractions));
}

// {fraction, whole}
void split_whole(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  const Layout& from = emitter.layout(*call.getArgOperand(0));
  const Parts values = emitter.parts(*call.getArgOperand(0));
  Builder& builder = emitter.builder();
  Parts fractions;
  Parts wholes;
  for (size_t i = 0; i < from.leaves.size(); ++i) {
    const Real x = to_real(builder, values[i], from.leaves[i].type);
    const Type part = x.type == Type::f64 ? Type::u64 : Type::u32;
    const Scalar whole = builder.compute("trunc", x.type, {x.value});
    // The fraction of an infinity is zero.
    const Scalar infinite = builder.compute(fmt::format("class_b1_{}", name(x.type)), Type::b1,
                                            {{x.value, x.type}, {Scalar::constant(0x204), Type::u32}});
    const Scalar rest =
        builder.select(part, infinite, Scalar::constant(0), builder.compute("sub", x.type, {x.value, whole}));
    fractions.push_back(
        from_real(builder, builder.compute("copysign", x.type, {rest, x.value}), from.leaves[i].type));
    wholes.push_back(from_real(builder, whole, from.leaves[i].type));
  }
  fractions.append(wholes);
  emitter.set(call, std::move(fractions));
}

// Elements are added one after the other, which is also right where any order is allowed.
void reduce(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  llvm::Type* scalar = call.getType();
  Builder& builder = emitter.builder();
  const bool has_start = row.number == 2;
  const Parts values = emitter.parts(*call.getArgOperand(has_start ? 1 : 0));
  size_t next = has_start ? 0 : 1;
  Scalar sum = has_start ? emitter.scalar(*call.getArgOperand(0)) : values[0];
  for (; next < values.size(); ++next) {
    RealElement e{emitter, call, Type::f32, {}};
    const Real a = to_real(builder, sum, scalar);
    e.type = a.type;
    e.arguments = {a.value, to_real(builder, values[next], scalar).value};
    const bool strict = call.getIntrinsicID() == ID::vector_reduce_fminimum ||
                        call.getIntrinsicID() == ID::vector_reduce_fmaximum;
    sum = from_real(builder, strict ? strict_extreme(e, row) : binary(e, row), scalar);
  }
  emitter.set(call, sum);
}

constexpr IntrinsicRow rows[] = {
    {ID::fabs, each<unary>, "abs"},
    {ID::floor, each<unary>, "floor"},
    {ID::ceil, each<unary>, "ceil"},
    {ID::trunc, each<unary>, "trunc"},
    {ID::rint, each<unary>, "rint"},
    {ID::nearbyint, each<unary>, "rint"},
    {ID::roundeven, each<unary>, "rint"},
    {ID::round, each<round_away>},
    {ID::sqrt, each<unary>, "sqrt"},
    {ID::canonicalize, each<canonical>},
    {ID::copysign, each<binary>, "copysign"},
    {ID::minnum, each<binary>, "min"},
    {ID::maxnum, each<binary>, "max"},
    {ID::minimum, each<strict_extreme>, "min", 0},
    {ID::maximum, each<strict_extreme>, "max", 1},
    {ID::minimumnum, each<number_extreme>, "min", 0},
    {ID::maximumnum, each<number_extreme>, "max", 1},
    {ID::fma, each<ternary>, "fma"},
    {ID::fmuladd, each<ternary>, "fma"},
    {ID::ldexp, each<scale_by_power>},
    {ID::frexp, fraction_and_exponent, {}, 0},
    {ID::modf, split_whole},
    {ID::is_fpclass, classify},
    {ID::fptosi_sat, to_integer_saturating, {}, 1},
    {ID::fptoui_sat, to_integer_saturating, {}, 0},
    {ID::lrint, round_to_integer, {}, 0},
    {ID::llrint, round_to_integer, {}, 0},
    {ID::lround, round_to_integer, {}, 1},
    {ID::llround, round_to_integer, {}, 1},
    {ID::sin, each<native>, "nsin"},
    {ID::cos, each<native>, "ncos"},
    {ID::exp2, each<native>, "nexp2"},
    {ID::log2, each<native>, "nlog2"},
    {ID::vector_reduce_fadd, reduce, "add", 2},
    {ID::vector_reduce_fmul, reduce, "mul", 2},
    {ID::vector_reduce_fmin, reduce, "min", 0},
    {ID::vector_reduce_fmax, reduce, "max", 1},
    {ID::vector_reduce_fminimum, reduce, "min", 0},
    {ID::vector_reduce_fmaximum, reduce, "max", 1},
    {ID::amdgcn_rcp, each<reciprocal>},
    {ID::amdgcn_rsq, each<reciprocal_root>},
    {ID::amdgcn_sqrt, each<unary>, "sqrt"},
    {ID::amdgcn_fract, each<unary>, "fract"},
    {ID::amdgcn_exp2, each<native>, "nexp2", 1},
    {ID::amdgcn_log, each<native>, "nlog2", 1},
    {ID::amdgcn_sin, each<native_turns>, "nsin"},
    {ID::amdgcn_cos, each<native_turns>, "ncos"},
    {ID::amdgcn_fmed3, each<median>},
    {ID::amdgcn_class, classify},
    {ID::amdgcn_frexp_mant, fraction_and_exponent, {}, 1},
    {ID::amdgcn_frexp_exp, fraction_and_exponent, {}, 2},
};

}  // namespace

llvm::ArrayRef<IntrinsicRow> real_intrinsics() { return rows; }

}  // namespace heddle::compiler
