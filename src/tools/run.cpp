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

#include "argument.h"
#include "buffer.h"
#include "commands.h"
#include "console.h"
#include "files.h"
#include "session.h"
#include "signature.h"
#include "support/align.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string input;
  std::string kernel;
  std::string grid;
  std::string group;
  std::vector<std::string> arguments;
  std::string agent;
  std::optional<std::string> script;  ///< with the debugger's commands; "-" is standard input
  int opt_level = -1;
  bool debug = false;
  int repeat = 1;
  double timeout = 0;
  uint32_t dynamic_group = 0;
  uint32_t stack = 65536;
};

/// A kernel argument and its memory.
struct Slot {
  std::string text;
  Argument argument;
  std::optional<PlannedBuffer> buffer;
  std::optional<Memory> memory;
};

struct Job {
  Extent grid, group;
  std::vector<Slot> slots;
};

struct Times {
  double assemble = 0, finalize = 0, load = 0;
  std::vector<DispatchTimes> dispatches;
};

/// Parses the whole command line before any work starts, and reports all errors in it.
std::optional<Job> parse_job(const Options& options) {
  Job job;
  bool right = true;
  auto complain = [&right](const std::string& text) {
    print_error(text);
    right = false;
  };
  auto grid = parse_extent(options.grid);
  if (grid)
    job.grid = *grid;
  else
    complain("--grid: " + grid.error().message);
  if (!options.group.empty()) {
    auto group = parse_extent(options.group);
    if (group)
      job.group = *group;
    else
      complain("--group: " + group.error().message);
  } else {
    job.group.size[0] = std::min<uint64_t>(job.grid.size[0], 256);
  }
  if (job.group.dimensions > job.grid.dimensions) complain("--group has more dimensions than --grid");
  for (uint64_t size : job.group.size) {
    if (size > UINT16_MAX) complain("--group: a work-group has at most 65535 work-items in a dimension");
  }
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    auto argument = parse_argument(options.arguments[i]);
    if (!argument) {
      complain(
          fmt::format("--arg {}: {}", i, describe_argument_error(options.arguments[i], argument.error())));
      continue;
    }
    const auto* buffer = std::get_if<BufferArgument>(&*argument);
    if (buffer != nullptr && same_file(buffer->destination, options.input))
      complain(fmt::format("--arg {}: the result would replace {}", i, options.input));
    job.slots.push_back({options.arguments[i], std::move(*argument), {}, {}});
  }
  return right ? std::optional(std::move(job)) : std::nullopt;
}

/// Reads the files of the arguments. Does not allocate the buffers yet.
Result<void> plan_buffers(Job& job) {
  for (Slot& slot : job.slots) {
    auto* argument = std::get_if<BufferArgument>(&slot.argument);
    if (argument == nullptr) continue;
    auto planned = plan_buffer(*argument);
    if (!planned) return planned.error();
    slot.buffer = std::move(*planned);
  }
  return {};
}

Result<void> allocate_buffers(Job& job, const KernelAgent& agent) {
  for (Slot& slot : job.slots) {
    if (!slot.buffer) continue;
    auto memory = Memory::allocate(agent.memory, slot.buffer->bytes());
    if (!memory) return memory.error();
    slot.memory = std::move(*memory);
  }
  return {};
}

void fill_buffers(const Job& job, bool inputs_too) {
  for (const Slot& slot : job.slots) {
    if (slot.buffer && (inputs_too || slot.buffer->argument.direction != Direction::in)) {
      fill_buffer(*slot.buffer, slot.memory->bytes());
    }
  }
}

/// Returns the bytes of an argument in the kernarg segment: the value, or the address of a buffer.
std::span<const std::byte> bytes_of(const Slot& slot, void* const& address) {
  if (auto* value = std::get_if<ValueArgument>(&slot.argument)) return value->bytes;
  return std::as_bytes(std::span(&address, 1));
}

uint64_t alignment_of(const Slot& slot) {
  return std::visit([](const auto& argument) -> uint64_t { return argument.alignment; }, slot.argument);
}

/// Checks that the arguments are those that the kernel takes.
Result<void> check_arguments(const Job& job, const KernelInfo& kernel, const std::vector<Formal>& formals) {
  if (formals.size() != job.slots.size()) {
    std::string list;
    for (const Formal& formal : formals)
      list += fmt::format("{}{} {}", list.empty() ? ": " : ", ", formal.type, formal.name);
    return Error{fmt::format("{} takes {} argument{}{}; {} --arg are given", kernel.name, formals.size(),
                             formals.size() == 1 ? "" : "s", list, job.slots.size())};
  }
  for (size_t i = 0; i < formals.size(); ++i) {
    const Slot& slot = job.slots[i];
    const Formal& formal = formals[i];
    const size_t size = bytes_of(slot, nullptr).size();
    if (size != formal.size)
      return Error{fmt::format("--arg {}: {} {} has {} bytes, '{}' has {}", i, formal.type, formal.name,
                               formal.size, slot.text, size)};
    if (alignment_of(slot) > formal.alignment)
      return Error{fmt::format("--arg {}: {} {} is aligned to {} bytes, '{}' to {}", i, formal.type,
                               formal.name, formal.alignment, slot.text, alignment_of(slot))};
  }
  return {};
}

