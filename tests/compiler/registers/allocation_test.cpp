// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation of registers: that limits are kept, that copies vanish, and that cost does not grow with the
// square of the code.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/registers/allocate.h"
#include "compiler/registers/coalesce.h"
#include "compiler/registers/linear_scan.h"

namespace {

using namespace heddle::compiler;

class Registers : public testing::Test {
 protected:
  void append(uint32_t block, llvm::StringRef mnemonic, std::initializer_list<Operand> operands,
              Instruction::Form form = Instruction::Form::plain) {
    Instruction instruction;
    instruction.mnemonic = text.keep(mnemonic);
    instruction.form = form;
    instruction.operands = operands;
    code.blocks[block].instructions.push_back(std::move(instruction));
  }
  RegisterId make(Type type) { return code.add_register(register_kind(type)); }

  // The highest number of each kind, plus 1.
  std::map<RegisterKind, uint32_t> counts() const {
    std::map<RegisterKind, uint32_t> result;
    for (const Block& block : code.blocks) {
      for (const Instruction& instruction : block.instructions) {
        for (const Operand& operand : instruction.operands) {
          if (!operand.uses() && !operand.defines()) continue;
          uint32_t& count = result[register_kind(operand.type)];
          count = std::max(count, operand.number + 1);
        }
      }
    }
    return result;
  }

