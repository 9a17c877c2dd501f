// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generator of programs and the shrinker. `heddle fuzz-exec` shows that the programs run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "hsail/isa/isa.h"
#include "tools/fuzz/generate.h"
#include "tools/fuzz/operations.h"
#include "tools/fuzz/shrink.h"

namespace heddle::tools::fuzz {
namespace {

TEST(FuzzProgram, IsTheSameForTheSameSeed) {
  EXPECT_EQ(generate(7).text(), generate(7).text());
  EXPECT_NE(generate(7).text(), generate(8).text());
}

TEST(FuzzProgram, SaysWhetherItDetectsExceptions) {
  unsigned detecting = 0;
  constexpr uint64_t programs = 100;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    const Program program = generate(seed, Contents::waves);
    const bool enables = program.text().find("enabledetectexceptions") != std::string::npos;
    EXPECT_EQ(program.detects_exceptions, enables) << seed;
    detecting += enables;
  }
  EXPECT_GT(detecting, 0u);
  EXPECT_LT(detecting, programs);
}

TEST(FuzzProgram, CoversAllControlFlowAndSegments) {
  std::string all;
  for (uint64_t seed = 1; seed <= 200; ++seed) all += generate(seed).text();
  for (const char* part : {"cbr_b1",
                           "sbr_u32",
                           "call &f",
                           "scall_u32",
                           "icall_u64",
                           "barrier;",
                           "alloca_u32",
                           "_private_",
                           "_spill_",
                           "_group_",
                           "_readonly_",
                           "_kernarg_",
                           "_arg_",
                           "stof_private",
                           "atomicnoret_",
                           "%r2",
                           "memfence_scacq_wave",
                           "memfence_screl_system",
                           "memfence_scar_wg",
                           "wavebarrier",
                           "initfbar",
                           "joinfbar",
                           "waitfbar",
                           "arrivefbar",
                           "leavefbar"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
  for (const Operation& operation : operations()) {
    const std::string pattern = operation.pattern;
    const std::string mnemonic = pattern.substr(0, pattern.find_first_of(" %"));
    EXPECT_NE(all.find(mnemonic), std::string::npos) << mnemonic;
  }
}

/// Returns the instructions with which the statements of a text begin.
std::set<std::string> mnemonics_in(const std::string& text) {
  std::set<std::string> found;
  const std::regex statement("(?:^|[;{}:\\n])\\s*([a-z][a-z0-9]*)(?=[_ ;])");
  for (std::sregex_iterator at(text.begin(), text.end(), statement), end; at != end; ++at) {
    if (isa::instruction(std::string_view(at->str(1))) != nullptr) found.insert(at->str(1));
  }
  return found;
}

/// Instructions that no generated program may have, because their results depend on what executes the
/// program.
struct NotGenerated {
  const char* reason;
  std::vector<std::string> mnemonics;
};
const NotGenerated not_generated[] = {
    {"the precision is the implementation's",
     {"ncos", "nexp2", "nfma", "nlog2", "nrcp", "nrsqrt", "nsin", "nsqrt"}},
    {"the agent chooses the value", {"clock", "cuid", "maxcuid"}},
    {"the value belongs to one dispatch", {"packetcompletionsig", "packetid"}},
    {"it ends the dispatch", {"debugtrap"}},
    {"the host would have to make the object",
     {"addqueuewriteindex", "casqueuewriteindex", "imagefence", "ldimage", "ldqueuereadindex",
      "ldqueuewriteindex", "queryimage", "querysampler", "rdimage", "signal", "signalnoret", "stimage",
      "stqueuereadindex", "stqueuewriteindex"}},
};

/// Instructions that only programs that observe waves may have.
const std::set<std::string> about_waves = {"cleardetectexcept", "getdetectexcept", "maxwaveid",
                                           "setdetectexcept", "waveid"};

std::set<std::string> mnemonics_of(Contents contents, const std::set<std::string>& wanted) {
  std::set<std::string> found;
  for (uint64_t seed = 1; seed <= 1000 && found.size() < wanted.size(); ++seed)
    found.merge(mnemonics_in(generate(seed, contents).text()));
  return found;
}

TEST(FuzzProgram, HasEveryInstructionThatCanBeCompared) {
  std::set<std::string> expected;
  for (const isa::Instruction& instruction : isa::instructions())
    expected.emplace(isa::text(instruction.mnemonic));
  for (const NotGenerated& exempt : not_generated) {
    for (const std::string& mnemonic : exempt.mnemonics)
      EXPECT_EQ(expected.erase(mnemonic), 1u) << mnemonic << " is no instruction, or twice in the list";
  }
  const std::set<std::string> found = mnemonics_of(Contents::waves, expected);
  for (const std::string& mnemonic : expected)
    EXPECT_TRUE(found.contains(mnemonic))
        << "`heddle fuzz-exec` never generates " << mnemonic << ": see src/tools/fuzz/operations.cpp";
  for (const std::string& mnemonic : found)
    EXPECT_TRUE(expected.contains(mnemonic))
        << mnemonic << " is generated, and in the list of those that are not";
}

TEST(FuzzProgram, WalksOverWordsWhereItIsAskedTo) {
  const auto has_walks = [](Contents contents) {
    for (uint64_t seed = 1; seed <= 20; ++seed)
      if (generate(seed, contents).text().find("ld_global_align(4)_u32 $s21, [&words][$d21]") !=
          std::string::npos)
        return true;
    return false;
  };
  EXPECT_TRUE(has_walks(Contents::walks));
  EXPECT_FALSE(has_walks(Contents::portable));
  EXPECT_FALSE(generate(1, Contents::walks).observes_waves);
}

TEST(FuzzProgram, ObservesWavesOnlyWhereItMay) {
  EXPECT_TRUE(generate(1, Contents::waves).observes_waves);
  EXPECT_FALSE(generate(1).observes_waves);
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    for (const std::string& mnemonic : mnemonics_in(generate(seed).text()))
      EXPECT_FALSE(about_waves.contains(mnemonic)) << mnemonic << " in the program of seed " << seed;
  }
}

TEST(FuzzProgram, HasGroupsOfManyShapes) {
  bool has_partial_groups = false, has_rows = false, has_many_rows = false;
  std::set<unsigned> dimensions;
  std::set<uint32_t> rests;  // of the work-items of a group in waves of 8
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Launch launch = generate(seed).launch;
    EXPECT_LE(launch.work_items(), layout::most_items);
    dimensions.insert(launch.dimensions);
    for (int i = 0; i < 3; ++i) has_partial_groups |= launch.grid[i] % launch.group[i] != 0;
    has_rows |= launch.group[0] == 256;
    has_many_rows |= launch.group[1] == 256;
    rests.insert(launch.group[0] * launch.group[1] * launch.group[2] % 8);
  }
  EXPECT_TRUE(has_partial_groups && has_rows && has_many_rows);
  EXPECT_EQ(dimensions, (std::set<unsigned>{1, 2, 3}));
  for (uint32_t rest : {0, 1, 7}) EXPECT_TRUE(rests.contains(rest)) << rest;
}

TEST(FuzzProgram, HasCrossLaneInstructions) {
  std::string all;
  for (uint64_t seed = 1; seed <= 300; ++seed) all += generate(seed).text();
  for (const char* name : {"activelanecount", "activelaneid", "activelanemask_v4", "activelanepermute"}) {
    for (const char* width : {"_", "_width(all)_", "_width(WAVESIZE)_", "_width(2)_"}) {
      const std::string mnemonic = std::string(name) + width;
      EXPECT_NE(all.find(mnemonic), std::string::npos) << mnemonic;
    }
  }
  for (const char* type : {"_b1 ", "_b32 ", "_b64 ", "_b128 "}) {
    EXPECT_NE(all.find(std::string("activelanepermute") + type), std::string::npos) << type;
  }
}

/// The programs have each operation with each type, each packing with each type, and each rounding of each
/// operation that rounds.
TEST(FuzzProgram, HasPackedFloatingPoint) {
  std::string all;
  for (uint64_t seed = 1; seed <= 1000; ++seed) all += generate(seed).text();
  const auto expect = [&](const std::string& expression) {
    EXPECT_TRUE(std::regex_search(all, std::regex(expression))) << expression;
  };
  const char* const types[] = {"f16x2", "f16x4", "f16x8", "f32x2", "f32x4", "f64x2"};
  const char* const rounded[] = {"add", "sub", "mul", "div", "sqrt", "fract"};
  const char* const others[] = {"min", "max", "copysign", "ceil", "floor", "trunc", "rint", "neg", "abs"};
  std::map<std::string, unsigned> seen;
  std::regex word("(\\w+?)(_ftz)?(_up|_down|_zero|_near)?_([ps]{1,2})_(f\\d+x\\d) ");
  for (std::sregex_iterator at(all.begin(), all.end(), word), end; at != end; ++at) {
    const std::smatch& m = *at;
    for (const std::string& key :
         {m.str(1) + " " + m.str(5), m.str(4) + " " + m.str(5), m.str(1) + m.str(3), m.str(1) + m.str(2)})
      ++seen[key];
  }
  for (const char* type : types) {
    for (const char* opcode : rounded)
      EXPECT_GT(seen[std::string(opcode) + " " + type], 0u) << opcode << type;
    for (const char* opcode : others) EXPECT_GT(seen[std::string(opcode) + " " + type], 0u) << opcode << type;
    for (const char* packing : {"pp", "ps", "sp", "ss", "p", "s"})
      EXPECT_GT(seen[std::string(packing) + " " + type], 0u) << packing << type;
    expect(std::string("cmp_s?(eq|ne|lt|le|gt|ge)u?(_ftz)?_pp_u\\d+x\\d_") + type);
  }
  for (const char* opcode : rounded) {
    for (const char* how : {"", "_up", "_down", "_zero", "_near", "_ftz"})
      EXPECT_GT(seen[std::string(opcode) + how], 0u) << opcode << how;
  }
  for (const char* pair : {"f16x2_f32x2", "f16x4_f32x4", "f32x2_f64x2", "f32x2_f16x2", "f32x4_f16x4",
                           "f64x2_f32x2", "f16x4_u16x4", "f32x4_s32x4", "f32x2_s64x2", "s16x2_f16x2",
                           "u16x4_f16x4", "s32x4_f32x4", "u64x2_f64x2"})
    expect(std::string("cvt_\\w*pp_") + pair);
}

TEST(FuzzProgram, HasNoNewInstructionsWhereBasic) {
  std::string all;
  for (uint64_t seed = 1; seed <= 100; ++seed) all += generate(seed, Contents::basic).text();
  for (const char* part : {"activelane", "fbar", "_f16", "_f32x", "$q"})
    EXPECT_EQ(all.find(part), std::string::npos) << part;
}

/// The number of executed instructions is limited, so that programs end on slow machines, too. Without a
/// limit, the program of seed 1170 took half a minute.
TEST(FuzzProgram, KeepsToABudgetOfInstructions) {
  uint64_t most = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    for (Contents contents : {Contents::portable, Contents::basic, Contents::waves}) {
      const uint64_t instructions = generate(seed, contents).instructions();
      ASSERT_LE(instructions, instruction_budget)
          << "seed " << seed << ", contents " << static_cast<int>(contents);
      most = std::max(most, instructions);
    }
  }
  EXPECT_GT(most, instruction_budget / 2) << "loops are not cut shorter than they have to be";
}

