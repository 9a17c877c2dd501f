// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle: assembles, disassembles, checks, finalizes and runs HSAIL, and shows what the machine has.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "console.h"

namespace {

using namespace heddle::tools;

/// Insertions, deletions and replacements of characters that make one word of the other.
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

/// A command line that names no command: CLI11 would say only that one is missing.
void complain_of_command(const CLI::App& app, std::string_view word) {
  std::string list, nearest;
  size_t least = 3;  // what is further away is another word
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    list += fmt::format("\n  {:<10} {}", name, command->get_description());
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

int run(int argc, char** argv) {
  CLI::App app{"HSAIL on this machine: assemble, check, finalize, run.", "heddle"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.footer(
      "`heddle COMMAND --help` explains a command.\n"
      "Exit codes: 0 success; 1 the input is wrong or the work failed; 2 the command line is wrong.\n"
      "Environment: HEDDLE_AGENTS chooses agents, NO_COLOR turns colours off (they appear on terminals "
      "only).");
  std::vector<Command> commands{as_command(app),       dis_command(app),      check_command(app),
                                finalize_command(app), run_command(app),      debug_command(app),
                                info_command(app),     fuzz_exec_command(app)};
  // Options before the command are --help and --version, which take no value.
  const std::string first = argc > 1 ? argv[1] : "";
  const bool is_option = first.starts_with('-');
  if (is_option && app.get_option_no_throw(first) == nullptr) {
    print_error(fmt::format("there is no option '{}' before a command; `heddle --help` lists both", first));
    return exit_usage;
  }
  const auto is_first = [&first](const Command& command) { return command.app->get_name() == first; };
  if (!is_option && std::none_of(commands.begin(), commands.end(), is_first)) {
    complain_of_command(app, first);
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_success : exit_usage;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::tools::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of writing, like a full disk
  try {
    const int code = run(argc, argv);
    if (code != exit_success) return code;
    auto flushed = heddle::tools::flush_output();
    if (flushed) return exit_success;
    heddle::tools::print_error(flushed.error().message);
    return exit_failure;
  } catch (const std::exception& error) {  // the libraries we use may throw, out of memory above all
    heddle::tools::print_error(error.what());
    return exit_failure;
  }
}
