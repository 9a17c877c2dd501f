// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptions of kernels and variables in code objects, and the programs that the finalizer refuses.
#include "compile.h"

namespace heddle::testing {
namespace {

const codeobject::Kernel& kernel(const Compiled& compiled, const std::string& name) {
  for (const auto& kernel : compiled.object.kernels)
    if (kernel.name == name) return kernel;
  ADD_FAILURE() << "no kernel " << name;
  static const codeobject::Kernel none;
  return none;
}

TEST(Metadata, OfKernels) {
  for (const char* isa : {"heddle:x86-64-v2:w1", "heddle:hsail:w1"}) {
    Compiled compiled = compile(module_header + R"(
prog kernel &big(kernarg_u8 %a, align(32) kernarg_u64 %b[3], kernarg_u16 %c)
{
  maxdynamicgroupsize 4096;
  maxflatworkgroupsize 256;
  maxflatgridsize 100000;
  requireddim 2;
  requiredworkgroupsize 16, 4, 1;
  requiredgridsize 64, 8, 1;
  align(32) group_u32 %g[10];
  st_group_u32 1, [%g];
};
kernel &plain() { ret; };
decl prog kernel &elsewhere();
)",
                                isa);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    const auto& big = kernel(compiled, "&big");
    EXPECT_EQ(big.linker_name, "&big");
    EXPECT_EQ(big.module_name, "&m");
    EXPECT_EQ(big.linkage, codeobject::Linkage::program);
    EXPECT_EQ(big.kernarg_size, 64u);  // 1 byte, 24 at offset 32, 2 at offset 56, rounded up to 16
    EXPECT_EQ(big.kernarg_align, 32u);
    EXPECT_EQ(big.group_size, 40u);
    EXPECT_EQ(big.group_align, 32u);
    EXPECT_FALSE(big.dynamic_call_stack);
    EXPECT_EQ(big.max_dynamic_group_size, 4096u);
    EXPECT_EQ(big.max_flat_group_size, 256u);
    EXPECT_EQ(big.max_flat_grid_size, 100000u);
    EXPECT_EQ(big.required_dim, 2u);
    EXPECT_EQ(big.required_group_size[0], 16u);
    EXPECT_EQ(big.required_group_size[1], 4u);
    EXPECT_EQ(big.required_grid_size[1], 8u);
    const auto& plain = kernel(compiled, "&plain");
    EXPECT_EQ(plain.linkage, codeobject::Linkage::module);
    EXPECT_EQ(plain.linker_name, "&m::&plain");
    EXPECT_EQ(plain.kernarg_align, 16u);
    EXPECT_EQ(plain.max_dynamic_group_size, UINT32_MAX);
    EXPECT_EQ(compiled.object.kernels.size(), 2u);
    EXPECT_EQ(compiled.object.isa, isa);
    const bool code = compiled.object.brig.empty();
    EXPECT_EQ(code, std::string(isa) == "heddle:x86-64-v2:w1");
    EXPECT_EQ(compiled.object.text.empty(), !code);
    EXPECT_EQ(plain.wave_entry, codeobject::no_entry);
    EXPECT_EQ(plain.groups_entry == codeobject::no_entry, !code);
  }
}

/// Returns each source line of the code once, in alphabetical order.
std::vector<std::string> lines_of(const Compiled& compiled) {
  std::vector<std::string> lines;
  for (uint64_t offset = 0; offset < compiled.object.text.size(); ++offset) {
    const std::string line = compiled.object.lines.find(offset);
    if (!line.empty() && std::count(lines.begin(), lines.end(), line) == 0) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Metadata, SourceLines) {
  const std::string body = R"(
loc 5 1 "before.c";
function &called(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  mul_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %p)
{
  loc 70000 300 "k.c";
  ld_kernarg_u64 $d0, [%p];
  ld_global_u32 $s0, [$d0];
  { arg_u32 %r; arg_u32 %n;
    st_arg_u32 $s0, [%n];
    loc 3;
    call &called(%r)(%n);
    ld_arg_u32 $s1, [%r];
  }
  loc 9 1 "other.c";
  st_global_u32 $s1, [$d0 + 4];
};
)";
  for (const char* options : {"-O0", "-O2"}) {
    Compiled compiled = compile(module_header + body, "heddle:x86-64-v2:w1", options);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    const std::vector<std::string> lines = lines_of(compiled);
    for (const char* line : {"before.c:5", "k.c:70000", "other.c:9"}) {
      EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1) << line << " with " << options;
    }
    EXPECT_LE(lines.size(), 4u);
    const auto read = codeobject::read(codeobject::write(compiled.object));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->lines.rows.size(), compiled.object.lines.rows.size());
  }
}

