// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of the low bits of registers, which NVIDIA's assembler must not take for conversions.
#include "finalizer/ptx/narrow_stores.h"

#include <gmock/gmock.h>

#include "ptxas.h"

namespace heddle::finalizer::ptx {
namespace {

struct Store {
  const char* name;
  const char* before;
  const char* after;
};
constexpr Store stores[] = {
    {"a_byte_of_32_bits", "\tst.global.b8 \t[%rd1+4], %r12;",
     "\t{ .reg .b32 %hsail_low0; and.b32 %hsail_low0, %r12, 255; st.global.b8 \t[%rd1+4], %hsail_low0; }"},
    {"half_of_32_bits", "\tst.shared.b16 \t[%r3], %r12;",
     "\t{ .reg .b32 %hsail_low0; and.b32 %hsail_low0, %r12, 65535; st.shared.b16 \t[%r3], %hsail_low0; }"},
    {"a_byte_of_16_bits", "\tst.b8 \t[%rd1], %rs2;",
     "\t{ .reg .b16 %hsail_low0; and.b16 %hsail_low0, %rs2, 255; st.b8 \t[%rd1], %hsail_low0; }"},
    {"half_of_64_bits", "\tst.param.b32 \t[param0], %rd2;",
     "\t{ .reg .b64 %hsail_low0; and.b64 %hsail_low0, %rd2, 4294967295; st.param.b32 \t[param0], "
     "%hsail_low0; }"},
    {"several", "\tst.v2.b8 \t[%rd1], {%rs2, 7};",
     "\t{ .reg .b16 %hsail_low0; and.b16 %hsail_low0, %rs2, 255; st.v2.b8 \t[%rd1], {%hsail_low0, 7}; }"},
};

class NarrowStores : public ::testing::TestWithParam<Store> {};
INSTANTIATE_TEST_SUITE_P(All, NarrowStores, ::testing::ValuesIn(stores),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(NarrowStores, get_their_low_bits_from_an_instruction) {
  const std::string line = std::string("a:\n") + GetParam().before + "\n\tret;";
  EXPECT_EQ(with_explicit_low_bits(line), std::string("a:\n") + GetParam().after + "\n\tret;");
}

TEST(OtherLines, stay_as_they_are) {
  for (const char* line :
       {"\tst.global.b32 \t[%rd1], %r2;", "\tst.b64 \t[%rd1], %rd2;", "\tst.b8 \t[%rd1], 5;",
        "\tst.v2.b16 \t[%rd1], {%rs1, %rs2};", "\tst.global.v4.b32 \t[%rd1], {%r1, %r2, %r3, %r4};",
        "\tld.global.b8 \t%r1, [%rd1];", "\tcvt.u16.u32 \t%rs1, %r2;", "\t// st.b8 [%rd1], %r2;", "", "\tst.",
        "\tst.b8", "\tst.b8 \t[%rd1], "})
    EXPECT_EQ(with_explicit_low_bits(line), line);
}

/// Seed 40000373 of `heddle fuzz-exec` stored a rounded number as an integer.
TEST(NarrowStoresOfKernels, of_floating_point_numbers_are_no_conversions) {
  const auto program = heddle::testing::finalize_ptx(R"(module &m:1:2:$full:$large:$near;
prog kernel &k(kernarg_u64 %data) {
  ld_kernarg_align(8)_u64 $d0, [%data];
  ld_global_f32 $s0, [$d0];
  rint_f32 $s0, $s0;
  st_global_u8 $s0, [$d0+8];
  ld_global_f64 $d1, [$d0+16];
  sqrt_f64 $d1, $d1;
  st_global_u32 $s0, [$d0+24];
  cvt_u32_u64 $s1, $d1;
  st_global_u16 $s1, [$d0+28];
  ret;
};
)",
                                                     "narrow.hsail", "heddle:nvptx-sm_90");
  ASSERT_TRUE(program.object) << program.diagnostics;
  EXPECT_THAT(program.ptx, ::testing::ContainsRegex("and.b32 %hsail_low0, %r[0-9]*, 255; st.global.b8"));
  EXPECT_THAT(program.ptx, ::testing::ContainsRegex("and.b64 %hsail_low0, %rd[0-9]*, 65535; st.global.b16"));
  if (heddle::testing::has_ptxas())
    EXPECT_EQ(heddle::testing::run_ptxas(program.ptx, "sm_90"), "") << program.ptx;
}

}  // namespace
}  // namespace heddle::finalizer::ptx
