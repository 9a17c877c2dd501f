// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widening of integer division: the waves of functions against their work-items, with operands at the limits
// of all ways to divide, and with quotients next to integers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "widened.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;

struct Division {
  unsigned width;  ///< of the operands
  unsigned known;  ///< how many bits of them matter
  bool is_signed;
};

std::string name_of(const ::testing::TestParamInfo<Division>& info) {
  return fmt::format("{}{}of{}", info.param.is_signed ? "s" : "u", info.param.known, info.param.width);
}

/// Returns an operand: one of some numbers at limits, or any number. `number` is an i32 that chooses.
std::string operand(const Division& d, const std::string& name, const std::string& number) {
  const std::string type = fmt::format("i{}", d.width);
  std::string edges;
  const uint64_t mask = ~uint64_t{0} >> (64 - d.width), high = uint64_t{1} << (d.width - 1);
  for (const uint64_t edge : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, mask, mask - 1, high,
                              high + 1, high - 1, high - 2, mask / 3, (uint64_t{1} << d.width / 2) + 1,
                              high + high / 2, high / 2, high / 2 - 1, uint64_t{0}})
    edges += fmt::format("{}{} {}", edges.empty() ? "" : ", ", type, edge & mask);
  return fmt::format(R"(
    %{1}.index = and i32 {2}, 15
    %{1}.edge = extractelement <16 x {0}> <{3}>, i32 %{1}.index
    %{1}.bits = zext i32 {2} to i64
    %{1}.wide = mul i64 %{1}.bits, -7046029254386353131
    %{1}.high = lshr i64 %{1}.wide, {4}
    %{1}.long = xor i64 %{1}.high, %x
    %{1}.any = {5} i64 %{1}.long to {0}
    %{1}.choice = and i32 {2}, 48
    %{1}.is_edge = icmp eq i32 %{1}.choice, 0
    %{1}.full = select i1 %{1}.is_edge, {0} %{1}.edge, {0} %{1}.any
    %{1} = {6} {0} %{1}.full, {7}
)",
                     type, name, number, edges, 64 - d.width, d.width == 64 ? "bitcast" : "trunc",
                     d.is_signed ? "ashr" : "lshr", d.width - d.known);
}

/// Divides two operands, and then a product of the divisor less 1 and more 1: so the quotient is next to an
/// integer on both sides of it. Stores a sum of all results.
std::string body_of(const Division& d) {
  const char sign = d.is_signed ? 's' : 'u';
  const std::string least = d.is_signed ? std::to_string(INT64_MIN >> (64 - d.width)) : "0";
  std::string body = operand(d, "n", "%a") + operand(d, "m", "%b");
  body += fmt::format(R"(
    %some = icmp ne i{0} %m, 0
    %other = icmp ne i{0} %m, -1
    %most = icmp ne i{0} %n, {2}
    %defined = or i1 %other, %most
    %good = select i1 %some, i1 %defined, i1 false
    br i1 %good, label %divide, label %end
  divide:
    %q = {1}div i{0} %n, %m
    %r = {1}rem i{0} %n, %m
    %product = mul i{0} %q, %m
    %below.full = sub i{0} %product, 1
    %above.full = add i{0} %product, 1
    %below.up = shl i{0} %below.full, {3}
    %above.up = shl i{0} %above.full, {3}
    %below = {4} i{0} %below.up, {3}
    %above = {4} i{0} %above.up, {3}
    %again = select i1 %other, i{0} %m, i{0} 3
    %q1 = {1}div i{0} %below, %again
    %r1 = {1}rem i{0} %above, %again
    %1 = mul i{0} %q, 3
    %2 = xor i{0} %1, %r
    %3 = mul i{0} %2, 5
    %4 = xor i{0} %3, %q1
    %5 = mul i{0} %4, 7
    %6 = xor i{0} %5, %r1
    store i{0} %6, ptr %dst, align 1
    br label %end
  end:
)",
                      d.width, sign, least, d.width - d.known, d.is_signed ? "ashr" : "lshr");
  return body;
}

