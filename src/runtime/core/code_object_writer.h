// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Destinations of finalized code objects (Runtime 3.2.1.5 to 3.2.1.8).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <hsa/hsa.h>

namespace heddle::runtime {

class CodeObjectWriter {
 public:
  using Allocate = hsa_status_t (*)(size_t size, size_t align, void** ptr, void* data);

  virtual ~CodeObjectWriter() = default;
  /// Writes one code object and replaces what was written before. Returns the status of the application's
  /// callback if that fails, or OUT_OF_RESOURCES.
  virtual hsa_status_t write(std::span<const std::byte> bytes) = 0;

  /// Truncates the file and creates a writer for it. INVALID_FILE if the file is not open for writing.
  static hsa_status_t to_file(hsa_file_t file, std::shared_ptr<CodeObjectWriter>& writer);
  static std::shared_ptr<CodeObjectWriter> to_memory(Allocate allocate, void* data);
};

}  // namespace heddle::runtime
