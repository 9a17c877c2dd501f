// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "codeobject/code_object.h"
#include "support/result.h"

namespace heddle::finalizer::x86 {

/// The output of the code generator, laid out for loading: text at 0, data at codeobject::data_offset().
struct LinkedObject {
  std::vector<std::byte> text;
  std::vector<std::byte> data;
  std::unordered_map<std::string, uint64_t> text_symbols;  ///< offsets in text
  std::unordered_map<std::string, uint64_t> data_symbols;  ///< offsets in data
  std::vector<codeobject::Relocation> relocations;         ///< absolute addresses inside data
  codeobject::LineTable lines;
  std::vector<codeobject::DebugSection> debug;
};

/// Reads an x86-64 ELF relocatable object and resolves its relocations. The object must have no undefined
/// symbols. `keep_dwarf` says whether the result has debug sections beside the line table.
Result<LinkedObject> link_object(std::span<const char> elf, bool keep_dwarf);

}  // namespace heddle::finalizer::x86
