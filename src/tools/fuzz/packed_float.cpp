// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packed_float.h"

#include <fmt/format.h>

#include "ordered_text.h"

namespace heddle::tools::fuzz {
namespace {

/// A packed type, and the unsigned type of the same shape that its comparisons return.
struct Shape {
  const char *type, *mask;
  unsigned bits;    ///< of all elements: 32, 64, 128
  const char* nan;  ///< a NaN in each element of 64 bits (f16x2: 32 bits)
};

constexpr const char *nans16 = "0x7e007e007e007e00", *nans32 = "0x7fc000007fc00000",
                     *nans64 = "0x7ff8000000000000";
constexpr Shape f16x2{"f16x2", "u16x2", 32, "0x7e007e00"};
constexpr Shape f16x4{"f16x4", "u16x4", 64, nans16};
constexpr Shape f16x8{"f16x8", "u16x8", 128, nans16};
constexpr Shape f32x2{"f32x2", "u32x2", 64, nans32};
constexpr Shape f32x4{"f32x4", "u32x4", 128, nans32};
constexpr Shape f64x2{"f64x2", "u64x2", 128, nans64};
constexpr Shape shapes[] = {f16x2, f16x4, f16x8, f32x2, f32x4, f64x2};

struct Form {
  const char* opcode;
  unsigned sources;
  bool flushes, rounds;
};
constexpr Form forms[] = {
    {"add", 2, true, true},        {"sub", 2, true, true},    {"mul", 2, true, true},
    {"div", 2, true, true},        {"min", 2, true, false},   {"max", 2, true, false},
    {"copysign", 2, false, false}, {"sqrt", 1, true, true},   {"fract", 1, true, true},
    {"ceil", 1, true, false},      {"floor", 1, true, false}, {"trunc", 1, true, false},
    {"rint", 1, true, false},      {"neg", 1, false, false},  {"abs", 1, false, false},
};

struct Conversion {
  const char* opcode;  ///< "{0}": rounding of floats, "{1}": flushing
  Shape to;
  const char* from;
  unsigned from_bits;
  bool rounds, to_float;
};
constexpr Shape s16x2{"s16x2", "u16x2", 32, nullptr};
constexpr Shape u16x4{"u16x4", "u16x4", 64, nullptr};
constexpr Shape s32x4{"s32x4", "u32x4", 128, nullptr};
constexpr Shape u64x2{"u64x2", "u64x2", 128, nullptr};
constexpr Conversion conversions[] = {
    {"cvt{1}{0}_pp", f16x2, "f32x2", 64, true, true},
    {"cvt{1}{0}_pp", f16x4, "f32x4", 128, true, true},
    {"cvt{1}{0}_pp", f32x2, "f64x2", 128, true, true},
    {"cvt{1}_pp", f32x2, "f16x2", 32, false, true},
    {"cvt{1}_pp", f32x4, "f16x4", 64, false, true},
    {"cvt{1}_pp", f64x2, "f32x2", 64, false, true},
    {"cvt{0}_pp", f16x4, "u16x4", 64, true, true},
    {"cvt{0}_pp", f32x4, "s32x4", 128, true, true},
    {"cvt{0}_pp", f32x2, "s64x2", 128, true, true},
    {"cvt{1}_neari_sat_pp", s16x2, "f16x2", 32, false, false},
    {"cvt{1}_zeroi_sat_pp", u16x4, "f16x4", 64, false, false},
    {"cvt{1}_downi_sat_pp", s32x4, "f32x4", 128, false, false},
    {"cvt{1}_upi_sat_pp", u64x2, "f64x2", 128, false, false},
};

class Writer {
 public:
  explicit Writer(const Pick& pick) : pick_(pick) {}

  std::string arithmetic() {
    const Shape& shape = shapes[pick_(std::size(shapes))];
    const Form& form = forms[pick_(std::size(forms))];
    static constexpr const char *one[] = {"p", "s"}, *two[] = {"pp", "ps", "sp", "ss"};
    const std::string first = source(shape.bits, "$q20");
    const std::string operands = form.sources == 1 ? first : first + ", " + source(shape.bits, "$q21");
    const std::string to = destination(shape.bits, true);
    text_ += OrderedText{"  {}{}{}_{}_{} {}, {};\n",
                         form.opcode,
                         form.flushes ? flushing() : "",
                         form.rounds ? rounding() : "",
                         form.sources == 1 ? one[pick_(2)] : two[pick_(4)],
                         shape.type,
                         to,
                         operands}
                 .text;
    without_nans(shape);
    return std::move(text_);
  }

