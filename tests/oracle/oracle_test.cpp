// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the floating point of interpreted and of compiled code with MPFR: edge and random values in every
// type, rounding mode and modifier, and all 65536 values of f16 for instructions with one source.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "../differential/both.h"
#include "../differential/enumerate.h"
#include "../differential/values.h"
#include "../finalizer/jit_runner.h"
#include "finalizer/lower/subnormals.h"
#include "harness.h"
#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "oracle.h"
#include "support/exact.h"

namespace heddle::testing {
namespace {

constexpr uint32_t random_items = 2048;
constexpr uint32_t random_packed_items = 512;  ///< each has several elements
constexpr uint32_t group = 256;
constexpr size_t steps_in_kernel = 12;

using Sources = std::vector<std::vector<Cell>>;  // one array for each source operand

Sources random_sources(const std::vector<isa::Type>& types, uint64_t seed) {
  Values values(seed);
  Sources sources;
  const uint32_t items = isa::is_packed(types[0]) ? random_packed_items : random_items;
  for (isa::Type type : types) {
    sources.emplace_back(items);
    for (Cell& cell : sources.back()) cell = values.value(type);
  }
  return sources;
}

Sources every_half() {
  std::vector<Cell> all(65536);
  for (uint32_t i = 0; i < all.size(); ++i)
    all[i] = {i | 0xabcd0000, 0};  // the bits above an f16 are ignored
  return {all};
}

/// Returns the cells of the outputs, grouped by work-item.
std::vector<Cell> interpret(const LoadedProgram& program, const Sources& sources, size_t outputs) {
  const auto items = static_cast<uint32_t>(sources[0].size());
  std::vector<Cell> result(items * outputs);
  std::vector<uint64_t> kernarg{address(result.data())};
  for (const auto& source : sources) kernarg.push_back(address(source.data()));
  const auto fault = program.run("&k", kernarg, items, group);
  EXPECT_EQ(id(fault), "none") << message(fault);
  return result;
}

std::vector<Cell> run_compiled(LoadedCode& code, const Sources& sources, size_t outputs) {
  const auto items = static_cast<uint32_t>(sources[0].size());
  std::vector<Cell> result(items * outputs);
  std::vector<uint64_t> kernarg{address(result.data())};
  for (const auto& source : sources) kernarg.push_back(address(source.data()));
  const Trap trap = code.run("&k", kernarg.data(), {{items, 1, 1}, {group, 1, 1}, 1});
  EXPECT_FALSE(trap.taken);
  return result;
}

/// Returns an error message for the result of a step in a work-item with these operands; empty if the result
/// is right.
using Judge = std::function<std::string(size_t step, size_t item, const isa::Fields&,
                                        const std::vector<Cell>& operands)>;

/// Reports the first few wrong results of each step.
void check_each(const char* who, const std::vector<Step>& steps, const Sources& sources, const Judge& judge) {
  for (size_t k = 0; k < steps.size(); ++k) {
    int failures = 0;
    for (size_t i = 0; i < sources[0].size() && failures < 3; ++i) {
      std::vector<Cell> operands;
      for (const auto& source : sources) operands.push_back(source[i]);
      const std::string wrong = judge(k, i, steps[k].mnemonic.fields, operands);
      if (wrong.empty()) continue;
      ++failures;
      std::string text;
      for (const Cell& cell : operands) text += fmt::format(" {:x}:{:x}", cell.hi, cell.lo);
      ADD_FAILURE() << fmt::format("{} {} of{} {}", who, steps[k].text, text, wrong);
    }
  }
}

void check_results(const char* who, const std::vector<Step>& steps, const Sources& sources,
                   const std::vector<Cell>& results) {
  check_each(who, steps, sources, [&](size_t k, size_t i, const auto& fields, const auto& operands) {
    const Cell& got = results[i * steps.size() + k];
    for (const Element& element : elements(fields, operands)) {
      const Expected expected = expected_result(element.fields, element.sources);
      const unsigned first = element.number * isa::bit_size(element.fields.type());
      const uint64_t bits = first < 64 ? got.lo >> first : got.hi >> (first - 64);
      if (accepts(expected, element.fields, element.sources, bits)) continue;
      return fmt::format("gave {:x}:{:x}; MPFR: {:x} in element {} (kind {})", got.hi, got.lo, expected.bits,
                         element.number, static_cast<int>(expected.kind));
    }
    return std::string();
  });
}

/// Checks the exceptions of kernels that write the detected exceptions after each result.
void check_flags(const char* who, const std::vector<Step>& steps, const Sources& sources,
                 const std::vector<Cell>& results) {
  check_each(who, steps, sources, [&](size_t k, size_t i, const auto& fields, const auto& operands) {
    const Raised expected = expected_exceptions(fields, operands);
    const auto got = static_cast<uint32_t>(results[(i * steps.size() + k) * 2 + 1].lo);
    if (((got ^ expected.flags) & ~expected.open) == 0) return std::string();
    return fmt::format("raises {:#x}; MPFR: {:#x} (open: {:#x})", got, expected.flags, expected.open);
  });
}

void check_steps(const std::vector<Step>& steps, const Sources& sources) {
  const std::string text = std::string(instruction_module) + instruction_kernel("&k", steps);
  std::string why;
  auto object = compile(text, why);
  ASSERT_TRUE(object) << why;
  LoadedProgram interpreted(text);
  ASSERT_TRUE(interpreted.good());
  LoadedCode compiled(std::move(*object));
  check_results("interpreted", steps, sources, interpret(interpreted, sources, steps.size()));
  check_results("compiled", steps, sources, run_compiled(compiled, sources, steps.size()));
}

/// Runs kernels in which DETECT is enabled, and checks the exceptions.
void check_detected(const std::vector<Step>& steps, const Sources& sources) {
  const std::string text = std::string(instruction_module) + instruction_kernel("&k", steps, true);
  std::string why;
  auto object = compile(text, why);
  ASSERT_TRUE(object) << why;
  LoadedProgram interpreted(text);
  ASSERT_TRUE(interpreted.good());
  LoadedCode compiled(std::move(*object));
  const auto of_interpreter = interpret(interpreted, sources, 2 * steps.size());
  const auto of_compiled = run_compiled(compiled, sources, 2 * steps.size());
  check_flags("interpreted", steps, sources, of_interpreter);
  check_flags("compiled", steps, sources, of_compiled);
}

/// Returns the forms of an instruction that the oracle knows, grouped by their source types.
std::map<std::vector<isa::Type>, std::vector<Step>> steps_of(const isa::Instruction& instruction) {
  std::map<std::vector<isa::Type>, std::vector<Step>> steps;
  for_each_mnemonic(instruction, [&](const std::string& text, const isa::Mnemonic& mnemonic) {
    if (!has_oracle(mnemonic.fields)) return;
    if (auto step = instruction_step(text)) steps[step->sources].push_back(std::move(*step));
  });
  return steps;
}

void for_each_batch(const std::vector<Step>& steps,
                    const std::function<void(const std::vector<Step>&)>& visit) {
  for (size_t first = 0; first < steps.size(); first += steps_in_kernel) {
    const size_t last = std::min(steps.size(), first + steps_in_kernel);
    visit({steps.begin() + static_cast<ptrdiff_t>(first), steps.begin() + static_cast<ptrdiff_t>(last)});
  }
}

/// Visits all steps in kernels, and then those that flush subnormal numbers in kernels of their own, because
/// programs that flush throughout are compiled to different code.
void for_each_kernel(const std::vector<Step>& steps,
                     const std::function<void(const std::vector<Step>&)>& visit) {
  for_each_batch(steps, visit);
  std::vector<Step> flushing;
  for (const Step& step : steps)
    if (finalizer::subnormals_in(step.mnemonic.fields) == finalizer::Subnormals::flushed)
      flushing.push_back(step);
  if (flushing.size() != steps.size()) for_each_batch(flushing, visit);
}

class FloatingPointOracle : public ::testing::TestWithParam<uint16_t> {};

TEST_P(FloatingPointOracle, EdgeAndRandomValues) {
  uint64_t seed = GetParam() * uint64_t{7919} + uint64_t(GTEST_FLAG_GET(random_seed)) * 104729;
  for (const auto& [types, steps] : steps_of(*isa::instruction(unsigned{GetParam()}))) {
    for_each_kernel(steps, [&](const auto& some) { check_steps(some, random_sources(types, ++seed)); });
  }
}

TEST_P(FloatingPointOracle, Exceptions) {
  uint64_t seed = GetParam() * uint64_t{6007} + uint64_t(GTEST_FLAG_GET(random_seed)) * 104729;
  for (const auto& [types, steps] : steps_of(*isa::instruction(unsigned{GetParam()}))) {
    for_each_kernel(steps, [&](const auto& some) { check_detected(some, random_sources(types, ++seed)); });
  }
}

/// Generates sources whose result lies within a few units in the last place of the least normal number, where
/// the detection of tiny results (PRM 4.19.2) and flushing (4.19.3) matter.
class AroundLeastNormal {
 public:
  AroundLeastNormal(unsigned opcode, isa::Type result, isa::Type source, uint64_t seed)
      : opcode_(opcode),
        to_(exact::format_of(isa::bit_size(result))),
        from_(exact::format_of(isa::bit_size(source))),
        random_(seed) {}

