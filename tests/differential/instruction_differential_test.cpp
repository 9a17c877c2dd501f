// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction that computes, in every type and with every modifier: the interpreter against compiled code.
#include <gtest/gtest.h>

#include <map>

#include <fmt/format.h>

#include "../finalizer/jit_runner.h"
#include "enumerate.h"
#include "finalizer/finalize.h"
#include "harness.h"
#include "hsail/assemble/assemble.h"
#include "hsail/isa/types.h"
#include "judge.h"
#include "values.h"

namespace heddle::testing {
namespace {

constexpr uint32_t items = 192;
constexpr uint32_t group = 64;
constexpr size_t batch_size = 64;

/// The newest level that this CPU executes.
const char* host_isa() {
  if (__builtin_cpu_supports("x86-64-v4")) return "heddle:x86-64-v4:w1";
  if (__builtin_cpu_supports("x86-64-v3")) return "heddle:x86-64-v3:w1";
  return "heddle:x86-64-v2:w1";
}

struct Instruction {
  std::string mnemonic;
  std::string name;  ///< of the kernel
  InstructionKernel kernel;
};

struct Batch {
  std::vector<Instruction> instructions;
  std::string text() const {
    std::string text(instruction_module);
    for (const Instruction& instruction : instructions) text += instruction.kernel.text;
    return text;
  }
};

std::optional<codeobject::CodeObject> compile(const std::string& text, std::string& why) {
  Diagnostics diagnostics("test.hsail", text);
  std::vector<std::byte> bytes;
  link::Program program({});
  codeobject::CodeObject object;
  if (assemble::assemble(text, "test.hsail", bytes, diagnostics) &&
      program.add(brig::Module::open(bytes, diagnostics), diagnostics) == link::Program::AddResult::ok &&
      finalizer::finalize(program, HSAIL_CODE_OBJECT_BOTH, finalizer::find_isa(host_isa()),
                          finalizer::parse_options(nullptr), nullptr, object,
                          diagnostics) == finalizer::FinalizeResult::ok) {
    return object;
  }
  why = diagnostics.print();
  return std::nullopt;
}

/// The same operands for both, and what both made of them.
class Comparison {
 public:
  Comparison(const Instruction& instruction, uint64_t seed) : instruction_(instruction), judge_(instruction.kernel) {
    Values values(seed);
    for (const auto& source : instruction.kernel.sources) {
      sources_.emplace_back(items);
      for (Cell& cell : sources_.back()) cell = values.value(source.type);
    }
    const size_t outputs = instruction.kernel.destinations.size();
    before_.resize(items * outputs);
    for (Cell& cell : before_) cell = {values.bits(), values.bits()};
  }

  void run(const LoadedProgram& interpreted, LoadedCode& compiled) {
    std::vector<Cell> expected = before_, got = before_;
    interpreter::Dispatch dispatch;
    dispatch.kernel = interpreted.kernel(instruction_.name);
    dispatch.grid_size = {items, 1, 1};
    dispatch.group_size = {group, 1, 1};
    dispatch.packet_id = 7;               // what LoadedCode::run says
    dispatch.completion_signal = 0x5160;
    interpreter::Services services;
    services.compute_unit = 2;
    services.max_compute_unit = 5;
    const auto fault = interpreted.run(dispatch, kernarg(expected), {}, services);
    ASSERT_EQ(id(fault), "none") << instruction_.mnemonic << ": " << message(fault);
    const std::vector<uint64_t> arguments = kernarg(got);
    const Trap trap = compiled.run(instruction_.name, arguments.data(), {{items, 1, 1}, {group, 1, 1}, 1});
    ASSERT_FALSE(trap.taken) << instruction_.mnemonic;
    compare(expected, got);
  }

 private:
  std::vector<uint64_t> kernarg(std::vector<Cell>& outputs) {
    std::vector<uint64_t> result{address(outputs.data())};
    for (auto& source : sources_) result.push_back(address(source.data()));
    return result;
  }

  void compare(const std::vector<Cell>& expected, const std::vector<Cell>& got) {
    const size_t outputs = instruction_.kernel.destinations.size();
    int failures = 0;
    for (uint32_t i = 0; i < items && failures < 3; ++i) {
      std::vector<Cell> sources;
      for (const auto& source : sources_) sources.push_back(source[i]);
      const auto part = [&](const std::vector<Cell>& all) { return std::span(all).subspan(i * outputs, outputs); };
      if (judge_.accepts(sources, part(expected), part(got))) continue;
      ++failures;
      std::string text;
      for (const Cell& cell : sources) text += fmt::format(" {:x}:{:x}", cell.hi, cell.lo);
      for (size_t k = 0; k < outputs; ++k) {
        text += fmt::format("\n  interpreted {:x}:{:x}, compiled {:x}:{:x}", part(expected)[k].hi, part(expected)[k].lo,
                            part(got)[k].hi, part(got)[k].lo);
      }
      ADD_FAILURE() << instruction_.mnemonic << " of" << text;
    }
  }

