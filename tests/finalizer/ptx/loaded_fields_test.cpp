// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of the upper half of what narrow loads have extended.
#include "finalizer/ptx/loaded_fields.h"

#include <gtest/gtest.h>

#include "instruction_kernel.h"
#include "ptxas.h"

namespace heddle::finalizer::ptx {
namespace {

using testing::finalize_ptx;
using testing::has_ptxas;
using testing::run_ptxas;

TEST(LoadedFields, AreTakenOutOfACopy) {
  const std::string load = "\tld.shared.s8 \t%r1, [%rd1];\n";
  EXPECT_EQ(with_loaded_fields_copied(load + "\tbfe.u32 \t%r2, %r1, 16, 8;\n"),
            load +
                "\t{ .reg .b32 %hsail_loaded; prmt.b32 %hsail_loaded, %r1, %r1, 0x3210; bfe.u32 %r2, "
                "%hsail_loaded, 16, 8; }\n");
  const std::string extended = "\tld.global.b16 \t%rs1, [%rd1+2];\n\tcvt.s32.s16 \t%r1, %rs1;\n";
  EXPECT_EQ(with_loaded_fields_copied(extended + "\tbfe.s32 \t%r2, %r1, 24, 8;\n"),
            extended +
                "\t{ .reg .b32 %hsail_loaded; prmt.b32 %hsail_loaded, %r1, %r1, 0x3210; bfe.s32 "
                "%r2, %hsail_loaded, 24, 8; }\n");
}

TEST(LoadedFields, StayAsTheyAreElsewhere) {
  for (const std::string text : {
           "\tld.shared.b32 \t%r1, [%rd1];\n\tbfe.u32 \t%r2, %r1, 16, 8;\n",
           "\tld.shared.s8 \t%r1, [%rd1];\n\tbfe.u32 \t%r2, %r1, 8, 8;\n",
           "\tld.shared.s8 \t%r1, [%rd1];\n\tbfe.u32 \t%r2, %r1, %r3, 8;\n",
           "\tld.shared.s8 \t%r1, [%rd1];\n\tbfe.u32 \t%r2, %r3, 16, 8;\n",
           "\tld.shared.s8 \t%r1, [%rd1];\n}\n\tbfe.u32 \t%r2, %r1, 16, 8;\n",
           "\tld.global.v2.b8 \t{%r1, %r3}, [%rd1];\n\tbfe.u32 \t%r2, %r1, 16, 8;\n",
           "\tshr.u32 \t%r2, %r1, 16;\n",
           "\tld.shared.s8 \t%r1, [%rd1];\n\t@%p1 bfe.u32 \t%r2, %r1, 16, 8;\n",
       })
    EXPECT_EQ(with_loaded_fields_copied(text), text);
}

TEST(LoadedFields, AreFoundInWhatUnpacksThem) {
  const auto program = finalize_ptx(R"(module &m:1:2:$full:$large:$default;
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_u64 $d0, [%out];
  ld_global_s8 $s2, [$d0];
  unpackcvt_f32_u8x4 $s3, $s2, 2;
  st_global_f32 $s3, [$d0];
  ret;
};
)",
                                    "loaded.hsail", "heddle:nvptx-sm_90", "-O1");
  EXPECT_NE(program.ptx.find("prmt.b32 %hsail_loaded"), std::string::npos) << program.ptx;
  if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, "sm_90"), "");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
