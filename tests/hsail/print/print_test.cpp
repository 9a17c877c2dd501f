// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/assemble/assemble.h"
#include "hsail/brig/builder.h"
#include "hsail/print/print.h"

namespace heddle::print {
namespace {

const std::string header = "module &m:1:2:$full:$large:$default;\n";

std::vector<std::byte> assemble(std::string_view text) {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics("test", text);
  EXPECT_TRUE(assemble::assemble(text, "test", bytes, diagnostics)) << diagnostics.print() << text;
  return bytes;
}

brig::Module open(std::span<const std::byte> bytes) {
  Diagnostics diagnostics;
  brig::Module module = brig::Module::open(bytes, diagnostics);
  EXPECT_TRUE(module) << diagnostics.print();
  return module;
}

std::string canonical(std::string_view text, const PrintOptions& options = {}) {
  const brig::Module module = open(assemble(text));
  return module ? disassemble(module, options) : "";
}

/// Expects that canonical text prints unchanged and assembles to the same bytes.
void expect_fixed(const std::string& text) {
  const auto bytes = assemble(text);
  const std::string printed = canonical(text);
  EXPECT_EQ(printed, text);
  EXPECT_EQ(assemble(printed), bytes);
}

class ModuleStatement : public testing::TestWithParam<const char*> {};
TEST_P(ModuleStatement, is_a_fixed_point) { expect_fixed(header + GetParam() + "\n"); }

constexpr const char* module_statements[] = {
    "// text \"of\" a comment",
    "pad;",
    "pad 7;",
    "loc 4294967295 2 \"dir/a b.c\";",
    "loc 5 1;",
    "loc 1 1 \"a\";\nloc 2 1;\nloc 3 1 \"\";\nloc 4 1;\nloc 5 1 \"b\";",
    R"(pragma "x", "quote \" slash \\ newline \n tab \t bell \007 high \377";)",
    R"(pragma "x", 18446744073709551615, 0h3c00, 0f3f800000, 0d3ff0000000000000, WAVESIZE;)",
    R"(pragma "x", u8(255), s8(-128), s32(5), s64(-1), u8x4(1, 2, 3, 4), f16x2(0h0000, 0h8000);)",
    R"(pragma "x", u32[](1, 2), f64[](0d0000000000000000), {u8(1), align(8), zero(3)}, sig64(0), &m;)",
    // Identifiers that nobody declares (PRM 13.4.2.1.1).
    R"(pragma "hsa.tools.profile.event.trigger", 1, &__hsa.tools.profile.queueid, "hsa.queueid";)",
    "extension \"CORE\";",
    "extension \"IMAGE\";\nextension \"\";\nextension \"vendor:thing\":0:4294967295;",
    "global_u32 &v;",
    "decl prog global_u32 &v;",
    "decl prog alloc(agent) align(256) const global_b128 &v[];",
    "prog alloc(agent) align(16) const global_b8 &v[3] = {u8(1), u8(2), u8(3)};",
    "readonly_u64 &v[2] = u64[](0, 18446744073709551615);",
    "group_f64 &v[18446744];",
    "private_u8 &v;",
    "fbarrier &f;\ndecl prog fbarrier &g;",
    "global_s8 &v[4] = s8[](-128, -1, 0, 127);",
    "global_s16 &v[2] = s16[](-32768, 32767);",
    "global_s64 &v = -9223372036854775808;",
    "global_u32 &v = 4294967295;",
    "global_b32 &v = -1;",
    "global_b32 &v = 4294967295;",
    "global_b32 &v = s32(1);",
    "global_b32 &v = 0f7fc00001;",
    "global_b64 &v = u8x8(7, 6, 5, 4, 3, 2, 1, 0);",
    "global_f16 &v = 0hfc00;",
    "global_f32 &v = 0f80000000;",
    "global_f64 &v = 0dfff8000000000001;",
    "global_f32x2 &v = f32x2(0f3f800000, 0fbf800000);",
    "global_s16x4 &v[2] = s16x4[](s16x4(-1, 2, -3, 4), s16x4(5, 6, 7, -8));",
    "global_sig64 &v = sig64(0);",
    "global_sig64 &v[2] = sig64[](sig64(0), sig64(0));",
    "global_u64 &v = addr(&v);",
    "global_u64 &v = addr(&v+8);",
    "global_u64 &v = addr(&v-8);",
    "global_b64 &v = s64(addr(&v));",
    "global_u8 &v = nullptr;",
    "alloc(agent) global_u64 &v[4] = u64[](nullptr, nullptr_group, nullptr_private, nullptr_kernarg);",
    "global_u16x4 &v = u16x4(1, addr(&v), 3, nullptr);",
    "global_b8 &v[32] = {u8(1), align(4), u32[](1, 2), f32(0f00000000), align(16), u64(addr(&v)), zero(8)};",
    "extension \"IMAGE\";\nalloc(agent) global_rwimg &v = rwimg(geometry = 2dadepth, width = 1, height = 2, "
    "array = 3, "
    "channel_type = float, channel_order = depth);",
    "extension \"IMAGE\";\nreadonly_roimg &v[2] = roimg[](roimg(geometry = 1db, width = 9, channel_type = "
    "signed_int8, "
    "channel_order = r), roimg(geometry = 3d, width = 1, height = 2, depth = 3, channel_type = snorm_int16, "
    "channel_order = rgba));",
    ("extension \"IMAGE\";\n"
     "readonly_samp &v = samp(coord = normalized, filter = linear, addressing = repeat);"),
    "signature &s()();",
    "signature &s(arg_u32)(arg_u64, align(16) arg_u8 %x[4], arg_f32 %y[]);",
    "decl prog function &f()();",
    "decl prog function &f(arg_u32 %r)(arg_u32 %a, arg_u32 %b);",
    "prog function &f(arg_u32 %r)(arg_u32 %a)\n{\n};",
    "indirect function &f()(arg_u32 %a[])\n{\n};",
    "decl prog indirect function &f()();",
    "decl prog kernel &k();",
    "kernel &k(align(64) kernarg_u8 %a[7], kernarg_u64 %b)\n{\n};",
};
INSTANTIATE_TEST_SUITE_P(Print, ModuleStatement, testing::ValuesIn(module_statements));

class CodeBlock : public testing::TestWithParam<const char*> {};
TEST_P(CodeBlock, is_a_fixed_point) {
  expect_fixed(header + "extension \"IMAGE\";\n" +
               "global_u32 &v;\n"
               "group_u32 &g;\n"
               "fbarrier &fb;\n"
               "signature &sig(arg_u32 %r)(arg_u32 %a);\n"
               "decl prog function &f(arg_u32 %r)(arg_u32 %a);\n"
               "decl prog indirect function &h(arg_u32 %r)(arg_u32 %a);\n"
               "decl prog function &none()();\n"
               "kernel &k(kernarg_u64 %p)\n{\n" +
               GetParam() + "\n};\n");
}

constexpr const char* code_blocks[] = {
    "    enablebreakexceptions 31;",
    "    requiredgridsize 18446744073709551615, WAVESIZE, 1;\n    maxflatworkgroupsize WAVESIZE;",
    "    requiredgroupbaseptralign 256;\n    requirenopartialwavefronts;\n    requireddim 3;",
    "    align(8) spill_u32 %x;\n    const global_u32 %y = 1;\n    fbarrier %z;",
    "    ret;",
    "@a:\n    br @b;\n@b:\n    cbr_width(all)_b1 $c127, @a;\n    sbr_u64 $d0 [@a, @b, @a];",
    "    ld_kernarg_u64 $d0, [%p];\n    ld_kernarg_align(8)_width(WAVESIZE)_nt_u32 $s0, [%p][4];",
    "    ld_v4_global_align(16)_const_equiv(255)_width(1024)_nt_f32 ($s0, $s1, $s2, $s3), [&v][$d1-8];",
    "    st_v3_global_u32 ($s0, 5, WAVESIZE), [$d0+2147483648];",
    "    st_group_u8 255, [&g][$s2-4];\n    st_group_u8 1, [&g][-4];\n    st_group_u8 1, [4294967292];",
    "    ld_global_u32 $s0, [18446744073709551608];\n    ld_u32 $s0, [0];\n    ld_global_u32 $s0, [&v][-8];",
    "    lda_group_u32 $s0, [&g];\n    lda_u64 $d0, [$d1];",
    "    add_u32 $s0, $s1, 4294967295;\n    add_s32 $s0, $s1, -5;\n    add_s32 $s0, $s1, 5;\n    add_s64 "
    "$d0, $d0, WAVESIZE;",
    "    and_b32 $s0, $s1, -5;\n    and_b32 $s0, $s1, s32(5);\n    and_b64 $d0, $d0, 0d3ff0000000000000;",
    "    mov_b1 $c0, 1;\n    mov_b128 $q0, u32x4(1, 2, 3, 4);\n    mov_b64 $d0, u8x8(1, 2, 3, 4, 5, 6, 7, "
    "8);",
    "    mov_u64 $d0, addr(&v+4);\n    mov_u64 $d0, nullptr;\n    mov_u32 $s0, nullptr_group;\n    mov_b64 "
    "$d0, addr(&k);",
    "    mov_b64 $d0, u32x2(addr(&v), 1);",
    "    add_f16 $s0, $s1, 0h3c00;\n    fma_ftz_zero_f64 $d0, $d1, 0d4000000000000000, $d2;",
    "    add_pp_sat_u8x4 $s0, $s1, u8x4(1, 2, 3, 4);\n    mul_ps_f32x2 $d0, $d1, f32x2(0f3f800000, "
    "0f40000000);",
    "    cvt_ftz_neari_sat_s32_f32 $s0, $s1;\n    cvt_near_f16_f64 $s0, $d0;\n    cvt_u32_b1 $s0, $c0;",
    "    cmp_sgtu_ftz_u32_f32 $s0, $s1, $s2;\n    cmp_eq_pp_u16x2_f16x2 $s0, $s1, $s2;",
    "    combine_v4_b128_b32 $q0, ($s0, 1, 0f3f800000, WAVESIZE);\n    expand_v2_b32_b64 ($s0, $s1), $d0;",
    "    atomic_cas_group_scar_wg_equiv(2)_b32 $s0, [$s1], 1, $s2;\n    atomicnoret_st_screl_agent_b64 "
    "[$d0], 1;",
    "    signal_waittimeout_lt_rlx_s64_sig64 $d0, $d1, -1, 1000;\n    signalnoret_st_screl_b64_sig64 $d0, 0;",
    "    memfence_scar_wave;\n    imagefence;\n    barrier_width(64);\n    wavebarrier;\n    nop;",
    "    initfbar &fb;\n    joinfbar_width(all) &fb;\n    waitfbar $s0;\n    ldf_u32 $s0, &fb;",
    "    activelanemask_v4_width(all)_b64_b1 ($d0, $d1, $d2, $d3), 1;\n    activelanepermute_b32 $s0, $s1, "
    "0, 1, 1;",
    "    rdimage_2dadepth_f32_roimg_f32 $s0, $d0, $d1, ($s1, $s2, $s3);\n"
    "    stimage_v4_1db_equiv(1)_u32_rwimg_u32 ($s0, $s1, $s2, $s3), $d0, 7;\n"
    "    queryimage_2da_channelorder_u32_woimg $s0, $d0;\n    querysampler_coord_u32 $s0, $d0;",
    "    {\n        arg_u32 %r;\n        arg_u32 %a;\n        st_arg_u32 1, [%a];\n        call &f (%r) "
    "(%a);\n    }",
    R"(    {
        arg_u32 %r;
        arg_u32 %a;
        scall_width(all)_u64 $d0 (%r) (%a) [&f, &h];
    @x:
        br @x;
    })",
    "    {\n        arg_u32 %r;\n        arg_u32 %a;\n        icall_u64 $d0 (%r) (%a) &sig;\n    }",
    "    {\n        // nothing to pass\n        pad;\n        loc 3 1 \"f\";\n        pragma \"p\", %p, $s3, "
    "$c0;\n        call &none () ();\n    }",
    "    addqueuewriteindex_global_scar_u64 $d0, [$d1], 2;\n    stqueuereadindex_rlx_u64 [$d0], 5;",
    "    segmentp_group_nonull_b1_u64 $c0, $d0;\n    ftos_group_u32_u64 $s0, $d0;\n    nullptr_group_u32 "
    "$s0;",
    "    workitemabsid_u32 $s0, 2;\n    packetcompletionsig_sig64 $d0;\n    alloca_align(32)_u32 $s0, 64;",
};
INSTANTIATE_TEST_SUITE_P(Print, CodeBlock, testing::ValuesIn(code_blocks));

