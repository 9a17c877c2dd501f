// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything but kernels: start, an idle process, dispatches and copies.
#include <hsa/hsa.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "cuda/sections.h"
#include "cuda/turns.h"

namespace bench {
namespace {

using examples::Error;

/// Runs a program, and returns the beginning of what it prints. Throws if it fails.
std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error("no pipe can be made");
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t process = 0;
  const bool started = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::array<char, 64> text{};
  const ssize_t length = started ? read(ends[0], text.data(), text.size() - 1) : 0;
  close(ends[0]);
  int status = -1;
  if (!started || waitpid(process, &status, 0) != process || status != 0 || length <= 0)
    throw Error("the process that measures the start has failed");
  return text.data();
}

/// What a process prints that measures the start of one side.
double start_of(const Settings& settings, const std::string& self, const std::string& who) {
  std::vector<std::string> words = {self, "--start", who, "--gpu", std::to_string(settings.gpu)};
  if (!settings.library.empty()) words.insert(words.end(), {"--cuda", settings.library});
  return std::strtod(output_of(words).c_str(), nullptr);
}

std::string start_row(const Settings& settings, const std::string& self, const char* name, const char* own,
                      const char* base) {
  Turns turns;
  for (int round = 0; round < std::min(settings.rounds, 11); ++round) {
    turns.own.push_back(start_of(settings, self, own));
    if (base && !settings.library.empty()) turns.base.push_back(start_of(settings, self, base));
  }
  return row(name, turns, 1);
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Empty dispatches of heddle, as many in a row as wanted.
class EmptyDispatches {
 public:
  explicit EmptyDispatches(HeddleSide& heddle)
      : heddle_(heddle),
        kernels_(heddle.load("empty")),
        kernel_(kernels_->kernel("&empty")),
        arguments_(heddle.agent(), kernel_) {}
  void run(int count) {
    for (int i = 0; i < count; ++i) heddle_.enqueue(kernel_, Grid{}, arguments_.data(), i + 1 == count);
    heddle_.finish();
  }

 private:
  HeddleSide& heddle_;
  std::unique_ptr<HeddleKernels> kernels_;
  examples::Kernel kernel_;
  examples::Arguments arguments_;
};

/// Memory for copies, of both sides.
struct CopyMemory {
  CopyMemory(HeddleSide& heddle, const Cuda* other, size_t size) : cuda(other) {
    device = heddle.allocate(size);
    host = heddle.allocate_host(size);
    std::memset(host, 1, size);
    if (!cuda) return;
    CUDA(*cuda, allocate, &cuda_device, size);
    CUDA(*cuda, allocate_pinned, &cuda_host, size);
    std::memset(cuda_host, 1, size);
  }
  ~CopyMemory() {
    HeddleSide::release(device);
    HeddleSide::release(host);
    if (cuda) cuda->release(cuda_device, cuda_host);
  }
  CopyMemory(const CopyMemory&) = delete;
  CopyMemory& operator=(const CopyMemory&) = delete;

  const Cuda* cuda;
  void *device = nullptr, *host = nullptr, *cuda_device = nullptr, *cuda_host = nullptr;
};

std::string size_text(size_t size) {
  return size < size_t{1} << 20 ? std::to_string(size >> 10) + " KiB" : std::to_string(size >> 20) + " MiB";
}

/// Both functions of heddle in one direction, each beside cuMemcpyAsync and a wait.
std::string copy_rows(const Settings& settings, const HeddleSide& heddle, const CopyMemory& memory,
                      size_t size, bool to_device) {
  void* const to = to_device ? memory.device : memory.host;
  const void* const from = to_device ? memory.host : memory.device;
  Action base;
  if (memory.cuda)
    base = [&memory, size, to_device] {
      void* const other_to = to_device ? memory.cuda_device : memory.cuda_host;
      const void* const other_from = to_device ? memory.cuda_host : memory.cuda_device;
      CUDA(*memory.cuda, copy, other_to, other_from, size);
      CUDA(*memory.cuda, wait);
    };
  const std::string what = size_text(size) + (to_device ? ", host to GPU, " : ", GPU to host, ");
  return row(what + "`hsa_memory_copy`",
             take_turns(
                 settings.rounds, [&] { HeddleSide::copy(to, from, size); }, base),
             1) +
         row(what + "`hsa_amd_memory_async_copy`",
             take_turns(settings.rounds, [&] { heddle.copy_async(to, from, size); }, base), 1);
}

}  // namespace

void measure_start(const Settings& settings, const std::string& who) {
  if (who == "cuda") {
    std::printf("%f\n", microseconds_of([&] { Cuda(settings.library, static_cast<int>(settings.gpu)); }));
    return;
  }
  std::optional<examples::Runtime> runtime;
  std::optional<HeddleSide> heddle;
  double time = microseconds_of([&] { runtime.emplace(); });
  if (who == "queue") time += microseconds_of([&] { heddle.emplace(settings.gpu, settings.kernels); });
  std::printf("%f\n", time);
}

std::string start_section(const Settings& settings, const std::string& self) {
  return "## Start\n\nIn processes of their own. CUDA's start makes a context and a stream.\n\n" +
         std::string(head) + start_row(settings, self, "`hsa_init`", "init", nullptr) +
         start_row(settings, self, "`hsa_init` and a queue of the GPU / a context and a stream", "queue",
                   "cuda") +
         "\n";
}

/// The processor time of the threads that heddle has started, in seconds: that of CUDA's driver has none of
/// their names.
double own_seconds() {
  double sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    double nanoseconds = 0;
    std::ifstream(thread.path() / "comm") >> name;
    std::ifstream(thread.path() / "schedstat") >> nanoseconds;
    if (name.starts_with("heddle-")) sum += nanoseconds * 1e-9;
  }
  return sum;
}

