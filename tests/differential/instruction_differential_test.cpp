// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction that computes, in every type and with every modifier: the interpreter against compiled
// code.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

#include <hsa/hsa_brig_opcodes.h>

#include "../finalizer/jit_runner.h"
#include "both.h"
#include "coverage.h"
#include "enumerate.h"
#include "finalizer/lower/subnormals.h"
#include "harness.h"
#include "hsail/isa/types.h"
#include "judge.h"
#include "values.h"

namespace heddle::testing {
namespace {

constexpr uint32_t items = 768;
constexpr uint32_t group = 64;
constexpr size_t steps_in_kernel = 16;
constexpr size_t kernels_in_module = 16;

/// A kernel of instructions with the same operand types.
struct Kernel {
  std::string name;
  std::vector<Step> steps;
};

std::string module_of(const std::vector<Kernel>& kernels) {
  std::string text = std::string(instruction_module) + "extension \"IMAGE\";\n";
  for (const Kernel& kernel : kernels) text += instruction_kernel(kernel.name, kernel.steps);
  return text;
}

/// Runs a kernel both ways on the same operands and compares the results.
class Comparison {
 public:
  Comparison(const Kernel& kernel, uint64_t seed)
      : kernel_(kernel), outputs_(output_count(kernel.steps)), guard_(guard_of_turn(seed)) {
    Values values(seed);
    for (isa::Type type : kernel.steps.front().sources) {
      sources_.emplace_back(items);
      for (Cell& cell : sources_.back()) cell = values.value(type);
    }
    before_.resize(items * outputs_);
    for (Cell& cell : before_) cell = {values.bits(), values.bits()};
  }

  void run(const LoadedProgram& interpreted, LoadedCode& compiled) {
    std::vector<Cell> expected = before_;
    interpreter::Dispatch dispatch;
    dispatch.kernel = interpreted.kernel(kernel_.name);
    dispatch.grid_size = {items, 1, 1};
    dispatch.group_size = {group, 1, 1};
    dispatch.packet_id = 7;  // the packet ID that LoadedCode::run passes
    dispatch.completion_signal = 0x5160;
    interpreter::Services services;
    services.compute_unit = 2;
    services.max_compute_unit = 5;
    std::vector<uint64_t> arguments{address(expected.data())};
    for (auto& source : sources_) arguments.push_back(address(source.data()));
    const auto fault = interpreted.run(dispatch, arguments, {}, services);
    ASSERT_EQ(id(fault), "none") << kernel_.steps[0].text << ": " << message(fault);
    const GuardedCopy<Cell> got(before_, guard_);
    std::deque<GuardedCopy<Cell>> sources;
    arguments = {address(got.data())};
    for (const auto& source : sources_)
      arguments.push_back(address(sources.emplace_back(source, guard_).data()));
    const Trap trap = compiled.run(kernel_.name, arguments.data(), {{items, 1, 1}, {group, 1, 1}, 1});
    ASSERT_FALSE(trap.taken) << kernel_.steps[0].text;
    compare(expected, got.values());
  }

 private:
  void compare(const std::vector<Cell>& expected, const std::vector<Cell>& got) {
    size_t first = 0;
    for (const Step& step : kernel_.steps) {
      compare_step(step, first, expected, got);
      record_form(step.text);
      first += step.destinations.size();
    }
  }

  void compare_step(const Step& step, size_t first, const std::vector<Cell>& expected,
                    const std::vector<Cell>& got) {
    const Judge judge(step);
    int failures = 0;
    for (uint32_t i = 0; i < items && failures < 3; ++i) {
      std::vector<Cell> sources;
      for (const auto& source : sources_) sources.push_back(source[i]);
      for (size_t k = 0; k < step.held.size(); ++k) sources[k] = step.held[k].value_or(sources[k]);
      const auto part = [&](const std::vector<Cell>& all) {
        return std::span(all).subspan(i * outputs_ + first, step.destinations.size());
      };
      if (judge.accepts(sources, part(expected), part(got))) continue;
      ++failures;
      std::string text;
      for (const Cell& cell : sources) text += fmt::format(" {:x}:{:x}", cell.hi, cell.lo);
      for (size_t k = 0; k < step.destinations.size(); ++k) {
        text += fmt::format("\n  interpreted {:x}:{:x}, compiled {:x}:{:x}", part(expected)[k].hi,
                            part(expected)[k].lo, part(got)[k].hi, part(got)[k].lo);
      }
      ADD_FAILURE() << step.text << " of" << text;
    }
  }

  const Kernel& kernel_;
  size_t outputs_;
  GuardedBuffer::Guard guard_;  ///< beside what compiled code reads and writes
  std::vector<std::vector<Cell>> sources_;
  std::vector<Cell> before_;
};

/// Returns the choices of constant operands, such as selectors and dimension numbers, that the tests use for
/// an opcode.
std::vector<std::vector<std::string>> constants_for(unsigned opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_SHUFFLE:
      return {{"0"}, {"0x1b"}, {"0xfac688"}};
    case HSA_BRIG_OPCODE_UNPACKCVT:
      return {{"0"}, {"1"}, {"2"}, {"3"}};
    case HSA_BRIG_OPCODE_CLEARDETECTEXCEPT:
    case HSA_BRIG_OPCODE_SETDETECTEXCEPT:
      return {{"1"}};
    default:
      return {{"0"}, {"1"}};
  }
}

void for_each_step(const isa::Instruction& instruction, const std::function<void(Step)>& visit) {
  for_each_mnemonic(instruction, [&](const std::string& text, const isa::Mnemonic& mnemonic) {
    if (!Judge::is_comparable(mnemonic.fields.opcode)) return;
    for (const auto& constants : constants_for(mnemonic.fields.opcode)) {
      auto step = instruction_step(text, constants);
      if (!step || step->destinations.empty()) continue;
      const bool has_constants = !step->constants.empty();
      visit(std::move(*step));
      if (!has_constants) break;
    }
  });
}

/// Gathers steps into kernels. Steps with the same source types share a kernel.
class Kernels {
 public:
  void add(Step step) {
    auto [at, fresh] = open_.emplace(step.sources, kernels_.size());
    if (fresh || kernels_[at->second].steps.size() == steps_in_kernel) {
      at->second = kernels_.size();
      kernels_.push_back({fmt::format("&k{}", kernels_.size()), {}});
    }
    kernels_[at->second].steps.push_back(std::move(step));
  }
  std::vector<Kernel> take() { return std::move(kernels_); }