  Text text;
  Code code;
};

// Defines values that are all live until they are used in the opposite order.
TEST_F(Registers, SpillWhatExceedsTheLimits) {
  code.blocks.resize(1);
  std::vector<std::pair<RegisterId, Type>> values;
  for (unsigned i = 0; i < 300; ++i) {
    const Type type = i % 3 == 0 ? Type::b1 : i % 3 == 1 ? Type::u32 : Type::u64;
    values.emplace_back(make(type), type);
    append(0, "mov", {Operand::definition(values.back().first, type), Operand::immediate(i, type)});
  }
  for (auto value = values.rbegin(); value != values.rend(); ++value)
    append(0, "use", {Operand::use(value->first, value->second)});
  allocate_registers(code, text, {.c = 4, .words = 32});
  auto used = counts();
  EXPECT_LE(used[RegisterKind::c], 4U);
  EXPECT_LE(used[RegisterKind::s] + 2 * used[RegisterKind::d], 32U);
  EXPECT_GT(code.definitions.size(), 250U);
  // Each use gets the value of its own variable: variables are loaded in the opposite order of the stores.
  std::vector<std::string> stored;
  std::vector<std::string> loaded;
  for (const Instruction& instruction : code.blocks[0].instructions) {
    if (instruction.mnemonic.starts_with("st_spill")) stored.push_back(instruction.operands[1].text.str());
    if (instruction.mnemonic.starts_with("ld_spill")) loaded.push_back(instruction.operands[1].text.str());
  }
  std::ranges::reverse(loaded);
  EXPECT_EQ(stored, loaded);
}

// Sources of copies spill first, because they live longest. The temporaries that replace them are joined with
// the destinations of the copies, which are too many, too.
TEST_F(Registers, DestinationsOfCopiesOfSpilledRegistersSpill) {
  code.blocks.resize(1);
  const auto type = [](size_t i) { return i % 2 == 0 ? Type::u32 : Type::u64; };
  std::vector<RegisterId> sources;
  std::vector<RegisterId> copies;
  for (size_t i = 0; i < 120; ++i) {
    sources.push_back(make(type(i)));
    append(0, "mov", {Operand::definition(sources[i], type(i)), Operand::immediate(i, type(i))});
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    copies.push_back(make(type(i)));
    append(0, "mov", {Operand::definition(copies[i], type(i)), Operand::use(sources[i], type(i))},
           Instruction::Form::copy);
  }
  for (size_t i = 0; i < copies.size(); ++i) append(0, "use", {Operand::use(copies[i], type(i))});
  for (size_t i = 0; i < sources.size(); ++i) append(0, "use", {Operand::use(sources[i], type(i))});
  allocate_registers(code, text, {.c = 4, .words = 32});
  auto used = counts();
  EXPECT_LE(used[RegisterKind::s] + 2 * used[RegisterKind::d], 32U);
}

TEST_F(Registers, NothingIsSpilledWithinTheLimits) {
  code.blocks.resize(1);
  std::vector<RegisterId> values;
  for (unsigned i = 0; i < 1000; ++i) {
    values.push_back(make(Type::u64));
    append(0, "mov", {Operand::definition(values.back(), Type::u64), Operand::immediate(i, Type::u64)});
  }
  for (const RegisterId value : values) append(0, "use", {Operand::use(value, Type::u64)});
  allocate_registers(code, text);
  EXPECT_TRUE(code.definitions.empty());
  EXPECT_EQ(counts()[RegisterKind::d], 1000U);
}

// x = phi(0, y); y = x + 1: both get one register, and the copy at the end of the loop vanishes.
TEST_F(Registers, CounterOfALoopHasOneRegister) {
  code.blocks.resize(3);
  const RegisterId x = make(Type::u32);
  const RegisterId y = make(Type::u32);
  append(0, "mov_b32", {Operand::definition(x, Type::u32), Operand::immediate(0, Type::u32)},
         Instruction::Form::copy);
  append(0, "br", {Operand::label(1)}, Instruction::Form::branch);
  code.blocks[0].successors = {1};
  append(1, "add_u32",
         {Operand::definition(y, Type::u32), Operand::use(x, Type::u32), Operand::immediate(1, Type::u32)});
  append(1, "mov_b32", {Operand::definition(x, Type::u32), Operand::use(y, Type::u32)},
         Instruction::Form::copy);
  append(1, "sbr_u32", {Operand::use(x, Type::u32), Operand::vector(2), Operand::label(1), Operand::label(2)},
         Instruction::Form::branch);
  code.blocks[1].successors = {1, 2};
  append(2, "ret", {});
  allocate_registers(code, text);
  EXPECT_EQ(counts()[RegisterKind::s], 1U);
}

// The old value is still used after the new one is there: two registers, and the copy stays.
TEST_F(Registers, ValuesThatLiveTogetherStayApart) {
  code.blocks.resize(1);
  const RegisterId x = make(Type::u32);
  const RegisterId y = make(Type::u32);
  append(0, "mov", {Operand::definition(x, Type::u32), Operand::immediate(0, Type::u32)});
  append(0, "mov_b32", {Operand::definition(y, Type::u32), Operand::use(x, Type::u32)},
         Instruction::Form::copy);
  append(0, "add_u32",
         {Operand::definition(y, Type::u32), Operand::use(y, Type::u32), Operand::immediate(1, Type::u32)});
  append(0, "use", {Operand::use(x, Type::u32), Operand::use(y, Type::u32)});
  allocate_registers(code, text);
  EXPECT_EQ(counts()[RegisterKind::s], 2U);
}

// One phi of many sources joins all of them without looking at each range again for each source.
TEST_F(Registers, PhiOfManySourcesIsOneGroup) {
  constexpr uint32_t sources = 20000;
  code.blocks.resize(sources + 1);
  const RegisterId phi = make(Type::u32);
  for (uint32_t i = 0; i < sources; ++i) {
    const RegisterId value = make(Type::u32);
    append(i, "mov", {Operand::definition(value, Type::u32), Operand::immediate(i, Type::u32)});
    append(i, "mov_b32", {Operand::definition(phi, Type::u32), Operand::use(value, Type::u32)},
           Instruction::Form::copy);
    append(i, "sbr_u32",
           {Operand::immediate(i, Type::u32), Operand::vector(2), Operand::label(i + 1),
            Operand::label(sources)},
           Instruction::Form::branch);
    code.blocks[i].successors = {i + 1, sources};
  }
  append(sources, "use", {Operand::use(phi, Type::u32)});
  const std::vector<RegisterId> groups = coalesce(code, find_live_ranges(code));
  for (RegisterId id = 0; id < code.registers.size(); ++id) EXPECT_EQ(groups[id], groups[0]);
}

TEST(LinearScan, TakesTheLowestFreeNumber) {
  const Assignment result = scan({{0, 10, 0, true}, {1, 4, 1, true}, {2, 3, 2, true}, {5, 9, 3, true}}, 8);
  const std::map<RegisterId, uint32_t> numbers(result.numbers.begin(), result.numbers.end());
  EXPECT_EQ(numbers, (std::map<RegisterId, uint32_t>{{0, 0}, {1, 1}, {2, 2}, {3, 1}}));
  EXPECT_EQ(result.count, 3U);
}

TEST(LinearScan, SpillsWhatEndsLast) {
  const Assignment result = scan({{0, 100, 0, true}, {1, 50, 1, false}, {2, 60, 2, true}}, 2);
  EXPECT_EQ(result.spilled, std::vector<RegisterId>{0});
  EXPECT_LE(result.count, 2U);
}

}  // namespace
