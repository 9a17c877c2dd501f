// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "harness.h"
#include "instruction_kernel.h"

/// Tables of instructions with operands and expected results, which are derived from the PRM.
namespace heddle::testing {

struct Case {
  const char* mnemonic;
  std::vector<uint64_t> sources;  ///< low 64 bits of the source registers
  uint64_t expected;              ///< of the destination register, all its bits
  std::vector<std::string> constants = {};
};

/// Returns the result of one instruction, whose destinations hold `before` until then.
inline std::vector<Cell> apply(const std::string& mnemonic, const std::vector<Cell>& sources,
                               const std::vector<std::string>& constants = {}, Cell before = {}) {
  std::string why;
  const auto step = instruction_step(mnemonic, constants, &why);
  if (!step) {
    ADD_FAILURE() << mnemonic << ": " << why;
    return {};
  }
  EXPECT_EQ(step->sources.size(), sources.size()) << mnemonic;
  if (step->sources.size() != sources.size()) return {};
  LoadedProgram program(std::string(instruction_module) + instruction_kernel("&test", {*step}));
  if (!program.good()) return {};
  std::vector<Cell> inputs = sources, outputs(step->destinations.size(), before);
  std::vector<uint64_t> kernarg{address(outputs.data())};
  for (Cell& input : inputs) kernarg.push_back(address(&input));
  const auto fault = program.run("&test", kernarg);
  EXPECT_EQ(id(fault), "none") << mnemonic << ": " << message(fault);
  return outputs;
}

inline void check(const std::vector<Case>& cases) {
  for (const Case& row : cases) {
    std::vector<Cell> sources;
    for (uint64_t source : row.sources) sources.push_back({source, 0});
    const std::vector<Cell> result = apply(row.mnemonic, sources, row.constants);
    if (result.empty()) continue;
    EXPECT_EQ(result[0].lo, row.expected)
        << row.mnemonic << std::hex << " of 0x" << (row.sources.empty() ? 0 : row.sources[0]) << ": 0x"
        << result[0].lo << " instead of 0x" << row.expected;
  }
}

inline uint64_t bits(float value) {
  uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}
inline uint64_t bits(double value) {
  uint64_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

}  // namespace heddle::testing
