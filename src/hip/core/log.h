// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of the library, which the variables of ROCm control: AMD_LOG_LEVEL and AMD_LOG_MASK. All functions
// are thread safe.
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include "hip/core/environment.h"

namespace heddle::hip {

/// A message is shown if its level is at most AMD_LOG_LEVEL, which is 0 unless it is set.
enum class LogLevel : uint8_t { none = 0, error = 1, warning = 2, info = 3, debug = 4 };

/// What a message is about: a bit of AMD_LOG_MASK, which has all bits unless it is set.
enum LogSubject : uint32_t {
  log_api = 0x1,
  log_command = 0x2,
  log_wait = 0x4,
  log_aql = 0x8,
  log_queue = 0x10,
  log_signal = 0x20,
  log_lock = 0x40,
  log_kernel = 0x80,
  log_copy = 0x100,
  log_copy_detail = 0x200,
  log_resource = 0x400,
  log_init = 0x800,
  log_misc = 0x1000,
  log_aql_bytes = 0x2000,
  log_code = 0x4000,
  log_command_detail = 0x8000,
  log_location = 0x10000,
  log_memory = 0x20000,
  log_always = 0xFFFFFFFF
};

/// Returns whether messages of this level about this subject are shown.
inline bool logs(LogLevel level, LogSubject subject) {
  return static_cast<uint32_t>(level) <= environment.log_level && (environment.log_mask & subject) != 0;
}

/// Writes one line to standard error, if logs() says so: with the subject, and with the place in the
/// library's code if AMD_LOG_MASK has log_location.
void log(LogLevel level, LogSubject subject, std::string_view text,
         const std::source_location& place = std::source_location::current());

/// The same for a message that is formatted only if it is shown.
template <typename Format>
void log_lazily(LogLevel level, LogSubject subject, Format format,
                const std::source_location& place = std::source_location::current()) {
  if (logs(level, subject)) log(level, subject, format(), place);
}

}  // namespace heddle::hip
