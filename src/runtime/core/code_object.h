// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects as the runtime holds them: serialized bytes beside what they say. Both forms of the API share
// them: the code object of HSA 1.0 (2.8.1.50) and what a reader gives (2.8.1.17).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hsa/hsa.h>

#include "codeobject/code_object.h"
#include "runtime/core/symbol.h"

namespace heddle::runtime {

/// Immutable once made; shared by all executables that load it.
struct CodeImage {
  std::vector<std::byte> bytes;
  codeobject::CodeObject object;
};

/// Null if the bytes are no code object; the reasons have been reported (diagnostics.h).
std::shared_ptr<const CodeImage> parse_code_image(std::span<const std::byte> bytes);

/// The source of a code object. Files are read when the reader is made, memory when it is used.
class CodeObjectReader {
 public:
  static hsa_status_t from_file(hsa_file_t file, std::shared_ptr<CodeObjectReader>& reader);
  static std::shared_ptr<CodeObjectReader> from_memory(const void* data, size_t size);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> file_contents_;
  std::span<const std::byte> bytes_;
};

/// A code object of HSA 1.0 with its symbols, whose handles live in the runtime's table.
struct CodeObject {
  std::shared_ptr<const CodeImage> image;
  std::vector<std::shared_ptr<CodeSymbol>> symbols;
  hsa_code_object_t handle{};
};

}  // namespace heddle::runtime
