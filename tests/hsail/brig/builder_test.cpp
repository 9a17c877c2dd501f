// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/builder.h"
#include "hsail/brig/operands.h"

namespace heddle::brig {
namespace {

hsa_brig_directive_module_t module_directive(Builder& builder) {
  hsa_brig_directive_module_t directive{};
  directive.base.kind = HSA_BRIG_KIND_DIRECTIVE_MODULE;
  directive.name = builder.add_string("&m");
  directive.hsail_major = HSA_BRIG_VERSION_HSAIL_MAJOR;
  directive.hsail_minor = HSA_BRIG_VERSION_HSAIL_MINOR;
  directive.profile = HSA_BRIG_PROFILE_FULL;
  directive.machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
  directive.default_float_round = HSA_BRIG_ROUND_FLOAT_DEFAULT;
  return directive;
}

TEST(Builder, empty_module_has_a_canonical_container) {
  Builder builder;
  builder.add_code(module_directive(builder));
  const auto bytes = builder.finish();
  ASSERT_TRUE(bytes.ok());
  Diagnostics diagnostics;
  const Module module = Module::open(*bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  const auto& header = module.container();
  EXPECT_EQ(header.brig_major, 1u);
  EXPECT_EQ(header.brig_minor, 2u);
  EXPECT_EQ(header.byte_count, bytes->size());
  EXPECT_EQ(header.byte_count % 16, 0u);
  EXPECT_EQ(header.section_count, 3u);
  EXPECT_TRUE(std::all_of(std::begin(header.hash), std::end(header.hash), [](uint8_t b) { return b == 0; }));
  EXPECT_EQ(module.code_begin(), 32u);
  EXPECT_EQ(module.name(module.code_begin()), "&m");
}

TEST(Builder, shares_equal_data_and_operands) {
  Builder builder;
  const Offset name = builder.add_string("&name");
  EXPECT_EQ(builder.add_string("&name"), name);
  EXPECT_NE(builder.add_string("&name2"), name);
  // "&nam" is a prefix of another entry's text, and zero padding does not belong to the text.
  EXPECT_NE(builder.add_string("&nam"), name);
  EXPECT_NE(builder.add_string(std::string_view("&nam\0", 5)), builder.add_string("&nam"));
  const Offset reg = builder.add_register(HSA_BRIG_REGISTER_KIND_SINGLE, 7);
  EXPECT_EQ(builder.add_register(HSA_BRIG_REGISTER_KIND_SINGLE, 7), reg);
  EXPECT_NE(builder.add_register(HSA_BRIG_REGISTER_KIND_DOUBLE, 7), reg);
  EXPECT_EQ(builder.add_constant(HSA_BRIG_TYPE_U32, 5), builder.add_constant(HSA_BRIG_TYPE_U32, 5));
  EXPECT_NE(builder.add_constant(HSA_BRIG_TYPE_U32, 5), builder.add_constant(HSA_BRIG_TYPE_S32, 5));
  EXPECT_EQ(builder.add_address(Symbol{}, reg, 8), builder.add_address(Symbol{}, reg, 8));
  EXPECT_NE(builder.add_address(Symbol{}, reg, 8), builder.add_address(Symbol{}, reg, uint64_t{8} << 32));
  const Offset pair[] = {reg, reg};
  EXPECT_EQ(builder.add_vector(pair), builder.add_vector(pair));
}

TEST(Builder, sharing_survives_growth_of_the_table) {
  Builder builder;
  std::vector<Offset> offsets;
  for (int i = 0; i < 5000; ++i) offsets.push_back(builder.add_string("&name" + std::to_string(i)));
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(builder.add_string("&name" + std::to_string(i)), offsets[size_t(i)]);
}

TEST(Builder, symbols_are_filled_in_at_the_end) {
  Builder builder;
  builder.add_code(module_directive(builder));
  const Symbol later = builder.new_symbol();
  const Symbol sooner = builder.new_symbol();
  EXPECT_FALSE(builder.is_defined(later));
  const Offset ref = builder.add_code_ref(later);
  EXPECT_EQ(builder.add_code_ref(later), ref);
  EXPECT_NE(builder.add_code_ref(sooner), ref);
  const Symbol both[] = {later, sooner};
  const Offset list = builder.add_code_list(both);
  EXPECT_EQ(builder.add_code_list(both), list);
  // A list of offsets is not shared with a list of symbols that have the same numbers.
  const Offset numbers[] = {static_cast<Offset>(later), static_cast<Offset>(sooner)};
  const Offset numbers_entry = builder.add_offsets(numbers);

  const auto add_function = [&](std::string_view name) {
    hsa_brig_directive_executable_t function{};
    function.base.kind = HSA_BRIG_KIND_DIRECTIVE_FUNCTION;
    function.name = builder.add_string(name);
    function.modifier = HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION;
    function.linkage = HSA_BRIG_LINKAGE_MODULE;
    const Offset at = builder.add_code(function);
    auto& entry = builder.code_as<hsa_brig_directive_executable_t>(at);
    entry.first_in_arg = entry.first_code_block_entry = entry.next_module_entry = builder.code_end();
    return at;
  };
  builder.define(sooner, add_function("&sooner"));
  builder.define(later, add_function("&later"));
  const Offset sooner_at = builder.offset_of(sooner), later_at = builder.offset_of(later);
  const auto bytes = builder.finish();
  ASSERT_TRUE(bytes.ok());
  Diagnostics diagnostics;
  const Module module = Module::open(*bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  EXPECT_EQ(code_ref(module, ref), later_at);
  ASSERT_EQ(code_list(module, list).size(), 2u);
  EXPECT_EQ(code_list(module, list)[0], later_at);
  EXPECT_EQ(code_list(module, list)[1], sooner_at);
  EXPECT_EQ(module.offsets(numbers_entry)[0], static_cast<Offset>(later));
}

TEST(Builder, undefined_symbols_are_an_error) {
  Builder builder;
  builder.add_code(module_directive(builder));
  builder.add_code_ref(builder.new_symbol());
  EXPECT_FALSE(builder.finish().ok());
}

TEST(Builder, pads) {
  Builder builder;
  builder.add_code(module_directive(builder));
  const Offset at = builder.add_pad(3);
  EXPECT_EQ(builder.code_end(), at + 16);
  const auto bytes = builder.finish();
  Diagnostics diagnostics;
  const Module module = Module::open(*bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  EXPECT_EQ(module.code_entry(at).kind, HSA_BRIG_KIND_NONE);
  EXPECT_EQ(module.code_entry(at).byte_count, 16u);
}

}  // namespace
}  // namespace heddle::brig
