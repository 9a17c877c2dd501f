// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle run: finalizes a module, dispatches one of its kernels on the given buffers, and reports the results
// and how long each part took.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "compiler.h"
#include "console.h"
#include "job.h"
#include "kernel_code.h"
#include "printf_buffer.h"
#include "session.h"
#include "statistics.h"

namespace heddle::tools {
namespace {

struct Options {
  JobOptions job;
  FinalizerOptions finalizer;
  std::string agent;
  std::optional<std::string> script;  ///< with the debugger's commands; "-" is standard input
  int repeat = 1;
  double timeout = 0;
};

struct Times {
  std::string_view translation;  ///< what makes BRIG of the file
  double translate = 0, finalize = 0, load = 0;
  std::vector<DispatchTimes> dispatches;
};

Result<void> dispatch(const Options& options, const Job& job, const KernelAgent& agent,
                      const KernelInfo& kernel, const LoadedProgram& program, void* kernarg, Times& times) {
  auto dispatcher = Dispatcher::create(agent);
  if (!dispatcher) return dispatcher.error();
  auto printed = PrintfBuffer::attach(program, agent);
  if (!printed) return printed.error();
  Progress progress("running " + kernel.name);
  for (int i = 0; i < options.repeat; ++i) {
    fill_buffers(job, i == 0);  // all runs start from the same values
    auto run = (*dispatcher)
                   ->run(kernel, job.grid, job.group, options.job.dynamic_group, options.job.stack, kernarg,
                         options.timeout);
    if (*printed) (*printed)->print();  // also what a kernel said before it failed
    if (!run) return run.error();
    times.dispatches.push_back(*run);
  }
  return {};
}

void print_kernel(const Job& job, const KernelAgent& agent, const KernelInfo& kernel) {
  fmt::print("{}  {} ({})\n", styled(1, Style::bold, "agent"), agent.name, agent.isa_name);
  fmt::print("{} {}  grid {}  group {}  kernarg {} B  group segment {} B  private {} B\n",
             styled(1, Style::bold, "kernel"), kernel.name, format_extent(job.grid, job.grid.dimensions),
             format_extent(job.group, job.grid.dimensions), kernel.kernarg_size, kernel.group_size,
             kernel.private_size);
}

Result<void> report_results(const Job& job) {
  for (size_t i = 0; i < job.slots.size(); ++i) {
    const Slot& slot = job.slots[i];
    if (!slot.buffer || slot.buffer->argument.direction == Direction::in) continue;
    const std::string& destination = slot.buffer->argument.destination;
    fmt::print("{}  {}  {}{}\n", styled(1, Style::bold, fmt::format("arg {}", i)),
               describe_shape(*slot.buffer->type, slot.buffer->shape),
               summarize(*slot.buffer, slot.memory->bytes()),
               destination.empty() ? "" : "  -> " + destination);
    if (destination.empty()) continue;
    auto saved = save_buffer(*slot.buffer, slot.memory->bytes());
    if (!saved) return saved;
  }
  return {};
}

void print_times(const Times& times) {
  std::vector<double> submit, execute;
  for (const DispatchTimes& run : times.dispatches) {
    submit.push_back(run.submit);
    execute.push_back(run.execute);
  }
  std::string text;
  if (times.translate > 0) text += fmt::format("  {} {}", times.translation, format_seconds(times.translate));
  if (times.finalize > 0) text += fmt::format("  finalize {}", format_seconds(times.finalize));
  text += fmt::format("  load {}  dispatch {}  execution {}", format_seconds(times.load),
                      format_seconds(median(submit)), format_seconds(median(execute)));
  if (execute.size() > 1) {
    text += fmt::format("  (median of {}; least {})", execute.size(),
                        format_seconds(*std::min_element(execute.begin(), execute.end())));
  }
  fmt::print("{} {}\n", styled(1, Style::bold, "time"), text);
}

/// Returns the options for compiling a source: what is asked for, and, if somebody debugs the kernel, lines
/// and variables that are those of the source.
std::vector<std::string> compiler_words(const Options& options) {
  std::vector<std::string> words;
  const bool debug = options.script || options.finalizer.debug;
  words.emplace_back(debug ? "-g" : "-gline-tables-only");  // messages about faults name lines
  if (debug && options.finalizer.opt_level < 0) words.emplace_back("-O0");
  words.insert(words.end(), options.job.compiler.words.begin(), options.job.compiler.words.end());
  return words;
}

Result<void> run_job(const Options& options, Job parsed) {
  auto planned = plan_buffers(parsed);
  if (!planned) return planned;
  choose_agents(options.agent);
  auto session = Session::open();
  if (!session) return session.error();
  Job job = std::move(parsed);  // is destroyed before the runtime is shut down
  auto agent = find_kernel_agent(options.agent);
  if (!agent) return agent.error();
  auto file = open_kernel_file(options.job.input, compiler_words(options));
  if (!file) return file.error();
  auto code = prepare_code(*file, *agent, options.finalizer);
  if (!code) return code.error();
  auto kernel = code->loaded->kernel(options.job.kernel);
  if (!kernel) return kernel.error();
  auto allocated = allocate_buffers(job, *agent);
  if (!allocated) return allocated;
  auto kernarg = make_kernarg(job, *agent, *kernel, kernel_formals(file->brig(), kernel->name));
  if (!kernarg) return kernarg.error();
  Times times{is_source(options.job.input) ? "compile" : "assemble",
              file->module ? file->module->assemble_seconds : 0,
              code->finalize_seconds,
              code->load_seconds,
              {}};
  auto done = dispatch(options, job, *agent, *kernel, *code->loaded, kernarg->address(), times);
  if (!done) return done;
  print_kernel(job, *agent, *kernel);
  auto reported = report_results(job);
  if (!reported) return reported;
  print_times(times);
  return {};
}

/// Checks that the debugger's script can be read; without it the debugger would let the kernel run to its
/// end.
Result<void> check_script(const std::string& path) {
  if (path == "-") return {};
  std::error_code absent;
  if (std::filesystem::is_directory(path, absent))
    errno = EISDIR;
  else if (access(path.c_str(), R_OK) == 0)
    return {};
  return Error{fmt::format("cannot read the script {}: {}", path, std::strerror(errno))};
}

int run(const Options& options) {
  auto job = parse_job(options.job);
  if (!job) return exit_usage;
  Result<void> done;
  if (options.script) done = check_script(*options.script);
  if (done) done = run_job(options, std::move(*job));
  if (done) return exit_success;
  print_error(done.error().message);
  return exit_failure;
}

constexpr const char* example =
    R"(After the run, each out or inout buffer is reported and written to its file.
Example:
  heddle run vector_add.hsail --kernel '&vector_add' --grid 1M --group 256 \
    --arg f32*1M=sum.npy --arg f32:iota*1M --arg f32:2.5*1M --arg u32:1048576
Exit codes: 0 the kernel ran; 1 a file is wrong, the arguments are not the kernel's, or the dispatch failed;
2 the command line is wrong.)";

}  // namespace

