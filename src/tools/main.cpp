// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle: assembles, disassembles, checks, finalizes and runs HSAIL, and shows what the machine has.
#include <exception>
#include <vector>

#include "commands.h"
#include "console.h"

namespace {

using namespace heddle::tools;

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
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // the libraries we use may throw, out of memory above all
    heddle::tools::print_error(error.what());
    return exit_failure;
  }
}
