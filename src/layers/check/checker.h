// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer knows about the program, and how one call of the program is checked.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layers/check/flights.h"
#include "layers/check/kernels.h"
#include "layers/check/memory.h"
#include "layers/check/objects.h"
#include "layers/check/queues.h"
#include "layers/check/report.h"
#include "layers/check/signals.h"

namespace heddle::check {

/// All knowledge of the layer. Everything but the reporter is protected by `mutex`.
struct Checker {
  std::mutex mutex;
  Objects objects;
  Memory memory;
  Kernels kernels;
  Signals signals;
  Flights flights;
  Queues queues;
  bool loaded = false;         ///< between OnLoad and OnUnload
  uint64_t cycle = 0;          ///< how often the layer has been loaded
  uint64_t references = 0;     ///< calls of hsa_init without hsa_shut_down
  uint64_t shutting_down = 0;  ///< the thread that is in the last hsa_shut_down; 0 if none is
  Reporter reporter;

  /// The layer of the process. Never destroyed, because threads may use it until the process ends.
  static Checker& instance();

  bool is_being_shut_down_elsewhere() const;
  /// Says whether the runtime that existed when the call began still exists. At the beginning of the call,
  /// says whether there is a runtime. While the lock is held, the runtime cannot end.
  bool goes_on(class Call& call) const;
  PacketContext packet_context() const { return {objects, memory, kernels, signals, 0, {}, {}}; }
  /// To be called when there was no memory to note something: from now on, unknown objects are no findings.
  void lose_track();
  /// Ends all objects and memory, and the work of the layer until the next OnLoad.
  void end_all(const Event& event);
};

/// One call of a function of the runtime by the program.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}
  const char* function() const { return function_; }
  /// Returns the call as an event; takes the stack.
  Event event() const { return {function_, Site::here()}; }

  void add(const Rule& rule, std::string sentence, std::vector<Note> notes = {}) {
    findings.push_back({&rule, std::move(sentence), std::move(notes)});
  }
  void add(std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  }
  /// Prints what has been found so far. Must be called without the lock, because printing looks at the files
  /// of the program.
  void report();

  std::vector<Finding> findings;
  // What hooks keep from the beginning to the end of the call.
  bool ended = false;             ///< the layer has noted the end of an object or of memory
  int64_t completion_before = 0;  ///< value of the completion signal
  void (*callback)() = nullptr;   ///< of the program; of its real type in the functions that call it
  void* callback_data = nullptr;
  uint64_t cycle = 0;  ///< that of its beginning; 0 before that

 private:
  const char* function_;
};

}  // namespace heddle::check