  std::string comparison() {
    static constexpr const char* relations[] = {"eq",   "ne",   "lt",   "le",   "gt",   "ge",   "equ",
                                                "neu",  "ltu",  "leu",  "gtu",  "geu",  "num",  "nan",
                                                "seq",  "sne",  "slt",  "sle",  "sgt",  "sge",  "sequ",
                                                "sneu", "sltu", "sleu", "sgtu", "sgeu", "snum", "snan"};
    const Shape& shape = shapes[pick_(std::size(shapes))];
    const std::string first = source(shape.bits, "$q20"), second = source(shape.bits, "$q21");
    text_ += OrderedText{"  cmp_{}{}_pp_{}_{} {}, {}, {};\n",
                         relations[pick_(std::size(relations))],
                         flushing(),
                         shape.mask,
                         shape.type,
                         destination(shape.bits, false),
                         first,
                         second}
                 .text;
    write_back(shape.bits);
    return std::move(text_);
  }

  std::string conversion() {
    const Conversion& c = conversions[pick_(std::size(conversions))];
    const std::string from = source(c.from_bits, "$q20");
    text_ += OrderedText{"  {}_{}_{} {}, {};\n",
                         OrderedText{fmt::runtime(c.opcode), c.rounds ? rounding() : "", flushing()}.text,
                         c.to.type,
                         c.from,
                         destination(c.to.bits, false),
                         from}
                 .text;
    c.to_float ? without_nans(c.to) : write_back(c.to.bits);
    return std::move(text_);
  }

 private:
  std::string s() { return fmt::format("$s{}", pick_(8)); }
  std::string d() { return fmt::format("$d{}", pick_(4)); }
  const char* flushing() { return pick_(3) ? "" : "_ftz"; }
  const char* rounding() {
    static constexpr const char* names[] = {"", "_up", "_down", "_zero", "_near"};
    return names[pick_(5)];
  }

  std::string source(unsigned bits, const char* wide) {
    if (bits == 32) return s();
    if (bits == 64) return d();
    text_ += OrderedText{"  combine_v2_b128_b64 {}, ({}, {});\n", wide, d(), d()}.text;
    return wide;
  }
  /// Returns the register that first receives the result. The packings s and ss keep its other elements: with
  /// `kept` they get initial values.
  std::string destination(unsigned bits, bool kept) {
    if (bits == 32) {
      if (kept) text_ += fmt::format("  mov_b32 $s20, {};\n", s());
      return "$s20";
    }
    if (bits == 64) {
      if (kept) text_ += fmt::format("  mov_b64 $d21, {};\n", d());
      return "$d21";
    }
    if (kept) source(bits, "$q22");
    return "$q22";
  }

  /// Moves the result to program values. The PRM leaves open which NaN an operation returns (4.19.4), so all
  /// NaNs become the same one.
  void without_nans(const Shape& shape) {
    if (shape.bits == 32) {
      text_ += fmt::format("  cmp_nan_pp_{}_{} $s21, $s20, $s20;\n  bitselect_b32 {}, $s21, {}, $s20;\n",
                           shape.mask, shape.type, s(), shape.nan);
    } else if (shape.bits == 64) {
      text_ += fmt::format("  cmp_nan_pp_{}_{} $d22, $d21, $d21;\n  bitselect_b64 {}, $d22, {}, $d21;\n",
                           shape.mask, shape.type, d(), shape.nan);
    } else {
      text_ +=
          OrderedText{
              "  cmp_nan_pp_{}_{} $q20, $q22, $q22;\n  expand_v2_b64_b128 ($d21, $d22), $q22;\n"
              "  expand_v2_b64_b128 ($d24, $d25), $q20;\n  bitselect_b64 {}, $d24, {}, $d21;\n"
              "  bitselect_b64 {}, $d25, {}, $d22;\n",
              shape.mask,
              shape.type,
              d(),
              shape.nan,
              d(),
              shape.nan}
              .text;
    }
  }
  void write_back(unsigned bits) {
    if (bits == 32) {
      text_ += fmt::format("  mov_b32 {}, $s20;\n", s());
    } else if (bits == 64) {
      text_ += fmt::format("  mov_b64 {}, $d21;\n", d());
    } else {
      text_ += fmt::format(
          "  expand_v2_b64_b128 ($d21, $d22), $q22;\n  mov_b64 {0}, $d21;\n  xor_b64 {0}, {0}, $d22;\n", d());
    }
  }

  const Pick& pick_;
  std::string text_;
};

}  // namespace

std::string packed_float(const Pick& pick) {
  switch (pick(8)) {
    case 0:
      return Writer(pick).comparison();
    case 1:
      return Writer(pick).conversion();
    default:
      return Writer(pick).arithmetic();
  }
}

}  // namespace heddle::tools::fuzz