/// A module with one function.
class Program {
 public:
  /// The body may use the address %dst of the work-item's memory.
  Program(const std::string& body, unsigned lane_bytes) {
    llvm::SMDiagnostic error;
    const std::string text = "target datalayout = \"e-m:e-p:64:64-i64:64-i128:128-n8:16:32:64-S128\"\n" +
                             std::string(wave_function_head) +
                             "  %id64 = zext i32 %id to i64\n  %off = mul i64 %id64, " +
                             std::to_string(lane_bytes) +
                             "\n  %dst = getelementptr i8, ptr %out, i64 %off\n" + body + "  ret void\n}\n";
    module_ = llvm::parseAssemblyString(text, error, context_);
    if (!module_) throw std::runtime_error(error.getMessage().str() + "\n" + error.getLineContents().str());
  }
  const llvm::Module& module() const { return *module_; }
  /// Returns the code of the function's waves with AVX-512 or AVX2.
  std::string code(bool has_avx512) const {
    const unsigned lanes = has_avx512 ? 16 : 8;
    Widened widened(*module_, {{lanes, lanes}, has_avx512});
    EXPECT_EQ(widened.error(), "");
    auto wide = widened.take_module();
    wide->getFunction("f")->eraseFromParent();
    return assembly(*wide, has_avx512 ? "x86-64-v4" : "x86-64-v3");
  }

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

class WidenDivision : public ::testing::TestWithParam<Division> {
 protected:
  const Program program_{body_of(GetParam()), GetParam().width / 8};
};

constexpr Division divisions[] = {{8, 8, false},   {8, 8, true},    {16, 16, false}, {16, 16, true},
                                  {32, 32, false}, {32, 32, true},  {32, 31, false}, {32, 24, false},
                                  {32, 25, false}, {32, 24, true},  {32, 25, true},  {64, 64, false},
                                  {64, 64, true},  {64, 51, false}, {64, 52, false}, {64, 51, true},
                                  {64, 52, true},  {64, 32, false}, {64, 32, true}};
INSTANTIATE_TEST_SUITE_P(Widths, WidenDivision, ::testing::ValuesIn(divisions), name_of);

TEST_P(WidenDivision, HasTheResultsOfTheWorkItems) {
  std::mt19937 random(GetParam().width * 100 + GetParam().known);
  for (WideForm form : all_forms()) {
    form.optimise = random() % 2 == 0;
    if (random() % 3 != 0) continue;
    ASSERT_EQ(wave_difference({&program_.module(), GetParam().width / 8}, form, random, 40), "")
        << form.name();
  }
}

size_t occurrences(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// Numbers of floating point are divided if they hold the integers. Otherwise there is a loop over the lanes
/// for each of the four divisions.
TEST_P(WidenDivision, DividesVectors) {
  const Division& d = GetParam();
  for (const bool has_avx512 : {false, true}) {
    const std::string code = program_.code(has_avx512);
    const size_t of_integers = occurrences(code, "\tdiv") + occurrences(code, "\tidiv");
    if (d.known > 51) {
      EXPECT_EQ(occurrences(code, "divq"), 4u) << code;
    } else {
      EXPECT_EQ(of_integers, 0u) << code;
      EXPECT_THAT(code, HasSubstr(d.known <= 24 ? "vdivps" : "vdivpd"));
    }
  }
}

/// Constants need no division at all.
TEST(WidenDivisionByConstants, Multiplies) {
  const Program program(R"(
    %1 = udiv i32 %a, 7
    %2 = sdiv i32 %b, 5
    %3 = xor i32 %1, %2
    store i32 %3, ptr %dst
  )",
                        4);
  const std::string code = program.code(false);
  EXPECT_EQ(occurrences(code, "div"), 0u) << code;
  EXPECT_THAT(code, HasSubstr("vpmul"));
}

}  // namespace
}  // namespace heddle::testing
