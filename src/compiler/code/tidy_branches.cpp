// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code/tidy_branches.h"

#include <algorithm>

namespace heddle::compiler {

namespace {

// The block that a block leads to without doing anything; itself if it does something.
uint32_t next_of(const Code& code, uint32_t number) {
  for (const Instruction& instruction : code.blocks[number].instructions) {
    if (is_copy_to_itself(instruction)) continue;
    const bool branch = instruction.form == Instruction::Form::branch && instruction.operands.size() == 1;
    return branch ? instruction.operands[0].number : number;
  }
  return number;
}

// Where each block leads in the end. Empty blocks may form an endless loop, which stays as it is.
std::vector<uint32_t> destinations(const Code& code) {
  std::vector<uint32_t> result(code.blocks.size());
  for (uint32_t start = 0; start < result.size(); ++start) {
    uint32_t here = start;
    for (size_t steps = 0; steps < 16; ++steps) {
      const uint32_t next = next_of(code, here);
      if (next == here) break;
      here = next;
    }
    result[start] = here;
  }
  return result;
}

template <typename Function>
void for_labels(Block& block, Function function) {
  for (Instruction& instruction : block.instructions) {
    for (Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::label) function(operand.number);
    }
  }
}

std::vector<bool> reached(Code& code) {
  std::vector<bool> result(code.blocks.size());
  std::vector<uint32_t> work{0};
  result[0] = true;
  while (!work.empty()) {
    const uint32_t number = work.back();
    work.pop_back();
    for_labels(code.blocks[number], [&](uint32_t label) {
      if (!result[label]) work.push_back(label);
      result[label] = true;
    });
  }
  return result;
}

}  // namespace

void tidy_branches(Code& code) {
  const std::vector<uint32_t> targets = destinations(code);
  for (Block& block : code.blocks) for_labels(block, [&](uint32_t& label) { label = targets[label]; });
  const std::vector<bool> keep = reached(code);
  std::vector<uint32_t> numbers(code.blocks.size());
  uint32_t count = 0;
  for (uint32_t old = 0; old < code.blocks.size(); ++old) {
    if (!keep[old]) continue;
    numbers[old] = count;
    if (old != count) code.blocks[count] = std::move(code.blocks[old]);
    ++count;
  }
  code.blocks.resize(count);
  for (Block& block : code.blocks) {
    for_labels(block, [&](uint32_t& label) { label = numbers[label]; });
    block.successors.clear();
    for_labels(block, [&](uint32_t label) { block.successors.push_back(label); });
  }
}

}  // namespace heddle::compiler
