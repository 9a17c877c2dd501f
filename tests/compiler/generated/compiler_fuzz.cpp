// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiler_fuzz: compiles generated programs of OpenCL C with heddle, executes them on agents, and compares
// what they leave with what clang's code for the host leaves.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "device.h"
#include "generate.h"
#include "host.h"
#include "shrink.h"

namespace heddle::tests {
namespace {

using tools::fuzz::Engine;
using tools::fuzz::Program;
using Clock = std::chrono::steady_clock;

struct Options {
  uint64_t programs = 1000, seed = 1;
  double seconds = 0, limit = 0;
  unsigned batch = 64, shrink_steps = 400;
  unsigned waves = 16;  ///< of so many batches, one is executed by code for waves of several work-items
  std::string isa, keep;
  std::vector<std::string> levels = {"-O0", "-O2"};
  bool every = false, print = false;
};

/// What the processes that test share with the one that started them.
struct Progress {
  uint64_t next;           ///< seed of the first program that is not done
  uint64_t failed;         ///< programs, also of the batch under way
  uint64_t failed_before;  ///< programs of the batches before
};

/// What comes out of one program at one level on one engine.
struct Verdict {
  enum class Kind : uint8_t { agrees, invalid, refused, differs } kind = Kind::agrees;
  std::string words;
};

struct Way {
  const std::string* level;
  const Engine* engine;
  std::string name() const { return *level + ", " + engine->name(); }
};

std::string source_of_all(const std::vector<Program>& programs) {
  std::string source = prelude;
  for (const Program& program : programs) source += source_of(program);
  return source;
}

Verdict compare(const Program& program, const Buffers& expected, const Result<Buffers>& actual) {
  if (!actual) return {Verdict::Kind::refused, actual.error().message};
  if (actual->output == expected.output && actual->shared == expected.shared) return {};
  for (size_t i = 0; i < expected.output.size(); ++i) {
    if (actual->output[i] == expected.output[i]) continue;
    return {Verdict::Kind::differs,
            fmt::format("work-item {} of {}, byte {} of its results: {:#04x} instead of {:#04x}",
                        i / output_size, program.launch.work_items(), i % output_size,
                        static_cast<unsigned>(actual->output[i]), static_cast<unsigned>(expected.output[i]))};
  }
  return {Verdict::Kind::differs, "the shared counters"};
}

/// Programs that are compiled together.
class Batch {
 public:
  explicit Batch(std::vector<Program> programs)
      : programs_(std::move(programs)), source_(source_of_all(programs_)) {
    auto host = HostModule::compile(source_);
    if (!host) {
      invalid_ = host.error().message;
      return;
    }
    for (const Program& program : programs_) {
      auto results = host->run(program.kernel.name, program.launch);
      if (!results) {
        invalid_ = results.error().message;
        return;
      }
      expected_.push_back(std::move(*results));
    }
  }

  const std::vector<Program>& programs() const { return programs_; }

  /// Returns a verdict for each program. What keeps the whole source from being compiled is the verdict of
  /// all.
  std::vector<Verdict> test(const Way& way) {
    if (!invalid_.empty()) return all({Verdict::Kind::invalid, invalid_});
    auto& module = modules_[*way.level];
    if (!module) module = std::make_unique<Result<tools::Module>>(compile_for_device(source_, *way.level));
    if (!*module) return all({Verdict::Kind::refused, module->error().message});
    auto loaded = DeviceModule::load(**module, *way.engine);
    if (!loaded) return all({Verdict::Kind::refused, loaded.error().message});
    std::vector<Verdict> verdicts;
    verdicts.reserve(programs_.size());
    for (size_t i = 0; i < programs_.size(); ++i)
      verdicts.push_back(
          compare(programs_[i], expected_[i], loaded->run(programs_[i].kernel.name, programs_[i].launch)));
    return verdicts;
  }

 private:
  std::vector<Verdict> all(const Verdict& verdict) const { return {programs_.size(), verdict}; }

