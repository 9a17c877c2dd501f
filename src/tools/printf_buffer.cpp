// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "printf_buffer.h"

#include <fmt/format.h>

#include <cstring>

#include "console.h"

namespace heddle::tools {
namespace {

constexpr size_t buffer_size = size_t{4} << 20;

}  // namespace

PrintfBuffer::PrintfBuffer(Memory memory, PrintfFormats formats)
    : memory_(std::move(memory)), formats_(std::move(formats)) {
  clear();
}

void PrintfBuffer::clear() {
  const PrintfBufferHeader header{
      .capacity = buffer_size - sizeof header, .used = 0, .lost = 0, .aborted = 0};
  std::memcpy(memory_.address(), &header, sizeof header);
}

Result<std::optional<PrintfBuffer>> PrintfBuffer::attach(const LoadedProgram& program,
                                                         const KernelAgent& agent) {
  const std::vector<VariableInfo> buffers = program.variables(printf_buffer_variable);
  if (buffers.empty()) return std::optional<PrintfBuffer>();
  auto memory = Memory::allocate(agent.memory, buffer_size);
  if (!memory) return memory.error();
  // Every module has formats of its own. Strings of one after the other are as those of one.
  std::string formats;
  for (const VariableInfo& variable : program.variables(printf_formats_variable))
    formats.append(reinterpret_cast<const char*>(variable.address), variable.size);
  for (const VariableInfo& variable : buffers) {
    const void* const address = memory->address();
    if (variable.size == sizeof address) *reinterpret_cast<const void**>(variable.address) = address;
  }
  return std::optional(PrintfBuffer(std::move(*memory), PrintfFormats(formats)));
}

void PrintfBuffer::print() {
  PrintfBufferHeader header{};
  std::memcpy(&header, memory_.address(), sizeof header);
  const PrintfText printed = printf_text(memory_.bytes(), formats_);
  fmt::print("{}", printed.text);
  if (header.lost != 0)
    print_warning(fmt::format("{} calls of printf were lost, because they print more than {}", header.lost,
                              format_bytes(static_cast<double>(buffer_size))));
  if (printed.malformed != 0)
    print_warning(fmt::format("{} calls of printf do not fit their formats", printed.malformed));
  clear();
}

}  // namespace heddle::tools
