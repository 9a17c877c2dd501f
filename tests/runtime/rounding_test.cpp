// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The default floating-point rounding modes of modules that share a program, on every kernel agent that
// executes (Runtime 3.2.1.13, PRM 4.19.2).
#include <bit>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

constexpr auto near = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, zero = HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;

/// A module NAME with the default rounding mode MODE. Its function divides, and its kernel &NAME_inline
/// divides as well. The kernel &NAME_calls calls the function of the module OTHER.
std::string module_text(const std::string& name, const std::string& mode, const std::string& other) {
  const std::string divide = "  div_f32 $s2, $s0, $s1;\n";
  const std::string arguments = R"(
  ld_kernarg_align(8)_u64 $d0, [%values];
  ld_global_f32 $s0, [$d0];
  ld_global_f32 $s1, [$d0+4];
)";
  return "module &" + name + ":1:2:$full:$large:" + mode + ";\n" + "decl prog function &" + other +
         "_divide(arg_f32 %quotient)(arg_f32 %x, arg_f32 %y);\n" + "prog function &" + name +
         "_divide(arg_f32 %quotient)(arg_f32 %x, arg_f32 %y) {\n" +
         "  ld_arg_f32 $s0, [%x];\n  ld_arg_f32 $s1, [%y];\n" + divide +
         "  st_arg_f32 $s2, [%quotient];\n};\n" + "prog kernel &" + name + "_inline(kernarg_u64 %values) {" +
         arguments + divide + "  st_global_f32 $s2, [$d0+8];\n};\n" + "prog kernel &" + name +
         "_calls(kernarg_u64 %values) {" + arguments +
         "  {\n    arg_f32 %q;\n    arg_f32 %a;\n    arg_f32 %b;\n" +
         "    st_arg_f32 $s0, [%a];\n    st_arg_f32 $s1, [%b];\n" + "    call &" + other +
         "_divide(%q)(%a, %b);\n    ld_arg_f32 $s2, [%q];\n  }\n" + "  st_global_f32 $s2, [$d0+8];\n};\n";
}

class Rounding : public OnAgent {
 protected:
  /// What a kernel makes of 2 / 3.
  uint32_t quotient(const Kernels& kernels, const char* name) {
    float values[] = {2, 3, 0};
    EXPECT_TRUE(run(kernels, name, 1, 1, {address_of(values)})) << name;
    return std::bit_cast<uint32_t>(values[2]);
  }
};
INSTANTIATE_TEST_SUITE_P(Agents, Rounding, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Rounding, EachModuleKeepsItsOwnMode) {
  constexpr uint32_t nearest = std::bit_cast<uint32_t>(0x1.555556p-1f);
  constexpr uint32_t truncated = std::bit_cast<uint32_t>(0x1.555554p-1f);
  for (const auto of_program : {near, zero}) {
    const Kernels kernels(
        agent_,
        {module_text("n", "$near", "z"), module_text("z", "$zero", "d"), module_text("d", "$default", "n")},
        of_program);
    const uint32_t by_program = of_program == near ? nearest : truncated;
    EXPECT_EQ(quotient(kernels, "&n_inline"), nearest);
    EXPECT_EQ(quotient(kernels, "&z_inline"), truncated);
    EXPECT_EQ(quotient(kernels, "&d_inline"), by_program);
    EXPECT_EQ(quotient(kernels, "&n_calls"), truncated);
    EXPECT_EQ(quotient(kernels, "&z_calls"), by_program);
    EXPECT_EQ(quotient(kernels, "&d_calls"), nearest);
  }
}

}  // namespace
}  // namespace heddle::runtime::test
