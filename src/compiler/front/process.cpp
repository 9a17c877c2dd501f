// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three standard streams are files in memory, not pipes: the child never waits for this process, no write
// ends in SIGPIPE, and nothing is left on disk whichever of the two is killed.
#include "compiler/front/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "support/descriptor.h"

namespace heddle::compiler {
namespace {

NotRun system_error(const std::string& what, int number) { return {what + ": " + std::strerror(number)}; }

/// Returns why posix_spawn() failed with this number.
NotRun not_started(const std::string& program, int number) {
  NotRun failure = system_error(program + " cannot be started", number);
  failure.not_executable = number == ENOENT || number == ENOTDIR || number == EACCES || number == ENOEXEC ||
                           number == ELIBBAD || number == ELOOP || number == EISDIR;
  return failure;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool read_all(int file, std::string& text) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size < 0) return false;
  text.resize(static_cast<size_t>(size));
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

/// What posix_spawn needs besides the words.
class Setting {
 public:
  explicit Setting(const std::array<Descriptor, 3>& streams) {
    good_ = posix_spawn_file_actions_init(&actions_) == 0;
    if (!good_) return;
    if (posix_spawnattr_init(&attributes_) != 0) {
      posix_spawn_file_actions_destroy(&actions_);
      good_ = false;
      return;
    }
    ready_ = set(streams);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    if (!good_) return;
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  bool ready() const { return ready_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  bool set(const std::array<Descriptor, 3>& streams) {
    // Each stream is duplicated from a number above 2 (see Streams), so that none is overwritten before its
    // turn.
    for (int i = 0; i < 3; ++i)
      if (posix_spawn_file_actions_adddup2(&actions_, streams[static_cast<size_t>(i)].number(), i) != 0)
        return false;
    if (posix_spawn_file_actions_addclosefrom_np(&actions_, 3) != 0) return false;
    // Signals that this process ignores or blocks would stay so in the child.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawnattr_setsigmask(&attributes_, &none) == 0 &&
           posix_spawnattr_setsigdefault(&attributes_, &all) == 0 &&
           posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  bool good_ = false;
  bool ready_ = false;
};

/// Makes a file in memory whose number is above those of the standard streams, which the process may have
/// closed.
Descriptor memory_file() {
  Descriptor file(memfd_create("heddle", MFD_CLOEXEC));
  if (!file || file.number() > 2) return file;
  return Descriptor(fcntl(file.number(), F_DUPFD_CLOEXEC, 3));
}

void wait_for(pid_t child, Finished& finished) {
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended != child) return;
  finished.end = WIFEXITED(status) ? Finished::End::exited : Finished::End::killed;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

}  // namespace

Result<Finished, NotRun> run_process(const std::vector<std::string>& words, std::string_view input) {
  std::array<Descriptor, 3> streams{memory_file(), memory_file(), memory_file()};
  for (const Descriptor& stream : streams)
    if (!stream) return system_error("no file in memory can be made", errno);
  if (!write_all(streams[0].number(), input) || lseek(streams[0].number(), 0, SEEK_SET) != 0)
    return system_error("the source cannot be passed on", errno);
  const Setting setting(streams);
  if (!setting.ready()) return NotRun{"there is no memory for starting a process"};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0].c_str(), setting.actions(), setting.attributes(),
                                  arguments.data(), environ);
  if (failure != 0) return not_started(words[0], failure);
  Finished finished;
  wait_for(child, finished);
  if (!read_all(streams[1].number(), finished.output) || !read_all(streams[2].number(), finished.errors))
    return system_error("what " + words[0] + " wrote cannot be read", errno);
  return finished;
}

}  // namespace heddle::compiler
