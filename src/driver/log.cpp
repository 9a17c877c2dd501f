// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/log.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace heddle::driver {
namespace {

constexpr std::array<std::string_view, 4> level_names = {"error", "warning", "info", "debug"};
constexpr std::array<std::string_view, HSAM_LOG_SUBJECTS> subject_names = {
    "api",    "command", "wait",     "aql",  "queue", "signal", "lock",
    "kernel", "copy",    "resource", "init", "misc",  "code",   "memory"};

// Bits of the word that LogSelection::shows reads, besides those of the subjects (0 to 13 for info, 16 to 29
// for debug).
constexpr uint32_t info_shift = 0, debug_shift = 16;
constexpr uint32_t all_subjects = (1u << HSAM_LOG_SUBJECTS) - 1;
constexpr uint32_t warnings = 1u << 30;
constexpr uint32_t unread = 1u << 31;

iovec piece(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

void write_line(hsam_log_level level, std::string_view source, std::string_view subject,
                std::string_view message) {
  const iovec line[] = {piece("heddle: "),
                        piece(source),
                        piece(": "),
                        piece(level_names[level]),
                        piece(": "),
                        piece(subject),
                        piece(subject.empty() ? "" : ": "),
                        piece(message),
                        piece("\n")};
  // A failure to write the log cannot be reported anywhere.
  [[maybe_unused]] ssize_t written = ::writev(STDERR_FILENO, line, std::size(line));
}

/// What a value of HEDDLE_LOG asks for.
struct Wanted {
  std::optional<size_t> level;  ///< an index of level_names
  uint32_t subjects = 0;

  /// Adds what one name of the list asks for; false if it means nothing there.
  bool add(std::string_view name) {
    if (const auto found = std::ranges::find(level_names, name); found != level_names.end()) {
      if (level || subjects != 0) return false;  // the level comes first, and once
      level = static_cast<size_t>(found - level_names.begin());
      return true;
    }
    const auto found = std::ranges::find(subject_names, name);
    if (found == subject_names.end()) return false;
    subjects |= 1u << (found - subject_names.begin());
    return true;
  }

  uint32_t word() const {
    const size_t limit = level.value_or(HSAM_LOG_DEBUG);
    const uint32_t shown = subjects == 0 ? all_subjects : subjects;
    uint32_t word = 0;
    if (limit >= HSAM_LOG_WARNING) word |= warnings;
    if (limit >= HSAM_LOG_INFO) word |= shown << info_shift;
    if (limit >= HSAM_LOG_DEBUG) word |= shown << debug_shift;
    return word;
  }
};

std::optional<Wanted> parse(std::string_view text) {
  Wanted wanted;
  while (true) {
    const size_t comma = text.find(',');
    if (!wanted.add(text.substr(0, comma))) return std::nullopt;
    if (comma == std::string_view::npos) return wanted;
    text.remove_prefix(comma + 1);
  }
}

void report_wrong_value(const char* text) {
  char message[320];  // formatted by the C library, which throws nothing
  const int length =
      std::snprintf(message, sizeof message,
                    "HEDDLE_LOG is '%.40s', none of error, warning, info, debug, nor one of them followed by "
                    "names of api, command, wait, aql, queue, signal, lock, kernel, copy, resource, init, "
                    "misc, code, memory: error is meant",
                    text);
  write_line(HSAM_LOG_ERROR, "driver", "", {message, static_cast<size_t>(length)});
}

}  // namespace

constinit uint32_t LogSelection::shown_ = ~0u;

void LogSelection::read() noexcept {
  if ((__atomic_load_n(&shown_, __ATOMIC_RELAXED) & unread) == 0) return;
  const char* text = secure_getenv("HEDDLE_LOG");
  const bool empty = text == nullptr || *text == '\0';
  const std::optional<Wanted> wanted = empty ? std::nullopt : parse(text);
  const uint32_t before = __atomic_exchange_n(&shown_, wanted ? wanted->word() : 0, __ATOMIC_RELAXED);
  // Several threads may come here at the same time, and only one reports.
  if (!empty && !wanted && (before & unread) != 0) report_wrong_value(text);
}

bool LogSelection::shows(hsam_log_level level) noexcept {
  read();
  const uint32_t shown = __atomic_load_n(&shown_, __ATOMIC_RELAXED);
  switch (level) {
    case HSAM_LOG_ERROR:
      return true;
    case HSAM_LOG_WARNING:
      return (shown & warnings) != 0;
    case HSAM_LOG_INFO:
      return (shown & (all_subjects << info_shift)) != 0;
    case HSAM_LOG_DEBUG:
      return (shown & (all_subjects << debug_shift)) != 0;
  }
  return false;  // an agent may pass any number
}

bool log_enabled(hsam_log_level level) noexcept { return LogSelection::shows(level); }

void log_line(hsam_log_level level, std::string_view source, std::string_view message) noexcept {
  if (log_enabled(level)) write_line(level, source, "", message);
}

void log_line(hsam_log_level level, hsam_log_subject subject, std::string_view source,
              std::string_view message) noexcept {
  const auto index = static_cast<uint32_t>(subject);
  if (level == HSAM_LOG_ERROR || level == HSAM_LOG_WARNING || index >= HSAM_LOG_SUBJECTS)
    return log_line(level, source, message);
  LogSelection::read();
  if (level <= HSAM_LOG_DEBUG && level >= HSAM_LOG_ERROR && LogSelection::shows(level, subject))
    write_line(level, source, subject_names[index], message);
}

}  // namespace heddle::driver
