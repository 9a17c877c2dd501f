// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of segments (PRM 4.20, 4.21).
#include "build.h"

namespace heddle::testing {
namespace {

TEST(Layout, KernargsInOrderWithTheirAlignment) {
  Built built({module_of("&a", R"(
    prog kernel &k(kernarg_u8 %a, kernarg_u64 %b, kernarg_u16 %c[3], kernarg_f32 %d, align(32) kernarg_u8 %e,
                   kernarg_u8x16 %f) {};
    prog kernel &none() {};
    prog kernel &one(kernarg_u32 %x) {};
  )")});
  const auto layout = built.program.kernarg_layout(built.definition("&k"));
  ASSERT_EQ(layout.slots.size(), 6u);
  const uint64_t offsets[] = {0, 8, 16, 24, 32, 48}, sizes[] = {1, 8, 6, 4, 1, 16};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(layout.slots[i].offset, offsets[i]) << i;
    EXPECT_EQ(layout.slots[i].size, sizes[i]) << i;
  }
  EXPECT_EQ(layout.size, 64u);
  EXPECT_EQ(layout.align, 32u);
  EXPECT_EQ(built.program.kernarg_layout(built.definition("&none")).size, 0u);
  EXPECT_EQ(built.program.kernarg_layout(built.definition("&one")).size, 16u);
  EXPECT_EQ(built.program.kernarg_layout(built.definition("&one")).align, 16u);
}

TEST(Layout, GroupMemoryOfWhatAKernelReaches) {
  Built built({module_of("&a", R"(
    group_u8 &small;
    align(64) group_u32 &wide[3];
    group_u32 &unused[1000];
    fbarrier &meet;
    function &f()() { group_u16 %in_function; st_group_u8 1, [&small]; };
    prog kernel &k() { group_u64 %own; ld_group_u32 $s0, [&wide]; { call &f()(); } };
    prog kernel &bars() { initfbar &meet; st_group_u8 1, [&small]; };
    prog kernel &none() {};
  )")});
  const auto layout = built.program.group_layout(built.definition("&k"));
  // In order of appearance: %own, &wide, then the variables of the function.
  ASSERT_EQ(layout.slots.size(), 4u);
  EXPECT_EQ(built.name(layout.slots[0].variable), "%own");
  EXPECT_EQ(layout.slots[0].offset, 0u);
  EXPECT_EQ(built.name(layout.slots[1].variable), "&wide");
  EXPECT_EQ(layout.slots[1].offset, 64u);
  EXPECT_EQ(built.name(layout.slots[2].variable), "%in_function");
  EXPECT_EQ(layout.slots[2].offset, 76u);
  EXPECT_EQ(built.name(layout.slots[3].variable), "&small");
  EXPECT_EQ(layout.slots[3].offset, 78u);
  EXPECT_EQ(layout.size, 79u);
  EXPECT_EQ(layout.align, 64u);
  const auto bars = built.program.group_layout(built.definition("&bars"));
  ASSERT_EQ(bars.slots.size(), 2u);
  EXPECT_EQ(built.name(bars.slots[0].variable), "&small");
  EXPECT_EQ(bars.slots[1].offset, link::fbarrier_align);
  EXPECT_EQ(bars.size, link::fbarrier_align + link::fbarrier_size);
  EXPECT_EQ(built.program.group_layout(built.definition("&none")).size, 0u);
}

TEST(Layout, VariablesHaveTheSizeAndAlignmentOfTheirElements) {
  Built built({module_of("&a", R"(
    global_u8x8 &packed; global_u16 &array[5]; align(256) global_u8 &far; global_sig64 &signal[2];
  )")});
  const struct {
    const char* name;
    uint64_t size;
    uint32_t align;
  } rows[] = {{"&a::&packed", 8, 8}, {"&a::&array", 10, 2}, {"&a::&far", 1, 256}, {"&a::&signal", 16, 8}};
  for (const auto& row : rows) {
    const link::Reference at = built.definition(row.name);
    EXPECT_EQ(link::variable_size(built.program.modules()[0], at.offset), row.size) << row.name;
    EXPECT_EQ(link::variable_align(built.program.modules()[0], at.offset), row.align) << row.name;
  }
}

}  // namespace
}  // namespace heddle::testing
