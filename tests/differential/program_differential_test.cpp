// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated programs with arithmetic under branches, loops, switches and calls: interpreter against compiled
// code.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "both.h"
#include "instruction_kernel.h"

namespace heddle::testing {
namespace {

constexpr unsigned s_registers = 8, d_registers = 4, c_registers = 4;

/// Writes random statements over $s0-7, $d0-3, $c0-3. It uses only instructions whose results are always
/// defined. Registers from 20 on are for addresses and loop counters.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  /// Writes a kernel, as kernel() does, but with that many statements in one basic block.
  std::string straight_kernel(unsigned statements) {
    straight_ = statements;
    return kernel();
  }

  std::string kernel() {
    std::string functions;
    for (unsigned i = 0; i < 3; ++i) functions += function(i);
    text_.clear();
    callable_ = 3;
    straight_ ? straight() : block(5, 14);
    std::string body = std::move(text_);
    std::string stores;
    for (unsigned i = 0; i < s_registers; ++i)
      stores += fmt::format("  st_global_u32 $s{}, [$d20+{}];\n", i, 128 + 8 * i);
    for (unsigned i = 0; i < d_registers; ++i)
      stores += fmt::format("  st_global_u64 $d{}, [$d20+{}];\n", i, 192 + 8 * i);
    for (unsigned i = 0; i < c_registers; ++i) {
      stores += fmt::format("  cvt_u32_b1 $s20, $c{}; st_global_u32 $s20, [$d20+{}];\n", i, 224 + 8 * i);
    }
    std::string loads = R"(
  ld_kernarg_u64 $d20, [%data];
  workitemabsid_u32 $s20, 0;
  cvt_u64_u32 $d21, $s20;
  shl_u64 $d21, $d21, 8;
  add_u64 $d20, $d20, $d21;
)";
    for (unsigned i = 0; i < s_registers; ++i)
      loads += fmt::format("  ld_global_u32 $s{}, [$d20+{}];\n", i, 8 * i);
    for (unsigned i = 0; i < d_registers; ++i)
      loads += fmt::format("  ld_global_u64 $d{}, [$d20+{}];\n", i, 64 + 8 * i);
    for (unsigned i = 0; i < c_registers; ++i) loads += fmt::format("  cmp_lt_b1_s32 $c{}, $s{}, 0;\n", i, i);
    return functions + "prog kernel &k(kernarg_u64 %data) {\n  private_u32 %memory[16];\n" + loads + body +
           stores + "};\n";
  }

 private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  std::string s() { return fmt::format("$s{}", pick(s_registers)); }
  std::string d() { return fmt::format("$d{}", pick(d_registers)); }
  std::string c() { return fmt::format("$c{}", pick(c_registers)); }
  std::string s_or_constant() { return pick(4) ? s() : fmt::format("{}", random_() >> (32 + pick(32))); }
  std::string d_or_constant() { return pick(4) ? d() : fmt::format("0x{:x}", random_() >> pick(64)); }
  std::string label() { return fmt::format("@l{}", labels_++); }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  /// Writes a function of two arguments that calls only functions with smaller numbers.
  std::string function(unsigned number) {
    text_.clear();
    callable_ = number;
    block(2, 5);
    std::string head = fmt::format(
        "{}function &f{}(arg_u32 %r)(arg_u32 %a, arg_u64 %b) {{\n  private_u32 %memory[16];\n"
        "  ld_arg_u32 $s0, [%a];\n  ld_arg_u64 $d0, [%b];\n",
        number == 1 ? "indirect " : "", number);
    // Registers are undefined at the start of a function.
    for (unsigned i = 1; i < s_registers; ++i) head += fmt::format("  add_u32 $s{}, $s0, {};\n", i, i * 77);
    for (unsigned i = 1; i < d_registers; ++i)
      head += fmt::format("  xor_b64 $d{}, $d0, {};\n", i, i * 1234567);
    for (unsigned i = 0; i < c_registers; ++i)
      head += fmt::format("  cmp_gt_b1_u32 $c{}, $s{}, 1000;\n", i, i);
    return head + std::exchange(text_, {}) +
           fmt::format("  st_arg_u32 $s{}, [%r];\n}};\n", pick(s_registers));
  }

