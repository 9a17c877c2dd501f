// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of names across modules (PRM 4.2, 4.12).
#include "build.h"

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

namespace heddle::testing {
namespace {

using link::Program;
using link::Symbol;
using Ids = std::vector<std::string>;

TEST(Program, LinkerNamesFollowTheLinkage) {
  Built built({module_of("&a", R"(
    prog global_u32 &shared;
    global_u32 &own;
    group_u32 &tile;
    prog kernel &k() { global_u32 %inside; group_u32 %scratch; private_u32 %p; spill_u32 %s; fbarrier %f; };
    function &k2()() { global_u32 %inside; };
    signature &sig()(arg_u32);
  )")});
  EXPECT_EQ(built.problems, Ids{});
  for (const char* name : {"&shared", "&a::&own", "&a::&tile", "&k", "&a::&k::%inside", "&a::&k::%scratch",
                           "&a::&k::%f", "&a::&k2", "&a::&k2::%inside", "&a::&sig"}) {
    EXPECT_GE(built.program.find(name), 0) << name;
  }
  EXPECT_LT(built.program.find("&a::&k::%p"), 0);
  EXPECT_LT(built.program.find("&a::&k::%s"), 0);
  const Symbol& inside = built.program.symbols()[built.program.find("&a::&k::%inside")];
  EXPECT_EQ(inside.name, "%inside");
  EXPECT_EQ(inside.module_name, "&a");
  EXPECT_EQ(inside.linkage, HSA_BRIG_LINKAGE_FUNCTION);
}

TEST(Program, DeclarationsReachTheDefinitionInAnotherModule) {
  const std::string user = R"(
    decl prog function &f(arg_u32 %r)(arg_u32 %x);
    decl prog global_u32 &v;
    prog kernel &k() { { arg_u32 %r; arg_u32 %x; call &f(%r)(%x); } lda_global_u64 $d0, [&v]; };
  )";
  const std::string definer = R"(
    prog function &f(arg_u32 %out)(arg_u32 %in) { ret; };
    prog global_u32 &v;
  )";
  for (bool definition_first : {false, true}) {
    Built built(definition_first ? std::vector{module_of("&d", definer), module_of("&u", user)}
                                 : std::vector{module_of("&u", user), module_of("&d", definer)});
    EXPECT_EQ(built.problems, Ids{});
    const uint32_t definer_index = definition_first ? 0 : 1;
    EXPECT_EQ(built.definition("&f").module, definer_index);
    EXPECT_EQ(built.definition("&v").module, definer_index);
    const auto reached = built.program.reachable(built.definition("&k"));
    ASSERT_EQ(reached.size(), 2u);
    EXPECT_EQ(built.name(reached[0]), "&k");
    EXPECT_EQ(reached[1], built.definition("&f"));
  }
}

TEST(Program, ModuleLinkageKeepsModulesApart) {
  Built built({module_of("&a", "global_u32 &v; function &f()() {};"),
               module_of("&b", "global_u64 &v; kernel &f() {};")});
  EXPECT_EQ(built.problems, Ids{});
  EXPECT_NE(built.program.find("&a::&v"), built.program.find("&b::&v"));
}

struct Mismatch {
  const char* a;
  const char* b;
  const char* id;
};

class SymbolMismatch : public ::testing::TestWithParam<Mismatch> {};

TEST_P(SymbolMismatch, IsRefusedAndLeavesTheProgramAsItWas) {
  Diagnostics diagnostics;
  Program program({});
  ASSERT_EQ(program.add(module_of("&a", GetParam().a), diagnostics), Program::AddResult::ok);
  const size_t symbols = program.symbols().size();
  EXPECT_EQ(program.add(module_of("&b", std::string(GetParam().b) + "prog global_u32 &other;"), diagnostics),
            Program::AddResult::symbol_mismatch);
  EXPECT_EQ(ids(diagnostics), Ids{GetParam().id});
  EXPECT_EQ(program.symbols().size(), symbols);
  EXPECT_EQ(program.modules().size(), 1u);
  EXPECT_LT(program.find("&other"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, SymbolMismatch,
    ::testing::Values(
        Mismatch{"prog global_u32 &v;", "decl prog global_u64 &v;", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog global_u32 &v;", "decl prog global_u32 &v[];", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog global_u32 &v[4];", "decl prog global_u32 &v[5];", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog global_u32 &v;", "decl prog alloc(agent) global_u32 &v;",
                 "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog align(8) global_u32 &v;", "decl prog global_u32 &v;", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog const global_u32 &v = 1;", "decl prog global_u32 &v;", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog readonly_u32 &v;", "decl prog global_u32 &v;", "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog global_u32 &v;", "prog global_u32 &v;", "HSAIL-4.12.1-multiple-definition"},
        Mismatch{"prog kernel &f() {};", "prog kernel &f() {};", "HSAIL-4.12.1-multiple-definition"},
        Mismatch{"prog kernel &f() {};", "decl prog function &f()();", "HSAIL-4.12-symbol-kind"},
        Mismatch{"prog function &f()() {};", "decl prog indirect function &f()();", "HSAIL-4.12-symbol-kind"},
        Mismatch{"prog kernel &f(kernarg_u32 %x) {};", "decl prog kernel &f();",
                 "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog kernel &f(kernarg_u32 %x) {};", "decl prog kernel &f(kernarg_s32 %x);",
                 "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog function &f()(arg_u32 %x[2]) {};", "decl prog function &f()(arg_u32 %x[3]);",
                 "HSAIL-4.12-symbol-mismatch"},
        Mismatch{"prog function &f(arg_u32 %r)() {};", "decl prog function &f()(arg_u32 %r);",
                 "HSAIL-4.12-symbol-mismatch"}));

TEST(Program, OpenArraysAndNaturalAlignmentMatch) {
  Built built({module_of("&a", "decl prog global_u32 &v[]; decl prog kernel &k(kernarg_u32 %x);"),
               module_of("&b", "prog align(4) global_u32 &v[7]; prog kernel &k(kernarg_u32 %y) {};")});
  EXPECT_EQ(built.problems, Ids{});
  EXPECT_EQ(built.definition("&v").module, 1u);
}

TEST(Program, ModulesMustFitTheProgram) {
  const struct {
    const char* header;
    const char* id;
  } rows[] = {{"module &m:1:0:$base:$large:$default;", "HSAIL-4.2.1-profile"},
              {"module &m:1:0:$full:$small:$default;", "HSAIL-4.2.1-machine-model"},
              {"module &m:1:0:$full:$large:$zero;", "HSAIL-4.2.1-default-rounding"}};
  for (const auto& row : rows) {
    Program::Options options;
    options.default_rounding = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
    options.strict_rounding = true;
    Program program(options);
    Diagnostics diagnostics;
    EXPECT_EQ(program.add(module_of(row.header), diagnostics), Program::AddResult::incompatible_module);
    EXPECT_EQ(ids(diagnostics), Ids{row.id});
  }
  Program program({});
  Diagnostics diagnostics;
  EXPECT_EQ(program.add(module_of("module &m:1:0:$full:$large:$zero;"), diagnostics), Program::AddResult::ok);
  EXPECT_EQ(program.add(module_of("module &m:1:0:$full:$large:$zero;"), diagnostics),
            Program::AddResult::already_included);
  EXPECT_EQ(program.add(module_of("module &m:1:0:$full:$large:$zero; global_u32 &x;"), diagnostics),
            Program::AddResult::symbol_mismatch);
  EXPECT_EQ(ids(diagnostics), (Ids{"HSAIL-4.2.1-module-name", "HSAIL-4.2.1-module-name"}));
  EXPECT_EQ(program.add({}, diagnostics), Program::AddResult::invalid_module);
}

TEST(Program, AModuleKeepsItsOwnRoundingMode) {
  constexpr auto zero = HSA_BRIG_ROUND_FLOAT_ZERO, near = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  for (const hsa_brig_round_t of_program : {zero, near, HSA_BRIG_ROUND_FLOAT_DEFAULT}) {
    Program::Options options;
    options.default_rounding = of_program;
    Program program(options);
    Diagnostics diagnostics;
    for (const char* header : {"module &z:1:0:$full:$large:$zero;", "module &n:1:0:$full:$large:$near;",
                               "module &d:1:0:$full:$large:$default;"})
      EXPECT_EQ(program.add(module_of(header), diagnostics), Program::AddResult::ok);
    EXPECT_FALSE(diagnostics.has_errors());
    // Nobody is told if the program leaves the mode open.
    const bool differs = of_program != HSA_BRIG_ROUND_FLOAT_DEFAULT;
    EXPECT_EQ(ids(diagnostics), differs ? Ids{"HSAIL-4.2.1-default-rounding"} : Ids{});
    EXPECT_EQ(program.default_rounding(program.modules()[0]), zero);
    EXPECT_EQ(program.default_rounding(program.modules()[1]), near);
    EXPECT_EQ(program.default_rounding(program.modules()[2]), of_program == zero ? zero : near);
  }
}

TEST(Program, OnlyWhatIsReachedMustBeDefined) {
  // Undefined symbols are legal if no kernel reaches them or the host may define them.
  EXPECT_EQ(Built({module_of("&a", R"(
    decl prog function &f()();
    decl prog kernel &other();
    function &unreached()() { { call &f()(); } };
    decl prog global_u32 &host;
    prog kernel &k() { ld_global_u32 $s0, [&host]; };
  )")})
                .problems,
            Ids{});
  const char* incomplete[] = {
      "decl prog function &f()(); prog kernel &k() { { call &f()(); } };",
      ("decl prog function &f()(); function &g()() { { call &f()(); } }; "
       "prog kernel &k() { { call &g()(); } };"),
      "decl prog function &f()(); prog indirect function &k()() { { call &f()(); } };",
      "decl prog group_u32 &v; prog kernel &k() { ld_group_u32 $s0, [&v]; };",
      "decl prog fbarrier &v; prog kernel &k() { initfbar &v; };",
      "decl prog indirect function &f()(); prog kernel &k() { mov_u64 $d0, addr(&f); };"};
  for (const char* text : incomplete) {
    Built built({module_of("&a", text)});
    EXPECT_FALSE(built.resolved) << text;
    EXPECT_EQ(built.problems, Ids{"HSAIL-4.2.1-undefined-symbol"}) << text;
  }
}

TEST(Program, GroupMemoryHas32BitAddresses) {
  const std::string huge = "group_u8 &a[3000000000]; group_u8 &b[3000000000];";
  EXPECT_EQ(Built({module_of("&g", huge + "prog kernel &k() { lda_group_u32 $s0, [&a]; };")}).problems,
            Ids{});
  EXPECT_EQ(Built({module_of("&g", huge + "prog kernel &k() { lda_group_u32 $s0, [&a]; lda_group_u32 $s0, "
                                          "[&b]; };")})
                .problems,
            Ids{"HSAIL-2.8-group-size"});
}

TEST(Program, IndirectFunctionsReachNoGroupMemory) {
  const char* bad[] = {
      "group_u32 &v; prog indirect function &f()() { ld_group_u32 $s0, [&v]; };",
      "function &g()() { group_u32 %v; }; prog indirect function &f()() { { call &g()(); } };",
      "prog indirect function &f()() { fbarrier %v; };"};
  for (const char* text : bad) {
    EXPECT_EQ(Built({module_of("&a", text)}).problems, Ids{"HSAIL-10.8-indirect-function-resources"}) << text;
  }
}

TEST(Program, ReachableGoesThroughCallsAndSwitchesAndIndirectCalls) {
  Built built({module_of("&a", R"(
    function &leaf()() {};
    function &one()() { { call &leaf()(); } };
    function &two()() { { call &two()(); } };
    prog indirect function &far()() {};
    signature &sig()();
    prog kernel &direct() { { scall_u32 0()() [&one, &two]; } };
    prog kernel &indirect() { mov_u64 $d0, 0; { icall_u64 $d0()() &sig; } };
    prog kernel &plain() { { call &leaf()(); } };
    prog kernel &stack() { alloca_u32 $s0, 4; };
  )")});
  ASSERT_EQ(built.problems, Ids{});
  const auto names = [&](const char* kernel, bool through_icall) {
    Ids result;
    for (link::Reference reference : built.program.reachable(built.definition(kernel), through_icall)) {
      result.push_back(built.name(reference));
    }
    return result;
  };
  EXPECT_EQ(names("&direct", true), (Ids{"&direct", "&one", "&two", "&leaf"}));
  EXPECT_EQ(names("&indirect", true), (Ids{"&indirect", "&far"}));
  EXPECT_EQ(names("&indirect", false), Ids{"&indirect"});
  EXPECT_TRUE(built.program.dynamic_call_stack(built.definition("&direct")));
  EXPECT_TRUE(built.program.dynamic_call_stack(built.definition("&indirect")));
  EXPECT_TRUE(built.program.dynamic_call_stack(built.definition("&stack")));
  EXPECT_FALSE(built.program.dynamic_call_stack(built.definition("&plain")));
}

}  // namespace
}  // namespace heddle::testing
