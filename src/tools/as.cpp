// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle as: assembles HSAIL text to BRIG.
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
  std::string version;
  bool debug = false;
};

std::string default_output(const std::string& input) {
  if (input == "-") return "-";
  std::string stem = input.ends_with(".hsail") ? input.substr(0, input.size() - 6) : input;
  return stem + ".brig";
}

int fail(const Error& error, ExitCode code = exit_failure) {
  print_error(error.message);
  return code;
}

int run(const Options& options) {
  const std::string output = options.output.empty() ? default_output(options.input) : options.output;
  auto apart = check_output(output, {&options.input, 1});
  if (!apart) return fail(apart.error(), exit_usage);
  auto bytes = read_file(options.input);
  if (!bytes) return fail(bytes.error());
  if (kind_of(*bytes) == FileKind::brig)
    return fail(
        {options.input + ": this is BRIG, nothing to assemble; `heddle check` and `heddle dis` read it"});
  auto module = make_module(options.input, std::move(*bytes),
                            options.debug ? SourceLines::add : SourceLines::leave, options.version);
  if (!module) return fail(module.error());
  auto written = write_file(output, module->brig);
  return written ? exit_success : fail(written.error());
}

}  // namespace

void add_as(CommandLine& heddle) {
  Command& command = heddle.add("as", "Assemble HSAIL text to BRIG");
  auto options = std::make_shared<Options>();
  command.option("FILE", options->input, "HSAIL text; - is standard input").required().value_name("");
  command.option("-o,--output", options->output, "BRIG file; - is standard output (default: FILE with .brig)")
      .value_name("FILE");
  command
      .option("--brig", options->version,
              "version of BRIG: 1.0, 1.1 or 1.2 (default: that of the module directive); what it cannot "
              "express is an error")
      .one_of({"1.0", "1.1", "1.2"})
      .value_name("VERSION");
  command.flag("-g", options->debug,
               "add loc directives that name FILE and its lines, for debuggers and messages");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
