// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "generate.h"

// host_builtins.cl uses these.
extern "C" {
__attribute__((visibility("default"))) uint32_t heddle_position[4];  // global and local ID, group, its size
__attribute__((visibility("default"))) void heddle_wait();
}

namespace heddle::tests {
namespace {

using Int4 = int32_t __attribute__((vector_size(16)));
using Kernel = void (*)(const void* in, void* out, void* shared, uint32_t, uint16_t, float, Int4, uint8_t);

constexpr size_t stack_size = 1 << 18;

/// The work-items of one work-group as coroutines, so that barriers may stand anywhere.
class WorkGroup {
 public:
  WorkGroup(Kernel kernel, Buffers& buffers, const Words& words)
      : kernel_(kernel), buffers_(buffers), words_(words) {}

  void run(uint32_t group, uint32_t first, uint32_t size) {
    current_ = this;
    std::vector<Item> items(size);
    if (stacks_.size() < size * stack_size) stacks_.resize(size * stack_size);
    for (uint32_t i = 0; i < size; ++i) {
      getcontext(&items[i].context);
      items[i].context.uc_stack.ss_sp = stacks_.data() + i * stack_size;
      items[i].context.uc_stack.ss_size = stack_size;
      items[i].context.uc_link = nullptr;
      makecontext(&items[i].context, &WorkGroup::enter, 0);
    }
    while (std::ranges::any_of(items, [](const Item& item) { return !item.ended; })) {
      for (uint32_t i = 0; i < size; ++i) {
        if (items[i].ended) continue;
        const uint32_t position[4] = {first + i, i, group, size};
        std::copy_n(position, 4, heddle_position);
        running_ = &items[i];
        swapcontext(&scheduler_, &items[i].context);
      }
    }
  }

  static void wait() { swapcontext(&current_->running_->context, &current_->scheduler_); }

 private:
  struct Item {
    ucontext_t context{};
    bool ended = false;
  };

  static void enter() {
    WorkGroup& self = *current_;
    const Words& w = self.words_;
    self.kernel_(self.buffers_.input.data(), self.buffers_.output.data(), self.buffers_.shared.data(), w.w0,
                 w.w1, w.w2, Int4{w.w3[0], w.w3[1], w.w3[2], w.w3[3]}, w.w4);
    self.running_->ended = true;
    setcontext(&self.scheduler_);
  }

  static inline WorkGroup* current_ = nullptr;
  Kernel kernel_;
  Buffers& buffers_;
  const Words& words_;
  ucontext_t scheduler_{};
  Item* running_ = nullptr;
  std::vector<char> stacks_;
};

/// Runs a program and waits for it; its messages go to the file. Returns whether it was successful.
bool run_program(std::vector<std::string> words, const std::string& messages) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  pid_t child = -1;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (failed != 0 || waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The program that also compiles for the device.
std::string host_clang() {
  const char* setting = std::getenv("HEDDLE_CLANG");
  return setting != nullptr && *setting != '\0' ? setting : HOST_CLANG;
}

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A folder of this process, which is removed at its end.
const std::string& folder() {
  static const struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "heddle-generated-XXXXXX").string();
    Folder() {
      if (mkdtemp(path.data()) == nullptr) path.clear();
    }
    ~Folder() {
      std::error_code ignored;
      if (!path.empty()) std::filesystem::remove_all(path, ignored);
    }
  } made;
  return made.path;
}

}  // namespace

void HostModule::Close::operator()(void* library) const { dlclose(library); }

bool HostModule::prepare() { return !folder().empty(); }

Result<HostModule> HostModule::compile(const std::string& source) {
  if (folder().empty()) return Error{"there is no folder for temporary files"};
  static unsigned number = 0;
  // Each library has a name of its own, because the loader knows libraries by name.
  const std::string stem = fmt::format("{}/{}", folder(), number++);
  std::ofstream(stem + ".cl") << source;
  // Code that is not optimised is made three times as fast. What the libraries of compilers define is in this
  // process, as the builtin functions are.
  const bool done = run_program({host_clang(), "-x", "cl", HOST_FLAGS, "-w", "-O0", "-shared", "-nostdlib",
                                 HOST_LINKER, stem + ".cl", "-o", stem + ".so"},
                                stem + ".txt");
  if (!done) return Error{contents_of(stem + ".txt")};
  void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* reason = library == nullptr ? dlerror() : "";
  for (const char* end : {".cl", ".so", ".txt"}) std::filesystem::remove(stem + end);
  if (library == nullptr) return Error{reason};
  return HostModule(library);
}

Result<Buffers> HostModule::run(const std::string& kernel, const tools::fuzz::Launch& launch) const {
  const auto function = reinterpret_cast<Kernel>(dlsym(library_.get(), kernel.c_str()));
  if (function == nullptr) return Error{"the library of the host has no kernel " + kernel};
  Buffers buffers = initial_buffers(launch);
  const Words words = words_of(launch);
  WorkGroup group(function, buffers, words);
  for (uint32_t first = 0, id = 0; first < launch.grid[0]; first += launch.group[0], ++id)
    group.run(id, first, std::min(launch.group[0], launch.grid[0] - first));
  return buffers;
}

}  // namespace heddle::tests

void heddle_wait() { heddle::tests::WorkGroup::wait(); }
