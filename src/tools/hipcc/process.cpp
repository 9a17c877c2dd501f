// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/hipcc/process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/clang_installation.h"

extern char** environ;

namespace heddle::tools::hipcc {

std::string clang_program() {
  const char* const setting = secure_getenv("HEDDLE_CLANG");
  if (setting != nullptr && *setting != '\0') return setting;
  std::string found = installed_clang();
  return found.empty() ? debian_clang : found;
}

Result<int> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0].c_str(), nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) return Error{words[0] + " cannot be run: " + std::strerror(failed)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error{words[0] + ": " + std::strerror(errno)};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace heddle::tools::hipcc
