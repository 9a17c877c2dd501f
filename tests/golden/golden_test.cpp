// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written texts. The texts in text/ have the canonical form, which the disassembler must reproduce
// letter for letter. Each text in free/ is spelled in other ways and has its canonical form beside it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "hsail/isa/names.h"
#include "round_trip.h"

namespace heddle::golden {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(HEDDLE_GOLDEN_DIR) / folder))
    if (entry.path().extension() == ".hsail") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.stem().string();
}

class Canonical : public testing::TestWithParam<std::filesystem::path> {};
TEST_P(Canonical, EqualsItsDisassembly) {
  std::string text = read(GetParam());
  RoundTrip trip = round_trip(text, GetParam().filename().string());
  EXPECT_TRUE(trip.printed == text) << first_difference(text, trip.printed);
}
INSTANTIATE_TEST_SUITE_P(Text, Canonical, testing::ValuesIn(files_in("text")), test_name);

class Free : public testing::TestWithParam<std::filesystem::path> {};
TEST_P(Free, BecomesCanonical) {
  RoundTrip trip = round_trip(read(GetParam()), GetParam().filename().string());
  std::filesystem::path canonical = GetParam();
  canonical.replace_extension(".canonical");
  std::string wanted = read(canonical);
  EXPECT_TRUE(trip.printed == wanted) << first_difference(wanted, trip.printed);
}
INSTANTIATE_TEST_SUITE_P(Text, Free, testing::ValuesIn(files_in("free")), test_name);

/// The texts together contain every kind of directive and of operand.
TEST(Text, HasEveryKindOfEntry) {
  std::set<unsigned> seen;
  for (const auto& file : files_in("text")) {
    RoundTrip trip = round_trip(read(file), file.filename().string());
    Diagnostics diagnostics;
    brig::Module module = brig::Module::open(trip.brig, diagnostics);
    ASSERT_TRUE(static_cast<bool>(module)) << file;
    for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
      seen.insert(module.code_kind(at));
    for (brig::Offset at = module.operands_begin(); at != module.operands_end();
         at += module.operand_entry(at).byte_count)
      seen.insert(module.operand_entry(at).kind);
  }
  auto expect_all = [&](unsigned begin, unsigned end) {
    for (unsigned kind = begin; kind < end; ++kind)
      EXPECT_TRUE(seen.count(kind) != 0) << isa::name(isa::Names::kind, kind);
  };
  EXPECT_TRUE(seen.count(HSA_BRIG_KIND_NONE) != 0);
  expect_all(HSA_BRIG_KIND_DIRECTIVE_BEGIN, HSA_BRIG_KIND_DIRECTIVE_END);
  expect_all(HSA_BRIG_KIND_INST_BEGIN, HSA_BRIG_KIND_INST_END);
  expect_all(HSA_BRIG_KIND_OPERAND_BEGIN, HSA_BRIG_KIND_OPERAND_END);
}

}  // namespace
}  // namespace heddle::golden