  std::array<uint64_t, 3> next() {
    const uint64_t least = near(to_.fraction_mask() + 1) | (random_() & to_.sign());
    if (opcode_ == HSA_BRIG_OPCODE_CVT) return {converted(least), 0, 0};
    const uint64_t factor = number(static_cast<int>(random_() % 9) - 1);
    const uint64_t large = number(2 - to_.bias() + static_cast<int>(random_() % 12));
    switch (opcode_) {
      case HSA_BRIG_OPCODE_ADD:
        return {large, exact::subtract(to_, least, large, mode_), 0};
      case HSA_BRIG_OPCODE_SUB:
        return {exact::add(to_, least, large, mode_), large, 0};
      case HSA_BRIG_OPCODE_MUL:
        return {near(exact::divide(to_, least, factor, mode_)), factor, 0};
      case HSA_BRIG_OPCODE_DIV:
        return {near(exact::multiply(to_, least, factor, mode_)), factor, 0};
      case HSA_BRIG_OPCODE_SQRT:
        return {least, 0, 0};
      default: {  // fma: the product cancels most of the third source
        const uint64_t third = random_() % 2 != 0 ? large : random_() & to_.sign();
        const uint64_t product = exact::subtract(to_, least, third, mode_);
        return {near(exact::divide(to_, product, factor, mode_)), factor, third};
      }
    }
  }

