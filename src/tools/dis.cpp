// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle dis: disassembles BRIG to HSAIL text.
#include <memory>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string input;
  std::string output = "-";
};

int fail(const Error& error, ExitCode code = exit_failure) {
  print_error(error.message);
  return code;
}

int run(const Options& options) {
  auto apart = check_output(options.output, {&options.input, 1});
  if (!apart) return fail(apart.error(), exit_usage);
  auto bytes = read_file(options.input);
  if (!bytes) return fail(bytes.error());
  auto text = disassemble(options.input, *bytes);
  if (!text) return fail(text.error());
  auto written = write_file(options.output, text->bytes());
  return written ? exit_success : fail(written.error());
}

}  // namespace

void add_dis(CommandLine& heddle) {
  Command& command = heddle.add("dis", "Disassemble BRIG to HSAIL text");
  auto options = std::make_shared<Options>();
  command.option("FILE", options->input, "BRIG file; - is standard input").required().value_name("");
  command.option("-o,--output", options->output, "text file (default: standard output)").value_name("FILE");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
