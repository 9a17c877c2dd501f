// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX that checks its addresses (-check-addresses), PTX that does not, and the lines of traps in both. What
// checks do is tested by executing them (tests/agents/cuda/checked_test.cpp).
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "codeobject/kernel_abi.h"
#include "codeobject/ptx_kernel.h"
#include "finalizer/options.h"
#include "ptxas.h"

namespace heddle::testing {
namespace {

using ptx_kernel::Access;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* header = "module &m:1:2:$base:$large:$near;\n";

std::string contents(const char* name) {
  std::ifstream in(std::filesystem::path(HEDDLE_SOURCE) / "tests/finalizer/ptx/golden" / name);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

PtxProgram compiled(const std::string& text, const char* options, const char* isa = "heddle:nvptx-sm_90") {
  PtxProgram program = finalize_ptx(text, "test.hsail", isa, options);
  EXPECT_TRUE(program.object) << program.diagnostics;
  return program;
}

std::string kernel(const std::string& code, const std::string& variables = "") {
  return std::string(header) + "prog kernel &k(kernarg_u64 %at) {\n" + variables +
         "  ld_kernarg_align(8)_u64 $d0, [%at];\n" + code + "};\n";
}

TEST(PtxAddressChecks, ChangeNoByteOfCodeThatDoesNotWantThem) {
  EXPECT_EQ(compiled(contents("unchecked.hsail"), "").ptx, contents("unchecked.ptx"));
}

TEST(PtxAddressChecks, AreAssembledForEveryGpu) {
  for (const PtxIsa& isa : ptx_isas)
    for (const char* options : {"-check-addresses", "-O0 -check-addresses", "-g -check-addresses"}) {
      SCOPED_TRACE(std::string(isa.isa) + " " + options);
      const PtxProgram program = compiled(contents("unchecked.hsail"), options, isa.isa);
      EXPECT_THAT(program.ptx, HasSubstr("hsail_dev_nvptx_check_global"));
      EXPECT_THAT(program.ptx, HasSubstr("hsail_dev_nvptx_check_flat"));
      if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, isa.assembled_for), "");
    }
}

TEST(PtxAddressChecks, AreToldToTheAgent) {
  for (const bool checked : {false, true}) {
    const PtxProgram program = compiled(contents("unchecked.hsail"), checked ? "-check-addresses" : "");
    ASSERT_TRUE(program.object);
    const codeobject::Kernel& described = program.object->kernels.at(0);
    EXPECT_EQ(ptx_kernel::checks_addresses(described), checked);
    EXPECT_EQ(ptx_kernel::hidden_size(described, ptx_kernel::EntryForm::native), checked ? 176u : 160u);
    EXPECT_THAT(program.ptx, HasSubstr(".b8 hsail_linear_0_param_1[" + std::to_string(checked ? 176 : 160)));
  }
}

TEST(PtxAddressChecks, LeaveLessRoomForParameters) {
  codeobject::Kernel described;
  described.kernarg_size = ptx_kernel::max_parameter_size - sizeof(ptx_kernel::Hidden) - 16;
  EXPECT_TRUE(ptx_kernel::passes_kernarg_by_value(described));
  described.flags |= codeobject::kernel_checks_addresses;
  EXPECT_FALSE(ptx_kernel::passes_kernarg_by_value(described));
}

/// Arguments of the kernel and variables on the stack need no check.
TEST(PtxAddressChecks, AreNotMadeOfWhatIsKnownToBeRight) {
  const PtxProgram program = compiled(
      kernel("  st_spill_align(8)_u64 $d0, [%kept];\n  ld_spill_align(8)_u64 $d1, [%kept];\n"
             "  cmp_eq_b1_u64 $c0, $d0, $d1;\n  cbr_b1 $c0, @end;\n  debugtrap_u32 1;\n@end:\n  ret;\n",
             "  spill_u64 %kept;\n"),
      "-check-addresses");
  EXPECT_THAT(program.ptx, Not(HasSubstr("hsail_dev_nvptx_check")));
  EXPECT_THAT(program.ptx, Not(HasSubstr("hsail_dev_nvptx_stray")));
}

/// The host finds the index of a queue, and says what is wrong with the queue.
TEST(PtxAddressChecks, AreNotMadeOfQueues) {
  const PtxProgram program = compiled(kernel("  addqueuewriteindex_global_rlx_u64 $d1, [$d0], 1;\n  "
                                             "ldqueuereadindex_global_rlx_u64 $d1, [$d0];\n"
                                             "  ret;\n"),
                                      "-check-addresses");
  EXPECT_THAT(program.ptx, Not(HasSubstr("hsail_dev_nvptx_check")));
}

/// Four elements are one access, and a loop looks for the range of an address that moves in it only if the
/// last one is left.
TEST(PtxAddressChecks, SearchOnceForAVector) {
  const PtxProgram program =
      compiled(kernel("  st_v4_global_align(4)_u32 (1, 2, 3, 4), [$d0];\n  ret;\n"), "-check-addresses");
  const auto access = ptx_kernel::word_of({Access::store, Access::global, 4, 16});
  EXPECT_THAT(program.ptx, HasSubstr(std::to_string(access)));
  size_t calls = 0;
  for (size_t at = 0; (at = program.ptx.find("hsail_dev_nvptx_check_global,", at)) != std::string::npos; ++at)
    ++calls;
  EXPECT_EQ(calls, 2u) << "one in each entry\n" << program.ptx;
}

TEST(PtxAddressChecks, DescribeAccessesInAWord) {
  for (const uint32_t align : {1u, 2u, 16u, 128u}) {
    const Access access = ptx_kernel::access_of(
        ptx_kernel::word_of({Access::fbarrier, Access::variable, align, Access::largest}));
    EXPECT_EQ(access.kind, Access::fbarrier);
    EXPECT_EQ(access.segment, Access::variable);
    EXPECT_EQ(access.align, align);
    EXPECT_EQ(access.size, Access::largest);
  }
}

TEST(PtxAddressChecks, AreAnOptionThatLazyCodeKeeps) {
  const auto options = finalizer::parse_options("-check-addresses");
  EXPECT_TRUE(options.check_addresses);
  EXPECT_TRUE(finalizer::parse_options(finalizer::text_of(options).c_str()).check_addresses);
  EXPECT_FALSE(finalizer::parse_options("").check_addresses);
}

/// Modules without loc directives have the lines of their text.
TEST(PtxTraps, HaveLines) {
  const PtxProgram program =
      compiled(kernel("  loc 77 5 \"source.c\";\n  debugtrap_u32 1;\n  loc 78 \"source.c\";\n"
                      "  debugtrap_u32 1;\n  ret;\n"),
               "");
  ASSERT_TRUE(program.object);
  std::vector<std::string> lines;
  for (const auto& row : program.object->lines.rows) lines.push_back(program.object->lines.find(row.offset));
  EXPECT_THAT(lines, UnorderedElementsAre("source.c:77", "source.c:78"));
  const PtxProgram bare = compiled(kernel("  debugtrap_u32 1;\n  ret;\n"), "");
  ASSERT_TRUE(bare.object);
  EXPECT_THAT(bare.object->lines.find(1), HasSubstr("m.hsail:"));
  EXPECT_EQ(bare.object->lines.rows.size(), 1u);
  EXPECT_EQ(compiled(kernel("  ret;\n"), "").object->lines.rows.size(), 0u);
}

TEST(PtxTraps, KeepTheirLinesInTheFile) {
  const PtxProgram program = compiled(kernel("  loc 77 \"source.c\";\n  debugtrap_u32 1;\n  ret;\n"), "");
  ASSERT_TRUE(program.object);
  const auto again = codeobject::read(codeobject::write(*program.object));
  ASSERT_TRUE(again) << again.error().print();
  EXPECT_EQ(again->lines.find(1), "source.c:77");
}

}  // namespace
}  // namespace heddle::testing
