// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels: small problems are compared with the host, large ones with each other, whose times count.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "cuda/sections.h"
#include "cuda/turns.h"

namespace bench {
namespace {

using examples::Error;

const Entry& entry_of(const std::string& name) {
  for (const Entry& entry : workloads())
    if (name == entry.name) return entry;
  throw Error("there is no workload " + name);
}

/// Compares what a first run has left with what the host computes.
void check_with_host(const Workload& workload, LoadedWorkload& loaded, const char* side) {
  loaded.run(1);
  for (size_t i = 0; i < workload.buffers.size(); ++i) {
    const Buffer& buffer = workload.buffers[i];
    if (!buffer.expected) continue;
    if (const std::string wrong = difference(buffer, loaded.contents(i)); !wrong.empty())
      throw Error(workload.name + " of " + side + ": " + wrong);
  }
}

/// Compares what first runs of both sides have left.
void check_with_each_other(const Workload& workload, LoadedWorkload& own, LoadedWorkload& base) {
  own.run(1);
  base.run(1);
  for (size_t i = 0; i < workload.buffers.size(); ++i) {
    Buffer buffer = workload.buffers[i];
    if (!buffer.expected) continue;
    buffer.expected = [&] { return base.contents(i); };
    if (const std::string wrong = difference(buffer, own.contents(i)); !wrong.empty())
      throw Error(workload.name + ", heddle beside CUDA: " + wrong);
  }
}

/// The runs of a turn: so many that the wait at their end does not count.
unsigned runs_of_a_turn(LoadedWorkload& loaded) {
  constexpr double wanted = 20000;  // microseconds
  loaded.run(1);
  const double one = microseconds_of([&] { loaded.run(1); });
  return static_cast<unsigned>(std::clamp(wanted / one, 1.0, 200.0));
}

struct Measured {
  std::string row;
  double speed = 0;
};

Measured measure(const Settings& settings, const std::string& name, HeddleSide& heddle, const Cuda* cuda) {
  const Entry& entry = entry_of(name);
  const Workload small = entry.make(Size::small);
  check_with_host(small, *load(heddle, small), "heddle");
  if (cuda) check_with_host(small, *load(*cuda, small), "CUDA");
  const Workload workload = settings.small ? small : entry.make(Size::gpu);
  const auto own = load(heddle, workload);
  const auto base = cuda ? load(*cuda, workload) : nullptr;
  if (base) check_with_each_other(workload, *own, *base);
  const unsigned runs = settings.small ? 1 : runs_of_a_turn(*own);
  const Turns turns = take_turns(
      settings.rounds, [&] { own->run(runs); }, base ? Action([&] { base->run(runs); }) : Action());
  return {row(name + ", " + workload.problem, turns, runs), speed(turns)};
}

std::string summary(const std::vector<double>& speeds) {
  if (speeds.empty()) return {};
  char text[100];
  std::snprintf(text, sizeof text, "| geometric mean | | | %.3f |\n| minimum | | | %.3f |\n",
                geometric_mean(speeds), *std::min_element(speeds.begin(), speeds.end()));
  return text;
}

}  // namespace

const std::vector<std::string>& compared_workloads() {
  static const std::vector<std::string> names = {"vector_add", "triad",      "sgemm_naive", "matmul",
                                                 "mandelbrot", "nbody",      "reduction",   "histogram",
                                                 "transpose",  "stencil_3d", "spmv",        "scan"};
  return names;
}

std::string gpus_section(const Settings& settings) {
  const unsigned count = gpu_count();
  if (count < 2) return {};
  const Workload workload = entry_of("nbody").make(settings.small ? Size::small : Size::gpu);
  std::vector<std::unique_ptr<HeddleSide>> gpus;
  std::vector<std::unique_ptr<LoadedWorkload>> loaded;
  for (unsigned gpu = 0; gpu < count; ++gpu) {
    gpus.push_back(std::make_unique<HeddleSide>(gpu, settings.kernels));
    loaded.push_back(load(*gpus.back(), workload));
  }
  const unsigned runs = settings.small ? 1 : runs_of_a_turn(*loaded[0]);
  const auto all = [&] {
    std::vector<std::thread> threads;
    threads.reserve(loaded.size());
    for (const auto& one : loaded) threads.emplace_back([&one, runs] { one->run(runs); });
    for (std::thread& thread : threads) thread.join();
  };
  return "## Several GPUs\n\nThe same work on each GPU, all at once and on the first alone. 1 means that "
         "none is slowed down by the "
         "others.\n\n| what | all at once us | one us | speed |\n|---|---:|---:|---:|\n" +
         row("nbody, " + workload.problem + ", " + std::to_string(count) + " GPUs",
             take_turns(settings.rounds, all, [&] { loaded[0]->run(runs); }), runs) +
         "\n";
}

std::string kernel_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda, bool& wrong) {
  std::string text =
      "## Kernels\n\nThe same algorithm in HSAIL and in CUDA C++, compiled by `nvcc -O3`. A speed above 1 "
      "means that heddle is "
      "faster. Small problems are compared with what the host computes, these with each other.\n\n" +
      std::string(head);
  std::vector<double> speeds;
  std::vector<std::string> names = compared_workloads();
  if (!settings.only.empty()) names = {entry_of(settings.only).name};
  for (const std::string& name : names) {
    std::fprintf(stderr, "bench-cuda: %s ...\n", name.c_str());
    try {
      const Measured measured = measure(settings, name, heddle, cuda);
      text += measured.row;
      if (measured.speed != 0) speeds.push_back(measured.speed);
    } catch (const Error& error) {
      wrong = true;
      text += "| " + name + ": " + error.what() + " | | | |\n";
    }
  }
  return text + summary(speeds) + "\n";
}

}  // namespace bench
