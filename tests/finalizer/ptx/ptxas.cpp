// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptxas.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <hsa/hsa_brig_directives.h>

#include "finalizer/finalize.h"
#include "finalizer/targets.h"
#include "hsail/assemble/assemble.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;

link::Program::Options options_of(const brig::Module& module) {
  link::Program::Options options;
  for (auto at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.code_entry(at).kind != HSA_BRIG_KIND_DIRECTIVE_MODULE) continue;
    const auto& directive = module.code_as<hsa_brig_directive_module_t>(at);
    options.profile = static_cast<hsa_brig_profile_t>(directive.profile);
    options.machine_model = static_cast<hsa_brig_machine_model_t>(directive.machine_model);
  }
  return options;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// Runs a program with its output in a file. Returns how it ended, 0 if well.
int run(std::vector<std::string> words, const std::string& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0 && waitpid(child, &status, 0) != child) status = -1;
  return status;
}

}  // namespace

PtxProgram finalize_ptx(const std::string& text, const std::string& file, const char* isa,
                        const char* options) {
  PtxProgram result;
  Diagnostics assembly(file, text);
  std::vector<std::byte> brig;
  if (!assemble::assemble(text, file, brig, assembly)) {
    ADD_FAILURE() << assembly.print();
    return result;
  }
  brig::Module module = brig::Module::open(brig, assembly);
  link::Program program(options_of(module));
  Diagnostics diagnostics;
  codeobject::CodeObject object;
  if (program.add(std::move(module), diagnostics) == link::Program::AddResult::ok &&
      finalizer::finalize(program, HSAIL_CODE_OBJECT_BOTH, finalizer::find_isa(isa),
                          finalizer::parse_options(options), nullptr, object,
                          diagnostics) == finalizer::FinalizeResult::ok) {
    if (!object.text.empty())
      result.ptx.assign(reinterpret_cast<const char*>(object.text.data()), object.text.size() - 1);
    result.object = std::move(object);
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) result.ids.push_back(diagnostic.id);
  result.diagnostics = diagnostics.print();
  return result;
}

bool has_ptxas() { return *HEDDLE_PTXAS != '\0'; }

std::string run_ptxas(const std::string& ptx, const std::string& architecture) {
  const fs::path folder = fs::temp_directory_path();
  const std::string stem = (folder / ("heddle_ptx_" + std::to_string(getpid()))).string();
  std::ofstream(stem + ".ptx") << ptx;
  const int status =
      run({HEDDLE_PTXAS, "-arch=" + architecture, stem + ".ptx", "-o", stem + ".cubin"}, stem + ".log");
  std::string log = contents(stem + ".log");
  for (const char* ending : {".ptx", ".cubin", ".log"}) fs::remove(stem + ending);
  if (status != 0 && log.empty()) log = "ptxas failed";
  return log;
}

}  // namespace heddle::testing
