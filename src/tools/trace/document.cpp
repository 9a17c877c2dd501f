// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/trace/document.h"

#include <cassert>

#include <fmt/format.h>

extern "C" const char heddle_trace_page_begin[];
extern "C" const char heddle_trace_page_end[];

namespace heddle::tools {
namespace {

constexpr std::string_view white = " \t\r\n";
constexpr std::string_view place = "@TRACE@";

/// Returns what is between the brackets of an array.
Result<std::string_view> elements(std::string_view text, size_t number) {
  const size_t open = text.find_first_not_of(white), close = text.find_last_not_of(white);
  if (open == std::string_view::npos || text[open] != '[' || text[close] != ']' || open == close)
    return Error{fmt::format("trace {} is no array of events", number)};
  text = text.substr(open + 1, close - open - 1);
  const size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return std::string_view();
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

}  // namespace

Result<std::string> join_events(std::span<const std::string> texts) {
  std::string joined = "[\n";
  bool empty = true;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto events = elements(texts[i], i + 1);
    if (!events) return events.error();
    if (events->empty()) continue;
    if (!empty) joined += ",\n";
    joined += *events;
    empty = false;
  }
  joined += "\n]\n";
  return joined;
}

/// In the page, no text of the trace may look like the end of the element that holds it.
std::string trace_page(std::string_view events) {
  const std::string_view page(heddle_trace_page_begin,
                              static_cast<size_t>(heddle_trace_page_end - heddle_trace_page_begin));
  const size_t at = page.find(place);
  assert(at != std::string_view::npos);
  std::string made(page.substr(0, at));
  made.reserve(page.size() + events.size());
  for (const char c : events) {
    if (c == '<')
      made += "\\u003c";
    else
      made += c;
  }
  return made.append(page.substr(at + place.size()));
}

}  // namespace heddle::tools
