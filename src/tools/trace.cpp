// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle trace: runs a program, records what it and the agents do, and writes it as a time line.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "support/descriptor.h"
#include "support/temporary_folder.h"
#include "trace/document.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* json_extension = ".json";
constexpr const char* perfetto_extension = ".pftrace";

struct Options {
  std::string output, format, html, from;
  std::vector<std::string> program;
};

/// Whether HEDDLE_TRACE takes the name as it is: colons part its names, and %p is the number of the process.
bool can_be_setting(const std::string& name) {
  return name.find(':') == std::string::npos && name.find("%p") == std::string::npos;
}

/// Makes a folder for the files of the traced processes.
Result<TemporaryFolder> make_folder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error || !can_be_setting(parent)) parent = "/tmp";
  return TemporaryFolder::create_in(parent, "trace");
}

/// In the child: becomes the program, or writes errno to the pipe, which otherwise closes without a word.
[[noreturn]] void become(std::vector<char*> arguments, int failure) {
  std::signal(SIGXFSZ, SIG_DFL);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(exit_failure);
}

/// Runs the program to its end and returns what waitpid tells of it. Error: it could not be started.
Result<int> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto not_started = [&](int error) {
    return Error{fmt::format("{}: {}", words[0], std::strerror(error))};
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return not_started(errno);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = fork();
  if (child == 0) become(std::move(arguments), ends[1]);
  if (child < 0) return not_started(errno);
  // An interrupt from the terminal ends the program, and its trace is written nevertheless.
  const auto interrupt = std::signal(SIGINT, SIG_IGN);
  writing.reset();
  int error = 0, status = 0;
  const bool failed = read(reading.number(), &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, interrupt);
  if (failed) return not_started(error);
  return status;
}