 private:
  std::vector<Kernel> kernels_;
  std::map<std::vector<isa::Type>, size_t> open_;  // the kernel that takes further steps with these source
                                                   // types
};

bool has_float_source(const Step& step) {
  return std::ranges::any_of(
      step.sources, [](isa::Type type) { return type == HSA_BRIG_TYPE_F32 || type == HSA_BRIG_TYPE_F64; });
}

/// Visits the step with one operand held in a register as a constant, for each operand in turn, then with all
/// of them held, and then with immediates: compilers simplify such operations or compute them.
void with_constants(const Step& step, Values& values, const std::function<void(Step)>& visit) {
  const size_t count = step.sources.size();
  const auto held = [&](size_t k) { return std::optional(values.neutral_or_other(step.sources[k])); };
  for (size_t k = 0; k < count; ++k) {
    Step some = step;
    some.held.resize(count);
    some.held[k] = held(k);
    visit(std::move(some));
  }
  Step all = step;
  for (size_t k = 0; k < count; ++k) all.held.push_back(held(k));
  if (count > 1) visit(all);
  if (!has_float_source(step)) return;
  all.has_immediates = true;
  visit(std::move(all));
}

class InstructionDifferential : public ::testing::TestWithParam<uint16_t> {};

/// Returns the seed for the operands of an opcode. --gtest_random_seed=N selects other operands, and other
/// waves.
uint64_t seed_of(uint16_t opcode) {
  return opcode * uint64_t{1000003} + uint64_t(GTEST_FLAG_GET(random_seed)) * 7919;
}

uint64_t turn_of(uint16_t opcode) { return opcode + uint64_t(GTEST_FLAG_GET(random_seed)); }

void compare_all(const std::vector<Kernel>& kernels, uint64_t seed, const WaveTarget& target) {
  for (size_t first = 0; first < kernels.size(); first += kernels_in_module) {
    const std::vector<Kernel> batch(
        kernels.begin() + static_cast<ptrdiff_t>(first),
        kernels.begin() + static_cast<ptrdiff_t>(std::min(kernels.size(), first + kernels_in_module)));
    const std::string text = module_of(batch);
    std::string why;
    auto object = compile(text, why, target.isa, target.options);
    ASSERT_TRUE(object) << why;
    LoadedProgram interpreted(text, target.lanes);
    ASSERT_TRUE(interpreted.good());
    LoadedCode compiled(std::move(*object));
    SCOPED_TRACE(target.isa);
    for (const Kernel& kernel : batch) Comparison(kernel, ++seed).run(interpreted, compiled);
  }
}

/// Kernels of all steps, and modules of their own for those that flush subnormal numbers, because programs
/// that flush throughout are compiled to different code.
class Steps {
 public:
  void add(Step step) {
    if (finalizer::subnormals_in(step.mnemonic.fields) == finalizer::Subnormals::flushed) flushing_.add(step);
    all_.add(std::move(step));
  }
  /// `turn` chooses how waves of several work-items are compiled.
  void compare(uint64_t seed, uint64_t turn) {
    const std::vector<Kernel> all = all_.take(), flushing = flushing_.take();
    compare_all(all, seed, {host_isa()});
    for (const char* isa : host_isas()) compare_all(flushing, seed, {isa});
    if (const auto waves = wave_target(turn)) {
      compare_all(all, seed, *waves);
      compare_all(flushing, seed, *waves);
    }
  }

 private:
  Kernels all_, flushing_;
};

TEST_P(InstructionDifferential, InterpreterAndCompiledCodeAgree) {
  Steps steps;
  for_each_step(*isa::instruction(unsigned{GetParam()}), [&](Step step) { steps.add(std::move(step)); });
  steps.compare(seed_of(GetParam()), turn_of(GetParam()));
}

TEST_P(InstructionDifferential, TheyAgreeOnConstantsInRegisters) {
  Steps steps;
  Values values(seed_of(GetParam()) + 1);
  for_each_step(*isa::instruction(unsigned{GetParam()}), [&](const Step& step) {
    with_constants(step, values, [&](Step held) { steps.add(std::move(held)); });
  });
  steps.compare(seed_of(GetParam()), turn_of(GetParam()));
}

std::vector<uint16_t> opcodes() {
  std::vector<uint16_t> result;
  for (const isa::Instruction& instruction : isa::instructions()) {
    bool any = false;
    for_each_step(instruction, [&](const Step&) { any = true; });
    if (any) result.push_back(static_cast<uint16_t>(&instruction - isa::instructions().data()));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, InstructionDifferential, ::testing::ValuesIn(opcodes()), [](const auto& info) {
  return std::string(isa::text(isa::instruction(unsigned{info.param})->mnemonic));
});

}  // namespace
}  // namespace heddle::testing
