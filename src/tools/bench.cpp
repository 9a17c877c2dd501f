// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle bench: times a kernel on every agent and in every ISA, and checks that all have the same results.
#include <fmt/format.h>

#include <stdlib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>

#include "bench/candidate.h"
#include "bench/compare.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "commands.h"
#include "console.h"
#include "job.h"
#include "kernel_code.h"
#include "session.h"

namespace heddle::tools {
namespace {

struct Options {
  JobOptions job;
  FinalizerOptions finalizer;
  std::string agent;
  std::vector<std::string> isas;
  Schedule schedule;
  double timeout = 0;
  std::string bytes, operations;
  bool restore = false;
  bool no_compare = false;
  bool json = false;
};

/// The contents of the buffers that the kernel writes, by the number of the argument.
using Results = std::map<size_t, std::vector<std::byte>>;

/// The state of one comparison. The members are destroyed in reverse order, dispatchers before the buffers.
class Bench {
 public:
  Bench(const Options& options, Job plan) : options_(options), plan_(std::move(plan)) {}

  /// Prepares, checks and times all candidates. An Error says that there is nothing to report.
  Result<BenchReport> run(const KernelFile& file);

 private:
  Result<Job*> job_for(const KernelAgent& agent);
  Result<void> prepare(const KernelFile& file, const std::vector<KernelAgent>& targets);
  Result<void> note_results(const Candidate& candidate);
  Result<void> run_all_once();
  Result<double> launch(const Candidate& candidate);
  void time_all();
  void report_times(std::vector<Series> series);
  void leave_out(const CandidateName& name, const std::string& reason) {
    report_.not_timed.push_back({name, reason});
  }

