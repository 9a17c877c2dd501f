// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle::tests {
namespace {

constexpr unsigned widths[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 8, 16};
constexpr const char* rounding_suffixes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

/// A builtin function; "T" is the type of its result and arguments unless `arguments` says otherwise.
struct Builtin {
  const char* text;  ///< {0}, {1}, {2}: arguments of the type of the result; {3}: of its unsigned type
};
constexpr Builtin integer_builtins[] = {
    {"add_sat({0}, {1})"},
    {"sub_sat({0}, {1})"},
    {"hadd({0}, {1})"},
    {"rhadd({0}, {1})"},
    {"clz({0})"},
    {"popcount({0})"},
    {"mul_hi({0}, {1})"},
    {"rotate({0}, {1})"},
    {"min({0}, {1})"},
    {"max({0}, {1})"},
    {"mad_hi({0}, {1}, {2})"},
    {"mad_sat({0}, {1}, {2})"},
    {"ctz({0})"},
    {"bitselect({0}, {1}, {2})"},
    {"clamp({0}, min({1}, {2}), max({1}, {2}))"},
};
constexpr Builtin real_builtins[] = {
    {"fabs({0})"}, {"floor({0})"}, {"ceil({0})"}, {"trunc({0})"},
    {"rint({0})"}, {"round({0})"}, {"sqrt({0})"},
};

}  // namespace

std::string marked(Type type, const std::string& text) {
  return mark_begin + type.name() + mark_type_end + text + mark_end;
}

std::string unmarked(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == mark_begin)
      i = text.find(mark_type_end, i);
    else if (text[i] != mark_end)
      plain += text[i];
  }
  return plain;
}

const std::vector<Expressions::Maker>& Expressions::integer_makers() {
  using E = Expressions;
  static const std::vector<Maker> makers = {
      &E::wrapping,        &E::wrapping, &E::fitting,       &E::bitwise, &E::bitwise,   &E::shifted,
      &E::divided,         &E::unary,    &E::compared,      &E::chosen,  &E::converted, &E::converted,
      &E::picked,          &E::composed, &E::reinterpreted, &E::called,  &E::called,    &E::integer_function,
      &E::integer_function};
  return makers;
}

const std::vector<Expressions::Maker>& Expressions::real_makers() {
  using E = Expressions;
  static const std::vector<Maker> makers = {&E::real_arithmetic, &E::real_arithmetic, &E::real_arithmetic,
                                            &E::chosen,          &E::converted,       &E::converted,
                                            &E::picked,          &E::composed,        &E::reinterpreted,
                                            &E::called,          &E::real_function};
  return makers;
}

Type Expressions::any_type() {
  return {static_cast<Base>(random_.below(bases)), widths[random_.below(std::size(widths))]};
}

std::string Expressions::of(Type type, unsigned depth) {
  if (depth == 0 || random_.chance(12)) return marked(type, leaf(type));
  const auto& makers = type.is_integer() ? integer_makers() : real_makers();
  return marked(type, (this->*makers[random_.below(static_cast<unsigned>(makers.size()))])(type, depth - 1));
}

std::string Expressions::condition(unsigned depth) {
  const Type type = any_type().scalar();
  return compared({Base::int_, 1}, depth) + (random_.chance(20) ? " && " + of({Base::int_, 1}, 0) : "") +
         (random_.chance(10) ? " || " + of(type, 0) + " > " + constant(type) : "");
}

std::string Expressions::element(const Array& array, unsigned depth) {
  const Type index{random_.chance(50) ? Base::int_ : Base::uchar, 1};
  return fmt::format("{}[{} & {}]", array.name, of(index, depth), array.size - 1);
}

std::string Expressions::constant(Type type) {
  const auto element = [&]() -> std::string {
    if (!type.is_integer()) {
      static constexpr const char* values[] = {"0",    "1",    "-1",   "0.5",  "3.25",
                                               "1000", "-0.0", "1e-3", "-7.75"};
      return fmt::format("({}){}", type.scalar().name(), values[random_.below(std::size(values))]);
    }
    const uint64_t mask = ~uint64_t{0} >> (64 - type.bits());
    const uint64_t value = random_.chance(60) ? random_.below(20) : random_.word() >> random_.below(64);
    return fmt::format("({}){:#x}{}", type.scalar().name(), value & mask, type.bits() == 64 ? "ul" : "u");
  };
  if (!type.is_vector()) return "(" + element() + ")";
  if (random_.chance(50)) return fmt::format("(({})({}))", type.name(), element());
  std::string text = element();
  for (unsigned i = 1; i < type.width; ++i) text += ", " + element();
  return fmt::format("(({})({}))", type.name(), text);
}

