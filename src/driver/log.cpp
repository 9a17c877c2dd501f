// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/log.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace heddle::driver {
namespace {

constexpr std::array<std::string_view, 4> level_names = {"error", "warning", "info", "debug"};

void write_line(hsam_log_level level, std::string_view source, std::string_view message) {
  std::string line = fmt::format("heddle: {}: {}: {}\n", source, level_names[level], message);
  // A log that cannot be written has nobody to tell.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

hsam_log_level level_from_environment() {
  const char* text = std::getenv("HEDDLE_LOG");
  if (text == nullptr || *text == '\0') return HSAM_LOG_ERROR;
  for (size_t i = 0; i < level_names.size(); ++i)
    if (level_names[i] == text) return static_cast<hsam_log_level>(i);
  write_line(HSAM_LOG_ERROR, "driver",
             fmt::format("HEDDLE_LOG is '{}', none of error, warning, info, debug: error is meant", text));
  return HSAM_LOG_ERROR;
}

}  // namespace

bool log_enabled(hsam_log_level level) {
  static const hsam_log_level limit = level_from_environment();
  return level <= limit;
}

void log_line(hsam_log_level level, std::string_view source, std::string_view message) {
  if (log_enabled(level) && level >= HSAM_LOG_ERROR) write_line(level, source, message);
}

}  // namespace heddle::driver