  std::vector<Program> programs_;
  std::string source_, invalid_;
  std::vector<Buffers> expected_;
  std::map<std::string, std::unique_ptr<Result<tools::Module>>> modules_;
};

/// The engines, by what it takes to make code for them.
struct EngineGroups {
  std::vector<const Engine*> interpreted;
  std::vector<const Engine*> single, single_plain;  ///< code for single work-items, optimised and not
  std::vector<const Engine*> waves;                 ///< code for waves of several work-items
};

EngineGroups groups_of(const std::vector<Engine>& engines) {
  EngineGroups groups;
  for (const Engine& engine : engines) {
    if (!engine.is_compiled())
      groups.interpreted.push_back(&engine);
    else if (engine.wave_size > 1)
      groups.waves.push_back(&engine);
    else
      (engine.options.empty() ? groups.single : groups.single_plain).push_back(&engine);
  }
  return groups;
}

/// Returns the compiled engines of which a batch takes one. Making code for waves takes ten times as long as
/// all the rest together, so that only some batches do it; what the optimiser has not touched is not
/// optimised by the finalizer either.
const std::vector<const Engine*>& compiled_engines(const EngineGroups& groups, const Options& options,
                                                   const std::string& level, uint64_t turn) {
  const bool in_waves = options.waves > 0 && turn % options.waves == 0;
  if (!groups.waves.empty() && (in_waves || groups.single.empty())) return groups.waves;
  return level == "-O0" || turn % 2 == 1 ? groups.single_plain : groups.single;
}

/// Returns the ways to execute the programs of a batch: at each level the interpreter and a compiled ISA in
/// turn, or all.
std::vector<Way> ways_for(const Options& options, const std::vector<Engine>& engines, uint64_t turn) {
  std::vector<Way> ways;
  const EngineGroups groups = groups_of(engines);
  // Turns of waves are counted by themselves, so that all of them come.
  const uint64_t count = options.waves > 0 && turn % options.waves == 0 ? turn / options.waves : turn;
  for (size_t level = 0; level < options.levels.size(); ++level) {
    const std::string& name = options.levels[level];
    if (options.every) {
      for (const Engine& engine : engines) ways.push_back({&name, &engine});
      continue;
    }
    for (const auto* some : {&groups.interpreted, &compiled_engines(groups, options, name, turn)})
      if (!some->empty()) ways.push_back({&name, (*some)[(count + level) % some->size()]});
  }
  return ways;
}

bool is_alike(const Verdict& a, const Verdict& b) {
  // Messages begin with what is wrong, and end with names.
  return a.kind == b.kind &&
         (a.kind != Verdict::Kind::refused || a.words.substr(0, 30) == b.words.substr(0, 30));
}

/// Counts and prints a failure, and only then makes the program smaller: the process may be killed meanwhile.
void report(const Options& options, Progress& progress, uint64_t seed, Program program, const Way& way,
            const Verdict& verdict) {
  ++progress.failed;
  fmt::print("seed {}: {}: {}\n", seed, way.name(), verdict.words);
  std::fflush(stdout);
  const size_t before = source_of(program).size();
  if (options.shrink_steps > 0 && verdict.kind != Verdict::Kind::invalid)
    program = shrink_program(
        std::move(program),
        [&](const Program& one) { return is_alike(Batch({one}).test(way).front(), verdict); },
        options.shrink_steps);
  const std::string text = fmt::format(
      "// compiler_fuzz --seed {} --programs 1 --every: {}\n// {}\n// {} work-items in groups of {}\n{}{}",
      seed, way.name(), verdict.words.substr(0, verdict.words.find('\n')), program.launch.grid[0],
      program.launch.group[0], prelude, source_of(program));
  fmt::print("  {} bytes of source, of {}\n", text.size(), before);
  if (options.keep.empty()) {
    fmt::print("{}", text);
  } else {
    std::filesystem::create_directories(options.keep);
    std::ofstream(fmt::format("{}/{}.cl", options.keep, seed)) << text;
  }
  std::fflush(stdout);
}

/// Tests a program alone on the ways where it fails with the others, and reports the first on which it fails
/// then, too.
void report_alone(const Options& options, Progress& progress, uint64_t seed, const Program& program,
                  const std::vector<Way>& ways) {
  Batch alone({program});
  for (const Way& way : ways) {
    const Verdict verdict = alone.test(way).front();
    if (verdict.kind != Verdict::Kind::agrees) return report(options, progress, seed, program, way, verdict);
  }
}

/// Whether something is wrong with the source or module as a whole, so that nothing is known of any program.
bool is_of_all(const std::vector<Verdict>& verdicts) {
  return std::ranges::all_of(verdicts, [](const Verdict& verdict) {
    return verdict.kind == Verdict::Kind::invalid || verdict.kind == Verdict::Kind::refused;
  });
}

void report_together(Progress& progress, uint64_t seed, unsigned count, const std::string& words) {
  ++progress.failed;
  fmt::print("seeds {} to {} fail only together: --batch {}{}\n", seed, seed + count - 1, count, words);
  std::fflush(stdout);
}

/// Tests `count` programs from the seed on, which are compiled together. Each half of them is tested by
/// itself if the whole is refused.
void test_batch(const Options& options, const std::vector<Engine>& engines, Progress& progress, uint64_t seed,
                unsigned count) {
  const uint64_t failed_before = progress.failed;
  std::vector<Program> programs;
  programs.reserve(count);
  for (unsigned i = 0; i < count; ++i) programs.push_back(generate_program(seed + i));
  const std::vector<Way> ways = ways_for(options, engines, seed / std::max(1u, options.batch));
  Batch batch(std::move(programs));
  std::vector<std::vector<Way>> failing(count);
  for (const Way& way : ways) {
    const std::vector<Verdict> verdicts = batch.test(way);
    if (count > 1 && is_of_all(verdicts)) {
      test_batch(options, engines, progress, seed, count / 2);
      test_batch(options, engines, progress, seed + count / 2, count - count / 2);
      if (progress.failed == failed_before) report_together(progress, seed, count, ": " + verdicts[0].words);
      return;
    }
    for (unsigned i = 0; i < count; ++i)
      if (verdicts[i].kind != Verdict::Kind::agrees) failing[i].push_back(way);
  }
  for (unsigned i = 0; i < count; ++i)
    if (!failing[i].empty()) report_alone(options, progress, seed + i, batch.programs()[i], failing[i]);
  const bool together = std::ranges::any_of(failing, [](const auto& some) { return !some.empty(); });
  if (together && progress.failed == failed_before) report_together(progress, seed, count, "");
}

/// When the run comes to its end.
struct Ends {
  Clock::time_point last_batch;  ///< no batch begins later
  Clock::time_point kill;        ///< the process that tests is killed then
};

/// The moment so many seconds from now; never, if 0.
Clock::time_point after(double seconds) {
  if (seconds == 0) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Tests programs until all are done, or the time is up; ends the process.
[[noreturn]] void work(const Options& options, Progress& progress, const Ends& ends) {
  setenv("HEDDLE_AGENTS", "interpreter,cpu", 0);
  setenv("HEDDLE_CACHE", "0", 1);  // nobody finalizes these programs a second time
  setenv("HEDDLE_LOG", "error",
         0);  // why a dispatch failed would be said for each attempt to make it smaller
  int status = 1;
  {
    auto session = tools::Session::open();
    const auto engines = session ? tools::fuzz::find_engines(options.isa) : std::vector<Engine>{};
    if (engines.empty()) fmt::print(stderr, "there is no agent that executes kernels\n");
    const uint64_t last = options.seed + options.programs;
    while (!engines.empty() && progress.next < last && Clock::now() < ends.last_batch) {
      const auto count = static_cast<unsigned>(std::min<uint64_t>(options.batch, last - progress.next));
      test_batch(options, engines, progress, progress.next, count);
      progress.next += count;
      progress.failed_before = progress.failed;
    }
    if (!engines.empty()) status = 0;
  }
  std::fflush(stdout);
  // Kernels may still be known to agents whose libraries are closed at an exit: what had to be closed is.
  std::_Exit(status);
}

/// Starts a process that tests. Returns its status, or nothing if it had to be killed because the time was
/// up.
std::optional<int> run_child(const Options& options, Progress& progress, const Ends& ends) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) work(options, progress, ends);
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= ends.kill) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return status;
}