std::string Expressions::leaf(Type type) {
  std::vector<const Place*> same, convertible;
  for (const Place& place : scope_.places) {
    if (place.type == type) same.push_back(&place);
    if (place.type.width == type.width && (place.type.is_integer() || !type.is_integer()))
      convertible.push_back(&place);
  }
  std::vector<const Array*> arrays;
  for (const Array& array : scope_.arrays)
    if (array.type == type) arrays.push_back(&array);
  if (!arrays.empty() && random_.chance(40))
    return element(*arrays[random_.below(static_cast<unsigned>(arrays.size()))], 0);
  if (!same.empty() && random_.chance(75))
    return same[random_.below(static_cast<unsigned>(same.size()))]->text;
  if (!convertible.empty() && random_.chance(80)) {
    const Place& place = *convertible[random_.below(static_cast<unsigned>(convertible.size()))];
    return fmt::format("convert_{}({})", type.name(), place.text);
  }
  return constant(type);
}

std::string Expressions::wrapping(Type type, unsigned depth) {
  const char op = "+-*"[random_.below(3)];
  const std::string a = of(type, depth), b = of(type, depth);
  if (type.is_vector()) {
    if (!type.is_signed()) return fmt::format("({} {} {})", a, op, b);
    const std::string other = type.as_unsigned().name();
    return fmt::format("as_{}(as_{}({}) {} as_{}({}))", type.name(), other, a, op, other, b);
  }
  const char* wide = type.bits() == 64 ? "ulong" : "uint";
  return fmt::format("(({})(({}){} {} ({}){}))", type.name(), wide, a, op, wide, b);
}

// Signed arithmetic that cannot overflow, because the operands have lost bits.
std::string Expressions::fitting(Type type, unsigned depth) {
  const bool product = random_.chance(40);
  const std::string lost = fmt::format("({})({})", type.name(), product ? type.bits() / 2 : 1);
  const std::string text = fmt::format("(({0} >> {2}) {3} ({1} >> {2}))", of(type, depth), of(type, depth),
                                       lost, product ? '*' : "+-"[random_.below(2)]);
  return type.is_vector() ? text : fmt::format("(({}){})", type.name(), text);
}

std::string Expressions::bitwise(Type type, unsigned depth) {
  const std::string text =
      fmt::format("({} {} {})", of(type, depth), "&|^"[random_.below(3)], of(type, depth));
  return type.is_vector() ? text : fmt::format("(({}){})", type.name(), text);
}

// OpenCL takes the amount modulo the size of the shifted value (OpenCL C 6.3 j), so that any is defined.
std::string Expressions::shifted(Type type, unsigned depth) {
  const std::string a = of(type, depth), b = of(type, depth);
  const std::string amount =
      random_.chance(50) ? b : fmt::format("({} & ({})({}))", b, type.name(), type.bits() - 1);
  if (random_.chance(50)) {
    const std::string text = fmt::format("({} >> {})", a, amount);
    return type.is_vector() ? text : fmt::format("(({}){})", type.name(), text);
  }
  if (type.is_vector())
    return fmt::format("as_{0}(as_{1}({2}) << as_{1}({3}))", type.name(), type.as_unsigned().name(), a,
                       amount);
  return fmt::format("(({})(({}){} << {}))", type.name(), type.bits() == 64 ? "ulong" : "uint", a, amount);
}

std::string Expressions::divided(Type type, unsigned depth) {
  const std::string y = fresh();
  const std::string bad = type.is_signed()
                              ? fmt::format("({0} == ({1})(0)) | ({0} == ({1})(-1))", y, type.name())
                              : fmt::format("{} == ({})(0)", y, type.name());
  const std::string a = of(type, depth), b = of(type, depth);
  return fmt::format("({{ {0} {1} = {2}; ({0})({3} {4} (({5}) ? ({0})(3) : {1})); }})", type.name(), y, b, a,
                     "/%"[random_.below(2)], bad);
}

