// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects in the runtime: serialized bytes together with their parsed contents. The code objects of HSA
// 1.0 (2.8.1.50) and those that a reader provides (2.8.1.17) share this form.
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

/// A parsed code object. It is immutable and shared by all executables that load it.
struct CodeImage {
  std::vector<std::byte> bytes;
  codeobject::CodeObject object;
};

/// Returns null if the bytes are not a valid code object; the reasons have been reported (diagnostics.h).
std::shared_ptr<const CodeImage> parse_code_image(std::span<const std::byte> bytes);

/// The source of a code object. A file is read when the reader is created, memory each time the reader is
/// used.
class CodeObjectReader {
 public:
  static hsa_status_t from_file(hsa_file_t file, std::shared_ptr<CodeObjectReader>& reader);
  /// Reads a part of the file. INVALID_FILE; INVALID_CODE_OBJECT if the part is empty or not in the file.
  static hsa_status_t from_file(hsa_file_t file, size_t offset, size_t size,
                                std::shared_ptr<CodeObjectReader>& reader);
  static std::shared_ptr<CodeObjectReader> from_memory(const void* data, size_t size);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  static hsa_status_t read_file(hsa_file_t file, size_t offset, size_t size,
                                std::shared_ptr<CodeObjectReader>& reader);

  std::vector<std::byte> file_contents_;
  std::span<const std::byte> bytes_;
};

/// A code object of HSA 1.0 with its symbols. The handles are those of the runtime's tables.
struct CodeObject {
  std::shared_ptr<const CodeImage> image;
  std::vector<std::shared_ptr<CodeSymbol>> symbols;
  hsa_code_object_t handle{};
};

}  // namespace heddle::runtime