/// Lays out the kernarg segment: the arguments in order, aligned as the kernel declares them if that is
/// known, or else as the arguments say (PRM 4.21).
std::vector<std::byte> pack_arguments(const Job& job, const std::vector<Formal>* formals) {
  std::vector<std::byte> packed;
  for (size_t i = 0; i < job.slots.size(); ++i) {
    const Slot& slot = job.slots[i];
    void* const address = slot.memory ? slot.memory->address() : nullptr;
    const auto bytes = bytes_of(slot, address);
    const uint64_t alignment = formals != nullptr ? (*formals)[i].alignment : alignment_of(slot);
    packed.resize(align_up(packed.size(), alignment));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  }
  return packed;
}

Result<Memory> make_kernarg(const Job& job, const KernelAgent& agent, const KernelInfo& kernel,
                            const std::optional<std::vector<Formal>>& formals) {
  if (formals) {
    auto right = check_arguments(job, kernel, *formals);
    if (!right) return right.error();
  }
  std::vector<std::byte> packed = pack_arguments(job, formals ? &*formals : nullptr);
  size_t rounded = align_up(packed.size(), 16);
  if (rounded != align_up(kernel.kernarg_size, 16)) {
    return Error{fmt::format("{} takes {} bytes of arguments (in units of 16), the --arg given make {}",
                             kernel.name, kernel.kernarg_size, packed.size())};
  }
  auto memory = Memory::allocate(agent.kernarg, std::max<size_t>(rounded, 16));
  if (memory) {
    std::fill(memory->bytes().begin(), memory->bytes().end(), std::byte{0});
    std::copy(packed.begin(), packed.end(), memory->bytes().begin());
  }
  return memory;
}

/// Code that is ready to run, with everything that it refers to.
struct Code {
  std::vector<std::byte> file;  ///< a code object
  std::vector<std::byte> brig;  ///< or else a module; empty for a code object
  Blob program, agent;
  std::optional<LoadedProgram> loaded;
};

Result<void> finalize_and_load(const Options& options, const KernelAgent& agent, Module module, Code& code,
                               Times& times) {
  times.assemble = module.assemble_seconds;
  Stopwatch finalizing;
  auto program = Program::create({&module, 1});
  if (!program) return program.error();
  std::string finalizer_options = options.opt_level >= 0 ? fmt::format("-O{} ", options.opt_level) : "";
  if (options.debug) finalizer_options += "-g";
  auto program_object = program->finalize(HSAIL_CODE_OBJECT_PROGRAM, agent.isa_name, finalizer_options);
  if (!program_object) return program_object.error();
  auto agent_object = program->finalize(HSAIL_CODE_OBJECT_AGENT, agent.isa_name, finalizer_options);
  if (!agent_object) return agent_object.error();
  code.program = std::move(*program_object);
  code.agent = std::move(*agent_object);
  times.finalize = finalizing.seconds();
  code.brig = std::move(module.brig);

  Stopwatch loading;
  auto loaded =
      LoadedProgram::load(agent, program->header().profile, code.program.bytes(), code.agent.bytes());
  if (!loaded) return loaded.error();
  code.loaded = std::move(*loaded);
  times.load = loading.seconds();
  return {};
}

Result<void> prepare_code(const Options& options, const KernelAgent& agent, Code& code, Times& times) {
  auto bytes = read_file(options.input);
  if (!bytes) return bytes.error();
  if (kind_of(*bytes) != FileKind::code_object) {
    auto module = make_module(options.input, std::move(*bytes), SourceLines::add);
    if (!module) return module.error();
    return finalize_and_load(options, agent, std::move(*module), code, times);
  }
  code.file = std::move(*bytes);
  Stopwatch loading;
  auto loaded = LoadedProgram::load(agent, code.file);
  if (!loaded) return loaded.error();
  code.loaded = std::move(*loaded);
  times.load = loading.seconds();
  return {};
}

Result<void> dispatch(const Options& options, const Job& job, const KernelAgent& agent,
                      const KernelInfo& kernel, void* kernarg, Times& times) {
  auto dispatcher = Dispatcher::create(agent);
  if (!dispatcher) return dispatcher.error();
  Progress progress("running " + kernel.name);
  for (int i = 0; i < options.repeat; ++i) {
    fill_buffers(job, i == 0);  // all runs start from the same values
    auto run = (*dispatcher)
                   ->run(kernel, job.grid, job.group, options.dynamic_group, options.stack, kernarg,
                         options.timeout);
    if (!run) return run.error();
    times.dispatches.push_back(*run);
  }
  return {};
}

