// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle fuzz-exec: generated programs, executed in every way that this machine has; all must agree with the
// first.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "fuzz/execute.h"
#include "fuzz/generate.h"
#include "fuzz/shrink.h"
#include "limits.h"

namespace heddle::tools {
namespace {

struct Options {
  uint64_t programs = 0;
  double seconds = 0;
  uint64_t seed = 1;
  std::string isa;
  bool every_engine = false;
  bool print = false;
  bool basic = false;
  unsigned shrink_steps = 1000;
  double timeout = 20;
  std::string keep;
};

/// How two executions of one program compare.
struct Verdict {
  bool agree;
  std::string words;
};

Verdict compare(const fuzz::Program& program, const fuzz::Engine& reference, const fuzz::Engine& engine,
                double timeout) {
  auto expected = fuzz::execute(program, reference, timeout);
  if (!expected) return {false, fmt::format("  {}: {}\n", reference.name(), expected.error().message)};
  auto actual = fuzz::execute(program, engine, timeout);
  if (!actual) return {false, fmt::format("  {}: {}\n", engine.name(), actual.error().message)};
  if (*expected == *actual) return {true, {}};
  return {false, fuzz::describe_difference(program, *expected, *actual)};
}

std::string launch_words(const fuzz::Launch& launch) {
  return fmt::format("grid {}x{}x{}, groups of {}x{}x{}, {} dimensions", launch.grid[0], launch.grid[1],
                     launch.grid[2], launch.group[0], launch.group[1], launch.group[2], launch.dimensions);
}

/// The failing program, as small as it gets; into the folder of --keep if there is one, else to standard
/// output.
void report(const Options& options, uint64_t seed, fuzz::Program program, const fuzz::Engine& reference,
            const fuzz::Engine& engine) {
  print_error(fmt::format("seed {}: {} and {} differ", seed, reference.name(), engine.name()));
  const size_t before = program.statements();
  if (options.shrink_steps > 0) {
    program = fuzz::shrink(
        std::move(program),
        [&](const fuzz::Program& candidate) {
          return !compare(candidate, reference, engine, options.timeout).agree;
        },
        options.shrink_steps);
  }
  const Verdict verdict = compare(program, reference, engine, options.timeout);
  std::string text =
      fmt::format("// heddle fuzz-exec --seed {} --programs 1: {} and {}\n// {}; data seed {}\n", seed,
                  reference.name(), engine.name(), launch_words(program.launch), program.launch.data_seed);
  text += program.text();
  fmt::print(stderr, "{}  {} statements, of {}\n", verdict.words, program.statements(), before);
  if (options.keep.empty()) {
    fmt::print("{}", text);
    return;
  }
  std::error_code ignored;
  std::filesystem::create_directories(options.keep, ignored);
  const std::string path = fmt::format("{}/{}.hsail", options.keep, seed);
  auto written = write_file(path, std::as_bytes(std::span(text)));
  if (written)
    fmt::print(stderr, "  {}\n", path);
  else
    print_error(written.error().message);
}

/// The first engine is the reference; the others are asked one a program in turn, or all.
uint64_t run_programs(const Options& options, const std::vector<fuzz::Engine>& engines) {
  Progress progress("executing generated programs");
  Stopwatch watch;
  uint64_t failures = 0, done = 0;
  for (uint64_t seed = options.seed; options.programs == 0 || done < options.programs; ++seed, ++done) {
    if (options.seconds > 0 && watch.seconds() > options.seconds) break;
    const fuzz::Program program = fuzz::generate(seed, options.basic);
    for (size_t i = 1; i < engines.size(); ++i) {
      if (!options.every_engine && seed % (engines.size() - 1) != i - 1) continue;
      if (compare(program, engines[0], engines[i], options.timeout).agree) continue;
      report(options, seed, program, engines[0], engines[i]);
      ++failures;
    }
  }
  fmt::print("{} programs in {}, {} that differ\n", done, format_seconds(watch.seconds()), failures);
  return failures;
}

/// What there is to compare; an Error where that is nothing.
Result<std::vector<fuzz::Engine>> choose_engines(const Options& options) {
  std::vector<fuzz::Engine> engines = fuzz::find_engines(options.isa);
  const auto compiled = [](const fuzz::Engine& engine) { return engine.is_compiled(); };
  if (!options.isa.empty() && std::none_of(engines.begin(), engines.end(), compiled)) {
    std::string known;
    for (const fuzz::Engine& engine : fuzz::find_engines({})) {
      if (engine.is_compiled() && engine.options.empty()) known += "\n  " + engine.name();
    }
    return Error{fmt::format("--isa {}: no compiled ISA has that in its name; there are{}", options.isa,
                             known.empty() ? " none" : known)};
  }
  if (engines.size() < 2)
    return Error{"there are not two ways to execute a kernel here that could be compared"};
  const fuzz::Program program = fuzz::generate(options.seed, options.basic);
  const auto result = fuzz::execute(program, engines[0], options.timeout);
  if (result && fuzz::is_untouched(program, *result))
    return Error{engines[0].agent.name + " executes nothing that could be compared"};
  return engines;
}

int run(Options options) {
  if (options.print) {
    const fuzz::Program program = fuzz::generate(options.seed, options.basic);
    fmt::print("// {}\n{}", launch_words(program.launch), program.text());
    return exit_success;
  }
  if (options.programs == 0 && options.seconds == 0) options.programs = 1000;
  setenv("HEDDLE_AGENTS", "interpreter,cpu", 0);
  auto session = Session::open();
  if (!session) {
    print_error(session.error().message);
    return exit_failure;
  }
  const auto engines = choose_engines(options);
  if (!engines) {
    print_error(engines.error().message);
    return exit_failure;
  }
  return run_programs(options, *engines) == 0 ? exit_success : exit_failure;
}

}  // namespace

Command fuzz_exec_command(CLI::App& heddle) {
  auto options = std::make_shared<Options>();
  CLI::App* app = heddle.add_subcommand("fuzz-exec", "Execute random programs on all agents and compare");
  app->add_option("--programs", options->programs, "How many (1000, or as many as --seconds allows)")
      ->check(whole_number(1, uint64_t{1} << 40));
  app->add_option("--seconds", options->seconds, "How long")->check(number(0.001, 1e9));
  app->add_option("--seed", options->seed, "Seed of the first program; each next one has the next")
      ->check(whole_number(0, UINT64_MAX))
      ->capture_default_str();
  app->add_option("--isa", options->isa, "Compare only compiled ISAs whose name contains this");
  app->add_flag("--every", options->every_engine,
                "Each program on each ISA and effort, not on one of them in turn");
  app->add_flag("--print", options->print, "Print the program of the seed, execute nothing");
  app->add_flag("--basic", options->basic, "Only what tools of HSA 1.0 handle well");
  app->add_option("--shrink", options->shrink_steps, "Attempts to make a failing program smaller")
      ->check(whole_number(0, 1000000))
      ->capture_default_str();
  app->add_option("--timeout", options->timeout, "Seconds that a kernel may take")
      ->check(number(0.001, 1e9))
      ->capture_default_str();
  app->add_option("--keep", options->keep, "Folder for failing programs (otherwise printed)");
  app->footer(
      "Exit code 0: all agree; 1: some differ. The same seed makes the same program on every machine.");
  return {app, [options] { return run(*options); }};
}

}  // namespace heddle::tools
