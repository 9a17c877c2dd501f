// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle finalize: compiles HSAIL modules to a code object.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "kernel_code.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  std::string isa;
  int opt_level = -1;
  bool debug = false;
  bool verbose = false;
  bool check_addresses = false;
  std::string dump;
  std::string kind = "both";
  bool list_isas = false;
  CompilerOptions compiler;
};

/// Converts a word that the command line has accepted.
hsail_code_object_kind kind_of(std::string_view word) {
  return word == "program" ? HSAIL_CODE_OBJECT_PROGRAM
         : word == "agent" ? HSAIL_CODE_OBJECT_AGENT
                           : HSAIL_CODE_OBJECT_BOTH;
}

int fail(const Error& error, ExitCode code = exit_failure) {
  print_error(error.message);
  return code;
}

int list_isas() {
  std::string native = native_isa();
  for (const hsail_isa_info& isa : finalizable_isas()) {
    fmt::print("{:<24} wavefront {}{}\n", isa.name, isa.wavefront_size,
               native == isa.name ? "  (default here)" : "");
  }
  return exit_success;
}

std::string finalizer_options(const Options& options) {
  std::string text;
  if (options.opt_level >= 0) text += fmt::format("-O{} ", options.opt_level);
  if (options.debug) text += "-g ";
  if (options.verbose) text += "-v ";
  if (options.check_addresses) text += "-check-addresses ";
  if (!options.dump.empty()) text += fmt::format("-dump={} ", options.dump);
  return text;
}

/// Returns the options for compiling sources.
std::vector<std::string> compiler_words(const Options& options) {
  std::vector<std::string> words;
  words.emplace_back(options.debug ? "-g" : "-gline-tables-only");  // messages about faults name lines
  if (options.debug && options.opt_level < 0) words.emplace_back("-O0");
  words.insert(words.end(), options.compiler.words.begin(), options.compiler.words.end());
  return words;
}

int run(const Options& options) {
  if (options.list_isas) return list_isas();
  if (options.inputs.empty() || options.output.empty()) {
    print_error("finalize needs FILE and -o FILE.hco");
    return exit_usage;
  }
  auto apart = check_output(options.output, options.inputs);
  if (!apart) return fail(apart.error(), exit_usage);
  std::vector<Module> modules;
  for (const std::string& path : options.inputs) {
    auto module = load_module(path, SourceLines::add, compiler_words(options));
    if (!module) return fail(module.error());
    modules.push_back(std::move(*module));
  }
  auto program = Program::create(modules);
  if (!program) return fail(program.error());
  std::string isa = options.isa.empty() ? native_isa() : options.isa;
  auto code_object = program->finalize(kind_of(options.kind), isa, finalizer_options(options));
  if (!code_object) return fail(code_object.error());
  auto written = write_file(options.output, code_object->bytes());
  return written ? exit_success : fail(written.error());
}

}  // namespace

void add_finalize(CommandLine& heddle) {
  Command& command = heddle.add("finalize", "Compile HSAIL modules, or sources, to a code object");
  auto options = std::make_shared<Options>();
  command
      .option("FILE", options->inputs,
              "HSAIL text, BRIG, or sources (see `heddle cc`); several modules make one program")
      .value_name("");
  add_compiler_options(command, options->compiler);
  command.option("-o,--output", options->output, "code object; - is standard output").value_name("FILE");
  command
      .option("--isa", options->isa, "instruction set, see --list-isas (default: the best for this machine)")
      .value_name("NAME");
  command.flag("-g", options->debug,
               "make debug information for registers and arguments; implies -O0 unless -O is given");
  command.flag("-v,--verbose", options->verbose,
               "say of each kernel how it was compiled: its waves, their bodies, what costs much and why");
  command.option("-O", options->opt_level, "how hard to optimise, 0 to 3").from_to(0, 3).value_name("LEVEL");
  command.flag("--check-addresses", options->check_addresses, check_addresses_help);
  command.option("--dump", options->dump, "write the intermediate forms into this folder")
      .value_name("FOLDER");
  command
      .option("--kind", options->kind,
              "program: variables that all agents share; agent: code; both (default)")
      .one_of({"program", "agent", "both"})
      .value_name("KIND");
  command.flag("--list-isas", options->list_isas, "list the instruction sets and stop");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
