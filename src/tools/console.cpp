// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "support/printable.h"

namespace heddle::tools {
namespace {

void write_line(std::string_view text) { fmt::print(stderr, "{}\n", text); }

std::string replace_all(std::string text, std::string_view word, const std::string& by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

}  // namespace

void hold_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    // Standard input is opened for writing and the other streams for reading, so that using them still fails.
    // open() returns the lowest free number, which is `stream`.
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

Result<void> flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  const int reason = errno;  // 0 if an earlier write failed
  return Error{fmt::format("cannot write standard output{}{}", reason != 0 ? ": " : "",
                           reason != 0 ? std::strerror(reason) : "")};
}

bool shows_colours(int stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return (no_color == nullptr || *no_color == '\0') && !dumb && isatty(stream) == 1;
}

std::string styled(int stream, Style style, std::string_view text) {
  if (!shows_colours(stream)) return std::string(text);
  constexpr const char* codes[] = {"1", "2", "1;31", "1;33", "36"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(style)], text);
}

void print_error(std::string_view text) {
  write_line(fmt::format("heddle: {} {}", styled(2, Style::red, "error:"), printable(text)));
}

void print_warning(std::string_view text) {
  write_line(fmt::format("heddle: {} {}", styled(2, Style::yellow, "warning:"), printable(text)));
}

std::string with_file(std::string_view path, std::string_view diagnostics) {
  constexpr std::string_view severities[] = {"error: ", "warning: ", "note: "};
  std::string text;
  while (!diagnostics.empty()) {
    const std::string_view line = diagnostics.substr(0, diagnostics.find('\n'));
    diagnostics.remove_prefix(std::min(line.size() + 1, diagnostics.size()));
    bool position = false;
    for (std::string_view severity : severities) position |= line.find(severity) != std::string_view::npos;
    for (std::string_view severity : severities) position &= !line.starts_with(severity);
    text += fmt::format("{}{}{}\n", path, position ? ":" : ": ", line);
  }
  return text;
}

void print_diagnostics(std::string_view text) {
  std::string coloured = printable(text);
  if (shows_colours(2)) {
    coloured = replace_all(std::move(coloured), ": error: ", ": " + styled(2, Style::red, "error:") + " ");
    coloured =
        replace_all(std::move(coloured), ": warning: ", ": " + styled(2, Style::yellow, "warning:") + " ");
    coloured = replace_all(std::move(coloured), ": note: ", ": " + styled(2, Style::cyan, "note:") + " ");
  }
  fmt::print(stderr, "{}{}", coloured, coloured.ends_with('\n') ? "" : "\n");
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string format_bytes(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

Progress::Progress(std::string what)
    : what_(std::move(what)), start_(std::chrono::steady_clock::now()), watcher_([this] { watch(); }) {}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  watcher_.join();
}

void Progress::watch() {
  bool terminal = isatty(2) == 1, shown = false;
  auto next = start_ + std::chrono::seconds(2);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_until(lock, next, [this] { return done_; })) {
    auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_).count();
    if (terminal) {
      fmt::print(stderr, "\r\033[K{} ... {} s", what_, seconds);
    } else if (!shown) {
      fmt::print(stderr, "heddle: {} ...\n", what_);
    }
    std::fflush(stderr);
    shown = true;
    next += std::chrono::seconds(1);
  }
  if (terminal && shown) fmt::print(stderr, "\r\033[K");
}

}  // namespace heddle::tools
