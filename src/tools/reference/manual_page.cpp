// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/reference/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heddle::tools {
namespace {

/// Returns the text with the characters replaced that mean something to man(7) or that it would print as
/// typographic ones. What stands between backquotes becomes bold.
std::string escaped(std::string_view text) {
  std::string result;
  bool bold = false;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '`':
        bold = !bold;
        result += bold ? "\\fB" : "\\fR";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Returns a line that begins with a full stop so that man(7) takes it for text.
std::string line_of_text(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + escaped(text) + "\n";
}

/// Returns the text with its lines as they are.
std::string preformatted(std::string_view text) {
  std::string result = ".nf\n";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    result += line_of_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + ".fi\n";
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string header(std::string_view page, std::string_view version, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"heddle {}\" \"heddle\"\n.SH NAME\n{} \\- {}\n",
                     escaped(upper_case(page)), version, escaped(page), escaped(summary));
}

std::string names_of(const OptionDescription& option) {
  if (option.names.empty()) return fmt::format("\\fI{}\\fR", escaped(option.value_name));
  std::string result;
  for (const std::string& name : option.names)
    result += fmt::format("{}\\fB{}\\fR", result.empty() ? "" : ", ", escaped(name));
  if (!option.value_name.empty()) result += fmt::format(" \\fI{}\\fR", escaped(option.value_name));
  return result;
}

std::string remarks_on(const OptionDescription& option) {
  std::string result;
  for (const std::string& word : option.choices)
    result += fmt::format("{}\\fB{}\\fR", result.empty() ? " One of " : ", ", escaped(word));
  if (!result.empty()) result += ".";
  if (!option.default_value.empty())
    result += fmt::format(" The default is {}.", escaped(option.default_value));
  if (option.repeatable && !option.names.empty()) result += " May be given several times.";
  if (option.required && !option.names.empty()) result += " Required.";
  return result;
}

/// Help texts are phrases; beside remarks they have to end.
std::string with_full_stop(const std::string& help) {
  return help.empty() || help.ends_with('.') ? help : help + ".";
}

std::string options_section(const std::vector<OptionDescription>& options) {
  std::string result = ".SH OPTIONS\n";
  for (const OptionDescription& option : options)
    result += fmt::format(".TP\n{}\n{}{}\n", names_of(option), escaped(with_full_stop(option.help)),
                          remarks_on(option));
  return result;
}

std::string synopsis(const CommandDescription& command) {
  std::string result =
      fmt::format(".SH SYNOPSIS\n\\fBheddle {}\\fR [\\fIOPTIONS\\fR]", escaped(command.name));
  for (const OptionDescription& option : command.options)
    if (option.names.empty())
      result += fmt::format(" {}\\fI{}\\fR{}", option.required ? "" : "[", escaped(option.value_name),
                            option.required ? "" : "]");
  return result + "\n";
}

struct Parts {
  std::string_view description;
  std::string_view sections;
};

Parts split(HandwrittenText text) {
  const size_t at = text.starts_with(".SH") ? 0 : text.find("\n.SH");
  if (at == std::string_view::npos) return {text, {}};
  const size_t begin = at == 0 ? 0 : at + 1;
  return {text.substr(0, begin), text.substr(begin)};
}

std::string description_section(std::string_view handwritten, const std::string& summary) {
  return ".SH DESCRIPTION\n" +
         (handwritten.empty() ? line_of_text(with_full_stop(summary)) : std::string(handwritten));
}

}  // namespace

std::string command_page(const CommandDescription& command, std::string_view version, HandwrittenText text) {
  const Parts parts = split(text);
  std::string page = header("heddle-" + command.name, version, command.summary) + synopsis(command) +
                     description_section(parts.description, command.summary) +
                     options_section(command.options);
  if (!command.footer.empty()) page += ".SH NOTES\n" + preformatted(command.footer);
  page += parts.sections;
  return page + ".SH SEE ALSO\n.BR heddle (1)\n";
}

std::string main_page(const CommandDescription& heddle, const std::vector<CommandDescription>& commands,
                      std::string_view version, HandwrittenText text) {
  const Parts parts = split(text);
  std::string page = header("heddle", version, heddle.summary) +
                     ".SH SYNOPSIS\n\\fBheddle\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n" +
                     description_section(parts.description, heddle.summary) + ".SH COMMANDS\n";
  for (const CommandDescription& command : commands)
    page += fmt::format(".TP\n\\fBheddle\\-{}\\fR(1)\n{}\n", escaped(command.name),
                        escaped(with_full_stop(command.summary)));
  page += options_section(heddle.options);
  page += parts.sections;
  page += ".SH SEE ALSO\n";
  for (size_t i = 0; i < commands.size(); ++i)
    page +=
        fmt::format(".BR heddle\\-{} (1){}\n", escaped(commands[i].name), i + 1 < commands.size() ? "," : "");
  return page;
}

}  // namespace heddle::tools
