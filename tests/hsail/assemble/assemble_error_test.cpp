// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks each error of the assembler by its id and line, but not by its wording.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "hsail/assemble/assemble.h"
#include "hsail/brig/module.h"

namespace heddle::assemble {
namespace {

Diagnostics errors_of(const std::string& text) {
  static std::string kept;  // diagnostics refer to the source
  kept = text;
  Diagnostics diagnostics;
  std::vector<std::byte> brig;
  EXPECT_FALSE(assemble(kept, "t.hsail", brig, diagnostics)) << text;
  EXPECT_TRUE(brig.empty());
  return diagnostics;
}

constexpr const char* header = "module &m:1:2:$full:$large:$default;\n";

struct Case {
  const char* text;
  const char* id;
  uint32_t line;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.id << ": " << c.text; }

/// Statements of a module. Line 1 is the first line after the header.
class ModuleErrors : public testing::TestWithParam<Case> {};
TEST_P(ModuleErrors, Reported) {
  Diagnostics d = errors_of(header + std::string(GetParam().text));
  ASSERT_GE(d.error_count(), 1u);
  EXPECT_EQ(d.all()[0].id, GetParam().id) << d.print();
  EXPECT_EQ(d.all()[0].location.line, GetParam().line + 1) << d.print();
}
INSTANTIATE_TEST_SUITE_P(
    Statements, ModuleErrors,
    testing::Values(
        Case{"global_u32 &x;\nglobal_u32 &x;", "HSAIL-4.6.2-redefinition", 2},
        Case{"global_u32 &x;\nkernel &x() {};", "HSAIL-4.6.2-redefinition", 2},
        Case{"global_u32 %x;", "HSAIL-4.6.2-name-scope", 1}, Case{"global_u33 &x;", "HSAIL-4.13-type", 1},
        Case{"global_b1 &x;", "HSAIL-4.13-b1-variable", 1},
        Case{"align(3) global_u32 &x;", "HSAIL-4.3.10-align", 1},
        Case{"align(2) global_u32 &x;", "HSAIL-4.3.10-align", 1},
        Case{"global_u32 &x[0];", "HSAIL-4.3.8-array-size", 1},
        Case{"global_u32 &x[];", "HSAIL-4.3.8-array-size", 1},
        Case{"alloc(agent) readonly_u32 &x;", "HSAIL-4.3.10-alloc", 1},
        Case{"const group_u32 &x;", "HSAIL-4.3.10-const", 1},
        Case{"const global_u32 &x;", "HSAIL-4.3.10-const-initializer", 1},
        Case{"group_u32 &x = 1;", "HSAIL-4.10-initializer-segment", 1},
        Case{"decl global_u32 &x = 1;", "HSAIL-4.10-initializer-declaration", 1},
        Case{"global_u32 &x[2] = u32[](1,2,3);", "HSAIL-4.10-initializer-size", 1},
        Case{"global_b32 &x[2] = {u32(1)};", "HSAIL-4.10-initializer-size", 1},
        Case{"global_u32 &x[2] = {u32(1), u32(2)};", "HSAIL-4.10-initializer-type", 1},
        Case{"global_u32 &x = 1.0f;", "HSAIL-4.8.5-constant-type", 1},
        Case{"global_f32 &x = 1;", "HSAIL-4.8.5-constant-type", 1},
        Case{"global_f32 &x = 1.0;", "HSAIL-4.8.5-constant-type", 1},
        Case{"global_u64 &x = addr(&y);", "HSAIL-4.6.2-undeclared", 1},
        Case{"signature &s()();\nglobal_u64 &x = addr(&s);", "HSAIL-4.8.1-addr-target", 2},
        Case{"kernel &k() {};\nalloc(agent) global_u64 &x = addr(&k + 4);", "HSAIL-4.8.1-addr-offset", 2},
        Case{"global_u8x4 &x = u8x4(1,2,3);", "HSAIL-4.14.2-elements", 1},
        Case{"global_sig64 &x = sig64(1);", "HSAIL-4.8.3-signal", 1},
        Case{"global_b32 &x = b32(1);", "HSAIL-4.8.3-bit-constant", 1},
        Case{"extension \"IMAGE\";\nglobal_roimg &x = roimg(geometry=1d, width=4, height=2, channel_order=r, "
             "channel_type=float);",
             "HSAIL-7.1.7-image-size", 2},
        Case{"extension \"IMAGE\";\nglobal_samp &x = samp(coord=normalized, filter=linear);",
             "HSAIL-7.1.8-sampler-property", 2},
        Case{"global_u32 &x;\nextension \"IMAGE\";", "HSAIL-13.1-extension-place", 2},
        Case{"extension \"CORE\":1:0;", "HSAIL-13.1.1-version", 1},
        Case{"function &f(arg_u32 %a, arg_u32 %b)() {};", "HSAIL-10.2-outputs", 1},
        Case{"kernel &k(arg_u32 %a) {};", "HSAIL-10.2-formal", 1},
        Case{"prog signature &s()();", "HSAIL-4.3.4-signature", 1}, Case{"nonsense;", "HSAIL-19.2-syntax", 1},
        Case{"pragma 1;", "HSAIL-13.4-name", 1}, Case{"pragma \"x\", \"\\q\";", "HSAIL-4.5-string-escape", 1},
        Case{"pad 16383;", "HSAIL-4.8.1-integer-range", 1}, Case{"kernel &k() {", "HSAIL-19.2-syntax", 1},
        Case{"kernel &k() {}", "HSAIL-19.2-syntax", 1},
        // Constants of several parts.
        Case{"loc 18446744073709551616;", "HSAIL-4.8.1-integer", 1},
        Case{"global_b32 &x[] = b32[](1);", "HSAIL-4.8.3-array", 1},
        Case{"global_b8 &x[4] = {align(4)};", "HSAIL-4.8.4-aggregate", 1},
        Case{"global_b8 &x[4] = {u8(1), align(3)};", "HSAIL-4.8.4-align", 1},
        Case{"global_b8 &x[4] = {u8(1), align(512)};", "HSAIL-4.8.4-align", 1},
        Case{"global_b8 &x[4] = {zero(281474976710657)};", "HSAIL-4.8.4-zero", 1},
        Case{"extension \"IMAGE\";\nkernel &k() {\nmov_samp $d0, samp(coord=normalized, filter=linear, "
             "addressing=repeat);\n};",
             "HSAIL-4.16-opaque-constant", 3},
        // Tokens without white space between them.
        Case{"kernel&k() {};", "HSAIL-4.4-white-space", 1}, Case{"global_u32&x;", "HSAIL-4.4-white-space", 1},
        Case{"pragma\"x\";", "HSAIL-4.4-white-space", 1},
        // Signs belong to literals, and signals have constants of their own type.
        Case{"global_s32 &x = - -1;", "HSAIL-19.2-syntax", 1},
        Case{"global_u64 &x = -addr(&x);", "HSAIL-19.2-syntax", 1},
        Case{"global_sig64 &x = 0;", "HSAIL-4.8.5-constant-type", 1},
        Case{"global_sig64 &x[] = sig64[](0);", "HSAIL-4.8.5-constant-type", 1},
        Case{"global_sig64 &x = sig64(nullptr);", "HSAIL-19.2-syntax", 1},
        Case{"global_sig32 &x;", "HSAIL-2.9-signal-size", 1},
        Case{"global_b64 &x[] = u64[](1);", "HSAIL-4.10-initializer-type", 1},
        Case{"group_u32 &g;\nglobal_u64 &x = addr(&g);", "HSAIL-4.8.1-addr-target", 2},
        Case{"readonly_u32 &g;\nglobal_u64 &x = addr(&g);", "HSAIL-4.8.1-addr-of-agent", 2},
        Case{"alloc(agent) global_u32 &g;\nglobal_b8 &x[] = {u64(addr(&g))};", "HSAIL-4.8.1-addr-of-agent",
             2},
        Case{"decl prog kernel &g();\nglobal_u64 &x[] = u64[](addr(&g));", "HSAIL-4.8.1-addr-of-agent", 2},
        Case{"global_u32 &x = nullptr_group;", "HSAIL-4.8.1-null-of-agent", 1},
        // Extensions.
        Case{"extension \"CORE\";\nextension \"IMAGE\";", "HSAIL-13.1.1-alone", 2},
        Case{"extension \"abc:d\";\nextension \"CORE\";", "HSAIL-13.1.1-alone", 2},
        Case{"extension \"abc:d\";\nextension \"abc:d\":1:1;", "HSAIL-13.1-extension-version", 2},
        // Images.
        Case{"global_roimg &x;", "HSAIL-13.1.2-image-extension", 1},
        Case{"readonly_samp &x;", "HSAIL-13.1.2-image-extension", 1},
        Case{"signature &s()(arg_rwimg);", "HSAIL-13.1.2-image-extension", 1},
        Case{"pragma \"p\", samp(coord=normalized, filter=linear, addressing=repeat);",
             "HSAIL-13.1.2-image-extension", 1},
        Case{"kernel &k() {\nmov_roimg $d0, $d1;\n};", "HSAIL-13.1.2-image-extension", 2},
        Case{"extension \"IMAGE\";\ngroup_roimg &x;", "HSAIL-7.1.7-segment", 2},
        Case{"extension \"IMAGE\";\nkernel &k() {\nspill_samp %x;\n};", "HSAIL-7.1.7-segment", 3},
        Case{"extension \"IMAGE\";\nglobal_samp &x = samp(coord=normalized, filter=linear, "
             "addressing=repeat);",
             "HSAIL-7.1.7-allocation", 2},
        Case{"extension \"IMAGE\";\nglobal_b64 &x[] = {samp(coord=normalized, filter=linear, "
             "addressing=repeat)};",
             "HSAIL-7.1.7-allocation", 2},
        Case{"extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=1d, width=0, channel_order=r, "
             "channel_type=float);",
             "HSAIL-7.1.7-image-size", 2},
        Case{"extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=1d, width=1, height=0, "
             "channel_order=r, "
             "channel_type=float);",
             "HSAIL-7.1.7-image-size", 2},
        Case{
            "extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=1d, width=1, width=1, channel_order=r, "
            "channel_type=float);",
            "HSAIL-7.1.7-image-property", 2},
        Case{"extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=1d, width=1, channel_order=r);",
             "HSAIL-7.1.7-image-property", 2},
        Case{"extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=1d, width=1, channel_order=depth, "
             "channel_type=float);",
             "HSAIL-7.1.3-channel-order", 2},
        Case{"extension \"IMAGE\";\nreadonly_roimg &x = roimg(geometry=2ddepth, width=1, height=1, "
             "channel_order=r, "
             "channel_type=float);",
             "HSAIL-7.1.3-channel-order", 2},
        // Declarations without a definition.
        Case{"\ndecl global_u32 &x;", "HSAIL-4.12.2-undefined", 2},
        Case{"decl fbarrier &x;", "HSAIL-4.12.2-undefined", 1},
        Case{"decl kernel &x();", "HSAIL-4.12.2-undefined", 1},
        Case{"decl function &x()();", "HSAIL-4.12.2-undefined", 1},
        Case{"decl indirect function &x()();", "HSAIL-4.12.2-undefined", 1},
        // Formal arguments, and the number of registers.
        Case{"function &f(arg_u32 %o)(arg_u32 %i) {\nst_arg_u32 1, [%i];\n};", "HSAIL-10.2-formal-access", 2},
        Case{"function &f(arg_u32 %o)(arg_u32 %i) {\nld_arg_u32 $s0, [%o];\n};", "HSAIL-10.2-formal-access",
             2},
        Case{"pragma \"p\", $s1;", "HSAIL-13.4-register", 1},
        Case{"\nkernel &k() { mov_b1 $c128, 1; };", "HSAIL-4.7-register-count", 2},
        Case{"\nkernel &k() { mov_b32 $s0, 1; mov_b64 $d0, 1; pragma \"p\", $q511; };",
             "HSAIL-4.7-register-count", 2}));

/// Whole modules of the base profile.
TEST(AssembleErrors, BaseProfileHasNoDoubles) {
  for (const char* text :
       {"global_f64 &x;", "decl prog global_f64x2 &x;", "signature &s()(arg_f64);", "global_b64 &x = 1.0;",
        "global_b64 &x[] = {f64(1.0)};", "kernel &k() { private_f64 %x; };",
        "kernel &k() { add_ftz_f64 $d0, $d1, $d2; };"}) {
    Diagnostics d = errors_of("module &m:1:2:$base:$large:$default;\n" + std::string(text));
    EXPECT_EQ(d.all()[0].id, "HSAIL-16.2.1-f64") << text;
  }
}

TEST(AssembleErrors, SmallModelHasNoLargeSignals) {
  Diagnostics d = errors_of("module &m:1:2:$full:$small:$default;\nglobal_sig64 &x;");
  EXPECT_EQ(d.all()[0].id, "HSAIL-2.9-signal-size");
}

TEST(AssembleWarnings, NumbersThatRoundToInfinity) {
  for (const char* number : {"1e5h", "1e39f", "1e309", "0x1p+5000d"}) {
    std::string text = std::string(header) + "pragma \"p\", " + number + ";\n";
    Diagnostics d;
    std::vector<std::byte> brig;
    EXPECT_TRUE(assemble(text, "t.hsail", brig, d)) << d.print();
    ASSERT_EQ(d.all().size(), 1u) << number;
    EXPECT_EQ(d.all()[0].id, "HSAIL-4.8.2-overflow");
    EXPECT_EQ(d.all()[0].severity, Severity::warning);
  }
}

TEST(AssembleWarnings, PositionsWithoutALine) {
  for (const char* loc : {"loc 0;", "loc 1 0;"}) {
    const std::string text = std::string(header) + "\n" + loc;
    Diagnostics d;
    std::vector<std::byte> brig;
    EXPECT_TRUE(assemble(text, "t.hsail", brig, d)) << d.print();
    ASSERT_EQ(d.all().size(), 1u) << loc;
    EXPECT_EQ(d.all()[0].id, "HSAIL-13.2-loc");
    EXPECT_EQ(d.all()[0].severity, Severity::warning);
    EXPECT_EQ(d.all()[0].location.line, 3u);
  }
}

/// The version decides which pragmas are legal, but the directive with the version comes after some of them.
TEST(AssembleErrors, PragmasBeforeTheHeaderAreJudgedByItsVersion) {
  const std::string text = "pragma \"a\";\npragma 1, \"a\";\nmodule &m:1:";
  Diagnostics good;
  std::vector<std::byte> brig;
  EXPECT_TRUE(assemble(text + "0:$full:$large:$default;", "t.hsail", brig, good)) << good.print();
  Diagnostics d = errors_of(text + "2:$full:$large:$default;");
  EXPECT_EQ(d.all()[0].id, "HSAIL-13.4-name");
  EXPECT_EQ(d.all()[0].location.line, 2u);
  EXPECT_EQ(d.all()[0].location.column, 8u);
}

TEST(AssembleErrors, MoreFormalArgumentsThanBrigCounts) {
  std::string text = std::string(header) + "signature &s()(arg_u32";
  for (unsigned i = 1; i <= UINT16_MAX; ++i) text += ", arg_u32";
  Diagnostics d = errors_of(text + ");");
  EXPECT_EQ(d.all()[0].id, "HSAIL-18.5.1.5-arguments") << d.print();
}

TEST(AssembleWarnings, InstructionsNewerThanTheModule) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nkernel &k() { cmov_b128 $q0, $c0, $q1, $q2; };";
  Diagnostics d;
  std::vector<std::byte> brig;
  EXPECT_TRUE(assemble(text, "t.hsail", brig, d)) << d.print();
  ASSERT_EQ(d.all().size(), 1u) << d.print();
  EXPECT_EQ(d.all()[0].id, "HSAIL-14.1-version-cmov");
  EXPECT_EQ(d.all()[0].severity, Severity::warning);
}

struct VersionCase {
  const char* statement;
  const char* id;
  unsigned line;
};

/// What BRIG 1.0 cannot express is an error at its place if that version is asked for.
TEST(AssembleVersions, WhatTheVersionLacks) {
  const VersionCase cases[] = {
      {"extension \"X\":1:1;", "HSAIL-14.1-version-extension", 2},
      {"prog global_u64 &p = addr(&g);", "HSAIL-14.1-version-expression", 2},
      {"prog global_b32 &z[2] = {u32(1), zero(4)};", "HSAIL-14.1-version-zero", 2},
      {"kernel &k() {\n requirenopartialwavefronts;\n};", "HSAIL-14.1-version-control", 3},
      {"kernel &k() {\n ld_nt_u32 $s0, [$d0];\n};", "HSAIL-14.1-version-nt", 3},
      {"kernel &k() {\n add_sat_u32 $s0, $s0, 1;\n};", "HSAIL-14.1-version-sat", 3},
      {"kernel &k() {\n groupstaticsize_u32 $s0;\n};", "HSAIL-14.1-version", 3},
  };
  for (const VersionCase& one : cases) {
    const std::string text =
        std::string("module &m:1:2:$full:$large:$default; ") +
        (std::string_view(one.statement).starts_with("extension") ? "" : "prog global_u32 &g;") + "\n" +
        one.statement;
    Diagnostics d;
    std::vector<std::byte> brig;
    AssembleOptions options;
    options.brig_minor = 0;
    EXPECT_FALSE(assemble(text, "t.hsail", brig, d, options)) << text;
    ASSERT_EQ(d.all().size(), 1u) << d.print();
    EXPECT_EQ(d.all()[0].id, one.id);
    EXPECT_EQ(d.all()[0].location.line, one.line) << d.print();
    options.brig_minor = 2;
    EXPECT_TRUE(assemble(text, "t.hsail", brig, d, options)) << d.print();
  }
}

/// Returns the minor versions in the header and in the module directive.
std::pair<unsigned, unsigned> versions(const char* text, std::optional<unsigned> minor) {
  Diagnostics d;
  std::vector<std::byte> brig;
  AssembleOptions options;
  options.brig_minor = minor;
  EXPECT_TRUE(assemble(text, "t.hsail", brig, d, options)) << d.print();
  const auto module = brig::Module::open(brig, d);
  EXPECT_TRUE(static_cast<bool>(module)) << d.print();
  return {module.container().brig_minor, module.header().hsail_minor};
}

TEST(AssembleVersions, FollowTheModuleDirective) {
  using Versions = std::pair<unsigned, unsigned>;
  EXPECT_EQ(versions("module &m:1:0:$full:$large:$default;", {}), Versions(0, 0));
  EXPECT_EQ(versions("module &m:1:1:$full:$large:$default;", {}), Versions(1, 1));
  EXPECT_EQ(versions("module &m:1:2:$full:$large:$default;", {}), Versions(2, 2));
  EXPECT_EQ(versions("module &m:1:2:$full:$large:$default;", 0), Versions(0, 0));
  EXPECT_EQ(versions("module &m:1:0:$full:$large:$default;", 1), Versions(1, 0));
}

TEST(AssembleVersions, RiseWithWhatTheModuleUses) {
  EXPECT_EQ(versions("module &m:1:0:$full:$large:$default; kernel &k() { ld_nt_u32 $s0, [$d0]; };", {}).first,
            1u);
  EXPECT_EQ(
      versions("module &m:1:0:$full:$large:$default; kernel &k() { add_sat_u32 $s0, $s0, 1; };", {}).first,
      2u);
}

/// Statements of a kernel with some variables. Line 1 is the first line of the block.
class KernelErrors : public testing::TestWithParam<Case> {};
TEST_P(KernelErrors, Reported) {
  std::string text = std::string(header) +
                     "prog function &f(arg_u32 %r)(arg_u32 %a) {};\nglobal_u32 &g; group_u32 &l;\n"
                     "prog kernel &k(kernarg_u64 %p) {\n" +
                     GetParam().text + "\n};\n";
  Diagnostics d = errors_of(text);
  ASSERT_GE(d.error_count(), 1u);
  EXPECT_EQ(d.all()[0].id, GetParam().id) << d.print();
  EXPECT_EQ(d.all()[0].location.line, GetParam().line + 4) << d.print();
}
INSTANTIATE_TEST_SUITE_P(
    Instructions, KernelErrors,
    testing::Values(Case{"add_u32 $s0, $s1, $d2;", "HSAIL-4.16.2-register-kind", 1},
                    Case{"add_u64 $s0, $d1, $d2;", "HSAIL-4.16.2-register-kind", 1},
                    Case{"add_u32 $s0, $s1;", "HSAIL-19.2-syntax", 1},
                    Case{"add_u32 5, $s1, $s2;", "HSAIL-19.2-syntax", 1},
                    Case{"add_f32 $s0, $s1, 1;", "HSAIL-4.8.5-constant-type", 1},
                    Case{"add_u32 $s0, $s1, 1.0f;", "HSAIL-4.8.5-constant-type", 1},
                    Case{"br @nowhere;", "HSAIL-4.6.2-label", 1},
                    Case{"@a:\n@a:\n", "HSAIL-4.6.2-redefinition", 2},
                    Case{"ret;\nprivate_u32 %v;", "HSAIL-4.3.5-order", 2},
                    Case{"private_u32 %v;\nrequireddim 1;", "HSAIL-4.3.5-order", 2},
                    Case{"ld_global_u32 $s0, [&l];", "HSAIL-4.18-segment", 1},
                    Case{"ld_global_u32 $s0, [&f];", "HSAIL-4.18-address", 1},
                    Case{"ld_global_u32 $s0, [$s1];", "HSAIL-4.16.2-register-kind", 1},
                    Case{"ld_group_u32 $s0, [$d1];", "HSAIL-4.16.2-register-kind", 1},
                    Case{"ld_group_u32 $s0, [0x100000000];", "HSAIL-4.18-offset", 1},
                    Case{"ld_v2_global_u32 ($s0, $s0), [&g];", "HSAIL-4.17-vector-distinct", 1},
                    Case{"ld_v2_global_u32 ($s0, $s1, $s2), [&g];", "HSAIL-4.17-vector-size", 1},
                    Case{"ld_v2_global_u32 $s0, [&g];", "HSAIL-19.2-syntax", 1},
                    Case{"call &f()();", "HSAIL-10.2-call", 1}, Case{"{ ret; }", "HSAIL-10.2-arg-block", 1},
                    Case{"{ nop; }", "HSAIL-10.2-arg-block", 1}, Case{"{ { } }", "HSAIL-10.2-arg-block", 1},
                    Case{"{ call &g()(); }", "HSAIL-4.16-reference", 1},
                    Case{"{ call &f(%p)(); }", "HSAIL-4.16-reference", 1},
                    Case{"{ call &h()(); }", "HSAIL-4.6.2-undeclared", 1},
                    Case{"{ icall_u64 $d0()() &f; }", "HSAIL-4.16-reference", 1},
                    Case{"initfbar &g;", "HSAIL-4.16-reference", 1},
                    Case{"{ icall_u32 $s0()() &f; }", "HSAIL-10.8.1-handle-size", 1},
                    Case{"segmentp_group_b1_u32 $c0, $s0;", "HSAIL-5.16.1-address-size", 1},
                    Case{"atomicnoret_add_group_rlx_agent_u32 [&l], 1;", "HSAIL-6.7.1-group-scope", 1},
                    Case{"workitemid_u32 $s0, 3;", "HSAIL-4.16-constant-range", 1},
                    Case{"workitemid_u32 $s0, $s1;", "HSAIL-4.16-operand", 1},
                    Case{"mov_f32 $s0, WAVESIZE;", "HSAIL-4.16.1-wavesize", 1},
                    Case{"mov_u32 $s2048, 1;", "HSAIL-4.7-register-number", 1},
                    Case{"mov_b32 $s0, {u32(1)};", "HSAIL-4.8.5-constant-type", 1},
                    Case{"mov_b32 $s0, - +1;", "HSAIL-19.2-syntax", 1},
                    Case{"st_global_sig64 0, [0];", "HSAIL-4.8.5-constant-type", 1},
                    Case{"global_sig64 %x; ld_global_u64 $d0, [%x];", "HSAIL-6.3.3-opaque-type", 1},
                    Case{"global_u64 %x; st_global_sig64 $d0, [%x];", "HSAIL-6.3.3-opaque-type", 1},
                    Case{"kernel &x() {};", "HSAIL-19.2-opcode", 1}));

/// Errors that the module reader finds are reported at the token that they concern.
struct Place {
  const char* text;
  const char* id;
  uint32_t line, column;
};
TEST(AssembleErrors, RulesOfTheModuleAreToldAtTheText) {
  for (const auto& [text, id, line, column] : {
           Place{"function &f(arg_u32 %o)(arg_u32 %i) {\n  st_arg_u32 1, [%i];\n};",
                 "HSAIL-10.2-formal-access", 3, 18},
           Place{"prog\nkernel &k() { mov_b64 $d1023, 1; ret;\nmov_b32 $s0, 1; };",
                 "HSAIL-4.7-register-count", 3, 8},
           Place{"readonly_u32 &g;\nglobal_b8 &x[16] =\n {u64(0),\n u64(addr(&g))};",
                 "HSAIL-4.8.1-addr-of-agent", 4, 2},
           Place{"global_b8 &x[] = {u8(1),\n zero(281474976710657)};", "HSAIL-4.8.4-zero", 2, 18},
           Place{"kernel &k() {\nst_global_sig64 $d0,\n [$d1]; mov_u64 $d0, addr(&k + 8);\n};",
                 "HSAIL-4.8.1-addr-offset", 4, 22},
           Place{"prog global_u32 &y; pragma \"x\",\n sig32(0);", "HSAIL-2.9-signal-size", 3, 2},
           Place{"function &f()(arg_u32 %a) {\n};\nkernel &k() { { arg_u32 %x; arg_u32 %y;\n"
                 "call &f() (%x); } };",
                 "BRIG-10.2-once", 5, 1},
           Place{"decl function\n &f()();", "HSAIL-4.12.2-undefined", 3, 2},
           Place{"kernel &k() {\n ret; {\n } };", "HSAIL-10.2-arg-block", 3, 7},
           Place{"extension \"IMAGE\"; readonly_roimg &x =\n roimg(geometry=2da, width=4, height=2, "
                 "channel_order=r, channel_type=float);",
                 "HSAIL-7.1.7-image-size", 3, 2},
           Place{"extension \"IMAGE\"; readonly_b64 &x[2] = {u64(1),\n rwimg(geometry=1d, channel_order=r, "
                 "channel_type=float)};",
                 "HSAIL-7.1.7-image-size", 3, 2},
           Place{"extension \"IMAGE\"; pragma \"p\", roimg(geometry=1db, width=1, channel_order=r,\n"
                 "channel_type=float), roimg(geometry=1d, width=1, array=1, channel_order=r,"
                 "channel_type=float);",
                 "HSAIL-7.1.7-image-size", 3, 22},
           Place{"kernel &k() { br @a; @b: @a: nop;\n @a: cbr_b1 $c0, @b; };", "HSAIL-4.6.2-redefinition", 3,
                 2},
           Place{"kernel &k() { mov_b32 $s2, $s3; mov_b32\n$s1, $d2; };", "HSAIL-4.16.2-register-kind", 3, 6},
           Place{"kernel &k() { mov_b64 $d1, $d2; ld_v4_global_u32 ($s0, $s1,\n $d2, $d1), [$d0]; };",
                 "HSAIL-4.16.2-register-kind", 3, 2},
           Place{"global_u32 &g; kernel &k() { ld_v2_global_u32\n ($s0, $s1),\n [&g][$s1 + 4]; };",
                 "HSAIL-4.16.2-register-kind", 4, 7},
           Place{"kernel &k() { ld_group_u32 $s0, [$c1]; };", "HSAIL-4.16.2-register-kind", 2, 34},
           Place{"kernel &k() { joinfbar $d1; };", "HSAIL-4.16.2-register-kind", 2, 24},
           Place{"kernel &k() { st_v2_global_f32 ($s0,\nWAVESIZE), [$d0]; };", "HSAIL-4.16.1-wavesize", 3, 1},
       }) {
    Diagnostics d = errors_of(header + std::string(text));
    ASSERT_FALSE(d.all().empty()) << text;
    EXPECT_EQ(d.all()[0].id, id) << d.print();
    EXPECT_EQ(d.all()[0].location.line, line) << d.print();
    EXPECT_EQ(d.all()[0].location.column, column) << d.print();
    EXPECT_EQ(d.error_count(), 1u) << d.print();
    for (const Diagnostic& one : d.all()) EXPECT_TRUE(one.location.has_text()) << d.print();
  }
}

TEST(AssembleErrors, ManyInOneRun) {
  Diagnostics d =
      errors_of(std::string(header) +
                "prog kernel &k() {\n  add_u32 $s0, $s1;\n  bogus_u32 $s1;\n  br @x;\n  mov_b32 $s1, 2;\n"
                "  ld_global_u32 $s1, [&nothing];\n};\nglobal_u99 &y;\n");
  std::vector<uint32_t> lines;
  for (const Diagnostic& one : d.all()) lines.push_back(one.location.line);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<uint32_t>{3, 4, 5, 7, 9})) << d.print();
}

