// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/log.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace heddle::hip {
namespace {

/// Returns the number in an environment variable, or `otherwise` if it is not set or no number.
uint32_t number_in(const char* variable, uint32_t otherwise) {
  const char* const text = secure_getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 0);
  return *end == '\0' ? static_cast<uint32_t>(value) : otherwise;
}

struct Settings {
  uint32_t level = number_in("AMD_LOG_LEVEL", 0);
  uint32_t mask = number_in("AMD_LOG_MASK", log_always);
};

const Settings& settings() {
  static const Settings read;
  return read;
}

constexpr char level_letters[] = "-EWID";

}  // namespace

bool logs(LogLevel level, LogSubject subject) {
  return static_cast<uint32_t>(level) <= settings().level && (settings().mask & subject) != 0;
}

void log(LogLevel level, LogSubject subject, std::string_view text) {
  if (!logs(level, subject)) return;
  const std::string line = fmt::format("hip:{}: {}\n", level_letters[static_cast<int>(level)], text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace heddle::hip