TEST(FuzzProgram, CountsInstructionsOfLoopsGraphsAndCalls) {
  const auto leaf = [](const char* text) { return Statement{{text}, {}}; };
  Program program;
  program.functions = {Routine{"&f0", "head;", "ret;", {}}, Routine{"&f1", "call &f0;", "call &f1;", {}, 3}};
  program.kernel = Routine{"&k", "head;", "ret;", {}};
  program.launch.grid[0] = 5;
  EXPECT_EQ(program.instructions(), 5u * 2);
  program.kernel.body = {leaf("a; b;")};
  EXPECT_EQ(program.instructions(), 5u * 4);
  program.kernel.body = {Statement{{"a;", "b;", "c;"}, {{leaf("x;")}, {leaf("y; z;")}}, 4}};
  EXPECT_EQ(program.instructions(), 5u * (2 + 4 * (3 + 1 + 2)));
  program.kernel.body[0].one_body_a_round = true;
  EXPECT_EQ(program.instructions(), 5u * (2 + 4 * (3 + 2)));
  program.kernel.body = {leaf("call &f0;")};
  EXPECT_EQ(program.instructions(), 5u * (2 + 1 + 2));
  program.kernel.body = {leaf("call &f1;")};  // makes three activations of &f1, each with a call of &f0
  EXPECT_EQ(program.instructions(), 5u * (2 + 1 + 3 * (1 + 2 + 1)));
}

