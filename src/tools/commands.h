// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands of `heddle`; each has a file of its name.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace heddle::tools {

struct Command {
  CLI::App* app;
  std::function<int()> run;  ///< gives the exit code; called after the command line has been parsed
};

Command as_command(CLI::App& heddle);
Command dis_command(CLI::App& heddle);
Command check_command(CLI::App& heddle);
Command finalize_command(CLI::App& heddle);
Command run_command(CLI::App& heddle);
Command debug_command(CLI::App& heddle);  // in run.cpp
Command info_command(CLI::App& heddle);
Command fuzz_exec_command(CLI::App& heddle);

}  // namespace heddle::tools
