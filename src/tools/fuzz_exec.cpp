// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle fuzz-exec: executes generated programs on every engine of this machine. The results of all engines
// must be those of the first; those of programs that observe waves must be those of the interpreter with
// waves of the same size.
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
  bool walks = false;
  bool waves = false;
  unsigned shrink_steps = 1000;
  double timeout = 600;
  std::string keep;
};

/// Returns the program of a seed. One in four observes waves.
fuzz::Program program_of(const Options& options, uint64_t seed) {
  using fuzz::Contents;
  if (options.basic) return fuzz::generate(seed, Contents::basic);
  if (options.walks) return fuzz::generate(seed, Contents::walks);
  const bool waves = options.waves || std::mt19937_64(seed)() % 4 == 0;
  return fuzz::generate(seed, waves ? Contents::waves : Contents::portable);
}

/// The result of comparing two executions of a program. If the program did not finish in time, nothing can be
/// said: the machine may be slow, or the program may hang.
enum class Comparison : uint8_t { agree, differ, unfinished };
struct Verdict {
  Comparison comparison;
  std::string words;
};

Verdict verdict_of(const fuzz::Engine& engine, const fuzz::Failure& failure) {
  return {failure.timed_out ? Comparison::unfinished : Comparison::differ,
          fmt::format("  {}: {}\n", engine.name(), failure.message)};
}

Verdict compare(const fuzz::Program& program, const fuzz::Engine& reference, const fuzz::Engine& engine,
                double timeout) {
  auto expected = fuzz::execute(program, reference, timeout);
  if (!expected) return verdict_of(reference, expected.error());
  auto actual = fuzz::execute(program, engine, timeout);
  if (!actual) return verdict_of(engine, actual.error());
  if (*expected == *actual) return {Comparison::agree, {}};
  return {Comparison::differ, fuzz::describe_difference(program, *expected, *actual)};
}

std::string launch_words(const fuzz::Launch& launch) {
  return fmt::format("grid {}x{}x{}, groups of {}x{}x{}, {} dimensions", launch.grid[0], launch.grid[1],
                     launch.grid[2], launch.group[0], launch.group[1], launch.group[2], launch.dimensions);
}

const char* contents_option(const Options& options) {
  return options.basic ? " --basic" : options.walks ? " --walks" : options.waves ? " --waves" : "";
}

/// Reports the program. If the results differ, it is shrunk first; an unfinished program is not, since each
/// attempt might take as long again. The program is written to the folder of --keep if there is one,
/// otherwise to standard output.
void report(const Options& options, uint64_t seed, fuzz::Program program, const fuzz::Engine& reference,
            const fuzz::Engine& engine, Verdict verdict) {
  const bool differs = verdict.comparison == Comparison::differ;
  print_error(differs
                  ? fmt::format("seed {}: {} and {} differ", seed, reference.name(), engine.name())
                  : fmt::format("seed {}: nothing to compare: a program of at most {} executed instructions "
                                "has not ended",
                                seed, program.instructions()));
  const size_t before = program.statements();
  if (differs && options.shrink_steps > 0) {
    program = fuzz::shrink(
        std::move(program),
        [&](const fuzz::Program& candidate) {
          return compare(candidate, reference, engine, options.timeout).comparison == Comparison::differ;
        },
        options.shrink_steps);
    verdict = compare(program, reference, engine, options.timeout);
  }
  std::string text =
      fmt::format("// heddle fuzz-exec --seed {}{} --programs 1: {} and {}\n// {}; data seed {}\n", seed,
                  contents_option(options), reference.name(), engine.name(), launch_words(program.launch),
                  program.launch.data_seed);
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

/// Two engines that must have the same results for a program.
struct Pair {
  const fuzz::Engine* reference;
  const fuzz::Engine* engine;
};

/// Returns the pairs that can be compared: all engines with the first one, or, for a program that observes
/// waves, the compiling engines with the interpreter with waves of the same size. With --isa there are only
/// compiling engines to compare. Engines that cannot detect exceptions are left out for programs that do.
std::vector<Pair> pairs_for(const fuzz::Program& program, const Options& options,
                            const std::vector<fuzz::Engine>& engines) {
  std::vector<Pair> pairs;
  for (const fuzz::Engine& engine : engines) {
    if (program.detects_exceptions && !engine.detects_exceptions) continue;
    if (!program.observes_waves) {
      const bool wanted = options.isa.empty() || engine.is_compiled();
      if (wanted && &engine != &engines[0]) pairs.push_back({&engines[0], &engine});
      continue;
    }
    const auto reference = std::find_if(engines.begin(), engines.end(), [&](const fuzz::Engine& other) {
      return !other.is_compiled() && other.wave_size == engine.wave_size;
    });
    if (engine.is_compiled() && reference != engines.end()) pairs.push_back({&*reference, &engine});
  }
  return pairs;
}

/// Compares engines: for each program one pair in turn, or all. Returns true if all agree.
bool run_programs(const Options& options, const std::vector<fuzz::Engine>& engines) {
  Progress progress("executing generated programs");
  Stopwatch watch;
  uint64_t different = 0, unfinished = 0, done = 0, observing = 0;
  for (uint64_t seed = options.seed; options.programs == 0 || done < options.programs; ++seed, ++done) {
    if (options.seconds > 0 && watch.seconds() > options.seconds) break;
    const fuzz::Program program = program_of(options, seed);
    const auto pairs = pairs_for(program, options, engines);
    observing += program.observes_waves;
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (!options.every_engine && seed % pairs.size() != i) continue;
      const auto [reference, engine] = pairs[i];
      const Verdict verdict = compare(program, *reference, *engine, options.timeout);
      if (verdict.comparison == Comparison::agree) continue;
      report(options, seed, program, *reference, *engine, verdict);
      ++(verdict.comparison == Comparison::differ ? different : unfinished);
    }
  }
  fmt::print("{} programs in {}, {} that observe waves, {} that differ{}\n", done,
             format_seconds(watch.seconds()), observing, different,
             unfinished == 0 ? "" : fmt::format(", {} that have not ended", unfinished));
  return different == 0 && unfinished == 0;
}