  const Instruction& instruction_;
  Judge judge_;
  std::vector<std::vector<Cell>> sources_;
  std::vector<Cell> before_;
};

/// Constant operands: selectors, dimension numbers. More than one value where the instruction takes many.
std::vector<std::vector<std::string>> constants_for(unsigned opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_SHUFFLE: return {{"0"}, {"0x1b"}, {"0xfac688"}};
    case HSA_BRIG_OPCODE_UNPACKCVT: return {{"0"}, {"1"}, {"2"}, {"3"}};
    case HSA_BRIG_OPCODE_CLEARDETECTEXCEPT:
    case HSA_BRIG_OPCODE_SETDETECTEXCEPT: return {{"1"}};
    default: return {{"0"}, {"1"}};
  }
}

void for_each_kernel(const isa::Instruction& instruction, const std::function<void(Instruction)>& visit) {
  size_t number = 0;
  for_each_mnemonic(instruction, [&](const std::string& text, const isa::Mnemonic& mnemonic) {
    if (!Judge::is_comparable(mnemonic.fields.opcode)) return;
    bool has_constants = false;
    for (const isa::Operand& operand : isa::operands(*mnemonic.variant)) {
      has_constants = has_constants || operand.kind == isa::OperandKind::constant;
    }
    auto choices = has_constants ? constants_for(mnemonic.fields.opcode) : std::vector<std::vector<std::string>>{{}};
    for (const auto& constants : choices) {
      const std::string name = fmt::format("&k{}", number++);
      auto kernel = instruction_kernel(text, constants, nullptr, name);
      if (!kernel || kernel->destinations.empty()) continue;
      visit({text, name, std::move(*kernel)});
    }
  });
}

/// Instructions that no code generator has yet. A mnemonic that is refused although its opcode is not here, or accepted
/// although it is, fails the test: the list must stay true.
bool is_not_compiled(const Instruction& instruction);

class InstructionDifferential : public ::testing::TestWithParam<uint16_t> {};

void compare_batch(const Batch& batch, uint64_t seed, std::vector<std::string>& refused) {
  const std::string text = batch.text();
  std::string why;
  auto object = compile(text, why);
  if (!object && batch.instructions.size() > 1) {
    // Something in it is not compiled: find out what.
    for (const Instruction& instruction : batch.instructions) compare_batch({{instruction}}, seed, refused);
    return;
  }
  if (!object) {
    refused.push_back(batch.instructions[0].mnemonic + ": " + why);
    if (!is_not_compiled(batch.instructions[0])) {
      ADD_FAILURE() << batch.instructions[0].mnemonic << " is not compiled: " << why;
    }
    return;
  }
  LoadedProgram interpreted(text);
  ASSERT_TRUE(interpreted.good());
  LoadedCode compiled(std::move(*object));
  for (const Instruction& instruction : batch.instructions) Comparison(instruction, ++seed).run(interpreted, compiled);
}

bool is_not_compiled(const Instruction& instruction) {
  const isa::Fields& fields = instruction.kernel.mnemonic.fields;
  return isa::is_packed(fields.type()) || isa::is_packed(fields.source_type());
}

TEST_P(InstructionDifferential, InterpreterAndCompiledCodeAgree) {
  Batch batch;
  std::vector<std::string> refused;
  size_t count = 0;
  const auto flush = [&] {
    if (!batch.instructions.empty()) compare_batch(batch, GetParam() * 1000003 + count, refused);
    count += batch.instructions.size();
    batch.instructions.clear();
  };
  for_each_kernel(*isa::instruction(unsigned{GetParam()}), [&](Instruction instruction) {
    batch.instructions.push_back(std::move(instruction));
    if (batch.instructions.size() == batch_size) flush();
  });
  flush();
  if (!refused.empty()) std::printf("%zu of %zu forms are not compiled\n", refused.size(), count);
}

std::vector<uint16_t> opcodes() {
  std::vector<uint16_t> result;
  for (const isa::Instruction& instruction : isa::instructions()) {
    bool any = false;
    for_each_kernel(instruction, [&](const Instruction&) { any = true; });
    if (any) result.push_back(static_cast<uint16_t>(&instruction - isa::instructions().data()));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, InstructionDifferential, ::testing::ValuesIn(opcodes()), [](const auto& info) {
  return std::string(isa::text(isa::instruction(unsigned{info.param})->mnemonic));
});

}  // namespace
}  // namespace heddle::testing
