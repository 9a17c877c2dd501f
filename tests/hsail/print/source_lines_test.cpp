// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/print/source_lines.h"

#include <sstream>

#include <gtest/gtest.h>

#include "hsail/assemble/assemble.h"
#include "hsail/print/print.h"

namespace heddle::print {
namespace {

const std::string_view program = R"(module &m:1:2:$full:$large:$default;
// A comment.
global_u32 &v = 3;

decl prog function &other()(arg_u32 %x);
function &f(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n]; add_u32 $s0, $s0, 1;
  st_arg_u32 $s0, [%r];
};
signature &s(arg_u32)(arg_u32);
prog kernel &k(kernarg_u64 %out)
{
  requireddim 1;
  private_u32 %p;
@again:

  st_private_u32 3, [%p];
  {
    arg_u32 %x;
    arg_u32 %y;
    st_arg_u32 1, [%y];
    call &f(%x)(%y);
  }
  br @again;
};
)";

brig::Module assembled(std::string_view text, bool locations) {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics;
  EXPECT_TRUE(assemble::assemble(text, "file.hsail", bytes, diagnostics, {locations})) << diagnostics.print();
  return brig::Module::open(bytes, diagnostics);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A position refers to the file name in the object that it comes from, so temporary objects give none.
template <typename Lines>
constexpr bool gives_positions = requires(Lines&& lines) { static_cast<Lines&&>(lines).at(0); };
static_assert(gives_positions<SourceLines&> && gives_positions<const SourceLines&>);
static_assert(!gives_positions<SourceLines> && !gives_positions<const SourceLines>);

TEST(SourceLines, WithoutLocThoseOfTheDisassembledText) {
  const brig::Module module = assembled(program, false);
  const SourceLines source(module);
  EXPECT_FALSE(source.from_loc());
  const auto text = lines_of(disassemble(module));
  size_t checked = 0;
  const auto check = [&](brig::Offset at) {
    const auto position = source.at(at);
    EXPECT_EQ(position.file, "m.hsail");
    ASSERT_GE(position.line, 1u);
    ASSERT_LE(position.line, text.size());
    EXPECT_NE(text[position.line - 1].find(disassemble_entry(module, at)), std::string::npos)
        << position.line << ": " << disassemble_entry(module, at);
    ++checked;
  };
  for (brig::Offset at = module.code_begin(); at != module.code_end();) {
    check(at);
    if (!module.is_executable(at)) {
      at = module.next_code(at);
      continue;
    }
    if (module.is_definition(at)) module.for_each_in_code_block(at, check);
    at = module.code_as<hsa_brig_directive_executable_t>(at).next_module_entry;
  }
  EXPECT_EQ(checked, 21u);
}

TEST(SourceLines, AddedByTheAssemblerForEachStatement) {
  const brig::Module module = assembled(program, true);
  const SourceLines source(module);
  EXPECT_TRUE(source.from_loc());
  const auto text = lines_of(program);
  size_t instructions = 0;
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (!module.is_instruction(at)) continue;
    ++instructions;
    const auto position = source.at(at);
    EXPECT_EQ(position.file, "file.hsail");
    const std::string statement = disassemble_entry(module, at);
    const std::string mnemonic = statement.substr(0, statement.find(' '));
    EXPECT_NE(text.at(position.line - 1).find(mnemonic), std::string::npos) << statement;
  }
  EXPECT_EQ(instructions, 7u);
}

TEST(SourceLines, TheTextsOwnLocsWin) {
  const std::string text =
      "module &m:1:2:$full:$large:$default;\nkernel &k()\n{\n  nop;\n  loc 70 2;\n  nop;\n  nop;\n};\n";
  const brig::Module module = assembled(text, true);
  const SourceLines source(module);
  std::vector<std::string> found;
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
    if (module.is_instruction(at))
      found.push_back(std::string(source.at(at).file) + ":" + std::to_string(source.at(at).line));
  EXPECT_EQ(found, (std::vector<std::string>{"file.hsail:4", ":70", ":70"}));
}

