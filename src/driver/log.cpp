// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/log.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace heddle::driver {
namespace {

constexpr std::array<std::string_view, 4> level_names = {"error", "warning", "info", "debug"};

iovec piece(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

void write_line(hsam_log_level level, std::string_view source, std::string_view message) {
  const iovec line[] = {piece("heddle: "), piece(source),  piece(": "), piece(level_names[level]),
                        piece(": "),       piece(message), piece("\n")};
  // A failure to write the log cannot be reported anywhere.
  [[maybe_unused]] ssize_t written = ::writev(STDERR_FILENO, line, std::size(line));
}

hsam_log_level level_from_environment() {
  const char* text = secure_getenv("HEDDLE_LOG");
  if (text == nullptr || *text == '\0') return HSAM_LOG_ERROR;
  for (size_t i = 0; i < level_names.size(); ++i)
    if (level_names[i] == text) return static_cast<hsam_log_level>(i);
  char message[128];  // formatted by the C library, which throws nothing
  const int length =
      std::snprintf(message, sizeof message,
                    "HEDDLE_LOG is '%.40s', none of error, warning, info, debug: error is meant", text);
  write_line(HSAM_LOG_ERROR, "driver", {message, static_cast<size_t>(length)});
  return HSAM_LOG_ERROR;
}

}  // namespace

bool log_enabled(hsam_log_level level) noexcept {
  static const hsam_log_level limit = level_from_environment();
  return level <= limit;
}

void log_line(hsam_log_level level, std::string_view source, std::string_view message) noexcept {
  if (log_enabled(level) && level >= HSAM_LOG_ERROR) write_line(level, source, message);
}

}  // namespace heddle::driver
