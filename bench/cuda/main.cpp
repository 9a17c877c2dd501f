// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares heddle's agent of an NVIDIA GPU with CUDA in one process: twelve kernels, dispatches, copies,
// start. The report is Markdown. HEDDLE_AGENTS chooses the agents, cpu and cuda if it is not set.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cuda/sections.h"

namespace {

constexpr char usage[] =
    "usage: bench-cuda [--small] [--rounds N] [--gpu N] [--kernels FOLDER] [--cuda LIBRARY]\n"
    "                  [--only WHAT]\n"
    "  --small            problems for a GPU that is interpreted, one round\n"
    "  --rounds N         turns of each measurement, whose medians count (default 21)\n"
    "  --gpu N            number of the GPU (default 0)\n"
    "  --kernels FOLDER   heddle's kernels: NAME.ISA.hco or NAME.brig (default: code for sm_90)\n"
    "  --cuda LIBRARY     the CUDA side; without it, heddle is measured alone\n"
    "  --only WHAT        nothing else: dispatches, copies, gpus (several at once), or one kernel such as "
    "spmv\n";

/// The number that a word says, at least `least`.
std::optional<int> number(const char* word, long least) {
  char* end = nullptr;
  const long value = std::strtol(word, &end, 10);
  if (*word == '\0' || *end != '\0' || value < least || value > 100000) return std::nullopt;
  return static_cast<int>(value);
}

struct Command {
  bench::Settings settings;
  std::string start;  ///< the side whose start is measured, in a process for that
};

bool take_value(Command& command, std::string_view option, const char* value) {
  if (option == "--kernels") return command.settings.kernels = value, true;
  if (option == "--cuda") return command.settings.library = value, true;
  if (option == "--only") return command.settings.only = value, true;
  if (option == "--start") return command.start = value, true;
  if (option == "--rounds") {
    const auto rounds = number(value, 1);
    command.settings.rounds = rounds.value_or(1);
    return rounds.has_value();
  }
  const auto gpu = number(value, 0);
  command.settings.gpu = static_cast<unsigned>(gpu.value_or(0));
  return option == "--gpu" && gpu;
}

std::optional<Command> parse(int argc, char** argv) {
  Command command;
  command.settings.kernels = BENCH_KERNELS;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--small") {
      command.settings.small = true;
      command.settings.rounds = 1;
      continue;
    }
    if (i + 1 >= argc || !take_value(command, word, argv[i + 1])) return std::nullopt;
    ++i;
  }
  return command;
}

std::string own_path() {
  char path[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return {path, static_cast<size_t>(length > 0 ? length : 0)};
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

/// Everything, in the order of the report. Returns whether all results were right.
bool report(const bench::Settings& settings) {
  const bool everything = settings.only.empty();
  const std::string start = everything ? bench::start_section(settings, own_path()) : "";
  const examples::Runtime runtime;
  bench::HeddleSide heddle(settings.gpu, settings.kernels);
  const std::string idle = everything ? bench::idle_section(settings) : "";
  std::optional<bench::Cuda> cuda;
  if (!settings.library.empty()) cuda.emplace(settings.library, static_cast<int>(settings.gpu));
  print("- GPU: " + heddle.agent().name + "\n- CUDA: " + (cuda ? cuda->name() : "not measured") +
        "\n- rounds: " + std::to_string(settings.rounds) +
        ", both sides in turns; medians in us, and medians of the quotients of the rounds\n\n");
  const bench::Cuda* const other = cuda ? &*cuda : nullptr;
  bool wrong = false;
  const bool dispatches = settings.only == "dispatches", copies = settings.only == "copies";
  const bool gpus = settings.only == "gpus";
  if (!dispatches && !copies && !gpus) print(bench::kernel_section(settings, heddle, other, wrong));
  if (everything || dispatches) print(bench::dispatch_section(settings, heddle, other));
  if (everything || copies) print(bench::copy_section(settings, heddle, other));
  if (everything || gpus) print(bench::gpus_section(settings));
  if (gpus && bench::gpu_count() < 2) throw examples::Error("there is one GPU only");
  print(start + idle);
  return !wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const auto command = parse(argc, argv);
  if (!command) {
    std::fputs(usage, stderr);
    return 2;
  }
  setenv("HEDDLE_AGENTS", "cpu,cuda", 0);
  try {
    if (command->start.empty()) return report(command->settings) ? 0 : 1;
    bench::measure_start(command->settings, command->start);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-cuda: %s\n", error.what());
    return 1;
  }
}
