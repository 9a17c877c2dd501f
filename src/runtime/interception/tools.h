// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools: shared libraries that intercept calls of the runtime (hsa/hsa_api_trace.h says how).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// Splits the value of HSA_TOOLS_LIB: names are separated by spaces. Quotation marks keep spaces in a name,
/// and a backslash any character that follows it.
std::vector<std::string> tool_names(std::string_view text);

/// The tools of the process. Callers make sure that no two threads use it at once.
class Tools {
 public:
  /// Calls OnLoad of the tools that HSA_TOOLS_LIB names, in their order, then of those that the process has
  /// loaded already (loaded_tools.h), and then of the check layer if HEDDLE_CHECK asks for it. Tools that
  /// fail are reported in the log, unless HSA_TOOLS_REPORT_LOAD_FAILURE is 0, and to the tools after them.
  void load();
  /// Calls OnUnload of the tools, the last one first, and makes the tables what they were before load().
  void unload();
  /// Does the same in the child of a fork, in which tools are not told of anything.
  void forget() noexcept;

 private:
  struct Library {
    std::string name;
    void* handle;
  };

  void* open(const std::string& name);
  bool start(const std::string& name);

  std::vector<Library> libraries_;  // all that were ever opened: they stay in the process
  std::vector<void*> loaded_;       // handles of the tools whose OnLoad has succeeded, in order
  std::vector<std::string> failed_;
};

}  // namespace heddle::runtime