std::string Expressions::unary(Type type, unsigned depth) {
  const std::string a = of(type, depth);
  const std::string u = type.as_unsigned().name();
  switch (random_.below(3)) {
    case 0:
      return type.is_vector() ? fmt::format("(~{})", a) : fmt::format("(({})~{})", type.name(), a);
    case 1:
      return type.is_vector() ? fmt::format("as_{}(({})(0) - as_{}({}))", type.name(), u, u, a)
                              : fmt::format("(({})(({})0 - ({}){}))", type.name(), u, u, a);
    default:
      // The magnitude is of the unsigned type.
      return fmt::format("as_{}(abs({}))", type.name(), a);
  }
}

std::string Expressions::compared(Type type, unsigned depth) {
  static constexpr const char* operators[] = {"<", "<=", ">", ">=", "==", "!="};
  const char* op = operators[random_.below(6)];
  if (!type.is_vector()) {
    const Type operands = any_type().scalar();
    return fmt::format("(({})({} {} {}))", type.name(), of(operands, depth), op, of(operands, depth));
  }
  Type operands = any_type().of_width(type.width);
  for (unsigned i = 0; operands.bits() != type.bits(); ++i) operands.base = static_cast<Base>(i);
  const std::string text = fmt::format("({} {} {})", of(operands, depth), op, of(operands, depth));
  return type.is_signed() ? text : fmt::format("as_{}({})", type.name(), text);
}

std::string Expressions::chosen(Type type, unsigned depth) {
  const std::string a = of(type, depth), b = of(type, depth);
  if (!type.is_vector() || random_.chance(30)) {
    const std::string text = fmt::format("(({}) ? {} : {})", condition(depth), a, b);
    return type.is_vector() ? text : fmt::format("(({}){})", type.name(), text);
  }
  const std::string mask = of(type.as_signed(), depth);
  if (random_.chance(40)) return fmt::format("select({}, {}, {})", a, b, mask);
  return fmt::format("({} ? {} : {})", mask, a, b);
}

std::string Expressions::converted(Type type, unsigned depth) {
  const Type from = any_type().of_width(type.width);
  const bool must_saturate = !from.is_integer() && type.is_integer();
  const bool saturates = must_saturate || (type.is_integer() && random_.chance(50));
  return fmt::format("convert_{}{}{}({})", type.name(), saturates ? "_sat" : "",
                     rounding_suffixes[random_.below(5)], of(from, depth));
}

std::string Expressions::picked(Type type, unsigned depth) {
  static constexpr const char* halves[] = {"lo", "hi", "even", "odd"};
  if (type.is_vector() && type.width != 3 && type.width != 16 && random_.chance(50))
    return fmt::format("({}.{})", of(type.of_width(type.width * 2), depth), halves[random_.below(4)]);
  const unsigned from = widths[13 + random_.below(8)];
  std::string elements;
  for (unsigned i = 0; i < type.width; ++i) elements += "0123456789abcdef"[random_.below(from)];
  return fmt::format("({}.s{})", of(type.of_width(from), depth), elements);
}

std::string Expressions::composed(Type type, unsigned depth) {
  if (!type.is_vector()) return picked(type, depth);
  std::string text;
  for (unsigned made = 0; made < type.width;) {
    unsigned width = widths[random_.below(std::size(widths))];
    if (made + width > type.width || width == type.width) width = 1;
    // Long vectors are of leaves, or they would be as long as a program.
    text += (made == 0 ? "" : ", ") + of(type.of_width(width), type.width > 4 ? 0 : depth);
    made += width;
  }
  return fmt::format("(({})({}))", type.name(), text);
}

