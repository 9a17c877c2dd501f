// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the explanations of failed calls go: the log (HEDDLE_LOG), and a text that the calling thread can
// fetch afterwards.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <hsam/hsam.h>

namespace heddle::runtime {

/// Logs the text and adds it to the last diagnostics of this thread. `source` is "loader", "finalizer", ...
void report(hsam_log_level level, std::string_view source, std::string_view text);

template <typename... Args>
void report_error(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
  report(HSAM_LOG_ERROR, source, fmt::format(format, std::forward<Args>(args)...));
}

/// What has been reported on this thread since the last clear_diagnostics().
const std::string& last_diagnostics();
void clear_diagnostics();

}  // namespace heddle::runtime