std::string idle_section(const Settings& settings) {
  const auto wait = settings.small ? std::chrono::milliseconds(100) : std::chrono::milliseconds(3000);
  std::this_thread::sleep_for(wait / 10);
  const double own_before = own_seconds(), before = processor_seconds();
  std::this_thread::sleep_for(wait);
  const double used = processor_seconds() - before, own = std::max(own_seconds() - own_before, 0.0);
  const double to_rate = 1e6 / std::chrono::duration<double>(wait).count();
  char text[200];
  std::snprintf(
      text, sizeof text,
      "## An idle queue\n\nProcessor time of the process, us in a second: %.0f; of heddle's threads: "
      "%.0f\n\n",
      used * to_rate, own * to_rate);
  return text;
}

std::string dispatch_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda) {
  EmptyDispatches empty(heddle);
  const int single = settings.small ? 3 : 500, many = settings.small ? 20 : 2000;
  const auto with = [&](const Action& action) { return cuda ? action : Action(); };
  const auto repeat = [](int count, const Action& action) {
    for (int i = 0; i < count; ++i) action();
  };
  const Action own = [&] { repeat(single, [&] { empty.run(1); }); };
  const auto base = [&](const char* (*CudaSide::*wait)()) {
    return with([&repeat, single, cuda, wait] {
      repeat(single, [&] {
        CUDA(*cuda, launch_empty);
        cuda->call("wait", wait);
      });
    });
  };
  const Action row_of_launches = with([&] {
    repeat(many, [&] { CUDA(*cuda, launch_empty); });
    CUDA(*cuda, wait);
  });
  return "## Dispatch of an empty kernel\n\n" + std::string(head) +
         row("round trip / `cuLaunchKernel` and `cuStreamSynchronize`",
             take_turns(settings.rounds, own, base(&CudaSide::synchronize)), single) +
         row("round trip / `cuLaunchKernel` and polling `cuStreamQuery`",
             take_turns(settings.rounds, own, base(&CudaSide::wait)), single) +
         row("each of " + std::to_string(many) + " in a row",
             take_turns(
                 settings.rounds, [&] { empty.run(many); }, row_of_launches),
             many) +
         "\n";
}

std::string copy_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda) {
  std::string text =
      "## Copies\n\nHost memory is fine-grained memory of the runtime, and pinned memory of CUDA. Beside "
      "each: "
      "`cuMemcpyAsync` and a wait.\n\n" +
      std::string(head);
  const std::vector<size_t> sizes =
      settings.small ? std::vector<size_t>{4 << 10, 1 << 20}
                     : std::vector<size_t>{4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20};
  for (const size_t size : sizes) {
    const CopyMemory memory(heddle, cuda, size);
    for (const bool to_device : {true, false}) text += copy_rows(settings, heddle, memory, size, to_device);
  }
  return text + "\n";
}

}  // namespace bench
