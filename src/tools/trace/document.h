// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that `heddle trace` makes of those that the traced processes have written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::tools {

/// Joins the events of several files in Chrome's trace event format (arrays of events). An Error names the
/// number of a text that is no array.
Result<std::string> join_events(std::span<const std::string> texts);

/// Makes a page that shows the events, an array in that format. The page needs no other files.
std::string trace_page(std::string_view events);

}  // namespace heddle::tools
