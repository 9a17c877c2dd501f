// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/messages.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

namespace heddle::compiler {
namespace {

struct SeverityName {
  std::string_view word;
  Severity severity;
};
// How clang names severities; "fatal error" stands before "error", which it contains.
constexpr SeverityName clang_severities[] = {{"fatal error", Severity::error},
                                             {"error", Severity::error},
                                             {"warning", Severity::warning},
                                             {"remark", Severity::note},
                                             {"note", Severity::note}};

struct Look {
  std::string_view word, colour;
};

Look look_of(Severity severity) {
  if (severity == Severity::error) return {"error", "\033[0;1;31m"};
  if (severity == Severity::warning) return {"warning", "\033[0;1;35m"};
  return {"note", "\033[0;1;36m"};
}

/// Returns a line of a file, without its end.
std::optional<std::string> line_of(const std::string& file, uint32_t number) {
  std::ifstream stream(file);
  std::string line;
  for (uint32_t i = 0; i < number; ++i)
    if (!std::getline(stream, line)) return std::nullopt;
  return line;
}

/// Returns the source line and a line with a caret below the column, in clang's form.
std::string snippet(const Place& place) {
  if (place.line == 0 || place.column == 0) return {};
  const auto line = line_of(place.file, place.line);
  if (!line || place.column > line->size() + 1) return {};
  std::string under = line->substr(0, place.column - 1);
  for (char& c : under)
    if (c != '\t') c = ' ';
  const std::string number = std::to_string(place.line);
  return std::string(5 - std::min<size_t>(number.size(), 5), ' ') + number + " | " + *line + "\n" +
         std::string(std::max<size_t>(number.size(), 5), ' ') + " | " + under + "^\n";
}

/// Returns the text without the codes that set colours.
std::string without_colours(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\033[") {
      while (i < text.size() && text[i] != 'm') ++i;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Takes ":NUMBER" from the end of the text.
std::optional<uint32_t> take_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size()) return std::nullopt;
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// Reads what stands before the severity: "file:line:column", "file:line", or the name of the program.
void read_place(std::string_view place, Message& message) {
  const auto last = take_number(place);
  if (!last) return;
  const auto before = take_number(place);
  message.file = place;
  message.line = before ? *before : *last;
  message.column = before ? *last : 0;
}

/// Reads the first line of a message: "PLACE: SEVERITY: TEXT", or "SEVERITY: TEXT".
std::optional<Message> read_header(std::string_view line) {
  const std::string plain = without_colours(line);
  for (const SeverityName& name : clang_severities) {
    const std::string mark = std::string(name.word) + ": ";
    const size_t at = plain.starts_with(mark) ? 0 : plain.find(": " + mark);
    if (at == plain.npos) continue;
    // A text may contain such words, too: the first of them is the severity.
    const std::string_view place = std::string_view(plain).substr(0, at);
    if (place.find(": ") != place.npos && place.find("clang") == place.npos) continue;
    Message message{.severity = name.severity, .file = {}, .text = {}, .display = {}};
    read_place(place, message);
    message.text = plain.substr(at + mark.size() + (at == 0 ? 0 : 2));
    return message;
  }
  return std::nullopt;
}

bool begins_message(std::string_view line) {
  const std::string plain = without_colours(line);
  return plain.starts_with("In file included from ") || plain.starts_with("In module ");
}

}  // namespace

void Messages::report(Severity severity, const std::string& text, const Place& place) const {
  Message message{severity, place.file, place.line, place.column, text, {}};
  const Look look = look_of(severity);
  const std::string_view bold = colour_ ? "\033[1m" : "", plain = colour_ ? "\033[0m" : "";
  std::string where = place.file;
  if (place.line != 0) where += ":" + std::to_string(place.line);
  if (place.line != 0 && place.column != 0) where += ":" + std::to_string(place.column);
  if (!where.empty()) message.display.append(bold).append(where).append(": ").append(plain);
  message.display.append(colour_ ? look.colour : "").append(look.word).append(": ").append(plain);
  message.display.append(bold).append(text).append(plain).append("\n").append(snippet(place));
  sink_(message);
}

std::vector<Message> split_clang_output(std::string_view output, bool failed) {
  std::vector<Message> messages;
  std::string before;  // lines that belong to the next message
  while (!output.empty()) {
    const size_t end = output.find('\n');
    const std::string_view line = output.substr(0, end == output.npos ? output.size() : end + 1);
    output.remove_prefix(line.size());
    const std::string_view content = line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
    if (auto message = read_header(content)) {
      message->display = before + std::string(line);
      before.clear();
      messages.push_back(std::move(*message));
    } else if (begins_message(content) || !before.empty()) {
      before += line;
    } else if (messages.empty()) {
      messages.push_back(
          {failed ? Severity::error : Severity::note, {}, 0, 0, without_colours(content), std::string(line)});
    } else {
      messages.back().display += line;
    }
  }
  if (!before.empty() && messages.empty()) messages.push_back({Severity::note, {}, 0, 0, before, {}});
  if (!before.empty()) messages.back().display += before;
  return messages;
}

}  // namespace heddle::compiler