void add_run(CommandLine& heddle) {
  Command& command = heddle.add("run", "Run a kernel on given buffers, and report results and times");
  auto options = std::make_shared<Options>();
  add_job_options(command, options->job);
  command.footer(std::string(argument_help) + example);
  command
      .option("--agent", options->agent,
              "part of an agent's name, or cpu, interpreter, null (default: the first kernel agent)")
      .value_name("NAME");
  add_finalizer_options(command, options->finalizer);
  command.option("--repeat", options->repeat, "run so often; the median time counts")
      .from_to(1, 1000000)
      .value_name("N");
  command.option("--timeout", options->timeout, "give up on a run after so many seconds (default: never)")
      .number(0, 1e9)
      .value_name("SECONDS");
  command.action([options] { return run(*options); });
}

/// Adds `debug`, a run on the interpreter agent with its debugger (HEDDLE_DEBUGGER).
void add_debug(CommandLine& heddle) {
  Command& command = heddle.add("debug", "Step a kernel on the interpreter; `help` there lists the commands");
  auto options = std::make_shared<Options>();
  add_job_options(command, options->job);
  command.footer(std::string(argument_help) + example);
  auto script = std::make_shared<std::string>("-");
  command.option("-x,--script", *script, "file with commands (default: standard input)").value_name("FILE");
  auto batch = std::make_shared<bool>(false);
  command.flag(
      "--batch", *batch,
      "no prompt, and a command that is wrong ends the dispatch. The exit code is 1 if it or `quit` has");
  command.action([options, script, batch] {
    options->agent = "interpreter";
    options->script = *script;
    setenv("HEDDLE_DEBUGGER", script->c_str(), 1);
    if (*batch) setenv("HEDDLE_DEBUGGER_BATCH", "1", 1);
    return run(*options);
  });
}

}  // namespace heddle::tools
