// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction that computes, in every type and with every modifier, becomes PTX that NVIDIA's assembler
// takes.
#include <gmock/gmock.h>

#include <map>

#include "../../differential/enumerate.h"
#include "instruction_kernel.h"
#include "ptxas.h"

namespace heddle::testing {
namespace {

/// Returns a module with kernels that have all forms of an instruction with destinations, up to 32 in a
/// kernel.
std::string module_of(const isa::Instruction& instruction) {
  std::map<std::vector<isa::Type>, std::vector<Step>> steps;  // by the types of the sources
  for_each_mnemonic(instruction, [&](const std::string& text, const isa::Mnemonic&) {
    auto step = instruction_step(text, {"0"});
    if (step && !step->destinations.empty()) steps[step->sources].push_back(std::move(*step));
  });
  std::string text = std::string(instruction_module) + "extension \"IMAGE\";\n";
  size_t number = 0;
  for (const auto& [types, all] : steps)
    for (size_t first = 0; first < all.size(); first += 32) {
      const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
      const std::vector<Step> some(begin,
                                   begin + static_cast<ptrdiff_t>(std::min<size_t>(32, all.size() - first)));
      text += instruction_kernel("&k" + std::to_string(number++), some);
    }
  return number == 0 ? "" : text;
}

class PtxForms : public ::testing::TestWithParam<uint16_t> {};

TEST_P(PtxForms, AreAssembled) {
  const std::string text = module_of(*isa::instruction(unsigned{GetParam()}));
  const PtxProgram program = finalize_ptx(text, "forms.hsail", "heddle:nvptx-sm_70", "-O1");
  if (!program.object) {
    EXPECT_THAT(program.ids, ::testing::Each("FINALIZER-unsupported-instruction")) << program.diagnostics;
    return;
  }
  EXPECT_NE(program.ptx.find(".entry hsail_linear_0("), std::string::npos);
  if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, "sm_75"), "");
}

std::vector<uint16_t> opcodes() {
  std::vector<uint16_t> found;
  for (const isa::Instruction& instruction : isa::instructions())
    if (!module_of(instruction).empty())
      found.push_back(static_cast<uint16_t>(&instruction - isa::instructions().data()));
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, PtxForms, ::testing::ValuesIn(opcodes()), [](const auto& info) {
  return std::string(isa::text(isa::instruction(unsigned{info.param})->mnemonic));
});

}  // namespace
}  // namespace heddle::testing