TEST(Metadata, DebugSectionsWithTheOption) {
  const std::string body =
      "prog kernel &k(kernarg_u64 %p)\n{\n  ld_kernarg_u64 $d0, [%p];\n  st_global_u32 1, [$d0];\n};\n";
  for (const char* options : {"-g", "-g -O2"}) {
    Compiled compiled = compile(module_header + body, "heddle:x86-64-v2:w1", options);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    bool found = false;
    for (const auto& section : compiled.object.debug) found = found || section.name == ".debug_info";
    EXPECT_TRUE(found) << options;
    const auto read = codeobject::read(codeobject::write(compiled.object));
    ASSERT_TRUE(read.ok()) << read.error().print();
    EXPECT_EQ(read->debug.size(), compiled.object.debug.size());
  }
}

/// Source types that LLVM cannot represent as they are described: vectors without a range or with two, and
/// bit fields.
TEST(Metadata, DebugSectionsOfOddSourceTypes) {
  const std::string pragmas[] = {R"(1, "CompileUnit", 2, "C99", "test", "", 0, 0, 0, 0, 0)",
                                 R"(2, "File", "odd.c", "", 0, 0)",
                                 R"(3, "BasicType", 0, 32, 32, "float", "Float")",
                                 R"(4, "Subrange", 0, 4, 0)",
                                 R"(5, "List", 4, 4)",
                                 R"(6, "List", 4)",
                                 R"(7, "IndexableType", 0, 128, 0, 0, 3, 0, "Vector")",
                                 R"(8, "IndexableType", 0, 128, 0, 0, 3, 6, "Vector")",
                                 R"(9, "IndexableType", 0, 128, 0, 0, 3, 5, "Vector")",
                                 R"(10, "BasicType", 0, 32, 32, "int", "Signed")",
                                 R"(11, "DerivedType", 0, 3, 0, 10, "Member", 0, "low", 0)",
                                 R"(12, "DerivedType", 0, 30, 0, 10, "Member", 0, "high", 3)",
                                 R"(13, "DerivedType", 0, 5, 0, 14, "Member", 0, "nothing", 70)",
                                 R"(14, "BasicType", 0, 0, 0, "none", "Signed")",
                                 R"(15, "List", 11, 12, 13)",
                                 R"(16, "CompositeType", 2, 96, 32, 0, 15, "Structure", "bits")",
                                 R"(17, "Subprogram", 2, 0, 0, "odd", "", 0)",
                                 R"(20, "LocalVariable", 17, 0, 7, "a", 0)",
                                 R"(21, "LocalVariable", 17, 0, 8, "b", 0)",
                                 R"(22, "LocalVariable", 17, 0, 9, "c", 0)",
                                 R"(23, "LocalVariable", 17, 0, 16, "d", 0)"};
  std::string text = module_header;
  for (const std::string& pragma : pragmas) text += "pragma \"hsa.tools.debug.src\", " + pragma + ";\n";
  text += "prog kernel &k(kernarg_u64 %p)\n{\n  private_u32 %v[4];\n";
  for (const char* variable : {"20", "21", "22", "23"})
    text += std::string("  pragma \"hsa.tools.debug.ref\", \"LocalAddr\", ") + variable + ", %v, 0;\n";
  text +=
      "  ld_kernarg_u64 $d0, [%p];\n  st_global_u32 1, [$d0];\n};\n"
      "pragma \"hsa.tools.debug.ref\", \"Subprogram\", 17, &k;\n";
  for (const char* options : {"-g", "-g -O2"}) {
    Compiled compiled = compile(text, "heddle:x86-64-v2:w1", options);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_EQ(compiled.diagnostics, "");
    std::string strings;
    for (const auto& section : compiled.object.debug)
      if (section.name == ".debug_str")
        strings.assign(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
    for (const char* name : {"low", "high"}) EXPECT_NE(strings.find(name), std::string::npos) << name;
  }
}

TEST(Metadata, SurvivesTheFile) {
  Compiled compiled =
      compile(module_header +
              "prog global_u32 &v = 3;\nprog kernel &k(kernarg_u64 %p)\n{\n"
              "  lda_global_u64 $d0, [&v];\n  ld_kernarg_u64 $d1, [%p];\n  st_global_u64 $d0, [$d1];\n};\n");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  const auto bytes = codeobject::write(compiled.object);
  auto read = codeobject::read(bytes);
  ASSERT_TRUE(read.ok()) << read.error().print();
  EXPECT_EQ(read.value().text, compiled.object.text);
  EXPECT_EQ(read.value().data, compiled.object.data);
  ASSERT_EQ(read.value().relocations.size(), 1u);
  EXPECT_EQ(read.value().relocations[0].what, codeobject::Relocation::What::variable);
  EXPECT_EQ(codeobject::write(read.value()), bytes);
}

TEST(Metadata, IsReproducible) {
  const std::string text = module_header +
                           "prog global_u32 &a; prog global_u32 &b; prog global_u32 &c;\n"
                           "prog kernel &k()\n{\n  ld_global_u32 $s0, [&c];\n  st_global_u32 $s0, [&a];\n"
                           "  st_global_u32 $s0, [&b];\n};\n";
  EXPECT_EQ(codeobject::write(compile(text).object), codeobject::write(compile(text).object));
}

TEST(Metadata, SplitsProgramAndAgentParts) {
  CompileRequest request;
  request.modules = {module_header + R"(
prog global_u32 &everywhere = 5;
prog alloc(agent) global_u32 &here = 6;
readonly_u64 &address = addr(&everywhere);
prog kernel &k(kernarg_u64 %p) { ld_global_u32 $s0, [&everywhere]; };
)"};
  const auto names = [](const Compiled& compiled, bool defined) {
    std::vector<std::string> names;
    for (const auto& variable : compiled.object.variables)
      if (variable.defined == defined) names.push_back(variable.name);
    return names;
  };
  using Names = std::vector<std::string>;
  request.kind = HSAIL_CODE_OBJECT_PROGRAM;
  const Compiled program = compile(request);
  ASSERT_TRUE(program) << program.diagnostics;
  EXPECT_EQ(names(program, true), Names{"&everywhere"});
  EXPECT_TRUE(program.object.kernels.empty());
  EXPECT_TRUE(program.object.isa.empty());
  request.kind = HSAIL_CODE_OBJECT_AGENT;
  const Compiled agent = compile(request);
  ASSERT_TRUE(agent) << agent.diagnostics;
  EXPECT_EQ(names(agent, true), (Names{"&here", "&address"}));
  EXPECT_EQ(names(agent, false), Names{"&everywhere"});  // relocations refer to it
  EXPECT_EQ(agent.object.kernels.size(), 1u);
  EXPECT_TRUE(std::equal(std::begin(agent.object.program_digest), std::end(agent.object.program_digest),
                         std::begin(program.object.program_digest)));
  request.kind = HSAIL_CODE_OBJECT_BOTH;
  EXPECT_EQ(names(compile(request), true), (Names{"&everywhere", "&here", "&address"}));
}

struct FiberNeed {
  const char* body;
  bool needs_fibers;
};

class FiberNeeds : public ::testing::TestWithParam<FiberNeed> {};
INSTANTIATE_TEST_SUITE_P(
    All, FiberNeeds,
    ::testing::Values(
        FiberNeed{"barrier;", true}, FiberNeed{"wavebarrier;", false}, FiberNeed{"{ call &sync()(); }", true},
        // Waiting for a flag.
        FiberNeed{
            "@l: atomic_ld_global_scacq_agent_b32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @l;",
            true},
        FiberNeed{
            "@l: atomic_exch_global_scar_agent_b32 $s0, [$d0], 1; cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @l;",
            true},
        FiberNeed{"@l: atomic_cas_global_scar_agent_b32 $s0, [$d0], 0, 1; cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 "
                  "$c0, @l;",
                  true},
        FiberNeed{
            "mov_b32 $s1, 0; @l: atomic_ld_global_scacq_agent_b32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 5;"
            " cbr_b1 $c0, @e; add_u32 $s1, $s1, 1; cmp_lt_b1_u32 $c0, $s1, 1000; cbr_b1 $c0, @l; @e:",
            true},
        FiberNeed{"@l: { arg_u32 %r; call &look(%r)(); ld_arg_u32 $s0, [%r]; } cmp_eq_b1_u32 $c0, $s0, 0; "
                  "cbr_b1 $c0, @l;",
                  true},
        FiberNeed{
            "@l: memfence_scacq_agent; ld_global_u32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, "
            "@l;",
            true},
        FiberNeed{
            "@l: atomic_or_global_scacq_agent_b32 $s0, [$d0], 1; cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 $c0, "
            "@l;",
            true},
        FiberNeed{
            "@l: atomic_add_global_scacq_agent_u32 $s0, [$d0], 0; cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 $c0, "
            "@l;",
            true},
        FiberNeed{"signal_wait_eq_scacq_s64_sig64 $d2, $d1, 5;", true},
        FiberNeed{"@l: signal_ld_scacq_b64_sig64 $d2, $d1; cmp_ne_b1_u64 $c0, $d2, 0; cbr_b1 $c0, @l;", true},
        FiberNeed{
            "@l: ldqueuereadindex_global_scacq_u64 $d2, [$d1]; cmp_lt_b1_u64 $c0, $d2, 9; cbr_b1 $c0, @l;",
            true},
        // Only another work-item can end this loop.
        FiberNeed{"@l: ld_global_u32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @l;", true},
        FiberNeed{
            "@l: ld_global_u32 $s0, [$d0+8]; and_b32 $s0, $s0, 4; cmp_eq_b1_u32 $c1, $s0, 0; not_b1 $c1, "
            "$c1; cbr_b1 $c1, @e; br @l; @e:",
            true},
        // Or the loop counts to a limit.
        FiberNeed{"mov_b32 $s1, 0; @l: ld_global_u32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 5; cbr_b1 $c0, @e; "
                  "add_u32 $s1, $s1, 1; cmp_lt_b1_u32 $c0, $s1, 1000; cbr_b1 $c0, @l; @e:",
                  true},
        FiberNeed{
            "mov_b32 $s1, 0; @l: ld_global_u32 $s0, [$d0]; add_u32 $s1, $s1, 1; cmp_ne_b1_u32 $c0, $s0, 5; "
            "cmp_lt_b1_u32 $c1, $s1, 1000; and_b1 $c0, $c0, $c1; cbr_b1 $c0, @l;",
            true},
        // Not waiting: the loop searches, counts, reads its limit each time, stores, reads another location
        // each time, or only sends.
        FiberNeed{"@l: ld_global_u32 $s0, [$d0]; add_u64 $d0, $d0, 4; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, "
                  "@l;",
                  false},
        FiberNeed{
            "mov_b32 $s1, 0; @l: ld_global_u32 $s0, [$d0]; add_u32 $s1, $s1, 1; cmp_lt_b1_u32 $c0, $s1, "
            "$s0; cbr_b1 $c0, @l;",
            false},
        FiberNeed{"mov_b32 $s1, 0; @l: ld_global_u32 $s0, [$d0]; cmp_eq_b1_u32 $c0, $s0, 5; cbr_b1 $c0, @e; "
                  "ld_global_u32 $s2, [$d1]; add_u64 $d1, $d1, 4; add_u32 $s1, $s1, $s2; cmp_lt_b1_u32 $c0, "
                  "$s1, 1000; cbr_b1 $c0, @l; @e:",
                  false},
        FiberNeed{"@l: ld_global_u64 $d0, [$d0]; cmp_ne_b1_u64 $c0, $d0, 0; cbr_b1 $c0, @l;", false},
        FiberNeed{"@l: ld_global_u32 $s0, [$d0]; st_global_u32 1, [$d0+4]; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 "
                  "$c0, @l;",
                  false},
        FiberNeed{"@l: memfence_scacq_agent; ld_global_u32 $s0, [$d0]; add_u64 $d0, $d0, 4;"
                  " cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @l;",
                  false},
        FiberNeed{"signalnoret_add_scar_s64_sig64 $d1, 5;", false},
        // Not waiting: the loop takes a number, tries an exchange again, or counts.
        FiberNeed{"@l: atomic_add_global_scar_agent_u32 $s0, [$d0], 1; cmp_lt_b1_u32 $c0, $s0, 100; cbr_b1 "
                  "$c0, @l;",
                  false},
        FiberNeed{
            "@l: atomic_ld_global_rlx_agent_b32 $s0, [$d0]; add_f32 $s1, $s0, 1.0f;"
            " atomic_cas_global_rlx_agent_b32 $s2, [$d0], $s0, $s1; cmp_ne_b1_u32 $c0, $s2, $s0; cbr_b1 "
            "$c0, @l;",
            false},
        FiberNeed{
            "ld_global_u32 $s0, [$d0]; @l: add_f32 $s1, $s0, 1.0f; mov_b32 $s3, $s0;"
            " atomic_cas_global_rlx_agent_b32 $s0, [$d0], $s3, $s1; cmp_ne_b1_u32 $c0, $s0, $s3; cbr_b1 "
            "$c0, @l;",
            false},
        FiberNeed{"mov_b32 $s1, 0; @l: atomic_ld_global_rlx_agent_b32 $s0, [$d0]; st_global_u32 $s0, [$d0+4];"
                  " add_u32 $s1, $s1, 1; cmp_lt_b1_u32 $c0, $s1, 10; cbr_b1 $c0, @l;",
                  false}));

TEST_P(FiberNeeds, AreFound) {
  Compiled compiled = compile(module_header + R"(
decl prog global_u32 &flag;
function &sync()() { barrier; };
function &look(arg_u32 %r)() { atomic_ld_global_scacq_agent_b32 $s0, [&flag]; st_arg_u32 $s0, [%r]; };
prog kernel &k(kernarg_u64 %p) { ld_kernarg_align(8)_u64 $d0, [%p]; )" +
                              GetParam().body + "\n};\n");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  const auto& k = kernel(compiled, "&k");
  EXPECT_EQ((k.flags & codeobject::kernel_needs_fibers) != 0, GetParam().needs_fibers);
  EXPECT_EQ(k.groups_entry == codeobject::no_entry, GetParam().needs_fibers);
  EXPECT_EQ(k.wave_entry == codeobject::no_entry, !GetParam().needs_fibers);
}

TEST(Refusals, PrivateMemoryHasLimits) {
  for (const char* text :
       {"prog kernel &k()\n{\n  private_u8 %big[3000000000];\n  st_private_u8 1, [%big];\n};\n",
        "prog kernel &k()\n{\n  spill_u8 %big[3000000000];\n  st_spill_u8 1, [%big];\n};\n",
        "private_u8 &big[3000000000];\nprog kernel &k()\n{\n  st_private_u8 1, [&big];\n};\n"}) {
    const Compiled compiled = compile(module_header + text);
    EXPECT_EQ(compiled.result, finalizer::FinalizeResult::failed);
    EXPECT_EQ(compiled.ids, std::vector<std::string>{"FINALIZER-private-size"}) << compiled.diagnostics;
  }
}

TEST(Exceptions, StandInTheMetadata) {
  Compiled compiled = compile(module_header +
                              "prog kernel &k()\n{\n  enabledetectexceptions 5;\n"
                              "  enablebreakexceptions 0xffff02;\n};\nprog kernel &l() { };\n");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(kernel(compiled, "&k").detect_exceptions, 5u);
  EXPECT_EQ(kernel(compiled, "&k").break_exceptions, 2u);
  EXPECT_EQ(kernel(compiled, "&l").detect_exceptions | kernel(compiled, "&l").break_exceptions, 0u);
}

}  // namespace
}  // namespace heddle::testing