  const Options& options_;
  Job plan_;  ///< without memory
  BenchReport report_;
  std::map<uint64_t, Job> jobs_;  ///< by the handle of the agent
  Results reference_;
  std::vector<Candidate> candidates_;
};

std::array<double, 3> load_average() {
  std::array<double, 3> load{};
  getloadavg(load.data(), 3);  // leaves zeros where the system does not tell
  return load;
}

/// Returns the job with the agent's buffers, which it allocates for the agent's first candidate.
Result<Job*> Bench::job_for(const KernelAgent& agent) {
  auto [entry, is_new] = jobs_.try_emplace(agent.handle.handle);
  if (is_new) {
    entry->second = copy_without_memory(plan_);
    auto allocated = allocate_buffers(entry->second, agent);
    if (!allocated) return allocated.error();
  }
  return &entry->second;
}

Result<void> Bench::prepare(const KernelFile& file, const std::vector<KernelAgent>& targets) {
  for (const KernelAgent& target : targets) {
    auto code = prepare_code(file, target, options_.finalizer);
    if (!code) {
      leave_out({target.name, target.isa_name}, code.error().message);
      continue;
    }
    auto job = job_for(target);
    if (!job) return job.error();
    auto candidate = make_candidate(file, std::move(*code), target, options_.job.kernel, **job);
    if (!candidate) return candidate.error();
    candidates_.push_back(std::move(*candidate));
  }
  return {};
}

Result<double> Bench::launch(const Candidate& candidate) {
  const Job& job = *candidate.job;
  auto times = candidate.dispatcher->run(candidate.kernel, job.grid, job.group, options_.job.dynamic_group,
                                         options_.job.stack, candidate.kernarg.address(), options_.timeout);
  if (!times) return times.error();
  return std::max(times->execute, 1e-9);  // a clock may be too coarse for the launch
}

bool is_written(const Slot& slot) { return slot.buffer && slot.buffer->argument.direction != Direction::in; }

/// Returns checksums of the buffers that the kernel should only read, by the number of the argument.
std::map<size_t, uint32_t> input_checksums(const Job& job) {
  std::map<size_t, uint32_t> sums;
  for (size_t i = 0; i < job.slots.size(); ++i) {
    const Slot& slot = job.slots[i];
    if (slot.buffer && !is_written(slot)) sums[i] = checksum(slot.memory->bytes());
  }
  return sums;
}

/// Keeps the results of the first candidate and writes them to files; compares those of the others with them.
Result<void> Bench::note_results(const Candidate& candidate) {
  const bool first = report_.compared++ == 0;
  if (first) report_.reference = candidate.name;
  for (size_t i = 0; i < candidate.job->slots.size(); ++i) {
    const Slot& slot = candidate.job->slots[i];
    if (!is_written(slot)) continue;
    const auto bytes = slot.memory->bytes();
    if (first) {
      if (!options_.no_compare) reference_[i].assign(bytes.begin(), bytes.end());
      if (slot.buffer->argument.destination.empty()) continue;
      auto saved = save_buffer(*slot.buffer, bytes);
      if (!saved) return saved;
    } else if (!options_.no_compare) {
      auto difference = compare_elements(*slot.buffer->type, reference_[i], bytes);
      if (difference) report_.wrong.push_back({candidate.name, i, std::move(*difference)});
    }
  }
  return {};
}

/// Runs all candidates once, each from the initial values. Removes those that fail.
Result<void> Bench::run_all_once() {
  std::map<size_t, uint32_t> overwritten;
  for (size_t i = 0; i < candidates_.size();) {
    const Candidate& candidate = candidates_[i];
    Progress progress(fmt::format("running {} ({})", candidate.kernel.name, candidate.name.isa));
    fill_buffers(*candidate.job, true);
    const auto before = input_checksums(*candidate.job);
    auto seconds = launch(candidate);
    if (!seconds) {
      leave_out(candidate.name, seconds.error().message);
      candidates_[i].dispatcher.reset();  // the kernel may still run, so its queue ends before its memory
      candidates_.erase(candidates_.begin() + static_cast<ptrdiff_t>(i));
      continue;
    }
    for (const auto& [argument, sum] : input_checksums(*candidate.job)) {
      if (before.at(argument) != sum) overwritten.emplace(argument, sum);
    }
    auto noted = note_results(candidate);
    if (!noted) return noted;
    ++i;
  }
  for (const auto& [argument, sum] : overwritten)
    print_warning(
        fmt::format("--arg {}: the kernel writes this buffer; 'inout:' before it says so", argument));
  return {};
}

void Bench::report_times(std::vector<Series> series) {
  for (size_t i = 0; i < series.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    if (!series[i].failure.empty()) {
      leave_out(candidate.name, series[i].failure);
      continue;
    }
    Timing timing;
    timing.name = candidate.name;
    if (!candidate.code.agent.bytes().empty()) timing.finalize_seconds = candidate.code.finalize_seconds;
    timing.load_seconds = candidate.code.load_seconds;
    timing.warm_up_launches = series[i].warm_up_launches;
    timing.steady = series[i].steady;
    timing.times = std::move(series[i].times);
    timing.summary = summarize_times(timing.times);
    if (!report_.timings.empty())
      timing.speed = median_of_ratios(report_.timings.front().times, timing.times);
    report_.timings.push_back(std::move(timing));
  }
}

void Bench::time_all() {
  for (const auto& [handle, job] : jobs_) fill_buffers(job, true);
  std::vector<Launch> launches;
  launches.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) {
    launches.emplace_back([this, &candidate]() -> Result<double> {
      if (options_.restore) fill_buffers(*candidate.job, false);
      return launch(candidate);
    });
  }
  Progress progress(fmt::format("timing {}", candidates_.empty() ? "" : candidates_.front().kernel.name));
  report_times(measure(launches, options_.schedule));
}

Result<BenchReport> Bench::run(const KernelFile& file) {
  auto agents = find_kernel_agents(options_.agent);
  if (!agents) return agents.error();
  auto targets = choose_targets(*agents, options_.isas, file);
  if (!targets) return targets.error();
  report_.load_at_start = load_average();
  auto prepared = prepare(file, *targets);
  if (!prepared) return prepared.error();
  report_.file = options_.job.input;
  report_.kernel = candidates_.empty() ? options_.job.kernel : candidates_.front().kernel.name;
  report_.grid = plan_.grid;
  report_.group = plan_.group;
  report_.bytes = parse_count(options_.bytes);
  report_.operations = parse_count(options_.operations);
  report_.assemble_seconds = file.module ? file.module->assemble_seconds : 0;
  report_.restores = options_.restore;
  report_.compares = !options_.no_compare;
  report_.processors = std::max(std::thread::hardware_concurrency(), 1u);
  auto ran = run_all_once();
  if (!ran) return ran.error();
  time_all();
  report_.load_at_end = load_average();
  return std::move(report_);
}

/// Prints the report. Returns an Error if a candidate was not timed or has other results.
Result<void> print_report(const BenchReport& report, bool json) {
  fmt::print("{}", json ? format_json(report) : format_table(report));
  if (report.timings.empty()) return Error{"nothing could be timed"};
  if (!report.not_timed.empty())
    return Error{fmt::format("{} of {} could not be timed", report.not_timed.size(),
                             report.not_timed.size() + report.timings.size())};
  if (!report.wrong.empty()) return Error{"the results are not the same"};
  return {};
}

Result<void> bench(const Options& options, Job plan) {
  auto planned = plan_buffers(plan);
  if (!planned) return planned;
  choose_agents(options.agent);
  setenv("HEDDLE_CACHE", "0", 1);  // the time to finalize is that of the compiler
  auto session = Session::open();
  if (!session) return session.error();
  auto file = open_kernel_file(options.job.input, options.job.compiler.words);
  if (!file) return file.error();
  auto report = Bench(options, std::move(plan)).run(*file);
  if (!report) return report.error();
  return print_report(*report, options.json);
}

/// Reports whether the text is empty or a count; complains otherwise.
bool check_amount(const char* option, const std::string& text) {
  if (text.empty() || parse_count(text)) return true;
  print_error(fmt::format("{}: '{}' is no count: a number from 1, or with K, M or G for 1024, 1024^2, 1024^3",
                          option, text));
  return false;
}

int run(const Options& options) {
  auto job = parse_job(options.job);
  const bool bytes = check_amount("--bytes", options.bytes);
  const bool operations = check_amount("--operations", options.operations);
  if (!job || !bytes || !operations) return exit_usage;
  auto done = bench(options, std::move(*job));
  if (done) return exit_success;
  print_error(done.error().message);
  return exit_failure;
}

constexpr const char* explanation =
    R"(What is timed: a launch from the doorbell of the queue until the host sees the completion signal. All agents
that HEDDLE_AGENTS shows (by default the cpu agent) take part with all of their ISAs. The interpreter takes
part only if --agent or HEDDLE_AGENTS names it.
Each is finalized, loaded and run once; these first results are compared, and files after = get those of the
first. Then all are launched in turn, first to warm up and then in measured rounds. The speed of an ISA is the
median, over the rounds, of the time of the first line by its own time.
Launches leave the buffers as they are, for all ISAs alike: a kernel that overwrites its input works on its
own results from the second launch on, and may take another time than on the input. With --restore each
launch starts from the initial values of out and inout buffers; writing them is not timed, but it leaves them
in the caches.
Example:
  heddle bench vector_add.hsail --grid 1M --bytes 12M --operations 1M \
    --arg f32*1M --arg f32:iota*1M --arg f32:2.5*1M --arg u32:1048576
Exit codes: 0 all were timed and have the same results; 1 otherwise, or if a file or an argument is wrong;
2 the command line is wrong.)";

