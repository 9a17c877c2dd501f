// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the command talks: messages on standard error, colours only on terminals, a sign of life in long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "support/result.h"

namespace heddle::tools {

/// Exit codes of all subcommands.
enum ExitCode : int {
  exit_success = 0,
  exit_failure = 1,  ///< the input is wrong, or the work failed
  exit_usage = 2,    ///< the command line is wrong
};

/// Gives standard streams that the caller has closed to a device, so that no file gets their number and what
/// is meant for them. Using them still fails.
void hold_standard_streams();
/// Standard output to where it goes; an Error if any of it was lost.
Result<void> flush_output();

/// True if the stream (1 or 2) is a terminal that shows colours; NO_COLOR turns them off.
bool shows_colours(int stream);

enum class Style { bold, dim, red, yellow, cyan };
/// The text with the codes for the style, or as it is if the stream shows no colours.
std::string styled(int stream, Style style, std::string_view text);

/// "heddle: error: text" on standard error.
void print_error(std::string_view text);
void print_warning(std::string_view text);
/// Diagnostics of a file's bytes (`SECTION+0xOFFSET: error: ...`) with the file's name before each position.
std::string with_file(std::string_view path, std::string_view diagnostics);
/// Text of the toolchain's diagnostics; "error:", "warning:" and "note:" get colours.
void print_diagnostics(std::string_view text);

/// "312 ns", "4.10 us", "1.25 ms", "2.03 s".
std::string format_seconds(double seconds);
/// "512 B", "48 KiB", "1.5 GiB".
std::string format_bytes(double bytes);

/// Says on standard error what goes on, if it goes on for more than two seconds: on a terminal as a line that
/// counts the seconds and vanishes at the end, otherwise once.
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

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::tools
