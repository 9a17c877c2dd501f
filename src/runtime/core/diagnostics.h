// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations of failed calls. They go to the log (HEDDLE_LOG) and to a text that the calling thread can
// fetch afterwards.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <hsam/hsam.h>

namespace heddle::runtime {

/// Logs the text and appends it to this thread's diagnostics. `source` names the component, such as "loader".
void report(hsam_log_level level, std::string_view source, std::string_view text);

template <typename... Args>
void report_error(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
  report(HSAM_LOG_ERROR, source, fmt::format(format, std::forward<Args>(args)...));
}

/// Returns everything that was reported on this thread since the last clear_diagnostics().
const std::string& last_diagnostics();
void clear_diagnostics();

}  // namespace heddle::runtime
