// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/device_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace heddle::testing {

DeviceProgram::DeviceProgram(const tools::KernelAgent& agent, const std::string& brig_file) : agent_(agent) {
  load(brig_file);
}

void DeviceProgram::load(const std::string& brig_file) {
  std::ifstream file(brig_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  auto module = tools::make_module(brig_file, {bytes, bytes + text.size()});
  ASSERT_TRUE(static_cast<bool>(module)) << brig_file;
  std::vector<tools::Module> modules;
  modules.push_back(std::move(*module));
  auto program = tools::Program::create(modules);
  ASSERT_TRUE(static_cast<bool>(program));
  auto code = program->finalize(HSAIL_CODE_OBJECT_BOTH, agent_.isa_name, "");
  ASSERT_TRUE(static_cast<bool>(code)) << code.error().message;
  code_ = std::move(*code);
  auto loaded = tools::LoadedProgram::load(agent_, code_.bytes());
  ASSERT_TRUE(static_cast<bool>(loaded)) << loaded.error().message;
  program_ = std::make_unique<tools::LoadedProgram>(std::move(*loaded));
}

bool DeviceProgram::run(const std::string& kernel, const Arguments& arguments, tools::Extent grid,
                        tools::Extent group, uint32_t group_memory) {
  if (!program_) return false;  // which the constructor has reported
  const auto info = program_->kernel(kernel);
  EXPECT_TRUE(static_cast<bool>(info)) << kernel;
  auto kernarg = tools::Memory::allocate(agent_.kernarg, std::max<size_t>(arguments.bytes().size(), 16));
  EXPECT_TRUE(static_cast<bool>(kernarg));
  auto dispatcher = tools::Dispatcher::create(agent_);
  EXPECT_TRUE(static_cast<bool>(dispatcher));
  if (!info || !kernarg || !dispatcher) return false;
  std::memcpy(kernarg->address(), arguments.bytes().data(), arguments.bytes().size());
  return static_cast<bool>((*dispatcher)->run(*info, grid, group, group_memory, 0, kernarg->address(), 0));
}

namespace {

constexpr std::byte untouched{0xa5};
constexpr size_t guard = 256;

}  // namespace

PrintedText::PrintedText(const DeviceProgram& program, uint32_t capacity)
    : memory_(
          *tools::Memory::allocate(program.agent().memory, sizeof(PrintfBufferHeader) + capacity + guard)),
      size_(sizeof(PrintfBufferHeader) + capacity) {
  std::ranges::fill(memory_.bytes(), untouched);
  const PrintfBufferHeader header{capacity, 0, 0, 0};
  std::memcpy(memory_.address(), &header, sizeof header);
  for (const tools::VariableInfo& variable : program.loaded().variables(printf_formats_variable))
    formats_.append(reinterpret_cast<const char*>(variable.address), variable.size);
  const auto buffers = program.loaded().variables(printf_buffer_variable);
  EXPECT_EQ(buffers.size(), 1U);
  const auto address = reinterpret_cast<uintptr_t>(memory_.address());
  for (const tools::VariableInfo& variable : buffers)
    std::memcpy(reinterpret_cast<void*>(variable.address), &address, sizeof address);
}

PrintfText PrintedText::text() const {
  return printf_text(memory_.bytes().first(size_), PrintfFormats(formats_));
}

uint32_t PrintedText::lost() const {
  PrintfBufferHeader header;
  std::memcpy(&header, memory_.address(), sizeof header);
  return header.lost;
}

bool PrintedText::is_intact() const {
  return std::ranges::all_of(memory_.bytes().subspan(size_),
                             [](std::byte byte) { return byte == untouched; });
}

}  // namespace heddle::testing
