// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "agents/cuda/remote/message.h"
#include "agents/cuda/remote/protocol.h"
#include "agents/cuda/remote/socket.h"

extern char** environ;

namespace heddle::cuda::remote {
namespace {

constexpr int start_milliseconds = 60'000;
constexpr std::string_view visible = "CUDA_VISIBLE_DEVICES=";

std::string text_of(int error) { return std::generic_category().message(error); }

/// The environment of the process.
std::vector<char*> environment(std::string& devices) {
  std::vector<char*> variables;
  for (char** variable = environ; variable && *variable; ++variable)
    if (devices.empty() || !std::string_view(*variable).starts_with(visible)) variables.push_back(*variable);
  if (!devices.empty()) variables.push_back((devices = std::string(visible) + devices).data());
  variables.push_back(nullptr);
  return variables;
}

/// Signals, files and the session of a new process. Signals that a terminal sends to all processes of a
/// program do not reach it.
class Settings {
 public:
  explicit Settings(int socket) {
    posix_spawn_file_actions_init(&files_);
    // First, because the socket is the standard input or output of a program that has closed these.
    posix_spawn_file_actions_adddup2(&files_, socket, socket_file);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~Settings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  /// Starts the program and returns 0, or the number of an error.
  int spawn(pid_t* id, const ProcessOptions& options) {
    std::string program = options.program, library = options.library, devices = options.visible_devices;
    char* const arguments[] = {program.data(), library.data(), nullptr};
    std::vector<char*> variables = environment(devices);
    return posix_spawn(id, program.c_str(), &files_, &attributes_, arguments, variables.data());
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// Reads what the process says first. It tells its number itself, because it is the child of the one that was
/// started, which has ended.
Result<Process, Error> greet(Descriptor socket) {
  auto hello = receive_message(socket.number(), start_milliseconds);
  if (!hello) return Error{"the process of the GPU has ended before it said anything"};
  Reader reader(hello->bytes);
  const auto kind = reader.take<Control>();
  const auto id = reader.take<int64_t>();
  const std::string reason = reader.take_text();
  if (kind != Control::hello || !reader.is_whole())
    return Error{"what was started as the process of the GPU is another program"};
  if (!reason.empty()) return Error{reason};
  return Process{std::move(socket), std::move(hello->file), id};
}

}  // namespace

void Process::end() noexcept {
  if (handle) syscall(SYS_pidfd_send_signal, handle.number(), SIGKILL, nullptr, 0);
  if (socket) shutdown(socket.number(), SHUT_RDWR);
}

Result<Process, Error> start_process(const ProcessOptions& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{fmt::format("no socket for the process of the GPU: {}", text_of(errno))};
  Descriptor own(ends[0]), other(ends[1]);
  pid_t id = 0;
  const int error = Settings(other.number()).spawn(&id, options);
  (void)other.reset();
  if (error != 0) return Error{fmt::format("{} cannot be started: {}", options.program, text_of(error))};
  // This one ends at once, and leaves a child that nobody waits for. Programs may have waited for it already.
  while (waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
  return greet(std::move(own));
}

std::string visible_device(int number) {
  const char* const all = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!all) return std::to_string(number);
  std::string_view left = all;
  for (; number > 0; --number) {
    const size_t comma = left.find(',');
    if (comma == std::string_view::npos) return {};
    left.remove_prefix(comma + 1);
  }
  return std::string(left.substr(0, left.find(',')));
}

}  // namespace heddle::cuda::remote