/// Returns the engines to compare, or an Error if there are fewer than two.
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
  const fuzz::Program program = program_of(options, options.seed);
  const auto result = fuzz::execute(program, engines[0], options.timeout);
  if (result && fuzz::is_untouched(program, *result))
    return Error{engines[0].agent.name + " executes nothing that could be compared"};
  return engines;
}

int run(Options options) {
  if (options.print) {
    const fuzz::Program program = program_of(options, options.seed);
    fmt::print("// {}\n{}", launch_words(program.launch), program.text());
    return exit_success;
  }
  if (options.programs == 0 && options.seconds == 0) options.programs = 1000;
  setenv("HEDDLE_AGENTS", "interpreter,cpu", 0);
  setenv("HEDDLE_CACHE", "0", 1);  // nobody finalizes these programs a second time
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
  return run_programs(options, *engines) ? exit_success : exit_failure;
}

}  // namespace

void add_fuzz_exec(CommandLine& heddle) {
  auto options = std::make_shared<Options>();
  Command& command = heddle.add("fuzz-exec", "Execute random programs on all agents and compare");
  command.option("--programs", options->programs, "How many (1000, or as many as --seconds allows)")
      .whole_number(1, uint64_t{1} << 40);
  command.option("--seconds", options->seconds, "How long").number(0.001, 1e9);
  command.option("--seed", options->seed, "Seed of the first program; each next one has the next")
      .whole_number(0, UINT64_MAX)
      .with_default_in_help();
  command.option("--isa", options->isa, "Compare only compiled ISAs whose name contains this");
  command.flag("--every", options->every_engine,
               "Each program on each ISA and optimisation level, not on one of them in turn");
  command.flag("--print", options->print, "Print the program of the seed, execute nothing");
  command.flag("--basic", options->basic, "Only what tools of HSA 1.0 handle well");
  command.flag("--walks", options->walks,
               "Also loops whose number of rounds cannot be known before they begin (excludes --waves)");
  command.flag(
      "--waves", options->waves,
      "Only programs that observe waves, which are compared with the interpreter's waves of the same size");
  command.option("--shrink", options->shrink_steps, "Attempts to make a failing program smaller")
      .whole_number(0, 1000000)
      .with_default_in_help();
  command
      .option("--timeout", options->timeout,
              "Seconds after which a kernel counts as not ending; no program needs more than moments")
      .number(0.001, 1e9)
      .with_default_in_help();
  command.option("--keep", options->keep, "Folder for failing programs (otherwise printed)");
  command.footer(
      "Exit code 0: all agree; 1: some differ, or have not ended. The same seed makes the same program on "
      "every machine.");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
