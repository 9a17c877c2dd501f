// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-cuda-host LIBRARY: the process that has the driver of one GPU, for a program that uses this GPU
// (docs/design.md, D30). The agent starts it, with a socket as file 3. A kernel that faults or does not end
// takes this process with it, and nothing else.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/syscall.h>
#include <unistd.h>

#include "agents/cuda/host/server.h"

namespace {

using heddle::Descriptor;
using heddle::cuda::DriverApi;
using heddle::cuda::remote::Control;
using heddle::cuda::remote::socket_file;

/// Closes files that the program has left open for the programs that it starts.
void close_other_files() {
  constexpr unsigned first = socket_file + 1;
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  for (long file = first, end = sysconf(_SC_OPEN_MAX); file < end; ++file) close(static_cast<int>(file));
}

/// Tells the client whether there is a driver, and by which file it can end this process.
bool greet(const std::string& reason) {
  const Descriptor self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  heddle::cuda::remote::Writer hello;
  hello.put(Control::hello);
  hello.put(int64_t{getpid()});
  hello.put_text(reason);
  return heddle::cuda::remote::send_message(socket_file, hello.bytes(), self.number());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 || !heddle::cuda::remote::is_socket(socket_file)) {
    std::fputs("heddle-cuda-host is started by heddle's agent of NVIDIA GPUs\n", stderr);
    return 2;
  }
  close_other_files();
  // The program waits for the process that it has started, and not for the one that does the work.
  const pid_t child = fork();
  if (child != 0) _exit(child < 0 ? 1 : 0);
  const auto api = DriverApi::open(arguments[1]);
  if (!greet(api ? std::string() : api.error().message) || !api) _exit(1);
  static heddle::cuda::host::Server& server = *new heddle::cuda::host::Server(socket_file, **api);
  server.serve();
  // A kernel may run for ever, and the driver would wait for it.
  raise(SIGKILL);
}
