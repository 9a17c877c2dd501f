// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of the runtime, the driver and the agents. It writes lines to stderr up to the level that
// HEDDLE_LOG names (error, warning, info, debug; default error). Messages of the levels info and debug are
// about a subject, and HEDDLE_LOG can restrict them to some subjects. Nothing here throws, since the log may
// have to report that memory is exhausted.
//
// A message that is not shown costs a relaxed load and a test.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <hsam/hsam.h>

namespace heddle::driver {

/// What HEDDLE_LOG selects. Thread safe.
class LogSelection {
 public:
  /// Says whether the log shows messages of level info or debug about the subject. True, too, before
  /// HEDDLE_LOG has been read: log_line() decides then.
  static bool shows(hsam_log_level level, hsam_log_subject subject) noexcept {
    return (__atomic_load_n(&shown_, __ATOMIC_RELAXED) & bit(level, subject)) != 0;
  }
  /// The same word for agents (hsam_host::logged).
  static constexpr const uint32_t* shown_mask() noexcept { return &shown_; }

  /// Reads HEDDLE_LOG, unless it has been read.
  static void read() noexcept;
  /// Reports whether messages of this level are shown, of whatever subject.
  static bool shows(hsam_log_level level) noexcept;

 private:
  static constexpr uint32_t bit(hsam_log_level level, hsam_log_subject subject) {
    return 1u << ((level == HSAM_LOG_DEBUG ? 16u : 0u) + static_cast<uint32_t>(subject));
  }

  static uint32_t shown_;
};

bool log_enabled(hsam_log_level level) noexcept;

/// Writes one line in a single call, so that lines of several threads do not mix.
void log_line(hsam_log_level level, std::string_view source, std::string_view message) noexcept;
/// Does the same for a message about a subject, whose name becomes part of the line.
void log_line(hsam_log_level level, hsam_log_subject subject, std::string_view source,
              std::string_view message) noexcept;

/// A line of the log as it is being made.
class LogText {
 public:
  template <typename... Args>
  explicit LogText(fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
      fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    } catch (...) {
      text_.clear();
      text_.append(std::string_view("no memory for a line of the log"));
    }
  }
  std::string_view view() const noexcept { return {text_.data(), text_.size()}; }

 private:
  fmt::memory_buffer text_;  // allocates only for more than 500 characters
};

template <typename... Args>
void log(hsam_log_level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!log_enabled(level)) return;
  log_line(level, "driver", LogText(format, std::forward<Args>(args)...).view());
}

template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(HSAM_LOG_ERROR, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(HSAM_LOG_WARNING, format, std::forward<Args>(args)...);
}

/// Lives and states of objects, which change rarely.
template <typename... Args>
void log_info(hsam_log_subject subject, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!LogSelection::shows(HSAM_LOG_INFO, subject)) return;
  log_line(HSAM_LOG_INFO, subject, "driver", LogText(format, std::forward<Args>(args)...).view());
}
/// What happens all the time: calls, packets, allocations. The arguments are evaluated even if the message
/// is not shown; where they cost something, ask LogSelection first.
template <typename... Args>
void log_debug(hsam_log_subject subject, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!LogSelection::shows(HSAM_LOG_DEBUG, subject)) return;
  log_line(HSAM_LOG_DEBUG, subject, "driver", LogText(format, std::forward<Args>(args)...).view());
}

}  // namespace heddle::driver
