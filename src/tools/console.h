// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of the command: messages on standard error, colours on terminals only, and signs of progress during
// long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "support/result.h"

namespace heddle::tools {

/// The exit codes of all commands.
enum ExitCode : int {
  exit_success = 0,
  exit_failure = 1,  ///< the input is wrong, or the work failed
  exit_usage = 2,    ///< the command line is wrong
};

/// Opens standard streams that the caller has closed, so that no other file gets their number and receives
/// their output. Using these streams still fails.
void hold_standard_streams();
/// Flushes standard output. Returns an Error if any output was lost.
Result<void> flush_output();

/// Reports whether the stream (1 or 2) is a terminal that shows colours; NO_COLOR turns them off.
bool shows_colours(int stream);

enum class Style { bold, dim, red, yellow, cyan };
/// Adds the codes of the style to the text, or returns it unchanged if the stream shows no colours.
std::string styled(int stream, Style style, std::string_view text);

/// Writes "heddle: error: text" to standard error.
void print_error(std::string_view text);
void print_warning(std::string_view text);
/// Adds the file's name before each position in diagnostics of BRIG, which are lines like `SECTION+0xOFFSET:
/// error: ...`.
std::string with_file(std::string_view path, std::string_view diagnostics);
/// Prints diagnostics of the toolchain; "error:", "warning:" and "note:" get colours.
void print_diagnostics(std::string_view text);

/// Returns text such as "312 ns", "4.10 us", "1.25 ms" or "2.03 s".
std::string format_seconds(double seconds);
/// Returns text such as "512 B", "48 KiB" or "1.5 GiB".
std::string format_bytes(double bytes);

/// Shows on standard error what work is in progress if it takes more than two seconds: on a terminal with a
/// line that counts the seconds and disappears at the end, otherwise with a single message.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void watch();

  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread watcher_;
};

/// Measures the seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::tools
