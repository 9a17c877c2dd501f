// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agents/interpreter/command_input.h"
#include "hsail/print/source_lines.h"
#include "interpreter/interpreter.h"
#include "interpreter/machine.h"

namespace heddle::interpreter_agent {

/// The debugger behind `heddle debug`: stops kernels before chosen instructions and takes commands, one for
/// each line of input, about the state of their work-items. Dispatches run one after the other, which lock()
/// ensures.
class Debugger final : public interpreter::Observer {
 public:
  /// Reads commands from `in` and writes answers to `out`, which must outlive the debugger. In a batch, a
  /// wrong command ends the dispatch as `quit` does.
  Debugger(std::unique_ptr<CommandInput> in, std::FILE* out) : in_(std::move(in)), out_(out) {}

  /// To be held for as long as a dispatch runs. A dispatch begins with a stop unless the user has let
  /// everything continue.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  bool before(interpreter::Context& context) override;
  /// The dispatch that ran last has ended; `fault` is null if all went well.
  void ended(const interpreter::Fault* fault);

 private:
  using Context = interpreter::Context;
  using Word = std::string_view;

  struct Breakpoint {
    std::string text;
    uint32_t line = 0;  ///< 0: at a label
    std::string file;   ///< the end of the file's name; empty: any file
    std::string label;  ///< a label with its @, or a &function for its first instruction
    bool any_item = true;
    uint32_t item[3] = {0, 0, 0};  ///< workitemabsid
  };
  struct Watch {
    std::string text;
    std::string reg;  ///< register of the current work-item; empty: memory is watched
    std::string segment;
    uint64_t address = 0;
    std::string value;
  };
  enum class Mode : uint8_t { step, next, finish, go };

  struct Place {
    std::string file;
    uint32_t line = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  bool wants_stop(Context& context);
  bool hit(const Breakpoint& breakpoint, Context& context, const Place& place);
  bool watched(Context& context);
  bool is_current(const Context& context) const;
  Place place_of(const Context& context);
  brig::Offset next_entry(const Context& context) const;
  void show_place(Context& context);
  bool converse(Context& context);
  enum class Then : uint8_t { ask, run, quit };
  Then command(Context& context, const std::string& line);
  void add_breakpoint(const std::vector<std::string>& words);
  void add_watch(Context& context, const std::vector<std::string>& words);
  void print_register(const Context& context, Word name);
  void print_registers(const Context& context);
  void print_memory(const Context& context, const std::vector<std::string>& words);
  void print_backtrace(const Context& context);
  void print_info(Context& context, Word what);
  void list(Context& context);
  void disassemble(const Context& context, const std::vector<std::string>& words);
  std::vector<std::string> complete(const Context& context, const std::string& line) const;
  /// Says why a command is not carried out.
  void refuse(std::string_view why);
  void select(Context& context, const std::vector<std::string>& words);

  std::mutex mutex_;
  const std::unique_ptr<CommandInput> in_;
  std::FILE* const out_;
  Mode mode_ = Mode::step;
  bool started_ = false;
  uint64_t item_ = 0;  ///< flattened absolute ID and group of the work-item that steps
  const interpreter::Group* group_ = nullptr;
  size_t depth_ = 0;
  Place last_;
  std::vector<Breakpoint> breakpoints_;
  std::vector<Watch> watches_;
  std::map<const brig::Module*, print::SourceLines> lines_;
  std::map<std::string, std::vector<std::string>> files_;
  std::string previous_;
  bool wrong_ = false;  // the current command was wrong
};

}  // namespace heddle::interpreter_agent
