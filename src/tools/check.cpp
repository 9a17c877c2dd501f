// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle check: checks HSAIL or BRIG.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "kernel_code.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::vector<std::string> inputs;
  CompilerOptions compiler;
  bool quiet = false;
};

bool check(const std::string& path, const Options& options) {
  auto module = load_module(
      path, SourceLines::leave,
      options.compiler.words);  // assembling checks the text itself; its meaning is checked as BRIG
  if (!module) {
    print_error(module.error().message);
    return false;
  }
  auto checked = check_module(path, module->brig);
  if (!checked) {
    print_error(checked.error().message);
    return false;
  }
  if (!options.quiet) fmt::print("{}: correct\n", path);
  return true;
}

int run(const Options& options) {
  bool all = true;
  for (const std::string& path : options.inputs) all = check(path, options) && all;
  return all ? exit_success : exit_failure;
}

}  // namespace

void add_check(CommandLine& heddle) {
  Command& command = heddle.add("check", "Check HSAIL text, BRIG or sources and say what is wrong and where");
  auto options = std::make_shared<Options>();
  command
      .option("FILE", options->inputs,
              "HSAIL text, BRIG, or a source (see `heddle cc`); - is standard input, HSAIL or BRIG")
      .required()
      .value_name("");
  add_compiler_options(command, options->compiler);
  command.flag("-q,--quiet", options->quiet, "say nothing about correct files");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
