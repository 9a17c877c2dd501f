// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of every instruction, generated from the tables: text -> BRIG -> text, and the fields of the
// BRIG.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include "hsail/brig/operands.h"
#include "instruction_text.h"
#include "round_trip.h"

namespace heddle::golden {
namespace {

struct World {
  const char* name;
  isa::Environment environment;
};
void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

const World worlds[] = {
    {"full_large", {HSA_BRIG_MACHINE_MODEL_LARGE, HSA_BRIG_PROFILE_FULL, 2, true}},
    {"full_small", {HSA_BRIG_MACHINE_MODEL_SMALL, HSA_BRIG_PROFILE_FULL, 2, true}},
    {"full_large_of_1_0", {HSA_BRIG_MACHINE_MODEL_LARGE, HSA_BRIG_PROFILE_FULL, 0, true}},
    {"base_large", {HSA_BRIG_MACHINE_MODEL_LARGE, HSA_BRIG_PROFILE_BASE, 2, true}},
    {"base_small_without_images", {HSA_BRIG_MACHINE_MODEL_SMALL, HSA_BRIG_PROFILE_BASE, 2, false}},
};

/// Expects that a module has these instructions, in this order.
void expect_instructions(const RoundTrip& trip, const Lines& lines) {
  std::vector<const Line*> wanted;
  for (const std::vector<Line>* list : {&lines.function, &lines.kernel, &lines.calls})
    for (const Line& line : *list) wanted.push_back(&line);
  Diagnostics diagnostics;
  brig::Module module = brig::Module::open(trip.brig, diagnostics);
  size_t next = 0;
  unsigned failures = 0;
  for (brig::Offset at = module.code_begin(); at != module.code_end() && failures < 10;
       at = module.next_code(at)) {
    if (!module.is_instruction(at)) continue;
    ASSERT_LT(next, wanted.size());
    const Line& line = *wanted[next++];
    isa::Fields fields = brig::instruction_fields(module, at);
    if (auto variant = isa::match(fields)) isa::complete(**variant, fields);
    if (fields == line.fields && print::disassemble_entry(module, at) == line.text) continue;
    ++failures;
    ADD_FAILURE() << line.text << " became " << print::disassemble_entry(module, at);
  }
  EXPECT_EQ(next, wanted.size());
}

class Instructions : public testing::TestWithParam<World> {};
TEST_P(Instructions, RoundTrip) {
  Coverage coverage;
  Lines lines = every_instruction(GetParam().environment, coverage);
  std::string text = module_text(lines, GetParam().environment);
  RoundTrip trip = round_trip(text, GetParam().name);
  ASSERT_FALSE(trip.brig.empty());
  EXPECT_TRUE(trip.printed == text) << "the text is not what the disassembler writes"
                                    << first_difference(text, trip.printed);
  expect_instructions(trip, lines);
}
INSTANTIATE_TEST_SUITE_P(Worlds, Instructions, testing::ValuesIn(worlds),
                         [](const auto& info) { return std::string(info.param.name); });

/// The texts cover all of the tables: each variant, each value of each slot, each operand.
TEST(InstructionTables, AreCovered) {
  Coverage coverage;
  for (const World& world : worlds) every_instruction(world.environment, coverage);
  size_t number = 0;
  for (const isa::Instruction& instruction : isa::instructions())
    for (const isa::Variant& variant : isa::variants(instruction)) {
      auto slots = isa::slots(variant);
      const auto& seen = coverage.seen[number];
      std::string what = fmt::format("{} {}", isa::text(instruction.mnemonic), isa::text(variant.name));
      for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].form == isa::SlotForm::literal || slots[i].form == isa::SlotForm::number) continue;
        // If types are restricted to pairs, some values of a type slot belong to other variants and cannot
        // occur in this one.
        bool is_type = slots[i].field == isa::Field::type || slots[i].field == isa::Field::source_type;
        if (is_type && variant.where.count != 0) continue;
        for (unsigned value = 0; value < 128; ++value) {
          if (!isa::value_set(slots[i].domain).contains(value)) continue;
          EXPECT_TRUE(seen[i][value])
              << what << ": no legal instruction has value " << value << " in slot " << i;
        }
      }
      for (unsigned written : coverage.choices[number]) EXPECT_GE(written, 1u) << what;
      EXPECT_TRUE(coverage.written[number]) << what << ": no legal instruction";
      ++number;
    }
}

}  // namespace
}  // namespace heddle::golden