/// A batch that ends the process is tested once more, program for program, each in a process of its own. What
/// it has counted before is counted again.
void report_crash(Options options, uint64_t count, Progress& progress, Ends ends) {
  const uint64_t first = progress.next, failed_before = progress.failed_before;
  progress.failed = failed_before;
  const auto report_batch = [&](const char* reason) {
    ++progress.failed;
    fmt::print("seeds {} to {}: a signal ends the process, {}\n", first, first + count - 1, reason);
  };
  options.programs = options.batch = 1;
  ends.last_batch = Clock::time_point::max();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    options.seed = progress.next = seed;
    progress.failed_before = progress.failed;
    const auto status = run_child(options, progress, ends);
    if (!status) return report_batch("and there was no time to find the program");
    if (!WIFSIGNALED(*status)) continue;
    progress.failed = progress.failed_before + 1;  // even if the program had failed before
    fmt::print("seed {}: signal {} ends the process: --seed {} --programs 1\n", seed, WTERMSIG(*status),
               seed);
  }
  if (progress.failed == failed_before) report_batch("but with no program alone");
  progress.next = first + count;
  progress.failed_before = progress.failed;
}

/// Starts processes that test, one after the other, until all programs are done or the time is up: a program
/// may crash its process. Returns false if a process could not begin its work.
bool run_children(const Options& options, Progress& progress, const Ends& ends) {
  const uint64_t last = options.seed + options.programs;
  while (progress.next < last) {
    const auto status = run_child(options, progress, ends);
    if (!status) return true;
    if (!WIFSIGNALED(*status)) return WEXITSTATUS(*status) == 0;
    report_crash(options, std::min<uint64_t>(options.batch, last - progress.next), progress, ends);
    if (Clock::now() >= ends.kill) return true;
  }
  return true;
}