TEST(Print, defaults_are_left_out_and_literals_rewritten) {
  EXPECT_EQ(
      canonical(
          header +
          "align(4) global_u32 &v = u32(0x10);\n"
          "global_s8 &w[] = s8[](0x80, s8(1), 010);\n"
          "kernel &k(){ ld_global_align(1)_equiv(0)_width(1)_f32 $s0, [&v][0];\n"
          "add_f32 $s0, $s0, 1.5f; cbr_width(1)_b1 $c0, @x; st_arg_u32 -1, [-4]; barrier_width(all); @x: };"),
      header +
          "global_u32 &v = 16;\n"
          "global_s8 &w[3] = s8[](-128, 1, 8);\n"
          "kernel &k()\n{\n"
          "    ld_global_f32 $s0, [&v];\n"
          "    add_f32 $s0, $s0, 0f3fc00000;\n"
          "    cbr_b1 $c0, @x;\n"
          "    st_arg_u32 4294967295, [4294967292];\n"
          "    barrier;\n"
          "@x:\n};\n");
}

TEST(Print, decimals_as_comments) {
  const std::string printed =
      canonical(header +
                    "kernel &k()\n{\n mad_f32 $s0, $s1, 1.5f, -0.0f;\n add_f16 $s0, $s0, 0h0001;\n"
                    "add_f64 $d0, $d0, 0.1d;\n add_u32 $s0, $s0, 7;\n};\n",
                {.indent = 2, .decimals = true});
  EXPECT_EQ(printed, header +
                         "kernel &k()\n{\n"
                         "  mad_f32 $s0, $s1, 0f3fc00000, 0f80000000;  // 1.5, -0\n"
                         "  add_f16 $s0, $s0, 0h0001;  // 5.960464477539063e-08\n"
                         "  add_f64 $d0, $d0, 0d3fb999999999999a;  // 0.1\n"
                         "  add_u32 $s0, $s0, 7;\n"
                         "};\n");
}