TEST(AssembleErrors, RedefinitionsTellTheFirstDefinition) {
  for (const char* text : {"kernel &k() { nop; @a:\n @a:\n };", "global_u32 &a;\n\n global_u32 &a;",
                           "prog global_u32 &x; fbarrier &a;\nkernel &k() {};\nkernel &a() {};"}) {
    Diagnostics d = errors_of(header + std::string(text));
    ASSERT_EQ(d.all().size(), 1u) << d.print();
    EXPECT_EQ(d.all()[0].id, "HSAIL-4.6.2-redefinition");
    ASSERT_EQ(d.all()[0].notes.size(), 1u) << d.print();
    EXPECT_EQ(d.all()[0].notes[0].location.line, 2u) << d.print();
  }
}

/// The use of a name that is defined twice is not the error to report.
TEST(AssembleErrors, RedefinitionsComeBeforeTheUsesOfTheName) {
  for (const char* text : {"global_u32 &x; group_u32 &x; global_u64 &y = addr(&x);",
                           "group_u32 &x; global_u32 &x; global_u64 &y = addr(&x);",
                           "global_u32 &f; function &f()() {}; kernel &k() { { call &f()(); } };"}) {
    Diagnostics d = errors_of(header + std::string(text));
    ASSERT_FALSE(d.all().empty());
    EXPECT_EQ(d.all()[0].id, "HSAIL-4.6.2-redefinition") << d.print();
  }
}

