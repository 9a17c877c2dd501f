// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "codeobject/code_object.h"

namespace heddle::cpu {

/// Tells debuggers of code in memory, through the interface that gdb and lldb have for code made at run time:
/// a list of symbol files, and a function that is called when it changes. Gone again with the object.
class DebuggerEntry {
 public:
  /// For code with debug sections; null for other code.
  static std::unique_ptr<DebuggerEntry> add(const codeobject::CodeObject& object, uint64_t text);
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry&) = delete;
  DebuggerEntry& operator=(const DebuggerEntry&) = delete;

 private:
  DebuggerEntry();
  struct Entry;
  std::unique_ptr<Entry> entry_;
};

}  // namespace heddle::cpu
