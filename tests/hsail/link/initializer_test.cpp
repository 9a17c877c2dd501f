// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial values of variables (PRM 4.8, 4.10).
#include "build.h"

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_images.h>

namespace heddle::testing {
namespace {

using Kind = link::Initializer::Fixup::Kind;
using Ids = std::vector<std::string>;

std::vector<int> bytes_of(const link::Initializer& initializer) {
  std::vector<int> result;
  for (std::byte byte : initializer.bytes) result.push_back(static_cast<int>(byte));
  return result;
}

TEST(Initializer, BytesOfEveryForm) {
  Built built({module_of("&a", R"(
    global_u32 &scalar = 0x01020304;
    global_s8 &negative = -2;
    global_u16 &array[2] = u16[](1, 0x203);
    global_u8x4 &packed = u8x4(1, 2, 3, 4);
    global_b8 &mixed[12] = {u8(1), align(4), u16(0x203), zero(3), s8(-1), align(4)};
    global_u32 &nothing;
  )")});
  ASSERT_EQ(built.problems, Ids{});
  const struct {
    const char* name;
    std::vector<int> bytes;
  } rows[] = {{"&a::&scalar", {4, 3, 2, 1}},
              {"&a::&negative", {0xfe}},
              {"&a::&array", {1, 0, 3, 2}},
              {"&a::&packed", {4, 3, 2, 1}},
              {"&a::&mixed", {1, 0, 0, 0, 3, 2, 0, 0, 0, 0xff, 0, 0}},
              {"&a::&nothing", {}}};
  for (const auto& row : rows) {
    link::Initializer initializer;
    Diagnostics diagnostics;
    EXPECT_TRUE(
        link::evaluate_initializer(built.program, built.definition(row.name), initializer, diagnostics));
    EXPECT_EQ(bytes_of(initializer), row.bytes) << row.name;
    EXPECT_TRUE(initializer.fixups.empty());
  }
}

TEST(Initializer, AddressesBecomeFixups) {
  Built built({module_of("&a", R"(
    decl prog indirect function &f()();
    decl prog kernel &k();
    prog global_u32 &v[4];
    prog global_u64 &self = addr(&self);
    prog global_b8 &low = addr(&v + 5);
    alloc(agent) global_u64 &table[4] = u64[](1, addr(&v - 4), addr(&f), addr(&k));
    alloc(agent) global_u32 &nulls[2] = u32[](nullptr_group, nullptr_private);
    prog global_u64 &flat = nullptr;
    prog indirect function &f()() {};
    prog kernel &k() {};
  )")});
  ASSERT_EQ(built.problems, Ids{});
  const auto evaluate = [&](const char* name) {
    link::Initializer initializer;
    Diagnostics diagnostics;
    EXPECT_TRUE(link::evaluate_initializer(built.program, built.definition(name), initializer, diagnostics));
    return initializer;
  };
  const auto self = evaluate("&self");
  ASSERT_EQ(self.fixups.size(), 1u);
  EXPECT_EQ(self.fixups[0].symbol, built.program.find("&self"));
  EXPECT_EQ(self.fixups[0].size, 8);
  const auto low = evaluate("&low");
  ASSERT_EQ(low.fixups.size(), 1u);
  EXPECT_EQ(low.fixups[0].size, 1);
  EXPECT_EQ(low.fixups[0].addend, 5);
  const auto table = evaluate("&a::&table");
  ASSERT_EQ(table.fixups.size(), 3u);
  EXPECT_EQ(table.fixups[0].offset, 8u);
  EXPECT_EQ(table.fixups[0].addend, -4);
  EXPECT_EQ(table.fixups[1].symbol, built.program.find("&f"));
  EXPECT_EQ(table.fixups[2].symbol, built.program.find("&k"));
  EXPECT_EQ(table.bytes[0], std::byte{1});
  const auto nulls = evaluate("&a::&nulls");
  ASSERT_EQ(nulls.fixups.size(), 2u);
  EXPECT_EQ(nulls.fixups[0].kind, Kind::null_group);
  EXPECT_EQ(nulls.fixups[1].kind, Kind::null_private);
  EXPECT_EQ(nulls.fixups[1].offset, 4u);
  const auto flat = evaluate("&flat");
  ASSERT_EQ(flat.fixups.size(), 1u);
  EXPECT_EQ(flat.fixups[0].kind, Kind::null_flat);
}

TEST(Initializer, WhatDiffersByAgentIsNotForProgramAllocation) {
  const struct {
    const char* text;
    const char* id;
  } rows[] = {
      {"prog kernel &k() {}; prog global_u64 &x = addr(&k);", "HSAIL-4.8.1-addr-of-agent"},
      {"readonly_u32 &r; prog global_u64 &x = addr(&r);", "HSAIL-4.8.1-addr-of-agent"},
      {"prog global_u32 &x = nullptr_group;", "HSAIL-4.8.1-null-of-agent"},
      {"decl prog kernel &k(); alloc(agent) global_u64 &x = addr(&k);", "HSAIL-4.8.1-addr-undefined"},
  };
  for (const auto& row : rows) {
    // The assembler may report the error first; otherwise the linker must report it.
    std::vector<std::byte> bytes;
    Diagnostics diagnostics;
    const std::string text = std::string("module &a:1:2:$full:$large:$default;\n") + row.text;
    if (!assemble::assemble(text, "test.hsail", bytes, diagnostics)) {
      EXPECT_TRUE(diagnostics.has_errors());
      continue;
    }
    EXPECT_EQ(Built({brig::Module::open(bytes, diagnostics)}).problems, Ids{row.id}) << row.text;
  }
}

TEST(Initializer, ImagesAndSamplersBecomeFixups) {
  Built built(
      {module_of("module &a:1:2:$full:$large:$default;\n"
                 R"(extension "IMAGE";
    readonly_roimg &image = roimg(geometry=1d, width=4, channel_order=r, channel_type=float);
    alloc(agent) global_samp &samplers[2] = samp[](
        samp(coord=normalized, filter=linear, addressing=repeat),
        samp(coord=unnormalized, filter=nearest, addressing=undefined));
  )")});
  ASSERT_EQ(built.problems, Ids{});
  Diagnostics diagnostics;
  link::Initializer image, samplers;
  const link::Reference samplers_at = built.definition("&a::&samplers");
  EXPECT_TRUE(link::evaluate_initializer(built.program, built.definition("&a::&image"), image, diagnostics));
  EXPECT_TRUE(link::evaluate_initializer(built.program, samplers_at, samplers, diagnostics));
  ASSERT_EQ(image.fixups.size(), 1u);
  EXPECT_EQ(image.fixups[0].kind, Kind::image);
  EXPECT_EQ(image.bytes.size(), 8u);
  ASSERT_EQ(samplers.fixups.size(), 2u);
  EXPECT_EQ(samplers.fixups[1].kind, Kind::sampler);
  EXPECT_EQ(samplers.fixups[1].offset, 8u);
  const auto& constant =
      built.program.modules()[samplers_at.module].operand_as<hsa_ext_brig_operand_constant_sampler_t>(
          samplers.fixups[1].operand);
  EXPECT_EQ(constant.coord, HSA_EXT_BRIG_SAMPLER_COORD_NORMALIZATION_UNNORMALIZED);
}

TEST(Initializer, WhatIsTooMuchIsRefused) {
  const struct {
    const char* text;
    const char* id;
  } rows[] = {
      {"prog global_b8 &x[1073741825] = {zero(1073741825)};", "HSAIL-4.10-initializer-limit"},
  };
  for (const auto& row : rows) {
    Built built({module_of(std::string("module &a:1:2:$full:$large:$default;\n") + row.text)});
    EXPECT_FALSE(built.resolved);
    EXPECT_EQ(built.problems, Ids{row.id}) << row.text;
  }
}

}  // namespace
}  // namespace heddle::testing
