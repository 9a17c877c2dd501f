// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/log.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdio>

namespace heddle::hip {
namespace {

constexpr char level_letters[] = "-EWID";

/// By the number of the bit.
constexpr std::array subject_names{"api",  "cmd",  "wait", "aql",   "queue",    "sig",
                                   "lock", "kern", "copy", "copy2", "resource", "init",
                                   "misc", "aql2", "code", "cmd2",  "location", "mem"};

}  // namespace

void log(LogLevel level, LogSubject subject, std::string_view text, const std::source_location& place) {
  if (!logs(level, subject)) return;
  const auto bit = static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(subject)));
  std::string line =
      fmt::format("hip:{}: [{}] {}", level_letters[static_cast<int>(level)], subject_names.at(bit), text);
  if ((environment.log_mask & log_location) != 0) {
    const std::string_view file = place.file_name();
    line += fmt::format(" ({}:{})", file.substr(file.rfind('/') + 1), place.line());
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace heddle::hip
