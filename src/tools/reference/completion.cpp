// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/reference/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace heddle::tools {
namespace {

constexpr std::string_view head = "# Made by `heddle reference`.\n";

/// What a shell offers for a value.
enum class Values { none, words, files, folders };

Values values_of(const OptionDescription& option) {
  if (option.value_name.empty()) return Values::none;
  if (!option.choices.empty()) return Values::words;
  if (option.value_name == "FOLDER") return Values::folders;
  // Arguments of kernels name files behind other characters; the shell can help with the rest of the word.
  return option.value_name == "FILE" || option.names.empty() ? Values::files : Values::none;
}

std::string names_of(const CommandDescription& command) {
  std::string result;
  for (const OptionDescription& option : command.options)
    for (const std::string& name : option.names) result += (result.empty() ? "" : " ") + name;
  return result;
}

std::string commands_of(const std::vector<CommandDescription>& commands) {
  std::string result;
  for (const CommandDescription& command : commands) result += (result.empty() ? "" : " ") + command.name;
  return result;
}

/// Returns the text in single quotes, as all three shells read it.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

// ---- bash ----

/// Returns the branches for the values of a command's options.
std::string bash_values(const CommandDescription& command) {
  std::string result;
  for (const OptionDescription& option : command.options) {
    if (option.names.empty() || option.value_name.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names)
      pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : "|", command.name, name);
    std::string action = "COMPREPLY=()";
    switch (values_of(option)) {
      case Values::words:
        action = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(option.choices, " "));
        break;
      case Values::files:
        action = "_heddle_paths -f";
        break;
      case Values::folders:
        action = "_heddle_paths -d";
        break;
      case Values::none:
        break;
    }
    result += fmt::format("    {}) {}; return ;;\n", pattern, action);
  }
  return result;
}

// ---- zsh ----

/// Returns the text for a place where zsh reads colons and brackets as its own.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const OptionDescription& option) {
  switch (values_of(option)) {
    case Values::words:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case Values::files:
      return "_files";
    case Values::folders:
      return "_files -/";
    case Values::none:
      return " ";
  }
  return " ";
}

std::string zsh_option(const OptionDescription& option) {
  if (option.names.empty())
    return fmt::format("      {}\n", quoted(fmt::format("{}:{}:{}", option.repeatable ? "*" : "",
                                                        zsh_text(option.value_name), zsh_action(option))));
  std::string result;
  for (const std::string& name : option.names) {
    std::string spec;
    if (option.repeatable)
      spec = "*";
    else if (option.names.size() > 1)
      spec = fmt::format("({})", fmt::join(option.names, " "));
    spec += fmt::format("{}[{}]", name, zsh_text(option.help));
    if (!option.value_name.empty())
      spec += fmt::format(":{}:{}", zsh_text(option.value_name), zsh_action(option));
    result += fmt::format("      {}\n", quoted(spec));
  }
  return result;
}

// ---- fish ----

/// Returns how fish calls names like --agent, -o and -include.
std::string_view fish_kind(std::string_view name) {
  if (name.starts_with("--")) return "-l";
  return name.size() == 2 ? "-s" : "-o";
}

std::string fish_option(const OptionDescription& option, std::string_view condition) {
  if (option.names.empty()) return {};
  std::string result = fmt::format("complete -c heddle -n {}", quoted(condition));
  for (const std::string& name : option.names)
    result += fmt::format(" {} {}", fish_kind(name), name.substr(name.find_first_not_of('-')));
  switch (values_of(option)) {
    case Values::words:
      result += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      break;
    case Values::files:
      result += " -r -F";
      break;
    case Values::folders:
      result += " -x -a '(__fish_complete_directories)'";
      break;
    case Values::none:
      if (!option.value_name.empty()) result += " -x";
      break;
  }
  return result + fmt::format(" -d {}\n", quoted(option.help));
}

}  // namespace

std::string bash_completion(const CommandDescription& heddle,
                            const std::vector<CommandDescription>& commands) {
  std::string result = std::string(head) + R"(
# Offers paths for the word; $1 is -f for all files and -d for folders.
_heddle_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}

_heddle() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options=
  COMPREPLY=()
)";
  result += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n    return\n  fi\n",
      commands_of(commands), names_of(heddle));
  result += "  case \"$command $previous\" in\n";
  for (const CommandDescription& command : commands) result += bash_values(command);
  result += "  esac\n  case $command in\n";
  for (const CommandDescription& command : commands)
    result += fmt::format("    {}) options='{}' ;;\n", command.name, names_of(command));
  result += R"(  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) _heddle_paths -f ;;
  esac
}

complete -F _heddle heddle
)";
  return result;
}

std::string zsh_completion(const CommandDescription& heddle,
                           const std::vector<CommandDescription>& commands) {
  std::string result = "#compdef heddle\n" + std::string(head) + "\n_heddle() {\n  local -a commands=(\n";
  for (const CommandDescription& command : commands)
    result += fmt::format("    {}\n", quoted(command.name + ":" + zsh_text(command.summary)));
  result += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _arguments";
  for (const OptionDescription& option : heddle.options) result += " \\\n" + zsh_option(option);
  while (result.ends_with('\n')) result.pop_back();
  result +=
      "\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandDescription& command : commands) {
    result += fmt::format("    {})\n      local -a specs=(\n", command.name);
    for (const OptionDescription& option : command.options) result += zsh_option(option);
    result += "      )\n      _arguments $specs ;;\n";
  }
  return result + "  esac\n}\n\n_heddle \"$@\"\n";
}

std::string fish_completion(const CommandDescription& heddle,
                            const std::vector<CommandDescription>& commands) {
  std::string result(head);
  for (const OptionDescription& option : heddle.options)
    result += fish_option(option, "__fish_use_subcommand");
  for (const CommandDescription& command : commands) {
    result += fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          quoted(command.summary));
    for (const OptionDescription& option : command.options)
      result += fish_option(option, "__fish_seen_subcommand_from " + command.name);
  }
  return result;
}

}  // namespace heddle::tools
