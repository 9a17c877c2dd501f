// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the entries of kernels use control directives (PRM 13.5). Agents refuse dispatches that break the
// directives, so the compiler may rely on them.
#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

/// Stores six words for each work-item.
std::string kernel(const std::string& directives, const std::string& end) {
  return module_header + "prog kernel &k(kernarg_u64 %out)\n{\n" + directives + R"(
  workitemflatabsid_u64 $d1;
  ld_kernarg_align(8)_u64 $d0, [%out];
  mad_u64 $d0, $d1, 32, $d0;
  workitemflatid_u32 $s0;
  workgroupid_u32 $s1, 1;
  workgroupsize_u32 $s2, 0;
  gridsize_u32 $s3, 1;
  st_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0];
  currentworkgroupsize_u32 $s0, 0;
  currentworkgroupsize_u32 $s1, 1;
  gridgroups_u32 $s2, 0;
  dim_u32 $s3;
  st_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0+16];
)" + end +
         "};\n";
}

std::vector<uint32_t> run(const std::string& text, const char* options, const Shape& shape) {
  Compiled compiled = compile(text, best_isa(), options);
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  LoadedCode code(std::move(compiled.object));
  std::vector<uint32_t> out(8 * shape.grid[0] * shape.grid[1] * shape.grid[2], 0xffffffff);
  const void* kernarg[] = {out.data()};
  EXPECT_FALSE(code.run("&k", kernarg, shape).taken);
  return out;
}

TEST(Entries, GiveTheSameWithAndWithoutDirectives) {
  const struct {
    const char* directives;
    Shape shape;
  } rows[] = {
      {"requiredworkgroupsize 4, 2, 1;", {{10, 3, 2}, {4, 2, 1}, 3}},
      {"requiredworkgroupsize 1, 4, 1;", {{3, 6, 1}, {1, 4, 1}, 2}},
      {"requiredworkgroupsize 1, 1, 3;", {{2, 2, 5}, {1, 1, 3}, 3}},
      {"requiredgridsize 9, 4, 1;", {{9, 4, 1}, {4, 3, 1}, 2}},
      {"requiredgridsize 9, 4, 1; requiredworkgroupsize 4, 3, 1;", {{9, 4, 1}, {4, 3, 1}, 2}},
      {"requireddim 1;", {{9, 1, 1}, {4, 1, 1}, 1}},
      {"requireddim 2;", {{9, 5, 1}, {1, 2, 1}, 2}},
      {"requirenopartialworkgroups;", {{8, 6, 2}, {4, 3, 2}, 3}},
      {"requirenopartialworkgroups; requiredworkgroupsize 4, 3, 1;", {{8, 6, 1}, {4, 3, 1}, 2}},
      {"maxflatworkgroupsize 6; maxflatgridsize 60;", {{10, 6, 1}, {3, 2, 1}, 2}},
      {"maxflatworkgroupsize 1;", {{5, 1, 1}, {1, 1, 1}, 1}},
  };
  for (const auto& row : rows)
    for (const char* options : {"-O0", "-O2"})
      for (const char* end : {"", "barrier;\n"})
        EXPECT_EQ(run(kernel(row.directives, end), options, row.shape),
                  run(kernel("", end), options, row.shape))
            << row.directives << " " << options << " " << end;
}

size_t code_size(const std::string& directives) {
  const Compiled compiled = compile(kernel(directives, ""), best_isa(), "-O2");
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  return compiled.object.text.size();
}

/// Values that directives fix are neither loaded nor computed, and loops that would run once are removed.
TEST(Entries, AreSmallerWithDirectives) {
  const size_t plain = code_size("");
  const size_t row = code_size("requiredworkgroupsize 64, 1, 1;");
  const size_t line = code_size("requireddim 1;");
  const size_t whole = code_size("requiredworkgroupsize 64, 1, 1; requirenopartialworkgroups;");
  const size_t all = code_size("requiredworkgroupsize 64, 1, 1; requiredgridsize 4096, 1, 1;");
  EXPECT_LT(row, plain);
  EXPECT_LT(line, plain);
  EXPECT_LT(whole, row);
  EXPECT_LT(all, row);
}

}  // namespace
}  // namespace heddle::testing