int run(const Options& options) {
  if (options.print) {
    fmt::print("{}{}", prelude, source_of(generate_program(options.seed)));
    return 0;
  }
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || !HostModule::prepare()) return 1;
  auto& progress = *new (shared) Progress{options.seed, 0, 0};
  const auto begin = Clock::now();
  if (!run_children(options, progress, {after(options.seconds), after(options.limit)})) return 1;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const uint64_t done = progress.next - options.seed;
  fmt::print("{} programs in {:.1f} s ({:.2f} in a second), {} that fail\n", done, seconds,
             static_cast<double>(done) / seconds, progress.failed);
  return progress.failed == 0 && done > 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::tests

int main(int argc, char** argv) {
  try {
    heddle::tests::Options options;
    CLI::App app("Compiles generated programs of OpenCL C and compares their results with those of the host");
    app.add_option("--programs", options.programs, "How many")->capture_default_str();
    app.add_option("--seconds", options.seconds, "Begin no batch after so many seconds (0: no limit)");
    app.add_option(
        "--limit", options.limit,
        "End after so many seconds, and do not count the programs of an unfinished batch (0: no limit)");
    app.add_option("--seed", options.seed, "Seed of the first program; each next one has the next")
        ->capture_default_str();
    app.add_option("--batch", options.batch, "Programs that are compiled together")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--waves", options.waves,
                   "Of so many batches, one is executed by code for waves (0: none; 1: all)")
        ->capture_default_str();
    app.add_option("--isa", options.isa, "Only compiled ISAs whose name contains this");
    app.add_option("--level", options.levels, "Levels of optimisation (-O0 and -O2)")
        ->allow_extra_args(false);
    app.add_option("--shrink", options.shrink_steps, "Attempts to make a failing program smaller")
        ->capture_default_str();
    app.add_option("--keep", options.keep, "Folder for failing programs (otherwise printed)");
    app.add_flag("--every", options.every,
                 "Each program on each ISA, not on one interpreted and one compiled in turn");
    app.add_flag("--print", options.print, "Print the program of the seed, execute nothing");
    CLI11_PARSE(app, argc, argv);
    return heddle::tests::run(options);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
