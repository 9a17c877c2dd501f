// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_code.h"

#include <fmt/format.h>

#include "compiler.h"
#include "console.h"
#include "files.h"

namespace heddle::tools {
namespace {

Result<void> finalize(const Module& module, const KernelAgent& agent, const FinalizerOptions& options,
                      KernelCode& code, uint32_t& profile) {
  Stopwatch finalizing;
  auto program = Program::create({&module, 1});
  if (!program) return program.error();
  auto program_object = program->finalize(HSAIL_CODE_OBJECT_PROGRAM, agent.isa_name, options.text());
  if (!program_object) return program_object.error();
  auto agent_object = program->finalize(HSAIL_CODE_OBJECT_AGENT, agent.isa_name, options.text());
  if (!agent_object) return agent_object.error();
  code.program = std::move(*program_object);
  code.agent = std::move(*agent_object);
  code.finalize_seconds = finalizing.seconds();
  profile = program->header().profile;
  return {};
}

}  // namespace

std::string FinalizerOptions::text() const {
  return (opt_level >= 0 ? fmt::format("-O{} ", opt_level) : std::string()) + (debug ? "-g " : "") +
         (check_addresses ? "-check-addresses" : "");
}

void add_finalizer_options(Command& command, FinalizerOptions& options) {
  command.option("-O", options.opt_level, "how hard to optimise, 0 to 3").from_to(0, 3).value_name("LEVEL");
  command.flag("-g", options.debug,
               "make debug information for registers and arguments; implies -O0 unless -O is given");
  command.flag("--check-addresses", options.check_addresses, check_addresses_help);
}

void add_compiler_options(Command& command, CompilerOptions& options) {
  command
      .option("--cc", options.words,
              "an option of `heddle cc` for FILE if it is a source, such as --cc=-DN=16; may be given "
              "several times")
      .one_value_each()
      .value_name("OPTION");
}

std::span<const std::byte> KernelFile::brig() const {
  return module ? std::span<const std::byte>(module->brig) : std::span<const std::byte>();
}

Result<KernelFile> open_kernel_file(const std::string& path, const std::vector<std::string>& compiler_words) {
  if (is_source(path)) {
    auto module = load_module(path, SourceLines::leave, compiler_words);
    if (!module) return module.error();
    return KernelFile{std::move(*module), {}};
  }
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (kind_of(*bytes) == FileKind::code_object) return KernelFile{{}, std::move(*bytes)};
  auto module = make_module(path, std::move(*bytes), SourceLines::add);
  if (!module) return module.error();
  return KernelFile{std::move(*module), {}};
}

Result<KernelCode> prepare_code(const KernelFile& file, const KernelAgent& agent,
                                const FinalizerOptions& options) {
  KernelCode code;
  uint32_t profile = 0;
  if (file.module) {
    auto finalized = finalize(*file.module, agent, options, code, profile);
    if (!finalized) return finalized.error();
  }
  Stopwatch loading;
  auto loaded = file.module ? LoadedProgram::load(agent, profile, code.program.bytes(), code.agent.bytes())
                            : LoadedProgram::load(agent, file.code_object);
  if (!loaded) return loaded.error();
  code.loaded = std::move(*loaded);
  code.load_seconds = loading.seconds();
  return code;
}

}  // namespace heddle::tools
