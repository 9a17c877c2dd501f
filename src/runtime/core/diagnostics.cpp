// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/diagnostics.h"

#include "driver/log.h"

namespace heddle::runtime {

namespace {

std::string& thread_text() {
  thread_local std::string text;
  return text;
}

}  // namespace

void report(hsam_log_level level, std::string_view source, std::string_view text) {
  std::string& kept = thread_text();
  kept.append(text);
  if (!text.ends_with('\n')) kept.push_back('\n');
  if (driver::log_enabled(level)) driver::log_line(level, source, text);
}

const std::string& last_diagnostics() { return thread_text(); }
void clear_diagnostics() { thread_text().clear(); }

}  // namespace heddle::runtime
