// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle: assembles, disassembles, checks, finalizes and runs HSAIL, and describes the machine.
#include <csignal>
#include <exception>

#include "commands.h"
#include "console.h"

namespace {

using namespace heddle::tools;

int run(int argc, char** argv) {
  CommandLine heddle(
      "heddle", "HSAIL on this machine: compile, assemble, check, finalize, run.", "heddle " HEDDLE_VERSION,
      "`heddle COMMAND --help` explains a command.\n"
      "Exit codes: 0 success; 1 the input is wrong or the work failed; 2 the command line is wrong.\n"
      "Environment: HEDDLE_AGENTS chooses agents, NO_COLOR turns colours off (they appear on terminals "
      "only).");
  for (const auto add : {add_cc, add_hipcc, add_as, add_dis, add_check, add_finalize, add_run, add_debug,
                         add_bench, add_info, add_cache, add_fuzz_exec, add_trace, add_reference})
    add(heddle);
  return heddle.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  heddle::tools::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the size limit is a write error, like a full disk
  try {
    const int code = run(argc, argv);
    if (code != exit_success) return code;
    auto flushed = heddle::tools::flush_output();
    if (flushed) return exit_success;
    heddle::tools::print_error(flushed.error().message);
    return exit_failure;
  } catch (const std::exception& error) {  // libraries may throw, for example std::bad_alloc
    heddle::tools::print_error(error.what());
    return exit_failure;
  }
}
