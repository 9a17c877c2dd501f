// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs examples on one kernel agent and says how it went: one line for a reader or one JSON object for a
// program.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "common/example.h"

namespace {

using namespace examples;

constexpr Example all_examples[] = {
    {"vector_add", "sum of two vectors", vector_add},
    {"matmul", "tiled matrix product: group memory, barriers", matmul},
    {"mandelbrot", "escape times, to a picture: divergent loops", mandelbrot},
    {"gaussian_blur", "separable blur of a photograph: two dependent dispatches", gaussian_blur},
    {"sobel", "edges of a photograph: functions", sobel},
    {"histogram", "counts of bytes: group and global atomics", histogram},
    {"reduction", "sum of a vector: trees in group memory", reduction},
    {"nbody", "gravity: arithmetic, a call in the inner loop", nbody},
    {"quicksort", "a function that calls itself", quicksort},
};

struct Options {
  bool list_agents = false;
  bool json = false;
  bool small = false;
  int repeats = 3;
  std::string agent;
  std::string kernels = EXAMPLES_KERNELS;
  std::string data = EXAMPLES_DATA;
  std::string out;
  std::string label;
  std::vector<std::string> names;
};

void print_usage(FILE* to) {
  std::fprintf(to,
               "usage: heddle-examples [options] [example...]\n"
               "  --agent NAME    the first kernel agent whose name contains NAME (default: the first)\n"
               "  --list-agents   print the names of the kernel agents, nothing else\n"
               "  --small         small problems, for agents that interpret\n"
               "  --repeats N     measured dispatches, of which the median counts (default 3)\n"
               "  --out FOLDER    write pictures there\n"
               "  --label WORD    goes into their names: mandelbrot-WORD.png\n"
               "  --kernels FOLDER, --data FOLDER   BRIG modules and photograph\n"
               "  --json          one JSON object for each example\n"
               "Exit code: 0, 1 if a result is wrong or an example failed, 2 wrong usage.\nExamples:\n");
  for (const Example& example : all_examples) std::fprintf(to, "  %-14s %s\n", example.name, example.what);
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--list-agents")
      options.list_agents = true;
    else if (word == "--json")
      options.json = true;
    else if (word == "--small")
      options.small = true;
    else if (word == "--repeats")
      options.repeats = std::atoi(value().c_str());
    else if (word == "--agent")
      options.agent = value();
    else if (word == "--kernels")
      options.kernels = value();
    else if (word == "--data")
      options.data = value();
    else if (word == "--out")
      options.out = value();
    else if (word == "--label")
      options.label = value();
    else if (!word.starts_with("-"))
      options.names.push_back(word);
    else
      return std::nullopt;
  }
  for (const auto& name : options.names) {
    if (std::none_of(std::begin(all_examples), std::end(all_examples),
                     [&](auto& e) { return name == e.name; })) {
      std::fprintf(stderr, "heddle-examples: no example is called %s\n", name.c_str());
      return std::nullopt;
    }
  }
  if (options.repeats < 1) return std::nullopt;
  return options;
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

void print(const Options& options, const Example& example, const Agent& agent, const Outcome& outcome) {
  double rate = outcome.kernel_ms > 0 ? outcome.work / outcome.kernel_ms * 1e-6 : 0;
  if (options.json) {
    std::printf(
        "{\"example\": %s, \"agent\": %s, \"problem\": %s, \"ok\": %s, \"mistake\": %s, \"finalize_ms\": "
        "%.3f, "
        "\"kernel_ms\": %.4f, \"rate\": %.4f, \"unit\": %s}\n",
        json_string(example.name).c_str(), json_string(agent.name).c_str(),
        json_string(outcome.problem).c_str(), outcome.mistake.empty() ? "true" : "false",
        json_string(outcome.mistake).c_str(), outcome.finalize_ms, outcome.kernel_ms, rate,
        json_string(outcome.unit).c_str());
  } else {
    std::printf("%-14s %-24s %-22s %s  finalize %.1f ms, kernel %.3f ms, %.3f %s\n", example.name,
                agent.name.c_str(), outcome.problem.c_str(),
                outcome.mistake.empty() ? "OK" : outcome.mistake.c_str(), outcome.finalize_ms,
                outcome.kernel_ms, rate, outcome.unit);
  }
  std::fflush(stdout);
}

/** Runs one example; what it throws becomes its mistake. */
bool run(const Options& options, const Example& example, const Agent& agent) {
  Context context{agent,        options.small, options.repeats, options.kernels,
                  options.data, options.out,   options.label};
  Outcome outcome;
  try {
    outcome = example.run(context);
  } catch (const std::exception& error) {
    outcome.mistake = error.what();
  }
  print(options, example, agent, outcome);
  return outcome.mistake.empty();
}

int run_all(const Options& options) {
  Runtime runtime;
  std::vector<Agent> agents = kernel_agents();
  if (options.list_agents) {
    for (const Agent& agent : agents) std::cout << agent.name << "\n";
    return 0;
  }
  auto agent = std::find_if(agents.begin(), agents.end(),
                            [&](const Agent& a) { return a.name.find(options.agent) != std::string::npos; });
  if (agent == agents.end()) throw Error("there is no kernel agent \"" + options.agent + "\"");
  bool all_right = true;
  for (const Example& example : all_examples) {
    bool wanted = options.names.empty() ||
                  std::find(options.names.begin(), options.names.end(), example.name) != options.names.end();
    if (wanted) all_right = run(options, example, *agent) && all_right;
  }
  return all_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  auto options = parse(argc, argv);
  if (!options) {
    print_usage(stderr);
    return 2;
  }
  try {
    return run_all(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-examples: %s\n", error.what());
    return 1;
  }
}
