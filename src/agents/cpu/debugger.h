// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "codeobject/code_object.h"

namespace heddle::cpu {

/// Announces code in memory to debuggers, through the interface that gdb and lldb have for code made at run
/// time: a list of symbol files, and a function that is called when the list changes. The destructor
/// withdraws the announcement. Thread safe.
class DebuggerEntry {
 public:
  /// Announces code that has debug sections; returns null for other code. `text` is the address of the text
  /// in memory.
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
