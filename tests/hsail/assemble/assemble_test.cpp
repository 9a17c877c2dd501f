// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BRIG entries of a module after assembling (PRM 18).
#include "hsail/assemble/assemble.h"

#include <string>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/module.h"
#include "hsail/brig/operands.h"

namespace heddle::assemble {
namespace {

constexpr const char* header = "module &m:1:2:$full:$large:$near;\n";

brig::Module module_of(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<std::byte> bytes;
  std::string source = header + text;
  EXPECT_TRUE(assemble(source, "t.hsail", bytes, diagnostics)) << diagnostics.print();
  Diagnostics open;
  brig::Module module = brig::Module::open(bytes, open);
  EXPECT_TRUE(static_cast<bool>(module)) << open.print();
  return module;
}

/// Returns the offsets of the code entries of one kind.
std::vector<brig::Offset> entries(const brig::Module& m, unsigned kind) {
  std::vector<brig::Offset> out;
  for (brig::Offset at = m.code_begin(); at < m.code_end(); at = m.next_code(at))
    if (m.code_entry(at).kind == kind) out.push_back(at);
  return out;
}

TEST(Assemble, ModuleDirective) {
  brig::Module m = module_of("");
  EXPECT_EQ(m.name(entries(m, HSA_BRIG_KIND_DIRECTIVE_MODULE)[0]), "&m");
  EXPECT_EQ(m.header().profile, HSA_BRIG_PROFILE_FULL);
  EXPECT_EQ(m.header().default_float_round, HSA_BRIG_ROUND_FLOAT_NEAR_EVEN);
}

TEST(Assemble, ExecutableOffsets) {
  brig::Module m =
      module_of("prog kernel &k(kernarg_u64 %a, kernarg_u32 %b) { ret; };\nglobal_u32 &after;\n");
  auto kernel = entries(m, HSA_BRIG_KIND_DIRECTIVE_KERNEL);
  ASSERT_EQ(kernel.size(), 1u);
  const auto& e = m.code_as<hsa_brig_directive_executable_t>(kernel[0]);
  EXPECT_EQ(e.in_arg_count, 2);
  EXPECT_EQ(e.first_in_arg, m.next_code(kernel[0]));
  EXPECT_EQ(m.code_as<hsa_brig_inst_base_t>(e.first_code_block_entry).opcode, HSA_BRIG_OPCODE_RET);
  EXPECT_EQ(m.name(e.next_module_entry), "&after");
}

TEST(Assemble, ReferencesReachTheLaterDefinition) {
  brig::Module m = module_of(
      "decl prog function &f()();\nprog kernel &k() { { call &f()(); } };\nprog function &f()() { ret; };\n");
  auto functions = entries(m, HSA_BRIG_KIND_DIRECTIVE_FUNCTION);
  ASSERT_EQ(functions.size(), 2u);
  auto calls = entries(m, HSA_BRIG_KIND_INST_BR);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(brig::code_ref(m, m.instruction_operands(calls[0])[1]), functions[1]);
}

TEST(Assemble, VariableOfUnsaidSizeGetsItFromItsInitializer) {
  brig::Module m = module_of("global_u16 &x[] = u16[](1, u16(2), 0xffff);\n");
  const auto& v = m.code_as<hsa_brig_directive_variable_t>(entries(m, HSA_BRIG_KIND_DIRECTIVE_VARIABLE)[0]);
  EXPECT_EQ(brig::u64(v.dim), 3u);
  auto bytes = brig::constant_bytes(m, v.init);
  ASSERT_EQ(bytes.size(), 6u);
  EXPECT_EQ(bytes[2], std::byte{2});
  EXPECT_EQ(bytes[5], std::byte{0xff});
}

TEST(Assemble, PackedConstantsAreWrittenMostSignificantFirst) {
  brig::Module m = module_of("global_u8x4 &x = u8x4(4, 3, 2, 1);\n");
  const auto& v = m.code_as<hsa_brig_directive_variable_t>(entries(m, HSA_BRIG_KIND_DIRECTIVE_VARIABLE)[0]);
  auto bytes = brig::constant_bytes(m, v.init);
  ASSERT_EQ(bytes.size(), 4u);
  EXPECT_EQ(bytes[0], std::byte{1});
  EXPECT_EQ(bytes[3], std::byte{4});
}

TEST(Assemble, AggregateWithAlignAndZero) {
  brig::Module m = module_of("global_b8 &x[24] = {u8(7), align(8), f64(-1.0), zero(8)};\n");
  const auto& v = m.code_as<hsa_brig_directive_variable_t>(entries(m, HSA_BRIG_KIND_DIRECTIVE_VARIABLE)[0]);
  std::vector<uint64_t> offsets;
  uint64_t size =
      brig::for_each_leaf(m, v.init, [&](uint64_t offset, brig::Offset) { offsets.push_back(offset); });
  EXPECT_EQ(size, 24u);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 8}));
}

