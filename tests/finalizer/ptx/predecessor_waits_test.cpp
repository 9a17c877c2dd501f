// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries wait for the kernel ahead of them before they do anything else.
#include "finalizer/ptx/predecessor_waits.h"

#include <gtest/gtest.h>

#include "codeobject/ptx_kernel.h"
#include "ptxas.h"

namespace heddle::finalizer::ptx {
namespace {

using testing::finalize_ptx;

TEST(PredecessorWaits, BeginEntriesAndNothingElse) {
  const std::string function = ".func f()\n{\n\t.reg .b32 \t%r<2>;\n\tret;\n}\n";
  const std::string entry =
      ".visible .entry e(\n\t.param .b64 e_param_0\n)\n.maxntid 64\n{\n\t.reg .b32 \t%r<2>;\n"
      "$L__func_begin0:\n\t.loc\t1 0 0\n";
  const std::string wait = "\tgriddepcontrol.wait;\n";
  EXPECT_EQ(with_waits_for_predecessors(function), function);
  EXPECT_EQ(with_waits_for_predecessors(function + entry + "\tret;\n}\n" + function),
            function + entry + wait + "\tret;\n}\n" + function);
  EXPECT_EQ(
      with_waits_for_predecessors(entry + "// %bb.0:\n\t// begin inline asm\n\tx;\n}\n" + entry +
                                  "\t@%p1 bra $L;\n}"),
      entry + "// %bb.0:\n" + wait + "\t// begin inline asm\n\tx;\n}\n" + entry + wait + "\t@%p1 bra $L;\n}");
}

constexpr char copying[] =
    "module &m:1:2:$full:$large:$near;\n"
    "prog kernel &k(kernarg_u64 %to, kernarg_u64 %from)\n{\n"
    "  ld_kernarg_align(8)_u64 $d0, [%to];\n  ld_kernarg_align(8)_u64 $d1, [%from];\n"
    "  ld_global_align(4)_const_u32 $s0, [$d1];\n  st_global_align(4)_u32 $s0, [$d0];\n};\n";

TEST(PredecessorWaits, AreInCodeForGpusThatBeginKernelsEarly) {
  for (const bool early : {false, true}) {
    const auto program =
        finalize_ptx(copying, "test.hsail", early ? "heddle:nvptx-sm_90" : "heddle:nvptx-sm_80");
    ASSERT_TRUE(program.object) << program.diagnostics;
    const uint32_t flags = program.object->kernels.at(0).flags;
    EXPECT_EQ((flags & codeobject::kernel_waits_for_predecessor) != 0, early);
    const auto places_of = [&](const char* what) {
      std::vector<size_t> places;
      for (size_t at = program.ptx.find(what); at != std::string::npos; at = program.ptx.find(what, at + 1))
        places.push_back(at);
      return places;
    };
    const std::vector<size_t> waits = places_of("griddepcontrol.wait;"), entries = places_of(".entry ");
    ASSERT_GE(entries.size(), 2u);
    ASSERT_EQ(waits.size(), early ? entries.size() : 0u);
    for (size_t i = 0; i < waits.size(); ++i) {
      EXPECT_LT(entries[i], waits[i]);
      EXPECT_LT(waits[i], program.ptx.find("ld.global", entries[i])) << "in entry " << i;
    }
  }
}

}  // namespace
}  // namespace heddle::finalizer::ptx
