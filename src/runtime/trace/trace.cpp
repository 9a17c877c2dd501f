// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/trace.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "driver/log.h"
#include "runtime/trace/doorbells.h"
#include "runtime/trace/recorder.h"
#include "runtime/trace/timeline.h"
#include "runtime/trace/trace_file.h"
#include "support/fork_handler.h"

namespace heddle::runtime::trace {
namespace {

using driver::ActivityKind;

constexpr uint32_t recorded_kinds =
    ActivityKind::packet | ActivityKind::dispatch | ActivityKind::compute_unit | ActivityKind::barrier |
    ActivityKind::copy | ActivityKind::allocation | ActivityKind::release | ActivityKind::signal_wait |
    ActivityKind::signal_destruction | ActivityKind::api_call | ActivityKind::queue_creation |
    ActivityKind::queue_failure | ActivityKind::queue_destruction | ActivityKind::kernel_loading |
    ActivityKind::doorbell;

struct NamedFormat {
  std::string_view name;
  Format format;
};
constexpr std::array<NamedFormat, 2> format_names = {
    {{"json", Format::json}, {"perfetto", Format::perfetto}}};
constexpr std::array<NamedFormat, 4> extensions = {{{".json", Format::json},
                                                    {".perfetto-trace", Format::perfetto},
                                                    {".pftrace", Format::perfetto},
                                                    {".pb", Format::perfetto}}};

/// The format of HEDDLE_TRACE_FORMAT, or else the one that the name of the file stands for, or else JSON.
Format format_of(std::string_view path) {
  const char* wanted = secure_getenv("HEDDLE_TRACE_FORMAT");
  if (wanted != nullptr && *wanted != '\0') {
    const auto found = std::ranges::find(format_names, std::string_view(wanted), &NamedFormat::name);
    if (found != format_names.end()) return found->format;
    driver::log_warning("HEDDLE_TRACE_FORMAT is '{}', neither json nor perfetto: it is ignored", wanted);
  }
  for (const NamedFormat& extension : extensions)
    if (path.ends_with(extension.name)) return extension.format;
  return Format::json;
}

/// Replaces %p by the process ID.
std::string with_process(std::string path, std::string_view process) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at + process.size()))
    path.replace(at, 2, process);
  return path;
}

/// Adds the process ID before the extension.
std::string beside(std::string path, std::string_view process) {
  const size_t folder = path.rfind('/');
  const size_t name = folder == std::string::npos ? 0 : folder + 1;
  const size_t dot = path.rfind('.');
  path.insert(dot == std::string::npos || dot <= name ? path.size() : dot, std::string(".") += process);
  return path;
}

/// The trace of one process.
class Trace {
 public:
  using Files = std::vector<std::unique_ptr<TraceFile>>;

  Trace(uint32_t process, Files files) : files_(std::move(files)), timeline_(process, sinks_of(files_)) {}

  void record() {
    recorder_.emplace(recorded_kinds, [this](std::span<const Record> records) {
      timeline_.add(records);
      for (const auto& file : files_) file->write();
    });
  }
  void flush() { recorder_->flush(); }
  void close() { recorder_->close(); }
  void forget_parent() noexcept {
    for (const auto& file : files_) file->forget_parent();
  }

 private:
  static std::vector<Sink*> sinks_of(const Files& files) {
    std::vector<Sink*> sinks;
    for (const auto& file : files) sinks.push_back(&file->sink());
    return sinks;
  }

  const Files files_;
  Timeline timeline_;
  std::optional<Recorder> recorder_;
};

/// Returns what HEDDLE_TRACE says; "" if no trace is wanted.
std::string_view wanted_files() {
  const char* setting = secure_getenv("HEDDLE_TRACE");
  return setting != nullptr ? setting : "";
}

/// What remains when a trace ends. Never destroyed.
class State {
 public:
  static State& instance() {
    static State& state = *(made_ = new State);
    return state;
  }
  /// Null if no trace has been wanted yet: processes without one have nothing to allocate.
  static State* existing() { return made_; }

  void start() {
    if (trace_ != nullptr) return watch_doorbells();
    const std::string_view wanted = wanted_files();
    if (wanted.empty()) return;
    const auto process = static_cast<uint32_t>(getpid());
    Trace::Files files = open_files(wanted, process);
    if (files.empty()) return;
    auto trace = std::make_unique<Trace>(process, std::move(files));
    if (!closes_at_exit_ && std::atexit(&State::close_at_exit) != 0) {
      driver::log_error("there is no trace, because nothing would close it at the end of the process");
      return;
    }
    closes_at_exit_ = true;
    trace->record();
    trace_ = trace.release();
    watch_doorbells();
  }

  void flush() {
    if (trace_ != nullptr) trace_->flush();
  }

 private:
  /// Opens the files of a list. Those that cannot be opened are errors in the log.
  Trace::Files open_files(std::string_view list, uint32_t process) const {
    const std::string number = std::to_string(process);
    Trace::Files files;
    while (!list.empty()) {
      const std::string wanted(list.substr(0, list.find(':')));
      list.remove_prefix(std::min(list.size(), wanted.size() + 1));
      if (wanted.empty()) continue;
      std::string path = with_process(wanted, number);
      // The parent of a fork goes on writing its own file.
      if (is_child_ && path == wanted) path = beside(std::move(path), number);
      auto file = std::make_unique<TraceFile>(format_of(path), process);
      if (file->open(path))
        files.push_back(std::move(file));
      else
        driver::log_error("there is no trace in {}, which cannot be written: {}", path, std::strerror(errno));
    }
    return files;
  }

  /// Other threads may still report activities, which then are too late.
  static void close_at_exit() {
    if (instance().trace_ != nullptr) instance().trace_->close();
  }

  /// The child has none of the parent's threads, and may begin a trace of its own.
  void forget_parent() noexcept {
    if (trace_ != nullptr) trace_->forget_parent();
    parents_trace_ = trace_;
    trace_ = nullptr;
    is_child_ = true;
    Recorder::forget_parent_thread();
  }

  static inline std::atomic<State*> made_ = nullptr;
  Trace* trace_ = nullptr;
  Trace* parents_trace_ = nullptr;  ///< never used; lost on purpose
  bool is_child_ = false;
  bool closes_at_exit_ = false;
  const ForkHandler fork_handler_{[](void* state) noexcept { static_cast<State*>(state)->forget_parent(); },
                                  this};
};

}  // namespace

void start() noexcept try {
  if (!wanted_files().empty() || State::existing() != nullptr) State::instance().start();
} catch (const std::exception& error) {
  driver::log_error("there is no trace: {}", error.what());
}

void flush() noexcept try {
  if (State* state = State::existing()) state->flush();
} catch (const std::exception& error) {
  driver::log_error("the trace is not up to date: {}", error.what());
}

}  // namespace heddle::runtime::trace