std::string Expressions::reinterpreted(Type type, unsigned depth) {
  Type from{static_cast<Base>(random_.below(bases)), type.width};
  const unsigned size = type.width * type.bits();
  if (type.width == 3 || size % from.bits() != 0 || (size / from.bits() & (size / from.bits() - 1)) != 0 ||
      size / from.bits() > 16)
    from = random_.chance(50) ? type.as_signed() : type.as_unsigned();
  else
    from.width = size / from.bits();
  std::string value = of(from, depth);
  const auto quiet = [&](Type real, const std::string& expression) {
    const std::string name = fresh();
    return fmt::format("({{ {0} {1} = {2}; {1} != {1} ? ({0})(NAN) : {1}; }})", real.name(), name,
                       expression);
  };
  if (!from.is_integer()) value = quiet(from, value);
  const std::string text = fmt::format("as_{}({})", type.name(), value);
  return type.is_integer() ? text : quiet(type, text);
}

std::string Expressions::integer_function(Type type, unsigned depth) {
  const std::string a = of(type, depth), b = of(type, depth), c = of(type, 0);
  if (type.bits() > 8 && random_.chance(10)) {
    Type low = type.as_unsigned();
    low.base = static_cast<Base>(static_cast<unsigned>(low.base) - 2);
    const Type high = type.is_signed() ? low.as_signed() : low;
    return fmt::format("upsample({}, {})", of(high, depth), of(low, depth));
  }
  if (random_.chance(8)) return fmt::format("as_{}(abs_diff({}, {}))", type.name(), a, b);
  const Builtin& builtin = integer_builtins[random_.below(std::size(integer_builtins))];
  return fmt::format(fmt::runtime(builtin.text), a, b, c);
}

std::string Expressions::real_function(Type type, unsigned depth) {
  const std::string a = of(type, depth);
  if (type.base != Base::half && random_.chance(20))
    return fmt::format("fma({}, {}, {})", a, of(type, depth), of(type, 0));
  if (random_.chance(15)) {
    // The sign of a NaN is nobody's to know.
    const std::string sign = fresh();
    return fmt::format("({{ {0} {1} = {2}; copysign({3}, {1} != {1} ? ({0})(1) : {1}); }})", type.name(),
                       sign, of(type, depth), a);
  }
  // Either zero may be the smaller one; the sum of both is positive.
  if (random_.chance(15))
    return fmt::format("({}({}, {}) + ({})(0))", random_.chance(50) ? "fmin" : "fmax", a, of(type, depth),
                       type.name());
  return fmt::format(fmt::runtime(real_builtins[random_.below(std::size(real_builtins))].text), a);
}

std::string Expressions::real_arithmetic(Type type, unsigned depth) {
  if (random_.chance(10)) return fmt::format("(-{})", of(type, depth));
  return fmt::format("({} {} {})", of(type, depth), "+-*/"[random_.below(4)], of(type, depth));
}

std::string Expressions::arguments(const Function& function, unsigned depth) {
  std::string text;
  for (const Type& parameter : function.parameters)
    text += (text.empty() ? "" : ", ") + of(parameter, depth > 1 ? 1 : depth);
  return text;
}

std::optional<std::string> Expressions::call(const Function& function, unsigned depth) {
  std::string text = arguments(function, depth);
  if (!function.structure.empty()) {
    const auto value = std::ranges::find(scope_.structures, function.structure, &StructureVariable::type);
    if (value == scope_.structures.end()) return std::nullopt;
    text += ", " + value->name;
  }
  if (function.pointed_size > 0) {
    const auto array = std::ranges::find_if(scope_.arrays, [&](const Array& one) {
      return one.type == function.pointed && one.size >= function.pointed_size && one.writable;
    });
    if (array == scope_.arrays.end()) return std::nullopt;
    text += ", " + array->name;
  }
  return fmt::format("{}({})", function.name, text);
}

std::string Expressions::called(Type type, unsigned depth) {
  for (unsigned i = 0; i < 4 && scope_.functions_visible > 0; ++i) {
    const Function& function = (*scope_.functions)[random_.below(scope_.functions_visible)];
    // What writes through a pointer is called in statements of its own: C leaves the order in expressions
    // open.
    if (function.pointed_size > 0 || function.result.width != type.width) continue;
    if (!function.result.is_integer() && type.is_integer()) continue;
    const auto text = call(function, depth);
    if (!text) continue;
    return function.result == type ? *text : fmt::format("convert_{}({})", type.name(), *text);
  }
  return leaf(type);
}

}  // namespace heddle::tests
