// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `heddle`: commands, their options and what options may say. CLI11 stands behind it, in
// command_line.cpp alone, for it is a header that takes longer to compile than the rest of a command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::tools {

/// An option of a command, or one of its files. What the functions return is the option itself.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option& required();
  /// What stands for the value in the help: "FILE". Without it, the type; "": nothing.
  Option& value_name(const std::string& name);
  /// Says in the help what the variable holds before the command line is read.
  Option& with_default_in_help();
  /// Words behind the value are no further values of the option.
  Option& one_value_each();
  Option& one_of(const std::vector<std::string>& words);
  Option& from_to(int least, int greatest);
  /// A number as it is meant for unsigned variables: CLI11 itself lets a minus through, and more than 64
  /// bits.
  Option& whole_number(uint64_t least, uint64_t greatest);
  /// A number that is none of NaN and infinity, unless those are limits.
  Option& number(double least, double greatest);

 private:
  CLI::Option& option_;
};

/// A command of `heddle`. The variables that options are read into must live as long as the command line.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}

  /// `names`: "-o,--output", or "FILE" for what has no name. `help`: a phrase.
  Option option(const std::string& names, std::string& value, const std::string& help);
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option option(const std::string& names, int& value, const std::string& help);
  Option option(const std::string& names, uint32_t& value, const std::string& help);
  Option option(const std::string& names, uint64_t& value, const std::string& help);
  Option option(const std::string& names, double& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// Text behind the options in the help.
  void footer(const std::string& text);
  /// What the command does; called after its options have been read, gives the exit code.
  void action(std::function<int()> run) { run_ = std::move(run); }

  const std::string& name() const;

 private:
  friend class CommandLine;
  CLI::App& app_;
  std::function<int()> run_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Lives as long as the command line.
  Command& add(const std::string& name, const std::string& description);
  /// Reads the arguments and runs the command that they name. Gives the exit code: exit_usage, after a
  /// message, if they are wrong.
  int run(int argc, char** argv);

 private:
  void complain_of_command(const std::string& word) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace heddle::tools