 private:
  uint64_t near(uint64_t bits) { return bits + random_() % 7 - 3; }
  uint64_t number(int exponent) {
    return (random_() & (to_.sign() | to_.fraction_mask())) | static_cast<uint64_t>(exponent + to_.bias())
                                                                  << to_.fraction_bits;
  }
  /// Returns a value of the source's format that converts to about `least`: also values halfway and close to
  /// halfway.
  uint64_t converted(uint64_t least) {
    const uint64_t wide = exact::convert(from_, to_, least, mode_);
    if (from_.fraction_bits <= to_.fraction_bits) return near(wide);
    const int finer = from_.fraction_bits - to_.fraction_bits;
    return wide + ((random_() % 17 - 8) << (finer - 3)) + random_() % 3 - 1;
  }

  unsigned opcode_;
  const exact::Format &to_, &from_;
  std::mt19937_64 random_;
  exact::Mode mode_;
};

bool can_be_tiny(unsigned opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_ADD:
    case HSA_BRIG_OPCODE_SUB:
    case HSA_BRIG_OPCODE_MUL:
    case HSA_BRIG_OPCODE_DIV:
    case HSA_BRIG_OPCODE_FMA:
    case HSA_BRIG_OPCODE_MAD:
    case HSA_BRIG_OPCODE_SQRT:
    case HSA_BRIG_OPCODE_CVT:
      return true;
    default:
      return false;
  }
}

TEST_P(FloatingPointOracle, AroundTheLeastNormalNumber) {
  uint64_t seed = GetParam() * uint64_t{3001} + uint64_t(GTEST_FLAG_GET(random_seed)) * 104729;
  for (const auto& [types, steps] : steps_of(*isa::instruction(unsigned{GetParam()}))) {
    std::map<isa::Type, std::vector<Step>> by_result;
    for (const Step& step : steps) {
      const isa::Fields& fields = step.mnemonic.fields;
      if (can_be_tiny(fields.opcode) && isa::is_float(fields.type()) && isa::is_float(types[0]) &&
          !isa::is_packed(types[0]))
        by_result[fields.type()].push_back(step);
    }
    for (const auto& [type, of_type] : by_result) {
      AroundLeastNormal values(of_type[0].mnemonic.fields.opcode, type, types[0], ++seed);
      Sources sources(types.size(), std::vector<Cell>(random_items));
      for (uint32_t i = 0; i < random_items; ++i) {
        const auto operands = values.next();
        for (size_t k = 0; k < types.size(); ++k) sources[k][i] = {operands[k], 0};
      }
      for_each_kernel(of_type, [&](const auto& some) {
        check_steps(some, sources);
        check_detected(some, sources);
      });
    }
  }
}

/// AroundLeastNormal serves its purpose: some results are tiny and rounded up to the least normal number,
/// others are rounded to it and not tiny.
TEST(Oracle, AroundTheLeastNormalNumberAreTinyAndOtherResults) {
  for (const char* opcode : {"mul", "div", "fma", "cvt"}) {
    for (const char* type : {"f16", "f32", "f64"}) {
      const bool converts = std::string_view(opcode) == "cvt";
      if (converts && std::string_view(type) == "f64") continue;
      const std::string types = std::string(type) + (converts ? "_f64" : "");
      const auto plain = instruction_step(std::string(opcode) + "_" + types);
      const auto flushing = instruction_step(std::string(opcode) + "_ftz_" + types);
      ASSERT_TRUE(plain && flushing);
      const isa::Fields& fields = plain->mnemonic.fields;
      const uint64_t least = uint64_t{1} << exact::format_of(isa::bit_size(fields.type())).fraction_bits;
      const uint64_t sign = exact::format_of(isa::bit_size(fields.type())).sign();
      AroundLeastNormal values(fields.opcode, fields.type(), plain->sources[0], 1);
      unsigned flushed = 0, kept = 0;
      for (uint32_t i = 0; i < random_items; ++i) {
        const auto operands = values.next();
        std::vector<Cell> sources;
        sources.reserve(plain->sources.size());
        for (size_t k = 0; k < plain->sources.size(); ++k) sources.push_back({operands[k], 0});
        if ((expected_result(fields, sources).bits & ~sign) != least) continue;
        const bool stays = (expected_result(flushing->mnemonic.fields, sources).bits & ~sign) == least;
        const bool inexact = (expected_exceptions(fields, sources).flags & HSA_BRIG_EXCEPTIONS_INEXACT) != 0;
        flushed += stays ? 0 : 1;
        kept += stays && inexact ? 1 : 0;
      }
      EXPECT_GT(flushed, 5u) << opcode << "_" << types;
      // A quotient that is not exactly a number differs from it by a unit in the last place at least.
      if (std::string_view(opcode) != "div") EXPECT_GT(kept, 5u) << opcode << "_" << types;
    }
  }
}

TEST_P(FloatingPointOracle, EveryHalf) {
  for (const auto& [types, steps] : steps_of(*isa::instruction(unsigned{GetParam()}))) {
    if (types != std::vector<isa::Type>{HSA_BRIG_TYPE_F16}) continue;
    for_each_kernel(steps, [&](const auto& some) { check_steps(some, every_half()); });
  }
}

std::vector<uint16_t> opcodes() {
  std::vector<uint16_t> result;
  for (const isa::Instruction& instruction : isa::instructions()) {
    if (!steps_of(instruction).empty())
      result.push_back(static_cast<uint16_t>(&instruction - isa::instructions().data()));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, FloatingPointOracle, ::testing::ValuesIn(opcodes()), [](const auto& info) {
  return std::string(isa::text(isa::instruction(unsigned{info.param})->mnemonic));
});

/// The oracle knows all packed floating-point types, packings and kinds of instruction.
TEST(Oracle, KnowsPackedInstructions) {
  std::map<std::string, unsigned> found;
  const char* const types[] = {"_f16x2", "_f16x4", "_f16x8", "_f32x2", "_f32x4", "_f64x2"};
  const char* const packings[] = {"_p_", "_s_", "_pp_", "_ps_", "_sp_", "_ss_"};
  const char* const kinds[] = {"add",   "sub",   "mul",  "div", "sqrt", "fract", "ceil",
                               "floor", "trunc", "rint", "max", "min",  "cmp",   "cvt"};
  for (const isa::Instruction& instruction : isa::instructions()) {
    for (const auto& [sources, steps] : steps_of(instruction)) {
      for (const Step& step : steps) {
        if (!isa::is_packed(step.mnemonic.fields.type())) continue;
        for (const char* type : types) found[type] += step.text.ends_with(type);
        for (const char* packing : packings) found[packing] += step.text.find(packing) != std::string::npos;
        for (const char* kind : kinds) found[kind] += step.text.starts_with(std::string(kind) + "_");
      }
    }
  }
  ASSERT_EQ(found.size(), std::size(types) + std::size(packings) + std::size(kinds));
  for (const auto& [what, count] : found) EXPECT_GE(count, 12u) << what;
}

TEST(Oracle, PackedInstructionsRaiseTheUnionOfTheSelectedElements) {
  struct Case {
    const char* mnemonic;
    std::vector<Cell> sources;
    uint32_t flags;
  };
  constexpr uint32_t invalid = HSA_BRIG_EXCEPTIONS_INVALID_OPERATION;
  constexpr uint32_t zero = HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO, inexact = HSA_BRIG_EXCEPTIONS_INEXACT;
  constexpr uint64_t one_and_three = 0x404000003f800000, zero_and_three = 0x4040000000000000;
  constexpr uint64_t signaling_and_one = 0x3f8000007f800001, quiet = 0x7ff8000000000000;
  const Case cases[] = {
      {"div_pp_f32x2", {{one_and_three, 0}, {zero_and_three, 0}}, zero},
      {"div_ps_f32x2", {{one_and_three, 0}, {one_and_three, 0}}, 0},
      {"div_ps_f32x2", {{one_and_three, 0}, {zero_and_three, 0}}, zero},
      {"div_sp_f32x2", {{one_and_three, 0}, {zero_and_three, 0}}, zero | inexact},  // 1 / 0 and 1 / 3
      {"div_sp_f32x2", {{one_and_three, 0}, {one_and_three, 0}}, inexact},
      {"div_ss_f32x2", {{one_and_three, 0}, {one_and_three, 0}}, 0},
      {"add_ss_f32x2", {{one_and_three, 0}, {signaling_and_one, 0}}, invalid},
      {"add_sp_f32x2", {{one_and_three, 0}, {one_and_three, signaling_and_one}}, 0},
      {"sqrt_p_f32x2", {{one_and_three, 0}}, inexact},
      {"sqrt_s_f32x2", {{one_and_three, 0}}, 0},
      {"sqrt_p_f32x4", {{one_and_three, signaling_and_one}}, invalid | inexact},
      {"cmp_seq_pp_u64x2_f64x2", {{0, quiet}, {0, 0}}, invalid},
      {"cmp_eq_pp_u64x2_f64x2", {{0, quiet}, {0, 0}}, 0},
      {"cvt_pp_f16x2_f32x2", {{0x3f8000013f800000, 0}}, inexact},
  };
  for (const Case& c : cases) {
    const auto step = instruction_step(c.mnemonic);
    ASSERT_TRUE(step) << c.mnemonic;
    const Raised got = expected_exceptions(step->mnemonic.fields, c.sources);
    EXPECT_EQ(got.flags, c.flags) << c.mnemonic;
    EXPECT_EQ(got.open & c.flags, 0u) << c.mnemonic;
  }
}

/// Compiled code checks an instruction only for the exceptions that the instruction set lists for it
/// (isa/*.isa). The lists must therefore contain all exceptions that can occur, and no others.
TEST(Oracle, TheInstructionSetNamesTheExceptionsThatHappen) {
  constexpr size_t values_for_each_form = 96;
  std::map<const isa::Variant*, Raised> found;
  uint64_t seed = 1;
  for (const isa::Instruction& instruction : isa::instructions()) {
    for (const auto& [types, steps] : steps_of(instruction)) {
      const Sources sources = random_sources(types, ++seed);
      for (const Step& step : steps) {
        Raised& all = found[step.mnemonic.variant];
        const auto add = [&](const std::vector<Cell>& operands) {
          const Raised raised = expected_exceptions(step.mnemonic.fields, operands);
          all.flags |= raised.flags;
          all.open |= raised.open;
        };
        for (size_t i = 0; i < values_for_each_form; ++i) {
          std::vector<Cell> operands;
          for (const auto& source : sources) operands.push_back(source[i]);
          add(operands);
        }
        if (!isa::is_float(types[0])) continue;
        // Random values hardly ever have a difference below the normal numbers, so these operands are added.
        const exact::Format& format = exact::format_of(isa::bit_size(types[0]));
        const uint64_t least = uint64_t{1} << format.fraction_bits, more = least | least >> 1;
        add(std::vector<Cell>(types.size(), {more, 0}));
        std::vector<Cell> operands(types.size(), {least | format.sign(), 0});
        operands[0] = {more, 0};
        add(operands);
        operands.back() = {least, 0};
        add(operands);
      }
    }
  }
  EXPECT_GT(found.size(), 20u);
  for (const auto& [variant, raised] : found) {
    const uint32_t named = variant->exceptions;
    const std::string which =
        fmt::format("{} {}", isa::opcode_name(variant->opcode), isa::text(variant->name));
    EXPECT_EQ(raised.flags & ~named, 0u) << which << " raises what the instruction set does not name";
    EXPECT_EQ(named & ~(raised.flags | raised.open), 0u)
        << which << " cannot raise what the instruction set names";
  }
}

// Tests the oracle itself, with results that are known without it.
TEST(Oracle, KnownValues) {
  struct Case {
    const char* mnemonic;
    std::vector<uint64_t> sources;
    Expected expected;
  };
  using enum Expected::Kind;
  const Case cases[] = {
      {"add_f32", {0x3f800000, 0x3f800000}, {exact, 0x40000000}},
      {"add_down_f32", {0x3f800000, 0xbf800000}, {exact, 0x80000000}},  // x - x is -0 when rounding down
      {"add_f32", {0x7f7fffff, 0x7f7fffff}, {exact, 0x7f800000}},
      {"add_zero_f32", {0x7f7fffff, 0x7f7fffff}, {exact, 0x7f7fffff}},
      {"mul_f16", {0x0001, 0x3800}, {exact, 0x0000}},  // half of the smallest subnormal: to even
      {"mul_up_f16", {0x0001, 0x3800}, {exact, 0x0001}},
      {"mul_ftz_f16", {0x0400, 0xb800}, {exact, 0x8000}},
      // (1 - 2^-24) * least normal is rounded up to the least normal number, but is tiny.
      {"mul_f32", {0x3f7fffff, 0x00800000}, {exact, 0x00800000}},
      {"mul_ftz_f32", {0x3f7fffff, 0x80800000}, {exact, 0x80000000}},
      {"mul_ftz_up_f32", {0x3f7fffff, 0x00800000}, {exact, 0}},
      // (1 - 2^-46) * least normal is tiny only if it is not rounded up.
      {"mul_ftz_f32", {0x3f000001, 0x00fffffe}, {exact, 0x00800000}},
      {"mul_ftz_up_f32", {0x3f000001, 0x00fffffe}, {exact, 0x00800000}},
      {"mul_ftz_down_f32", {0x3f000001, 0x00fffffe}, {exact, 0}},
      {"mul_ftz_down_f32", {0x3f000001, 0x80fffffe}, {exact, 0x80800000}},
      {"mul_ftz_zero_f32", {0x3f000001, 0x80fffffe}, {exact, 0x80000000}},
      {"div_f64", {0x3ff0000000000000, 0x4008000000000000}, {exact, 0x3fd5555555555555}},
      {"sqrt_f64", {0x4000000000000000}, {exact, 0x3ff6a09e667f3bcd}},
      {"sqrt_f32", {0xbf800000}, {nan, 0}},
      {"fract_f32", {0x80000001}, {exact, 0x3f7fffff}},
      {"fma_f16", {0x3c01, 0x3c01, 0xbc02}, {exact, 0x0010}},  // (1 + e)^2 - (1 + 2e) = e^2
      {"cvt_zeroi_sat_u8_f32", {0x437f8000}, {exact, 0xff}},
      {"cvt_neari_sat_s32_f32", {0x7fc00000}, {exact, 0}},
      {"cvt_f16_f32", {0x477fefff}, {exact, 0x7bff}},
      {"cvt_f16_f32", {0x477ff000}, {exact, 0x7c00}},
      {"cvt_f32_u64", {0xffffff8000000000}, {exact, 0x5f800000}},
      {"cmp_ltu_b1_f32", {0x7fc00000, 0}, {exact, 1}},
      {"min_f32", {0x80000000, 0}, {any_zero, 0}},
  };
  for (const Case& c : cases) {
    const auto step = instruction_step(c.mnemonic);
    ASSERT_TRUE(step) << c.mnemonic;
    std::vector<Cell> sources;
    sources.reserve(c.sources.size());
    for (uint64_t bits : c.sources) sources.push_back({bits, 0});
    const Expected got = expected_result(step->mnemonic.fields, sources);
    EXPECT_EQ(got.kind, c.expected.kind) << c.mnemonic;
    EXPECT_EQ(got.bits, c.expected.bits) << c.mnemonic << fmt::format(" {:x}", got.bits);
  }
}

}  // namespace
}  // namespace heddle::testing
