// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comments.h"

#include <fmt/format.h>

#include "codeobject/ptx_kernel.h"

namespace heddle::cuda::fake {
namespace {

using codeobject::CodeObject;
using codeobject::Relocation;

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += digits[static_cast<unsigned>(byte) >> 4];
    text += digits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

/// What a word of the table of addresses refers to; empty if the interpreter need not be told.
std::string name_of(const CodeObject& object, const Relocation& word) {
  if (word.what == Relocation::What::variable) return object.variables[word.symbol].linker_name;
  if (word.what == Relocation::What::kernel) return object.kernels[word.symbol].linker_name;
  return {};
}

std::string comments_of(const CodeObject& object, const std::vector<std::vector<std::byte>>& modules) {
  std::string text = fmt::format("//fake program {} {}\n", object.profile, object.rounding);
  for (const auto& module : modules) text += "//fake brig " + hexadecimal(module) + '\n';
  for (size_t i = 0; i < object.kernels.size(); ++i)
    text += fmt::format("//fake kernel {} {}\n", i, object.kernels[i].linker_name);
  std::vector<std::string> words(object.data.size() / sizeof(uint64_t));
  for (const Relocation& relocation : object.relocations)
    if (relocation.where == Relocation::Where::data)
      words.at(relocation.offset / sizeof(uint64_t)) = name_of(object, relocation);
  for (size_t i = 0; i < words.size(); ++i) text += fmt::format("//fake address {} {}\n", i, words[i]);
  for (size_t i = 0; i < object.functions.size(); ++i)
    text += fmt::format("//fake function {} {}\n", i, object.functions[i].linker_name);
  return text;
}

}  // namespace

void add_comments(CodeObject& object, const std::vector<std::vector<std::byte>>& modules,
                  std::span<const std::byte> lowered) {
  std::string comments = comments_of(object, modules);
  // The interpreter runs the unoptimised BRIG, which may trap at any instruction and then needs the record.
  if (lowered.empty())
    for (codeobject::Kernel& kernel : object.kernels) kernel.flags |= codeobject::kernel_reads_dispatch;
  if (!lowered.empty()) comments += "//fake lowered " + hexadecimal(lowered) + '\n';
  const auto* begin = reinterpret_cast<const std::byte*>(comments.data());
  // The text ends with a zero byte.
  object.text.insert(object.text.end() - 1, begin, begin + comments.size());
}

}  // namespace heddle::cuda::fake
