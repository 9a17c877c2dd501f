// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges modules with HSAILasm (Debian package hsail-tools), an assembler and disassembler of HSAIL 1.0
// that shares no code with heddle: it reads the BRIG that heddle writes, and heddle reads the BRIG that it
// writes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "hsail/assemble/assemble.h"
#include "instruction_text.h"
#include "round_trip.h"

namespace heddle::golden {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush()) << path;
}

/// Returns the module in BRIG 1.0, or nothing if that version cannot express it.
std::vector<std::byte> assemble_1_0(const std::string& text, const std::string& name) {
  Diagnostics diagnostics;
  std::vector<std::byte> brig;
  assemble::AssembleOptions options;
  options.brig_minor = 0;
  if (assemble::assemble(text, name, brig, diagnostics, options)) return brig;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::error) continue;
    EXPECT_TRUE(diagnostic.id.starts_with("HSAIL-14.1-version")) << diagnostics.print();
    EXPECT_TRUE(diagnostic.location.has_text()) << diagnostics.print();
  }
  return {};
}

std::string disassemble(std::span<const std::byte> brig, const std::string& name) {
  Diagnostics diagnostics;
  const auto module = brig::Module::open(brig, diagnostics);
  EXPECT_TRUE(static_cast<bool>(module)) << name << ": " << diagnostics.print();
  return module ? print::disassemble(module) : "";
}

/// What HSAILasm refuses although heddle accepts it, as patterns of instructions in canonical text.
struct Refused {
  const char* pattern;
  const char* why;
};
constexpr Refused refused[] = {
    {R"(\[[%&]\w+\]\[-)", "a constant offset must lie in the variable"},
    {"-9223372036854775808\\]", "the disassembler writes two signs"},
    {R"((ld|st)_\S*(arg|spill)_.*\[[$0-9])", "an address in arg or spill needs a name"},
    {R"((ld|st)_\S*_(samp|..img|sig(32|64)) .*\[[%&])", "a handle is not loaded from variables of bit types"},
    {R"(mov_\S+ .* sig(32|64)\()", "mov has no signals as immediates"},
    {R"(class_.*WAVESIZE)", "the source of class is no WAVESIZE"},
    {R"(stimage_\S+ \(?[^$(])", "stimage stores registers only"},
};

/// Returns the text without the instructions that HSAILasm refuses.
std::string without_refused(const std::string& text) {
  std::string pattern;
  for (const Refused& one : refused) pattern += (pattern.empty() ? "" : "|") + std::string(one.pattern);
  const std::regex wanted(pattern, std::regex::optimize);
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (!std::regex_search(line, wanted)) out += line + '\n';
  return out;
}

class HsailAsm : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(HEDDLE_HSAILASM).empty()) GTEST_SKIP() << "HSAILasm is not installed";
    std::string pattern = testing::TempDir() + "hsailasmXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr) << pattern;
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// Runs HSAILasm on a file with `in` and returns what it writes.
  std::string convert(const char* action, std::string_view in, const std::string& name) {
    const fs::path from = folder_ / "in", to = folder_ / "out", said = folder_ / "said";
    write(from, in);
    fs::remove(to);
    const std::string command =
        fmt::format("'{}' {} -enable-comments '{}' -o '{}' > '{}' 2>&1", HEDDLE_HSAILASM, action,
                    from.string(), to.string(), said.string());
    EXPECT_EQ(std::system(command.c_str()), 0) << name << ": " << read(said);
    return fs::exists(to) ? read(to) : "";
  }

  /// Exchanges a module that BRIG 1.0 can express. Returns false if it cannot.
  bool exchange(const std::string& text, const std::string& name) {
    const std::vector<std::byte> all = assemble_1_0(text, name);
    if (all.empty()) return false;
    const std::string printed = without_refused(disassemble(all, name));
    const std::vector<std::byte> ours = assemble_1_0(printed, name);
    const std::string theirs =
        convert("-disassemble", {reinterpret_cast<const char*>(ours.data()), ours.size()}, name);
    const std::vector<std::byte> back = assemble_1_0(theirs, name + " (HSAILasm's text)");
    EXPECT_FALSE(back.empty()) << name;
    if (!back.empty()) {
      const std::string again = disassemble(back, name);
      EXPECT_TRUE(again == printed) << name << ", read by HSAILasm" << first_difference(printed, again);
    }
    const std::string brig = convert("-assemble", printed, name);
    const std::string of_theirs = disassemble(std::as_bytes(std::span(brig)), name + " (HSAILasm's BRIG)");
    EXPECT_TRUE(of_theirs == printed)
        << name << ", written by HSAILasm" << first_difference(printed, of_theirs);
    return true;
  }

 private:
  fs::path folder_;
};

/// Every form of every instruction of HSAIL 1.0.
TEST_F(HsailAsm, ExchangesEveryInstruction) {
  for (unsigned model : {HSA_BRIG_MACHINE_MODEL_LARGE, HSA_BRIG_MACHINE_MODEL_SMALL})
    for (unsigned profile : {HSA_BRIG_PROFILE_FULL, HSA_BRIG_PROFILE_BASE}) {
      const isa::Environment environment{model, profile, 0, true};
      Coverage coverage;
      const std::string text = module_text(every_instruction(environment, coverage), environment);
      EXPECT_TRUE(exchange(text, fmt::format("model {}, profile {}", model, profile)));
    }
}

bool assembles(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<std::byte> brig;
  return assemble::assemble(text, "", brig, diagnostics);
}

/// The texts in the folders of examples and tests, some of which are made to be wrong.
TEST_F(HsailAsm, ExchangesTheTextsOfTheTree) {
  std::vector<fs::path> files;
  for (const char* folder : {"examples", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".hsail" && assembles(read(entry.path())))
        files.push_back(entry.path());
  std::ranges::sort(files);
  unsigned exchanged = 0;
  for (const fs::path& file : files)
    if (exchange(read(file), file.string())) ++exchanged;
  EXPECT_GE(exchanged, 20u) << "of " << files.size();
}

}  // namespace
}  // namespace heddle::golden
