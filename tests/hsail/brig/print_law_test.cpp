// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests law D2 of the design with modules that the assembler does not produce: a module that Module::open()
// accepts prints as text that assembles, and the assembled text prints as the same text. Each module is
// assembled and then changed. The law is tested if the module is still valid.
#include <array>
#include <utility>

#include "../print/print_law.h"
#include "sample.h"

namespace heddle::brig::test {
namespace {

constexpr std::string_view header = "module &m:1:2:$full:$large:$default;\n";

std::string in_kernel(std::string_view statement) {
  return std::string(header) + "prog kernel &k()\n{\n    " + std::string(statement) + "\n};\n";
}

/// A module with one integer constant, and the type that the constant gets instead of its own.
struct OtherSign {
  std::string text;  // as the disassembler prints it before the change and, since no bit changes, after it
  hsa_brig_type16_t type;
};
void PrintTo(const OtherSign& other, std::ostream* out) { *out << other.text << " from type " << other.type; }

class ConstantOfOtherSign : public testing::TestWithParam<OtherSign> {};

/// Signed and unsigned constants of one size have the same bits and may stand for one another (PRM 18.6.1). A
/// literal has the type that its position requires, so the text has to show the value in that type.
TEST_P(ConstantOfOtherSign, prints_the_value_in_the_type_of_its_place) {
  std::vector<std::byte> bytes = assemble(GetParam().text);
  Patch patch(bytes);
  auto& constant = patch.operand<hsa_brig_operand_constant_bytes_t>(HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES);
  ASSERT_NE(constant.type, GetParam().type) << "nothing would change";
  constant.type = GetParam().type;
  Diagnostics diagnostics;
  const Module module = Module::open(bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  EXPECT_EQ(print::disassemble(module), GetParam().text);
  EXPECT_EQ(print::test::broken_print_law(module), "");
}

const OtherSign constants_of_other_sign[] = {
    {std::string(header) + "global_u8 &v = 255;\n", HSA_BRIG_TYPE_S8},
    {std::string(header) + "global_s8 &v = -128;\n", HSA_BRIG_TYPE_U8},
    {std::string(header) + "global_u16 &v = 65535;\n", HSA_BRIG_TYPE_S16},
    {std::string(header) + "global_s16 &v = -32768;\n", HSA_BRIG_TYPE_U16},
    {std::string(header) + "global_u32 &v = 4294967295;\n", HSA_BRIG_TYPE_S32},
    {std::string(header) + "global_s32 &v = -2147483648;\n", HSA_BRIG_TYPE_U32},
    {std::string(header) + "global_u64 &v = 18446744073709551615;\n", HSA_BRIG_TYPE_S64},
    {std::string(header) + "readonly_s64 &v = -9223372036854775808;\n", HSA_BRIG_TYPE_U64},
    {in_kernel("mov_u32 $s5, 4294967295;"), HSA_BRIG_TYPE_S32},
    {in_kernel("add_s32 $s0, $s1, -5;"), HSA_BRIG_TYPE_U32},
    {in_kernel("add_u64 $d0, $d1, 18446744073709551611;"), HSA_BRIG_TYPE_S64},
    {in_kernel("st_global_s8 -1, [$d0];"), HSA_BRIG_TYPE_U8},
    {in_kernel("st_v2_global_u16 (65535, $s0), [$d0];"), HSA_BRIG_TYPE_S16},
    {in_kernel("signal_wait_lt_rlx_s64_sig64 $d0, $d1, -1;"), HSA_BRIG_TYPE_U64},
    {in_kernel("atomic_max_global_rlx_agent_s32 $s0, [$d0], -7;"), HSA_BRIG_TYPE_U32},
    {in_kernel("workitemabsid_u32 $s0, 2;"), HSA_BRIG_TYPE_S32},
    {in_kernel("maxdynamicgroupsize 64;"), HSA_BRIG_TYPE_S32},
};
INSTANTIATE_TEST_SUITE_P(PrintLaw, ConstantOfOtherSign, testing::ValuesIn(constants_of_other_sign));

/// This module has constants at the limits of their types, and operands of each kind that may be invalid
/// where an operand of another kind is valid.
constexpr std::string_view limits = R"(module &m:1:2:$full:$large:$default;
global_u8 &a = 255;
global_s8 &b = -128;
global_b8 &c = s8(1);
global_u32 &d = 4294967295;
global_s32 &e = -2147483648;
global_b32 &f = -1;
alloc(agent) global_u64 &g[2] = u64[](nullptr_group, addr(&d+4));
global_b8 &h[24] = {u8(255), align(4), s32(-1), s8x4(-1, 0, 1, 2), zero(4), u64(addr(&d))};
prog kernel &k(kernarg_u64 %out)
{
    private_u32 %x[4];
    workitemabsid_u32 $s0, 2;
    add_s32 $s0, $s0, -1;
    mov_u32 $s1, 4294967295;
    mov_b32 $s2, s8x4(-1, 0, 1, 2);
    mov_u64 $d0, addr(&d);
    st_v2_private_u32 ($s1, WAVESIZE), [%x][$s0-4];
};
)";

/// Makes modules that differ from a valid one in one word. The word is copied from elsewhere in the same
/// section, so it is an offset, type or number that may also be valid at its new position.
TEST(PrintLaw, holds_with_any_word_in_the_place_of_another) {
  const std::vector<std::byte> good = assemble(limits);
  std::vector<std::byte> bytes = good;
  Patch patch(bytes);
  size_t opened = 0;
  for (unsigned section = 0; section < 3; ++section) {
    const uint64_t begin = patch.section_offset(section);
    const uint64_t size = patch.section(section).byte_count;
    for (uint64_t from = patch.section(section).header_byte_count; from < size; from += 4) {
      const auto word = patch.at<std::array<std::byte, 4>>(begin + from);
      for (uint64_t to = patch.section(section).header_byte_count; to < size; to += 4) {
        auto& place = patch.at<std::array<std::byte, 4>>(begin + to);
        const auto was = std::exchange(place, word);
        Diagnostics diagnostics;
        if (const Module module = Module::open(bytes, diagnostics)) {
          ++opened;
          ASSERT_EQ(print::test::broken_print_law(module), "");
        }
        place = was;
      }
    }
  }
  EXPECT_EQ(bytes, good);
  EXPECT_GT(opened, 0u);
}

}  // namespace
}  // namespace heddle::brig::test
