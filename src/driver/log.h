// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of the driver and the agents. It writes lines to stderr up to the level that HEDDLE_LOG names
// (error, warning, info, debug; default error). Nothing here throws, since the log may have to report that
// memory is exhausted.
#pragma once

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <hsam/hsam.h>

namespace heddle::driver {

bool log_enabled(hsam_log_level level) noexcept;

/// Writes one line in a single call, so that lines of several threads do not mix.
void log_line(hsam_log_level level, std::string_view source, std::string_view message) noexcept;

template <typename... Args>
void log(hsam_log_level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!log_enabled(level)) return;
  fmt::memory_buffer line;  // allocates only for more than 500 characters
  try {
    fmt::format_to(std::back_inserter(line), format, std::forward<Args>(args)...);
  } catch (...) {
    line.clear();
    line.append(std::string_view("no memory for a line of the log"));
  }
  log_line(level, "driver", {line.data(), line.size()});
}

template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(HSAM_LOG_ERROR, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(HSAM_LOG_WARNING, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(HSAM_LOG_DEBUG, format, std::forward<Args>(args)...);
}

}  // namespace heddle::driver
