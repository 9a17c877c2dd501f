// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes functions of f32 on the CPU agent for all arguments that there are, or for some of them, and says
// how many results are not correctly rounded.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "exhaustive/device.h"
#include "exhaustive/unary.h"

namespace heddle::testing {
namespace {

struct Options {
  std::vector<std::string> functions;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  uint64_t from = 0, to = 0xffffffff, step = 1;
  double allowed = 0.501;
  std::string library = HEDDLE_LIBHSAMATH;
};

constexpr uint32_t dispatch_size = 1 << 24;  // results
constexpr uint32_t block_size = 1 << 16;     // that a thread judges before it takes more

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Judges the results of one dispatch in several threads.
template <typename Bits>
Tally judge_all(const UnaryFunction& function, unsigned threads, uint32_t first, uint32_t step,
                std::span<const Bits> results) {
  std::atomic<size_t> next = 0;
  std::vector<Tally> tallies(threads);
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (Tally& total : tallies)
      running.emplace_back([&] {
        for (size_t at; (at = next.fetch_add(block_size)) < results.size();) {
          Tally tally;
          const auto block = results.subspan(at, std::min<size_t>(block_size, results.size() - at));
          judge(function, first + static_cast<uint32_t>(at) * step, step, block, tally);
          total += tally;
        }
      });
  }
  Tally sum;
  for (const Tally& tally : tallies) sum += tally;
  return sum;
}

struct Report {
  Tally tally;
  double compile = 0, compute = 0, judge = 0;  // seconds
};

Result<Report> examine(const Options& options, const tools::KernelAgent& agent, const tools::Memory& outputs,
                       const UnaryFunction& function) {
  Report report;
  auto start = std::chrono::steady_clock::now();
  auto compiled = DeviceFunction::compile(agent, options.library, function);
  if (!compiled) return compiled.error();
  report.compile = seconds_since(start);
  const uint64_t arguments = (options.to - options.from) / options.step + 1;
  for (uint64_t at = 0; at < arguments; at += dispatch_size) {
    const auto first = static_cast<uint32_t>(options.from + at * options.step);
    const auto step = static_cast<uint32_t>(options.step);
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(dispatch_size, arguments - at));
    start = std::chrono::steady_clock::now();
    if (auto done = compiled->run(first, step, count, outputs.address()); !done) return done.error();
    report.compute += seconds_since(start);
    start = std::chrono::steady_clock::now();
    const auto* const words = static_cast<const uint32_t*>(outputs.address());
    const auto* const longs = static_cast<const uint64_t*>(outputs.address());
    report.tally += function.output == Output::s64
                        ? judge_all<uint64_t>(function, options.threads, first, step, {longs, count})
                        : judge_all<uint32_t>(function, options.threads, first, step, {words, count});
    report.judge += seconds_since(start);
  }
  return report;
}

void print(const UnaryFunction& function, const Report& report, unsigned threads) {
  const Tally& tally = report.tally;
  const std::string worst = tally.misrounded == 0 ? "-" : fmt::format("{:.10f}", tally.worst);
  const std::string where = tally.misrounded == 0 ? "-" : fmt::format("{:#010x}", tally.worst_argument);
  const auto rate = [&](double seconds) {
    return static_cast<double>(tally.arguments) / seconds / threads / 1e6;
  };
  fmt::print("{:<15} {:>11} {:>11} {:>14} {:>11} {:>8} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f}\n", function.name,
             tally.arguments, tally.misrounded, worst, where, tally.asked, report.compile,
             report.compute + report.judge, rate(report.compute), rate(report.judge));
  std::fflush(stdout);
}

bool is_chosen(const Options& options, const UnaryFunction& function) {
  return options.functions.empty() ||
         std::ranges::find(options.functions, function.name) != options.functions.end();
}

/// Returns the exit code: 1 if a result is further from the exact one than allowed.
int run(const Options& options) {
  setenv("HEDDLE_AGENTS", "cpu", 1);
  setenv("HEDDLE_CPU_THREADS", std::to_string(options.threads).c_str(), 1);
  const auto session = tools::Session::open();
  const auto fail = [](const Error& error) {
    fmt::print(stderr, "hsalib_exhaustive: {}\n", error.message);
    return 1;
  };
  if (!session) return fail(session.error());
  const auto agent = tools::find_kernel_agent("");
  if (!agent) return fail(agent.error());
  const auto outputs = tools::Memory::allocate(agent->memory, size_t{dispatch_size} * sizeof(uint64_t));
  if (!outputs) return fail(outputs.error());
  fmt::print("{}, {}, {} threads, arguments {:#010x} to {:#010x} in steps of {}\n", agent->name,
             agent->isa_name, options.threads, options.from, options.to, options.step);
  fmt::print("{:<15} {:>11} {:>11} {:>14} {:>11} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "function", "arguments",
             "misrounded", "largest/ulp", "at", "by MPFR", "compile", "s", "M/s/core", "judged");
  bool good = true;
  for (const UnaryFunction& function : unary_functions()) {
    if (!is_chosen(options, function)) continue;
    const auto report = examine(options, *agent, *outputs, function);
    if (!report) return fail(report.error());
    print(function, *report, options.threads);
    good = good && report->tally.worst <= options.allowed;
  }
  return good ? 0 : 1;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const UnaryFunction& function : unary_functions()) names.emplace_back(function.name);
  return names;
}

int main(int argc, char** argv) {
  CLI::App app{"Compares functions of f32 of libhsamath with correctly rounded results, for all arguments."};
  Options options;
  app.add_option("--function", options.functions, "a function; may be repeated (default: all)")
      ->check(CLI::IsMember(all_names()));
  app.add_option("--threads", options.threads, "threads (default: one for each processor)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--from", options.from, "the bits of the first argument")
      ->check(CLI::Range(0u, 0xffffffffu));
  app.add_option("--to", options.to, "the bits of the last argument")->check(CLI::Range(0u, 0xffffffffu));
  app.add_option("--step", options.step, "the distance of the bits of two arguments")
      ->check(CLI::Range(1u, 0xffffffffu));
  app.add_option("--allowed", options.allowed, "the largest error in ulp with which the program succeeds");
  app.add_option("--library", options.library, "path of libhsamath.so")->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  if (options.to < options.from) {
    fmt::print(stderr, "hsalib_exhaustive: --to is below --from\n");
    return 2;
  }
  return run(options);
}

}  // namespace
}  // namespace heddle::testing

int main(int argc, char** argv) {
  try {
    return heddle::testing::main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hsalib_exhaustive: %s\n", error.what());
    return 1;
  }
}