/// Counts the instructions that the interpreter really executes.
class Counter final : public interpreter::Observer {
 public:
  bool before(interpreter::Context&) override { return ++count_ != 0; }
  uint64_t count() const { return count_; }

 private:
  uint64_t count_ = 0;
};

TEST(FuzzProgram, ExecutesNoMoreThanItSays) {
  constexpr uint64_t quick = instruction_budget / 32;  // limits the test to seconds
  unsigned executed = 0, with_loops = 0;
  for (uint64_t seed = 1; executed < 60; ++seed) {
    const Program program = generate(seed);
    const uint64_t bound = program.instructions();
    if (bound > quick) continue;
    ++executed;
    const std::string text = program.text();
    const heddle::testing::LoadedProgram loaded(text);
    ASSERT_TRUE(loaded.good());
    std::vector<uint64_t> buffer(buffer_size(program.launch) / sizeof(uint64_t));
    std::mt19937_64 random(program.launch.data_seed);
    std::generate(buffer.begin(), buffer.end(), [&] { return random() >> random() % 64; });
    interpreter::Dispatch dispatch;
    dispatch.kernel = loaded.kernel("&k");
    std::copy_n(program.launch.grid, 3, dispatch.grid_size.begin());
    std::copy_n(program.launch.group, 3, dispatch.group_size.begin());
    dispatch.dimensions = program.launch.dimensions;
    Counter counter;
    interpreter::RunnerOptions options;
    options.observer = &counter;
    const auto fault = loaded.run(dispatch, {heddle::testing::address(buffer.data()), 0}, options);
    ASSERT_EQ(heddle::testing::id(fault), "none") << heddle::testing::message(fault);
    EXPECT_LE(counter.count(), bound) << "seed " << seed;
    with_loops += counter.count() > static_cast<uint64_t>(std::count(text.begin(), text.end(), ';')) *
                                        program.launch.work_items();
  }
  EXPECT_GT(with_loops, 0u) << "a bound that only counts the text would do";
}