/// Returns the contents of the files with this extension, in the order of their processes.
Result<std::vector<std::string>> traces_in(const std::string& folder, const std::string& extension) {
  // A file is named after the number of its process: of two numbers, the one with more digits is larger.
  std::vector<std::tuple<size_t, std::string, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == extension) {
      std::string process = entry.path().stem().string();
      const size_t digits = process.size();
      files.emplace_back(digits, std::move(process), entry.path());
    }
  if (error) return Error{fmt::format("{}: {}", folder, error.message())};
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& [digits, process, path] : files) {
    auto bytes = read_file(path.string());
    if (!bytes) return bytes.error();
    texts.emplace_back(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return texts;
}

Result<void> write_text(const std::string& path, const std::string& text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

int failed(const Error& error) {
  print_error(error.message);
  return exit_failure;
}

bool is_perfetto(const Options& options) {
  if (!options.format.empty()) return options.format == "perfetto";
  return options.output.ends_with(".perfetto-trace") || options.output.ends_with(perfetto_extension) ||
         options.output.ends_with(".pb");
}

Result<void> write_traces(const Options& options, const std::string& folder) {
  const bool perfetto = !options.output.empty() && is_perfetto(options);
  std::string events;
  if (!options.html.empty() || !perfetto) {
    const auto texts = traces_in(folder, json_extension);
    if (!texts) return texts.error();
    if (texts->empty()) return Error{fmt::format("{} has not started the HSA runtime", options.program[0])};
    auto joined = join_events(*texts);
    if (!joined) return joined.error();
    events = std::move(*joined);
  }
  if (perfetto) {
    const auto parts = traces_in(folder, perfetto_extension);
    if (!parts) return parts.error();
    if (parts->empty()) return Error{fmt::format("{} has not started the HSA runtime", options.program[0])};
    std::string whole;
    for (const std::string& part : *parts) whole += part;
    if (auto written = write_text(options.output, whole); !written) return written;
  } else if (!options.output.empty()) {
    if (auto written = write_text(options.output, events); !written) return written;
  }
  return options.html.empty() ? Result<void>() : write_text(options.html, trace_page(events));
}

/// Reports how the program ended, if it failed.
int result_of(const std::string& program, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return exit_success;
  if (WIFSIGNALED(status))
    print_error(fmt::format("{} was ended by signal {} ({})", program, WTERMSIG(status),
                            strsignal(WTERMSIG(status))));
  else
    print_error(fmt::format("{} has exited with code {}", program, WEXITSTATUS(status)));
  return exit_failure;
}

int trace_program(const Options& options) {
  const auto folder = make_folder();
  if (!folder) return failed(folder.error());
  const std::string file = folder->file("%p");
  const bool both = is_perfetto(options) && !options.html.empty();
  const std::string json = file + json_extension, perfetto = file + perfetto_extension;
  unsetenv("HEDDLE_TRACE_FORMAT");  // the names of the files say it
  setenv("HEDDLE_TRACE", (both ? json + ":" + perfetto : is_perfetto(options) ? perfetto : json).c_str(), 1);
  const auto status = run_program(options.program);
  if (!status) return failed(status.error());
  const int result = result_of(options.program[0], *status);
  // The trace of a program that failed is worth having.
  if (auto written = write_traces(options, folder->path()); !written) return failed(written.error());
  return result;
}

/// What is written when the program has ended must not fail for a reason that can be known before.
Result<void> check_outputs(const Options& options) {
  for (const std::string& output : {options.output, options.html}) {
    const fs::path folder = fs::path(output).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
      return Error{fmt::format("{}: there is no folder {}", output, folder.string())};
  }
  if (!options.html.empty() && options.html == options.output)
    return Error{fmt::format("{} cannot be both the trace and the page", options.html)};
  return check_output(options.html, std::span(&options.from, 1));
}

/// Makes a page of a trace that exists.
int convert(const Options& options) {
  auto bytes = read_file(options.from);
  if (!bytes) return failed(bytes.error());
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const auto events = join_events(std::span(&text, 1));
  if (!events) return failed(Error{options.from + ": not a trace in the format json"});
  if (auto written = write_text(options.html, trace_page(*events)); !written) return failed(written.error());
  return exit_success;
}

int run(Options options) {
  const auto wrong = [](const char* text) {
    print_error(text);
    return exit_usage;
  };
  if (!options.from.empty()) {
    if (!options.program.empty()) return wrong("trace: --from takes the place of a program");
    if (options.html.empty()) return wrong("trace: --from needs --html");
    if (!options.output.empty() || !options.format.empty())
      return wrong("trace: --from makes a page only, so -o and --format have no meaning");
    if (auto checked = check_outputs(options); !checked) return failed(checked.error());
    return convert(options);
  }
  if (options.program.empty()) return wrong("trace: there is no program; put it behind --");
  if (options.output.empty() && options.html.empty())
    options.output = options.format == "perfetto" ? "trace.pftrace" : "trace.json";
  if (auto checked = check_outputs(options); !checked) return failed(checked.error());
  return trace_program(options);
}

}  // namespace

void add_trace(CommandLine& heddle) {
  Command& command = heddle.add("trace", "Run a program and write what it and the agents did as a time line");
  auto options = std::make_shared<Options>();
  command.option("PROGRAM", options->program, "the program and its arguments, behind --");
  command.option("-o,--output", options->output, "the trace (default: trace.json, unless --html is given)")
      .value_name("FILE");
  command
      .option("--format", options->format,
              "json (Chrome's trace event format) or perfetto (default: by the file's extension, else json)")
      .one_of({"json", "perfetto"})
      .value_name("NAME");
  command.option("--html", options->html, "a page that shows the trace in any browser, without a network")
      .value_name("FILE");
  command.option("--from", options->from, "make the page from this trace (json) instead of running a program")
      .value_name("FILE");
  command.footer(
      "Example: heddle trace --html trace.html -- heddle run k.hsail --grid 1M --arg f32*1M --arg "
      "f32:iota*1M\n"
      "Processes that the program starts are in the same trace. https://ui.perfetto.dev and "
      "chrome://tracing\n"
      "read the files, too. docs/tracing.md explains what they show.");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
