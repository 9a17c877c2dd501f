// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the forms that the tests of this program exercised with those that the instruction tables allow.
// If the tests are shared out between several processes (GTEST_TOTAL_SHARDS), each writes the forms that it
// has exercised into a file, and `--check-forms FOLDER COUNT` compares those of all of them.
#include "coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>

#include <hsa/hsa_brig_opcodes.h>

#include "enumerate.h"
#include "hsail/isa/types.h"

namespace heddle::testing {
namespace {

std::set<std::string>& recorded() {
  static std::set<std::string> forms;
  return forms;
}

/// An instruction whose forms are not all compared here. Image instructions are not enumerated:
/// image_agents_test compares them.
struct Exempt {
  const char* opcode;
  const char* reason;
};
constexpr const char* agents = "needs an agent: agents_differential_test, in opcode, signal and kernel tests";
constexpr const char* control = "changes control flow: program_differential_test and generated programs";
constexpr const char* addresses = "gives or takes addresses, which differ: memory_differential_test";
constexpr const char* effect = "has no result: kernels of agents_differential_test and generated programs";
constexpr const char* choice = "what it gives is the agent's choice";
constexpr Exempt exempt[] = {
    {"alloca", addresses},
    {"ftos", addresses},
    {"kernargbaseptr", addresses},
    {"lda", addresses},
    {"segmentp", addresses},
    {"stof", addresses},
    {"clock", choice},
    {"maxwaveid", choice},
    {"waveid", choice},
    {"br", control},
    {"call", control},
    {"cbr", control},
    {"icall", control},
    {"ret", control},
    {"sbr", control},
    {"scall", control},
    {"arrivefbar", effect},
    {"barrier", effect},
    {"cleardetectexcept", "has no result: the exceptions of oracle_test are read after it"},
    {"initfbar", effect},
    {"joinfbar", effect},
    {"ldf", addresses},
    {"leavefbar", effect},
    {"memfence", effect},
    {"nop", effect},
    {"releasefbar", effect},
    {"setdetectexcept", effect},
    {"waitfbar", effect},
    {"wavebarrier", effect},
    {"addqueuewriteindex", agents},
    {"casqueuewriteindex", agents},
    {"debugtrap", agents},
    {"ldqueuereadindex", agents},
    {"ldqueuewriteindex", agents},
    {"signal", agents},
    {"signalnoret", agents},
    {"stqueuereadindex", agents},
    {"stqueuewriteindex", agents},
};

const char* reason_for(std::string_view opcode) {
  for (const Exempt& e : exempt)
    if (opcode == e.opcode) return e.reason;
  return nullptr;
}

/// Compares the forms of one instruction. Adds their numbers to `compared`, and the forms to `of_tables`.
void check(const isa::Instruction& instruction, size_t& compared, std::set<std::string>& of_tables) {
  const std::string opcode(isa::text(instruction.mnemonic));
  size_t missing = 0, all = 0;
  std::string examples;
  for_each_mnemonic(instruction, [&](const std::string& form, const isa::Mnemonic& mnemonic) {
    if (is_out_of_reach(mnemonic.fields)) return;
    ++all;
    of_tables.insert(form);
    if (recorded().contains(form)) return;
    if (++missing <= 5) examples += " " + form;
  });
  compared += all - missing;
  if (all == 0) {
    for (const isa::Variant& variant : isa::variants(instruction))
      EXPECT_TRUE(variant.image_extension) << opcode << ": its forms are not enumerated";
    return;
  }
  if (reason_for(opcode) == nullptr) {
    EXPECT_EQ(missing, 0u) << opcode << ": of " << all << " forms these were not exercised:" << examples;
  } else {
    EXPECT_GT(missing, 0u) << opcode << " is exempt, and all its " << all << " forms were exercised";
  }
}

/// Compares all forms that have been recorded, by this process or others.
void check_all() {
  size_t forms = 0;
  std::set<std::string> of_tables;
  for (const isa::Instruction& instruction : isa::instructions()) check(instruction, forms, of_tables);
  for (const Exempt& e : exempt)
    EXPECT_NE(isa::instruction(std::string_view(e.opcode)), nullptr) << e.opcode << " is exempt, and unknown";
  for (const std::string& form : recorded())
    EXPECT_TRUE(of_tables.contains(form)) << form << " was exercised, but is no form of the tables";
  EXPECT_GT(forms, 27000u) << "compared of " << of_tables.size();
}

// ---- several processes

std::string file_of(const std::string& folder, const std::string& shard) {
  return folder + "/forms." + shard;
}

void write_forms(const std::string& file) {
  std::ofstream out(file, std::ios::trunc);
  for (const std::string& form : recorded()) out << form << "\n";
  out.close();
  EXPECT_TRUE(out) << file << " could not be written";
}

void read_forms(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file << " could not be read";
  for (std::string form; std::getline(in, form);) recorded().insert(form);
}

class Coverage : public ::testing::Environment {
 public:
  void TearDown() override {
    // A filtered run exercises only some of the forms, and a failed test has already reported itself.
    if (GTEST_FLAG_GET(filter) != "*" || ::testing::UnitTest::GetInstance()->Failed()) return;
    const char* shard = std::getenv("GTEST_SHARD_INDEX");
    const char* folder = std::getenv("HEDDLE_TEST_FORMS");
    if (!shard) return check_all();
    if (folder) write_forms(file_of(folder, shard));
  }
};

}  // namespace

bool is_out_of_reach(const isa::Fields& fields) {
  if (fields.opcode != HSA_BRIG_OPCODE_LD && fields.opcode != HSA_BRIG_OPCODE_ST) return false;
  const unsigned segment = fields[isa::Field::segment];
  return isa::is_opaque(fields.type()) &&
         (segment == HSA_BRIG_SEGMENT_SPILL || segment == HSA_BRIG_SEGMENT_ARG);
}

void record_form(const std::string& mnemonic) { recorded().insert(mnemonic); }

}  // namespace heddle::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 4 && std::string_view(argv[1]) == "--check-forms") {
    for (int shard = 0; shard < std::atoi(argv[3]); ++shard)
      heddle::testing::read_forms(heddle::testing::file_of(argv[2], std::to_string(shard)));
    heddle::testing::check_all();
    return ::testing::UnitTest::GetInstance()->Failed() ? 1 : 0;
  }
  ::testing::AddGlobalTestEnvironment(new heddle::testing::Coverage);  // GoogleTest owns it
  return RUN_ALL_TESTS();
}
