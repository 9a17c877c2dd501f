// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle as: HSAIL text to BRIG.
#include <memory>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string input;
  std::string output;
  bool debug = false;
};

std::string default_output(const std::string& input) {
  if (input == "-") return "-";
  std::string stem = input.ends_with(".hsail") ? input.substr(0, input.size() - 6) : input;
  return stem + ".brig";
}

int run(const Options& options) {
  auto module = load_module(options.input, options.debug ? SourceLines::add : SourceLines::leave);
  if (!module) {
    print_error(module.error().message);
    return exit_failure;
  }
  auto written =
      write_file(options.output.empty() ? default_output(options.input) : options.output, module->brig);
  if (!written) {
    print_error(written.error().message);
    return exit_failure;
  }
  return exit_success;
}

}  // namespace

Command as_command(CLI::App& heddle) {
  CLI::App* app = heddle.add_subcommand("as", "Assemble HSAIL text to BRIG");
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->input, "HSAIL text; - is standard input")->required()->type_name("");
  app->add_option("-o,--output", options->output,
                  "BRIG file; - is standard output (default: FILE with .brig)")
      ->type_name("FILE");
  app->add_flag("-g", options->debug,
                "add loc directives that name FILE and its lines, for debuggers and messages");
  return {app, [options] { return run(*options); }};
}

}  // namespace heddle::tools