std::string format_extent(const Extent& extent, uint32_t dimensions) {
  std::string text;
  for (uint32_t i = 0; i < dimensions; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", extent.size[i]);
  return text;
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void print_times(const Times& times) {
  std::vector<double> submit, execute;
  for (const DispatchTimes& run : times.dispatches) {
    submit.push_back(run.submit);
    execute.push_back(run.execute);
  }
  std::string text;
  if (times.assemble > 0) text += fmt::format("  assemble {}", format_seconds(times.assemble));
  if (times.finalize > 0) text += fmt::format("  finalize {}", format_seconds(times.finalize));
  text += fmt::format("  load {}  dispatch {}  execution {}", format_seconds(times.load),
                      format_seconds(median(submit)), format_seconds(median(execute)));
  if (execute.size() > 1) {
    text += fmt::format("  (median of {}; least {})", execute.size(),
                        format_seconds(*std::min_element(execute.begin(), execute.end())));
  }
  fmt::print("{} {}\n", styled(1, Style::bold, "time"), text);
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
  Code code;
  Times times;
  auto ready = prepare_code(options, *agent, code, times);
  if (!ready) return ready;
  auto kernel = code.loaded->kernel(options.kernel);
  if (!kernel) return kernel.error();
  auto allocated = allocate_buffers(job, *agent);
  if (!allocated) return allocated;
  auto kernarg = make_kernarg(job, *agent, *kernel, kernel_formals(code.brig, kernel->name));
  if (!kernarg) return kernarg.error();
  auto done = dispatch(options, job, *agent, *kernel, kernarg->address(), times);
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
  auto job = parse_job(options);
  if (!job) return exit_usage;
  Result<void> done;
  if (options.script) done = check_script(*options.script);
  if (done) done = run_job(options, std::move(*job));
  if (done) return exit_success;
  print_error(done.error().message);
  return exit_failure;
}

constexpr const char* argument_help = R"(Arguments, in the order of the kernel's formals, one --arg for each:
  u32:5  f64:1e-3  s32:-1     a value: TYPE:NUMBER, passed as it is
  u8x4:1,2,3,4  f32:0,1,2     a packed value, an array: element of the lowest address first
  f32*1024                    a buffer of zeros; its address is passed, its contents are reported afterwards
  f32:iota*1024               values 0, 1, 2, ...; iota(START,STEP)
  f32:random*1024             uniform values in [0,1), integers in [0,256); random(LOW,HIGH,SEED)
  u32:7*1024                  a buffer filled with one value
  @a.npy                      type and shape from a NumPy file
  f32@a.bin                   raw bytes
  png:a.png   gray:a.png      a picture as u8[height][width][4] (RGBA), or u8[height][width]
A count may be a shape, 400x600x4, and have suffixes K, M, G (1024-based).
  in:  out:  inout:           before it: is it input, result, or both? A size alone is out; anything else in
  =r.npy  =r.png  =r.bin      behind it: the file for the result, raw unless .npy or .png; then it is inout
  align(16):                  before all: the formal has that `align` qualifier. Needed for code objects only;
                              modules say it themselves
Types: u8 s8 u16 s16 f16 u32 s32 f32 u64 s64 f64, and packed ones: u8x4, u8x8, u8x16, ... f64x2.
Example:
  heddle run vector_add.hsail --kernel '&vector_add' --grid 1M --group 256 \
    --arg f32*1M=sum.npy --arg f32:iota*1M --arg f32:2.5*1M --arg u32:1048576
Exit codes: 0 the kernel ran; 1 a file is wrong, the arguments are not the kernel's, or the dispatch failed;
2 the command line is wrong.)";

/// Adds the options that `run` and `debug` have in common.
void add_job_options(Command& command, Options& options) {
  command.option("FILE", options.input, "HSAIL text, BRIG, or a code object of `heddle finalize`")
      .required()
      .value_name("");
  command.option("--kernel", options.kernel, "kernel, with or without & (default: the only one)")
      .value_name("NAME");
  command.option("--grid", options.grid, "work-items in all").required().value_name("X[,Y[,Z]]");
  command.option("--group", options.group, "work-items in a work-group (default: up to 256 in x)")
      .value_name("X[,Y[,Z]]");
  command.option("--arg", options.arguments, "one kernel argument, see below")
      .one_value_each()
      .value_name("ARG");
  command
      .option("--dynamic-group", options.dynamic_group, "bytes of group memory beyond the kernel's variables")
      .whole_number(0, UINT32_MAX)
      .value_name("BYTES");
  command
      .option("--stack", options.stack,
              "bytes of call stack for each work-item of recursive kernels (default 65536)")
      .whole_number(0, UINT32_MAX)
      .value_name("BYTES");
  command.footer(argument_help);
}

}  // namespace

void add_run(CommandLine& heddle) {
  Command& command = heddle.add("run", "Run a kernel on given buffers, and report results and times");
  auto options = std::make_shared<Options>();
  add_job_options(command, *options);
  command
      .option("--agent", options->agent,
              "part of an agent's name, or cpu, interpreter, null (default: the first kernel agent)")
      .value_name("NAME");
  command.option("-O", options->opt_level, "how hard to optimise, 0 to 3").from_to(0, 3).value_name("LEVEL");
  command.flag("-g", options->debug,
               "make debug information for registers and arguments; implies -O0 unless -O is given");
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
  add_job_options(command, *options);
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
