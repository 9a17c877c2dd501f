// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "console.h"

namespace heddle::tools {
namespace {

/// Returns the number of insertions, deletions and replacements of characters that change one word into the
/// other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string check_whole_number(const std::string& text, uint64_t least, uint64_t greatest) {
  char* end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);  // the way in which CLI11 reads it afterwards
  const bool number = !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  if (number && value >= least && value <= greatest) return {};
  return fmt::format("{} is no whole number from {} to {}", text, least, greatest);
}

std::string check_number(const std::string& text, double least, double greatest) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= least && value <= greatest) return {};
  return fmt::format("{} is no number from {} to {}", text, least, greatest);
}

using Choices = std::map<const CLI::Option*, std::vector<std::string>>;

OptionDescription describe_option(const CLI::Option& option, const Choices& choices) {
  OptionDescription result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  const bool takes_value = option.get_expected_max() > 0;
  if (takes_value) result.value_name = result.names.empty() ? option.get_name() : option.get_type_name();
  result.help = option.get_description();
  result.default_value = option.get_default_str();
  if (const auto words = choices.find(&option); words != choices.end()) result.choices = words->second;
  result.required = option.get_required();
  result.repeatable = option.get_expected_max() > 1;
  return result;
}

CommandDescription describe_app(const CLI::App& app, const Choices& choices) {
  CommandDescription result{
      .name = app.get_name(), .summary = app.get_description(), .footer = app.get_footer(), .options = {}};
  for (const CLI::Option* option : app.get_options())
    result.options.push_back(describe_option(*option, choices));
  return result;
}

}  // namespace

// ---- options ----
Option& Option::required() {
  option_.required();
  return *this;
}

Option& Option::value_name(const std::string& name) {
  option_.type_name(name);
  return *this;
}

Option& Option::with_default_in_help() {
  option_.capture_default_str();
  return *this;
}

Option& Option::one_value_each() {
  option_.allow_extra_args(false);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words).description(""));
  choices_ = words;
  return *this;
}

Option& Option::from_to(int least, int greatest) {
  option_.check(CLI::Range(least, greatest).description(""));
  return *this;
}

Option& Option::whole_number(uint64_t least, uint64_t greatest) {
  option_.check(CLI::Validator(
      [least, greatest](std::string& text) { return check_whole_number(text, least, greatest); }, ""));
  return *this;
}

Option& Option::number(double least, double greatest) {
  option_.check(CLI::Validator(
      [least, greatest](std::string& text) { return check_number(text, least, greatest); }, ""));
  return *this;
}

// ---- commands ----
Option Command::option(const std::string& names, std::string& value, const std::string& help) {
  return described(app_.add_option(names, value, help));
}

Option Command::option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return described(app_.add_option(names, values, help));
}

Option Command::option(const std::string& names, int& value, const std::string& help) {
  return described(app_.add_option(names, value, help));
}

Option Command::option(const std::string& names, uint32_t& value, const std::string& help) {
  return described(app_.add_option(names, value, help));
}

Option Command::option(const std::string& names, uint64_t& value, const std::string& help) {
  return described(app_.add_option(names, value, help));
}

Option Command::option(const std::string& names, double& value, const std::string& help) {
  return described(app_.add_option(names, value, help));
}

void Command::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
}

void Command::footer(const std::string& text) { app_.footer(text); }

const std::string& Command::name() const { return app_.get_name(); }

CommandDescription Command::describe() const {
  CommandDescription result = describe_app(app_, choices_);
  result.options.insert(result.options.end(), words_options_.begin(), words_options_.end());
  return result;
}

void Command::reads_words(std::vector<OptionDescription> options,
                          std::function<int(const std::vector<std::string>&)> run) {
  words_options_ = std::move(options);
  run_words_ = std::move(run);
}

/// Returns the help in the form of CLI11, which knows only the options that it reads.
std::string Command::help_of_words() const {
  std::string usage, arguments, options;
  for (const OptionDescription& option : describe().options) {
    std::string line = fmt::format("  {}", fmt::join(option.names, ","));
    if (!option.value_name.empty()) line += (option.names.empty() ? "" : " ") + option.value_name;
    (option.names.empty() ? arguments : options) += fmt::format("{:<29} {}\n", line, option.help);
    if (option.names.empty()) usage += " " + option.value_name + (option.repeatable ? "..." : "");
  }
  return fmt::format("{}\nUsage: heddle {} [OPTIONS]{}\n\nPositionals:\n{}\nOptions:\n{}\n{}\n",
                     app_.get_description(), name(), usage, arguments, options, app_.get_footer());
}

int Command::run_with(const std::vector<std::string>& words) const {
  const bool asks_for_help =
      std::ranges::any_of(words, [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (!asks_for_help) return run_words_(words);
  fmt::print("{}", help_of_words());
  return exit_success;
}

// ---- the whole line ----
CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command& CommandLine::add(const std::string& name, const std::string& description) {
  commands_.push_back(std::make_unique<Command>(*app_->add_subcommand(name, description)));
  return *commands_.back();
}

CommandDescription CommandLine::describe() const { return describe_app(*app_, {}); }

std::vector<CommandDescription> CommandLine::describe_commands() const {
  std::vector<CommandDescription> result;
  result.reserve(commands_.size());
  for (const auto& command : commands_) result.push_back(command->describe());
  return result;
}

/// Reports that the first word is missing or not a command; CLI11 would only say that a command is missing.
void CommandLine::complain_of_command(const std::string& word) const {
  std::string list, nearest;
  size_t least = 3;  // words at this distance or more are unrelated
  for (const auto& command : commands_) {
    const std::string& name = command->name();
    list += fmt::format("\n  {:<10} {}", name, command->app_.get_description());
    const size_t away = distance(word, name);
    if (away < std::min(least, name.size())) {
      least = away;
      nearest = name;
    }
  }
  print_error(
      fmt::format("{}{}; the commands are{}",
                  word.empty() ? "no command is given" : fmt::format("there is no command '{}'", word),
                  nearest.empty() ? "" : fmt::format(" (is it '{}'?)", nearest), list));
}

int CommandLine::run(int argc, char** argv) {
  // Before the command there can only be --help and --version, which take no value.
  const std::string first = argc > 1 ? argv[1] : "";
  const bool is_option = first.starts_with('-');
  if (is_option && app_->get_option_no_throw(first) == nullptr) {
    print_error(fmt::format("there is no option '{}' before a command; `heddle --help` lists both", first));
    return exit_usage;
  }
  const auto is_first = [&first](const auto& command) { return command->name() == first; };
  if (!is_option && std::none_of(commands_.begin(), commands_.end(), is_first)) {
    complain_of_command(first);
    return exit_usage;
  }
  for (const auto& command : commands_)
    if (command->name() == first && command->run_words_) return command->run_with({argv + 2, argv + argc});
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? exit_success : exit_usage;
  }
  for (const auto& command : commands_) {
    if (command->app_.parsed()) return command->run_();
  }
  return exit_usage;
}

}  // namespace heddle::tools
