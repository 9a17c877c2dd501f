// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/diagnostic.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/printable.h"
#include "support/utf8.h"

namespace heddle {
namespace {

constexpr const char* severity_names[] = {"note", "warning", "error"};
constexpr const char* severity_colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

std::string_view line_of(std::string_view source, uint32_t line) {
  size_t begin = 0;
  for (uint32_t i = 1; i < line; ++i) {
    begin = source.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view rest = source.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

/// Appends the source line with a caret below it. Tabs are kept in the caret's line so that the columns
/// agree, and a character of several bytes takes one column.
void print_caret(std::string& out, std::string_view line, const Location& where) {
  if (line.empty() || where.column == 0) return;
  out += fmt::format("  {}\n  ", printable(line));
  const size_t lead = std::min<size_t>(where.column - 1, line.size());
  for (char c : printable(line.substr(0, lead))) {
    if (!continues_character(c)) out += c == '\t' ? '\t' : ' ';
  }
  out += '^';
  const std::string marked = printable(line.substr(lead, std::max<uint32_t>(where.length, 1)));
  size_t columns = 0;
  for (char c : marked) columns += !continues_character(c);
  if (columns > 1) out.append(columns - 1, '~');
  out += '\n';
}

std::string position(const std::string& input_name, const Location& where) {
  std::string text = input_name;
  if (where.has_text()) text += fmt::format("{}{}:{}", text.empty() ? "" : ":", where.line, where.column);
  if (where.has_binary())
    text += fmt::format("{}{}+0x{:x}", text.empty() ? "" : ":", where.section, where.offset);
  return text;
}

void print_one(std::string& out, const Diagnostic& d, const std::string& name, std::string_view source,
               bool colour) {
  auto severity = static_cast<size_t>(d.severity);
  const std::string where = printable(position(name, d.location));
  if (!where.empty()) out += where + ": ";
  out += fmt::format("{}{}:{} {}", colour ? severity_colours[severity] : "", severity_names[severity],
                     colour ? "\033[0m" : "", printable(d.message));
  if (!d.id.empty()) out += fmt::format(" [{}]", d.id);
  out += '\n';
  if (d.location.has_text()) print_caret(out, line_of(source, d.location.line), d.location);
  for (const Diagnostic& n : d.notes) print_one(out, n, name, source, colour);
}

}  // namespace

Diagnostics::Diagnostics(std::string input_name, std::string_view source)
    : input_name_(std::move(input_name)), source_(source) {}

void Diagnostics::set_source(std::string input_name, std::string_view source) {
  input_name_ = std::move(input_name);
  source_ = source;
}

void Diagnostics::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error && error_count_++ >= error_limit_) return;
  diagnostics_.push_back(std::move(diagnostic));
}

void Diagnostics::error(std::string id, Location location, std::string message) {
  report({std::move(id), Severity::error, std::move(location), std::move(message), {}});
}

void Diagnostics::warning(std::string id, Location location, std::string message) {
  report({std::move(id), Severity::warning, std::move(location), std::move(message), {}});
}

void Diagnostics::note(Location location, std::string message) {
  if (diagnostics_.empty() || error_count_ > error_limit_) return;
  diagnostics_.back().notes.push_back({{}, Severity::note, std::move(location), std::move(message), {}});
}

std::string Diagnostics::print(bool colour) const {
  std::string out;
  for (const Diagnostic& d : diagnostics_) print_one(out, d, input_name_, source_, colour);
  if (error_count_ > error_limit_)
    out += fmt::format("{}{}{} further errors not shown\n", printable(input_name_),
                       input_name_.empty() ? "" : ": ", error_count_ - error_limit_);
  return out;
}

}  // namespace heddle