void add_schedule_options(Command& command, Schedule& schedule) {
  command
      .option("--warm-up", schedule.warm_up_launches,
              "launches of each before the rounds, at least; more until its times are steady")
      .whole_number(0, max_rounds)
      .with_default_in_help()
      .value_name("N");
  command
      .option("--warm-up-time", schedule.warm_up_seconds,
              "after so many seconds of its own launches, one need no longer become steady")
      .number(0, 1e6)
      .with_default_in_help()
      .value_name("SECONDS");
  command.option("--rounds", schedule.rounds, "measured launches of each, at least")
      .whole_number(1, max_rounds)
      .with_default_in_help()
      .value_name("N");
  command.option("--min-time", schedule.seconds, "seconds of measured launches of each, at least")
      .number(0, 1e6)
      .with_default_in_help()
      .value_name("SECONDS");
}

}  // namespace

void add_bench(CommandLine& heddle) {
  Command& command =
      heddle.add("bench", "Time a kernel on every agent, in every ISA, and compare the results");
  auto options = std::make_shared<Options>();
  add_job_options(command, options->job);
  command
      .option("--agent", options->agent,
              "part of agents' names, or names of drivers: cpu,interpreter (default: all agents)")
      .value_name("NAME");
  command
      .option("--isa", options->isas,
              "one ISA, or a part of its name such as x86-64-v3 or w8; repeat it for more (default: all)")
      .one_value_each()
      .value_name("NAME");
  add_finalizer_options(command, options->finalizer);
  add_schedule_options(command, options->schedule);
  command.option("--bytes", options->bytes, "bytes that a launch moves, for GB/s (10^9)").value_name("N");
  command.option("--operations", options->operations, "floating-point operations of a launch, for GFLOP/s")
      .value_name("N");
  command.flag("--restore", options->restore, "let each launch start from the initial values of the buffers");
  command.flag("--no-compare", options->no_compare, "do not compare the results");
  command.option("--timeout", options->timeout, "give up on a launch after so many seconds (default: never)")
      .number(0, 1e9)
      .value_name("SECONDS");
  command.flag("--json", options->json, "print JSON, with all times in seconds");
  command.footer(std::string(argument_help) + explanation);
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
