// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that this repository has as HSAIL text, for several generations of GPUs: each becomes PTX that
// NVIDIA's assembler takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptxas.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* source = HEDDLE_SOURCE;

/// Folders whose HSAIL is all to be compiled.
std::vector<std::string> kernels() {
  std::vector<std::string> found;
  for (const char* folder : {"bench/kernels", "examples/kernels", "examples/performance", "examples/c",
                             "tests/compiler/emit/golden"})
    for (const auto& file : fs::directory_iterator(fs::path(source) / folder))
      if (file.path().extension() == ".hsail") found.push_back(fs::relative(file.path(), source).string());
  std::sort(found.begin(), found.end());
  return found;
}

/// Without this, the other tests would pass if the assembler were never run.
TEST(Ptxas, RefusesWhatIsNoPtx) {
  if (!has_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  EXPECT_NE(run_ptxas(".version 7.8\n.target sm_90\n.address_size 64\nnonsense\n", "sm_90"), "");
  EXPECT_EQ(run_ptxas(".version 7.8\n.target sm_90\n.address_size 64\n", "sm_90"), "");
}

class PtxCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(PtxCorpus, IsAssembled) {
  std::ifstream in(fs::path(source) / GetParam());
  std::stringstream text;
  text << in.rdbuf();
  for (const PtxIsa& isa : ptx_isas) {
    SCOPED_TRACE(isa.isa);
    const PtxProgram program = finalize_ptx(text.str(), GetParam(), isa.isa);
    ASSERT_TRUE(program.object) << program.diagnostics;
    if (has_ptxas() && !program.ptx.empty()) EXPECT_EQ(run_ptxas(program.ptx, isa.assembled_for), "");
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem().string() + "_" + std::to_string(info.index);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PtxCorpus, ::testing::ValuesIn(kernels()), test_name);

}  // namespace
}  // namespace heddle::testing
