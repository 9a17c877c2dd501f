// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates each module in the folder golden and compares the text with the file beside it, which the
// assembler must accept. `compiler_golden_test --write` writes the texts anew; look at the difference before
// you commit it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <hsail/hsail.hpp>

#include "compiler/translate.h"

namespace {

namespace fs = std::filesystem;
using heddle::compiler::TranslateOptions;

bool write_texts = false;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The options that the first line of a module asks for: "; -O2" and "; --lockstep".
TranslateOptions options_of(const std::string& source, const fs::path& path) {
  const std::string line = source.substr(0, source.find('\n'));
  TranslateOptions options;
  options.module_name = path.stem().string();
  const size_t level = line.find("-O");
  options.level = level == std::string::npos ? heddle::compiler::Level::none
                                             : static_cast<heddle::compiler::Level>(line[level + 2]);
  options.keep_functions = true;
  options.lockstep = line.find("--lockstep") != std::string::npos;
  return options;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, IsTheTextOfTheModule) {
  const fs::path& path = GetParam();
  llvm::LLVMContext context;
  llvm::SMDiagnostic mistake;
  const auto module = llvm::parseIRFile(path.string(), mistake, context);
  ASSERT_TRUE(module) << mistake.getMessage().str();
  heddle::Diagnostics diagnostics(path.filename().string());
  const auto text = translate(*module, options_of(contents(path), path), diagnostics);
  ASSERT_TRUE(text.ok()) << diagnostics.print();
  const auto brig = hsail::assemble(*text, path.stem().string() + ".hsail");
  EXPECT_TRUE(brig) << brig.diagnostics();
  EXPECT_EQ(brig.diagnostics(), "");
  const fs::path expected = fs::path(path).replace_extension(".hsail");
  if (write_texts) std::ofstream(expected, std::ios::binary) << *text;
  EXPECT_EQ(*text, contents(expected)) << "`compiler_golden_test --write` writes the texts anew";
}

std::vector<fs::path> modules() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".ll") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(modules()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  write_texts = argc > 1 && std::string_view(argv[1]) == "--write";
  return RUN_ALL_TESTS();
}
