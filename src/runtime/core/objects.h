// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects of the runtime that clients know by handles.
#pragma once

#include "runtime/core/handles.h"
#include "support/slot_table.h"

namespace heddle::runtime {

class CodeObjectReader;
class CodeObjectWriter;
class CounterSession;
class Executable;
class Log;
class Program;
struct CodeObject;
struct CodeSymbol;
struct ExecutableSymbol;

/// Represents a code object loaded into an executable. Only extensions query it.
struct LoadedCodeObjectName {
  uint64_t executable = 0;
};

/// The handle tables. They are kept when the runtime is shut down, so that generations go on counting and
/// handles from before a shutdown stay invalid.
struct Objects {
  SlotTable<CodeObjectReader, tag_reader> readers;
  SlotTable<CodeObjectWriter, tag_writer> writers;
  SlotTable<Executable, tag_executable> executables;
  SlotTable<ExecutableSymbol, tag_executable_symbol> executable_symbols;
  SlotTable<LoadedCodeObjectName, tag_loaded_code_object> loaded_code_objects;
  SlotTable<CodeObject, tag_code_object> code_objects;
  SlotTable<CodeSymbol, tag_code_symbol> code_symbols;
  SlotTable<Program, tag_program> programs;
  SlotTable<Log, tag_log> logs;
  SlotTable<CounterSession, tag_counter_session> counter_sessions;

  void clear() {
    counter_sessions.clear();
    executables.clear();
    executable_symbols.clear();
    loaded_code_objects.clear();
    code_objects.clear();
    code_symbols.clear();
    readers.clear();
    programs.clear();
    writers.clear();
    logs.clear();
  }
};

}  // namespace heddle::runtime