  void block(unsigned depth, unsigned statements) {
    for (unsigned i = 0; i < statements; ++i) statement(depth);
  }

  void straight() {
    for (unsigned i = 0; i < straight_; ++i) {
      if (i % 8 != 0)
        statement(0);
      else if (i % 400 == 0)
        call();  // of no switch: cases are blocks
      else
        divide();
    }
  }
  /// Writes a division or remainder, which uses fixed registers on many machines.
  void divide() {
    line(fmt::format("or_b32 $s21, {}, 1;", s()));
    line(fmt::format("{} {}, {}, $s21;", pick(2) ? "div_u32" : "rem_s32", s(), s()));
  }

  void statement(unsigned depth) {
    switch (pick(depth > 0 ? 12 : 7)) {
      case 0:
        return arithmetic32();
      case 1:
        return arithmetic64();
      case 2:
        return compare();
      case 3:
        return convert();
      case 4:
        return select();
      case 5:
        return memory();
      case 6:
        return arithmetic32();
      case 7:
        return branch(depth);
      case 8:
        return branch(depth);
      case 9:
        return loop(depth);
      case 10:
        return switch_branch(depth);
      default:
        return call();
    }
  }

  void arithmetic32() {
    static constexpr const char* operations[] = {"add_u32",     "sub_s32",     "mul_u32",   "mulhi_s32",
                                                 "and_b32",     "or_b32",      "xor_b32",   "max_s32",
                                                 "min_u32",     "shl_u32",     "shr_s32",   "shr_u32",
                                                 "add_sat_s32", "sub_sat_u32", "carry_u32", "bitmask_b32"};
    const char* operation = operations[pick(15)];
    line(fmt::format("{} {}, {}, {};", operation, s(), s(), s_or_constant()));
  }
  void arithmetic64() {
    static constexpr const char* operations[] = {"add_u64", "sub_s64", "mul_u64", "mulhi_u64", "and_b64",
                                                 "or_b64",  "xor_b64", "max_s64", "min_u64"};
    if (pick(4) == 0) return line(fmt::format("shr_s64 {}, {}, {};", d(), d(), s()));
    if (pick(6) == 0) return line(fmt::format("bitrev_b64 {}, {};", d(), d()));
    line(fmt::format("{} {}, {}, {};", operations[pick(9)], d(), d(), d_or_constant()));
  }
  void compare() {
    static constexpr const char* relations[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const char* relation = relations[pick(6)];
    if (pick(3) == 0) return line(fmt::format("{}_b1 {}, {}, {};", pick(2) ? "and" : "xor", c(), c(), c()));
    if (pick(2))
      return line(fmt::format("cmp_{}_b1_{} {}, {}, {};", relation, pick(2) ? "u32" : "s32", c(), s(),
                              s_or_constant()));
    line(fmt::format("cmp_{}_b1_{} {}, {}, {};", relation, pick(2) ? "u64" : "s64", c(), d(),
                     d_or_constant()));
  }
  void convert() {
    switch (pick(6)) {
      case 0:
        return line(fmt::format("cvt_u64_u32 {}, {};", d(), s()));
      case 1:
        return line(fmt::format("cvt_s64_s32 {}, {};", d(), s()));
      case 2:
        return line(fmt::format("cvt_u32_u64 {}, {};", s(), d()));
      case 3:
        return line(fmt::format("cvt_s32_s8 {}, {};", s(), s()));
      case 4:
        return line(fmt::format("cvt_u16_u32 {}, {};", s(), s()));
      default:
        return line(fmt::format("cvt_s32_b1 {}, {};", s(), c()));
    }
  }
  void select() {
    if (pick(2)) return line(fmt::format("cmov_b32 {}, {}, {}, {};", s(), c(), s(), s_or_constant()));
    line(fmt::format("cmov_b64 {}, {}, {}, {};", d(), c(), d(), d_or_constant()));
  }
  void memory() {
    line(fmt::format("and_b32 $s21, {}, 60;", s()));
    line(fmt::format("st_private_u32 {}, [%memory][$s21];", s()));
    line(fmt::format("ld_private_u32 {}, [%memory][$s21];", s()));
  }

  void branch(unsigned depth) {
    const std::string otherwise = label(), end = label();
    line(fmt::format("cbr_b1 {}, {};", c(), otherwise));
    block(depth - 1, 1 + pick(3));
    const bool both = pick(2) != 0;
    if (both) line(fmt::format("br {};", end));
    text_ += otherwise + ":\n";
    if (both) {
      block(depth - 1, 1 + pick(3));
      text_ += end + ":\n";
    }
  }

  /// Writes a loop of 1 to 8 iterations with an exit in the middle.
  void loop(unsigned depth) {
    const std::string again = label(), out = label();
    const unsigned counter = 22 + depth;
    line(fmt::format("and_b32 $s{}, {}, 7;", counter, s()));
    text_ += again + ":\n";
    block(depth - 1, 1 + pick(2));
    line(fmt::format("cbr_b1 {}, {};", c(), out));
    block(depth - 1, 1 + pick(2));
    line(fmt::format("cmp_eq_b1_u32 $c{}, $s{}, 0;", 4 + depth, counter));
    line(fmt::format("cbr_b1 $c{}, {};", 4 + depth, out));
    line(fmt::format("sub_u32 $s{0}, $s{0}, 1;", counter));
    line(fmt::format("br {};", again));
    text_ += out + ":\n";
  }

  /// Writes a switch whose cases fall through.
  void switch_branch(unsigned depth) {
    const std::string a = label(), b = label(), e = label();
    line(fmt::format("and_b32 $s21, {}, 3;", s()));
    line(fmt::format("sbr_u32 $s21 [{}, {}, {}, {}];", a, b, e, a));
    text_ += a + ":\n";
    block(depth - 1, 1 + pick(2));
    text_ += b + ":\n";
    block(depth - 1, 1 + pick(2));
    text_ += e + ":\n";
  }

  void call() {
    if (callable_ == 0) return arithmetic32();
    const std::string result = s();
    line("{ arg_u32 %r; arg_u32 %a; arg_u64 %b;");
    line(fmt::format("  st_arg_u32 {}, [%a]; st_arg_u64 {}, [%b];", s(), d()));
    if (callable_ == 3 && !straight_ && pick(3) == 0) {
      line(fmt::format("  and_b32 $s21, {}, 1;", s()));
      line("  scall_u32 $s21(%r)(%a, %b) [&f0, &f2];");
    } else if (callable_ > 1 && pick(3) == 0) {
      line("  mov_u64 $d21, addr(&f1);");
      line("  icall_u64 $d21(%r)(%a, %b) &unary;");
    } else {
      line(fmt::format("  call &f{}(%r)(%a, %b);", pick(callable_)));
    }
    line(fmt::format("  ld_arg_u32 {}, [%r];", result));
    line("}");
  }

  std::mt19937_64 random_;
  std::string text_;
  unsigned labels_ = 0;
  unsigned callable_ = 0;
  unsigned straight_ = 0;
};

TEST(ProgramDifferential, GeneratedPrograms) {
  const uint64_t base = static_cast<uint64_t>(GTEST_FLAG_GET(random_seed)) * 1000;
  for (uint64_t seed = base; seed < base + 60; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> data(32 * 32);
    for (uint64_t& word : data) word = random() >> random() % 64;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_same(std::string(instruction_module) + "signature &unary(arg_u32)(arg_u32, arg_u64);\n" +
                    Writer(seed).kernel(),
                {"&k"}, data, 32, 8);
    if (HasFailure()) return;
  }
}

/// Basic blocks so large that the time of some compiler passes would grow with the square of their size (5000
/// instructions and more), and functions that are compiled with a shorter pipeline (20 000).
TEST(ProgramDifferential, HugeBlocks) {
  for (const unsigned statements : {15000u, 30000u}) {
    std::mt19937_64 random(statements);
    std::vector<uint64_t> data(8 * 32);
    for (uint64_t& word : data) word = random() >> random() % 64;
    SCOPED_TRACE(fmt::format("{} statements", statements));
    expect_same(std::string(instruction_module) + "signature &unary(arg_u32)(arg_u32, arg_u64);\n" +
                    Writer(statements).straight_kernel(statements),
                {"&k"}, data, 8, 4);
  }
}

}  // namespace
}  // namespace heddle::testing
