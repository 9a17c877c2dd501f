// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "agents/cpu/debugger.h"
#include "codeobject/code_object.h"
#include "support/result.h"

namespace heddle::cpu {

/// Text and data of a code object in memory, as one range (codeobject::data_offset says how). The memory is
/// never writable and executable at the same time: it is filled while it is writable, and then protect()
/// makes the text executable and the data read-only for good.
class MappedCode {
 public:
  /// Maps memory and copies text and data there. Throws std::bad_alloc.
  static std::unique_ptr<MappedCode> create(const codeobject::CodeObject& object);
  ~MappedCode();
  MappedCode(const MappedCode&) = delete;
  MappedCode& operator=(const MappedCode&) = delete;

  uint64_t text() const { return base_; }
  uint64_t text_end() const { return base_ + text_size_; }
  uint64_t data() const { return base_ + data_offset_; }
  std::span<const std::byte> extent() const { return {reinterpret_cast<const std::byte*>(base_), size_}; }

  /// Writes the low `size` bytes of `value` at `offset` of the data. Must be called before protect().
  void patch(uint64_t offset, uint8_t size, uint64_t value);
  Result<void, Error> protect();

  /// Shows the code to debuggers, if it was finalized for them. Must be called after protect().
  void show_to_debuggers(const codeobject::CodeObject& object) {
    debugger_ = DebuggerEntry::add(object, text());
  }

 private:
  MappedCode() = default;

  uint64_t base_ = 0;
  size_t text_size_ = 0;
  size_t data_offset_ = 0;
  size_t size_ = 0;
  std::unique_ptr<DebuggerEntry> debugger_;
};

}  // namespace heddle::cpu