TEST(Print, offsets_as_comments) {
  EXPECT_EQ(canonical(header + "// c\nglobal_u32 &v;\n", {.offsets = true}),
            "module &m:1:2:$full:$large:$default;  // 0x20\n// c\nglobal_u32 &v;  // 0x3c\n");
}

TEST(Print, one_entry) {
  const auto module = open(assemble(header + "kernel &k(kernarg_u32 %a)\n{\n  ret;\n};\n"));
  brig::Offset at = module.next_code(module.code_begin());
  EXPECT_EQ(disassemble_entry(module, at), "kernel &k(kernarg_u32 %a)");
  at = module.code_as<hsa_brig_directive_executable_t>(at).first_code_block_entry;
  EXPECT_EQ(disassemble_entry(module, at), "ret;");
}

TEST(Print, header_words) {
  for (const char* words : {"$base:$small:$near", "$full:$small:$zero", "$base:$large:$default"}) {
    expect_fixed(std::string("module &m.x:1:0:") + words + ";\n");
  }
}

/// Files that no assembler made may have comments with any bytes. Each must print as exactly one comment.
TEST(Print, comments_that_no_text_could_give) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"//a\nret;", "//a ret;"},        {"no marks", "//no marks"}, {"/* a */", "// a "}, {"", "//"},
      {"/* a */ret;", "///* a */ret;"}, {"/*/", "///*/"},
  };
  for (const auto& [text, expected] : cases) {
    brig::Builder builder;
    hsa_brig_directive_module_t module{};
    module.base.kind = HSA_BRIG_KIND_DIRECTIVE_MODULE;
    module.name = builder.add_string("&m");
    module.hsail_major = 1;
    module.hsail_minor = 2;
    module.profile = HSA_BRIG_PROFILE_FULL;
    module.machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
    module.default_float_round = HSA_BRIG_ROUND_FLOAT_DEFAULT;
    builder.add_code(module);
    builder.add_code(
        hsa_brig_directive_comment_t{{0, HSA_BRIG_KIND_DIRECTIVE_COMMENT}, builder.add_string(text)});
    const auto bytes = builder.finish();
    ASSERT_TRUE(bytes.ok());
    const std::string printed = disassemble(open(*bytes));
    EXPECT_EQ(printed, header + std::string(expected) + "\n");
    EXPECT_FALSE(assemble(printed).empty());
  }
}

}  // namespace
}  // namespace heddle::print
