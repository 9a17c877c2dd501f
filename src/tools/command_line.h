// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `heddle`: its commands, their options, and the values that these accept. Only
// command_line.cpp includes CLI11, because that header takes longer to compile than the rest of a command.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::tools {

/// What a manual page or the completion of a shell says about an option.
struct OptionDescription {
  std::vector<std::string> names;  ///< such as "-o" and "--output"; empty for an argument without a name
  std::string value_name;          ///< such as "FILE"; empty if the option takes no value
  std::string help;
  std::string default_value;         ///< empty if the help shows none
  std::vector<std::string> choices;  ///< the words that are accepted; empty if there is no such list
  bool required = false;
  bool repeatable = false;
};

struct CommandDescription {
  std::string name;
  std::string summary;
  std::string footer;  ///< the text after the options; may be empty
  std::vector<OptionDescription> options;
};

/// An option or file argument of a command. The member functions return the option itself.
class Option {
 public:
  Option(CLI::Option& option, std::vector<std::string>& choices) : option_(option), choices_(choices) {}

  Option& required();
  /// Sets the name of the value in the help, such as "FILE". Without a call the help shows the type; "" shows
  /// nothing.
  Option& value_name(const std::string& name);
  /// Shows in the help the value that the variable holds before the command line is read.
  Option& with_default_in_help();
  /// Stops words after the value from being taken as further values of the option.
  Option& one_value_each();
  Option& one_of(const std::vector<std::string>& words);
  Option& from_to(int least, int greatest);
  /// Accepts only whole numbers in this range. CLI11 itself accepts a minus sign and more than 64 bits for
  /// unsigned variables.
  Option& whole_number(uint64_t least, uint64_t greatest);
  /// Accepts only numbers in this range. NaN is refused, and so is infinity unless it is a limit.
  Option& number(double least, double greatest);

 private:
  CLI::Option& option_;
  std::vector<std::string>& choices_;  ///< the words of one_of
};

/// A command of `heddle`. The variables that options are read into must live as long as the command line.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}

  /// `names` is "-o,--output", or "FILE" for an argument without a name. `help` is a phrase.
  Option option(const std::string& names, std::string& value, const std::string& help);
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option option(const std::string& names, int& value, const std::string& help);
  Option option(const std::string& names, uint32_t& value, const std::string& help);
  Option option(const std::string& names, uint64_t& value, const std::string& help);
  Option option(const std::string& names, double& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// Sets the text after the options in the help.
  void footer(const std::string& text);
  /// Sets the function that executes the command. It is called after the options have been read, and returns
  /// the exit code.
  void action(std::function<int()> run) { run_ = std::move(run); }
  /// Gives the command all words behind its name, because they follow the rules of another program. The
  /// options are what help, manual page and completion say; nothing checks the words against them.
  void reads_words(std::vector<OptionDescription> options,
                   std::function<int(const std::vector<std::string>&)> run);

  const std::string& name() const;
  CommandDescription describe() const;

 private:
  friend class CommandLine;
  Option described(CLI::Option* option) { return Option(*option, choices_[option]); }
  int run_with(const std::vector<std::string>& words) const;
  std::string help_of_words() const;

  CLI::App& app_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;
  std::function<int()> run_;
  std::vector<OptionDescription> words_options_;
  std::function<int(const std::vector<std::string>&)> run_words_;  ///< empty if CLI11 reads the words
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The command lives as long as the command line.
  Command& add(const std::string& name, const std::string& description);
  /// Parses the arguments and runs the command. Returns its exit code; if the arguments are wrong, prints a
  /// message and returns exit_usage.
  int run(int argc, char** argv);

  /// Returns what is known of the line as a whole, with the options before a command.
  CommandDescription describe() const;
  std::vector<CommandDescription> describe_commands() const;

 private:
  void complain_of_command(const std::string& word) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace heddle::tools