TEST(SourceLines, NothingIsKnownBeforeTheFirstLoc) {
  const brig::Module module = assembled(
      "module &m:1:2:$full:$large:$default;\nkernel &k()\n{\n  nop;\n  loc 7 \"c\";\n  nop;\n};\n", false);
  const SourceLines source(module);
  EXPECT_EQ(source.at(module.code_begin()).line, 0u);
  EXPECT_EQ(source.at(module.code_end() - 1).line, 7u);
  EXPECT_EQ(source.at(module.code_end() - 1).file, "c");
}

std::vector<std::string> lines_of_instructions(std::string_view body, std::string_view pragmas) {
  const std::string text = "module &m:1:2:$full:$large:$default;\n" + std::string(pragmas) +
                           "kernel &k()\n{\n" + std::string(body) + "};\n";
  const brig::Module module = assembled(text, false);
  const SourceLines source(module);
  std::vector<std::string> found;
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
    if (module.is_instruction(at))
      found.push_back(std::string(source.at(at).file) + ":" + std::to_string(source.at(at).line) + ":" +
                      std::to_string(source.at(at).column));
  return found;
}

constexpr std::string_view entities =
    "pragma \"hsa.tools.debug.version\", 1, 2;\n"
    "pragma \"hsa.tools.debug.src\", 1, \"File\", \"a.cl\", \"/src\", 0, 0;\n"
    "pragma \"hsa.tools.debug.src\", 2, \"File\", \"/abs/b.cl\", \"/src\", 0, 0;\n"
    "pragma \"hsa.tools.debug.src\", 3, \"Location\", 1, 40, 2, 0, 0;\n"
    "pragma \"hsa.tools.debug.src\", 4, \"Location\", 2, 50, 3, 0, 0;\n"
    "pragma \"hsa.tools.debug.src\", 5, \"Location\", 99, 60, 0, 0, 0;\n";

TEST(SourceLines, DebugPragmasSayTheLineUntilTheNext) {
  EXPECT_EQ(lines_of_instructions("nop;\npragma \"hsa.tools.debug.ref\", \"SourceLine\", 3;\nnop;\nnop;\n"
                                  "pragma \"hsa.tools.debug.ref\", \"SourceLine\", 4;\nnop;\n",
                                  entities),
            (std::vector<std::string>{":0:0", "/src/a.cl:40:2", "/src/a.cl:40:2", "/abs/b.cl:50:3"}));
}

TEST(SourceLines, LocsCountWhereNoDebugPragmaIsInForce) {
  EXPECT_EQ(lines_of_instructions("loc 7 1 \"c\";\nnop;\npragma \"hsa.tools.debug.ref\", \"SourceLine\", 3;\n"
                                  "nop;\nloc 8 1 \"c\";\nnop;\n"
                                  "pragma \"hsa.tools.debug.ref\", \"SourceLine\", 0;\nnop;\n",
                                  entities),
            (std::vector<std::string>{"c:7:1", "/src/a.cl:40:2", "/src/a.cl:40:2", "c:8:1"}));
}

TEST(SourceLines, DebugPragmasThatAreNotAsTheManualSays) {
  for (const char* bad : {"pragma \"hsa.tools.debug.ref\", \"SourceLine\", 77;\n",     // no such entity
                          "pragma \"hsa.tools.debug.ref\", \"SourceLine\", 1;\n",      // a file
                          "pragma \"hsa.tools.debug.ref\", \"SourceLine\", \"3\";\n",  // a string
                          "pragma \"hsa.tools.debug.ref\", \"SourceLine\";\n",         // nothing
                          "pragma \"hsa.tools.debug.ref\", \"SourceLine\", $s1;\n",    // a register
                          "pragma \"hsa.tools.debug.ref\";\n", "pragma \"another\", \"SourceLine\", 3;\n"}) {
    EXPECT_EQ(lines_of_instructions("loc 7 1 \"c\";\n" + std::string(bad) + "nop;\n", entities),
              (std::vector<std::string>{"c:7:1"}))
        << bad;
  }
  EXPECT_EQ(lines_of_instructions("pragma \"hsa.tools.debug.ref\", \"SourceLine\", 5;\nnop;\n", entities),
            (std::vector<std::string>{":60:0"}));
}

}  // namespace
}  // namespace heddle::print