/// Rules of the module are checked when the text has no other errors.
TEST(AssembleErrors, ManyRulesInOneRun) {
  Diagnostics d = errors_of(std::string(header) +
                            "prog kernel &k() {\n  add_u32 $d0, $s1, $d2;\n  ld_global_u32 $s1,\n [$s2];\n"
                            "  mov_f32 $s0, WAVESIZE;\n  add_u32 $s0, $s1, $d2;\n};\n");
  std::vector<std::pair<uint32_t, uint32_t>> places;
  for (const Diagnostic& one : d.all()) places.emplace_back(one.location.line, one.location.column);
  EXPECT_EQ(places, (std::vector<std::pair<uint32_t, uint32_t>>{{3, 11}, {3, 21}, {5, 3}, {6, 16}, {7, 21}}))
      << d.print();
}

TEST(AssembleErrors, BadHeaders) {
  for (const char* text :
       {"", "global_u32 &x;", "module m:1:2:$full:$large:$default;", "module &m:2:0:$full:$large:$default;",
        "module &m:1:3:$full:$large:$default;", "module &m:1:2:$half:$large:$default;",
        "module &m:1:2:$full:$large:$up;", "module &m:1:2:$full:$large:$default"})
    EXPECT_GE(errors_of(text).error_count(), 1u) << text;
}

TEST(AssembleErrors, AnyTruncationOfAModuleIsHandled) {
  std::string text =
      std::string(header) +
      "extension \"IMAGE\";\nalloc(agent) global_b32 &x[3] = {u32(1), align(8), f32(1.5f)};\n"
      "prog function &f(arg_u32 %r)(arg_u32 %a[]) { sbr_u32 $s1 [@a, @b]; @a: @b: ret; };\n"
      "prog kernel &k(kernarg_u64 %p) { /* c */ { arg_u32 %o; arg_u32 %i[2]; st_arg_u32 1, [%i];"
      " call &f(%o)(%i); ld_arg_u32 $s0, [%o]; } pragma \"n\", 1, 2.0f, &f, @z; @z: atomic_add_global_scar_"
      "system_u32 $s1, [$d0+4], $s2; };\n";
  for (size_t length = 0; length < text.size(); ++length) {
    std::string part = text.substr(0, length);
    Diagnostics d;
    std::vector<std::byte> brig;
    assemble(part, "t", brig, d);
    EXPECT_EQ(brig.empty(), d.has_errors());
  }
}

}  // namespace
}  // namespace heddle::assemble