struct Immediate {
  const char* instruction;
  isa::Type expected;
  uint64_t bits;
};
class Immediates : public testing::TestWithParam<Immediate> {};
TEST_P(Immediates, Bits) {
  brig::Module m = module_of("prog kernel &k() { " + std::string(GetParam().instruction) + " };\n");
  auto instruction = entries(m, HSA_BRIG_KIND_INST_BASIC);
  ASSERT_FALSE(instruction.empty());
  EXPECT_EQ(brig::immediate_u64(m, m.instruction_operands(instruction[0])[1], GetParam().expected),
            GetParam().bits);
}
INSTANTIATE_TEST_SUITE_P(
    PRM_4_8, Immediates,
    testing::Values(Immediate{"mov_b32 $s0, -1;", HSA_BRIG_TYPE_B32, 0xffffffff},
                    Immediate{"mov_u32 $s0, 0x123456789;", HSA_BRIG_TYPE_U32, 0x23456789},
                    Immediate{"mov_s64 $d0, -5;", HSA_BRIG_TYPE_S64, ~uint64_t{4}},
                    Immediate{"mov_b1 $c0, 1;", HSA_BRIG_TYPE_B1, 1},
                    Immediate{"mov_f32 $s0, -1.5f;", HSA_BRIG_TYPE_F32, 0xbfc00000},
                    Immediate{"mov_f32 $s0, -0f7f800001;", HSA_BRIG_TYPE_F32, 0xff800001},
                    Immediate{"mov_b64 $d0, 1.0;", HSA_BRIG_TYPE_B64, 0x3ff0000000000000},
                    Immediate{"mov_b64 $d0, u16x4(4,3,2,1);", HSA_BRIG_TYPE_B64, 0x0004000300020001},
                    Immediate{"mov_b32 $s0, s32(-2);", HSA_BRIG_TYPE_B32, 0xfffffffe}));

TEST(Assemble, CommentsBecomeDirectives) {
  brig::Module m =
      module_of("// one\n/* two\nthree */ prog kernel &k() { // four\n ret; /* five */ };\n// six\n");
  std::vector<std::string> texts;
  for (brig::Offset at : entries(m, HSA_BRIG_KIND_DIRECTIVE_COMMENT))
    texts.emplace_back(m.string(m.code_as<hsa_brig_directive_comment_t>(at).name));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"// one", "// two", "//three ", "// four", "// five ", "// six"}));
}

TEST(Assemble, ArgumentNamesMayHideFunctionNames) {
  module_of(
      "prog function &f(arg_u32 %r)(arg_u32 %x) { ret; };\n"
      "prog kernel &k() { private_u32 %x; { arg_u32 %x; arg_u32 %r; call &f(%r)(%x); } { arg_u32 %x; arg_u32 "
      "%r;"
      " call &f(%r)(%x); } };\n");
}

}  // namespace
}  // namespace heddle::assemble
