// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the ids of the diagnostics with which Module::open() refuses modules, and that no bytes make it or
// its consumers crash.
#include <algorithm>
#include <set>

#include "../print/print_law.h"
#include "hsail/brig/operands.h"
#include "hsail/print/print.h"
#include "sample.h"

namespace heddle::brig::test {
namespace {

std::vector<BadModule> all_bad_modules() {
  std::vector<BadModule> all;
  for (auto* table :
       {bad_containers, bad_operands, bad_directives, bad_structures, bad_instructions, bad_rules}) {
    auto some = table();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::set<std::string> ids_of(const Diagnostics& diagnostics) {
  std::set<std::string> ids;
  for (const Diagnostic& diagnostic : diagnostics.all()) ids.insert(diagnostic.id);
  return ids;
}

class Malformed : public testing::TestWithParam<BadModule> {};

TEST_P(Malformed, is_reported_by_id) {
  std::vector<std::byte> bytes = assemble(GetParam().text);
  ASSERT_FALSE(bytes.empty());
  Diagnostics good;
  ASSERT_TRUE(Module::open(bytes, good)) << good.print();
  Patch patch(bytes);
  GetParam().change(patch);
  Diagnostics diagnostics("patched");
  const Module module = Module::open(bytes, diagnostics);
  EXPECT_TRUE(ids_of(diagnostics).contains(GetParam().id)) << diagnostics.print();
  EXPECT_EQ(static_cast<bool>(module), !diagnostics.has_errors());
  for (const Diagnostic& diagnostic : diagnostics.all()) EXPECT_TRUE(diagnostic.location.has_binary());
}

INSTANTIATE_TEST_SUITE_P(Ids, Malformed, testing::ValuesIn(all_bad_modules()), [](const auto& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.id;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
});

TEST(Redefinition, tells_the_first_definition) {
  std::vector<std::byte> bytes = assemble(sample_text);
  Patch patch(bytes);
  constexpr unsigned label = HSA_BRIG_KIND_DIRECTIVE_LABEL;
  patch.code<hsa_brig_directive_label_t>(label, 1).name =
      patch.code<hsa_brig_directive_label_t>(label, 0).name;
  Diagnostics diagnostics;
  EXPECT_FALSE(Module::open(bytes, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u) << diagnostics.print();
  const Diagnostic& error = diagnostics.all()[0];
  EXPECT_EQ(error.id, "HSAIL-4.6.2-redefinition");
  EXPECT_EQ(error.location.offset, patch.code_offset(label, 1));
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_EQ(error.notes[0].location.offset, patch.code_offset(label, 0));
}

TEST(RegisterKind, is_reported_at_the_element_of_a_vector_and_the_register_of_an_address) {
  std::vector<std::byte> bytes = assemble(
      "module &m:1:2:$full:$large:$default; kernel &k() { ld_v2_global_u32 ($s0, $s1), [$d0]; mov_b32 $s2, "
      "1; };");
  Patch patch(bytes);
  using Register = hsa_brig_operand_register_t;
  constexpr unsigned reg = HSA_BRIG_KIND_OPERAND_REGISTER;
  patch.operand<Register>(reg, 1).reg_kind = HSA_BRIG_REGISTER_KIND_DOUBLE;
  patch.operand<Register>(reg, 2).reg_kind = HSA_BRIG_REGISTER_KIND_SINGLE;
  Diagnostics diagnostics;
  EXPECT_FALSE(Module::open(bytes, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 2u) << diagnostics.print();
  const Location& element = diagnostics.all()[0].location;
  EXPECT_EQ(std::pair(element.operand, element.part), std::pair(1u, 2u)) << diagnostics.print();
  const Location& base = diagnostics.all()[1].location;
  EXPECT_EQ(std::pair(base.operand, base.part), std::pair(2u, register_part)) << diagnostics.print();
}

/// Reads everything that a consumer would read. Returns 0 if the module does not open.
size_t consume(std::span<const std::byte> bytes) {
  Diagnostics diagnostics;
  const Module module = Module::open(bytes, diagnostics);
  EXPECT_EQ(static_cast<bool>(module), !diagnostics.has_errors());
  if (!module) return 0;
  EXPECT_EQ(print::test::broken_print_law(module), "");
  size_t seen = print::disassemble(module, {2, true, true}).size();
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    seen += module.name(at).size();
    if (!module.is_executable(at)) continue;
    seen += register_counts(module, at).single;
    module.for_each_in_code_block(at, [&](Offset entry) { seen += module.is_instruction(entry); });
  }
  return seen;
}

TEST(Corruption, any_byte_with_any_of_some_values_never_crashes) {
  const std::vector<std::byte> good = assemble(sample_text);
  std::vector<std::byte> bytes = good;
  size_t opened = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto was = std::to_integer<unsigned>(good[i]);
    for (const unsigned value :
         {0u, 0xffu, was ^ 1, was ^ 2, was ^ 0x80, was + 1, was - 1, was + 4, was - 4}) {
      bytes[i] = static_cast<std::byte>(value);
      opened += consume(bytes) != 0;
    }
    bytes[i] = good[i];
  }
  EXPECT_GT(opened, 0u);
}

TEST(Corruption, any_word_as_any_offset_never_crashes) {
  const std::vector<std::byte> good = assemble(sample_text);
  std::vector<std::byte> bytes = good;
  for (size_t word = 0; word + 4 <= bytes.size(); word += 4) {
    // A prime stride reaches starts of entries of every kind, at different offsets for each word.
    for (uint32_t offset = static_cast<uint32_t>(word % 124); offset < bytes.size(); offset += 4 * 31) {
      std::memcpy(bytes.data() + word, &offset, sizeof offset);
      consume(bytes);
    }
    std::copy_n(good.begin() + static_cast<ptrdiff_t>(word), 4, bytes.begin() + static_cast<ptrdiff_t>(word));
  }
}

TEST(Corruption, any_length_never_crashes) {
  const std::vector<std::byte> good = assemble(sample_text);
  for (size_t size = 0; size < good.size(); ++size) {
    // An exact-size allocation lets a sanitizer see any read past the end.
    const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
    Diagnostics diagnostics;
    EXPECT_FALSE(Module::open(cut, diagnostics));
    EXPECT_TRUE(diagnostics.has_errors());
  }
}

}  // namespace
}  // namespace heddle::brig::test