/// The shrinker can take a gate's body, which is between joining and leaving the fbarrier, out of the gate.
TEST(FuzzProgram, ShrinksGatesOfSomeWaves) {
  Program program;
  for (uint64_t seed = 1;; ++seed) {
    ASSERT_LT(seed, 1000u);
    program = generate(seed);
    Block& body = program.kernel.body;
    const auto gate = std::find_if(body.begin(), body.end(), [](const Statement& statement) {
      return !statement.bodies.empty() && statement.pieces[0].find("joinfbar") != std::string::npos &&
             !statement.bodies[0].empty();
    });
    // If the program had another gate, that gate could be what remains of the program.
    const std::string text = program.text();
    if (gate == body.end() || text.find("initfbar") != text.rfind("initfbar")) continue;
    gate->bodies[0].push_back(Statement{{"  // wrong\n"}, {}});
    break;
  }
  const auto contains = [](const char* what) {
    return [what](const Program& candidate) { return candidate.text().find(what) != std::string::npos; };
  };
  EXPECT_EQ(shrink(program, contains("// wrong"), 10000).statements(), 1u);
  const Program gate = shrink(program, contains("joinfbar"), 10000);
  ASSERT_EQ(gate.statements(), 1u) << "its body can go, too";
  ASSERT_EQ(gate.kernel.body[0].bodies.size(), 1u);
  EXPECT_TRUE(gate.kernel.body[0].bodies[0].empty());
}

TEST(FuzzProgram, LeavesFunctionsOutThatNobodyCalls) {
  Program program = generate(1);
  program.kernel.body.clear();
  EXPECT_EQ(program.text().find("function &f"), std::string::npos);
}

TEST(FuzzProgram, ShrinksToWhatFails) {
  Program program = generate(2);
  Block inside = program.kernel.body;
  inside.insert(inside.begin() + static_cast<ptrdiff_t>(inside.size() / 2), Statement{{"  // wrong\n"}, {}});
  program.kernel.body = {Statement{{"  // before\n", "  // after\n"}, {inside}}};
  program.launch.grid[0] = 40;
  auto fails = [](const Program& candidate) {
    return candidate.text().find("// wrong") != std::string::npos && candidate.launch.grid[0] >= 10;
  };
  Program small = shrink(program, fails, 10000);
  EXPECT_EQ(small.statements(), 1u);
  EXPECT_EQ(small.text().find("// before"), std::string::npos);
  EXPECT_GE(small.launch.grid[0], 10u);
  EXPECT_LT(small.launch.grid[0], 20u);
  EXPECT_EQ(small.launch.group[1], 1u);
}

TEST(FuzzProgram, ShrinkingAsksNoMoreThanItMay) {
  unsigned asked = 0;
  Program program = generate(3);
  shrink(program, [&](const Program&) { return ++asked, false; }, 5);
  EXPECT_EQ(asked, 5u);
}

}  // namespace
}  // namespace heddle::tools::fuzz
