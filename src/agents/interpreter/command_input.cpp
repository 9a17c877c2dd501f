// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/interpreter/command_input.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#if HEDDLE_HAS_EDITLINE
#include <editline/readline.h>
#endif

namespace heddle::interpreter_agent {
namespace {

constexpr const char* prompt = "(heddle) ";

std::optional<std::string> read_line(std::FILE* in) {
  std::string line;
  int c = 0;
  while ((c = std::fgetc(in)) != EOF && c != '\n') line += static_cast<char>(c);
  if (c == EOF && line.empty()) return std::nullopt;
  return line;
}

#if HEDDLE_HAS_EDITLINE

/// The library passes no state to the functions that it calls for completion, so the state is here. One
/// variable is enough, because only one debugger reads the terminal.
const CommandInput::Complete* completion = nullptr;

char* next_match(const char* word, int number) {
  static std::vector<std::string> words;
  static size_t at = 0;
  if (number == 0) {
    words = (*completion)(std::string(rl_line_buffer ? rl_line_buffer : ""));
    at = 0;
  }
  while (at < words.size()) {
    const std::string& candidate = words[at++];
    if (candidate.starts_with(word)) return strdup(candidate.c_str());
  }
  return nullptr;
}

char** matches(const char* word, int, int) {
  rl_attempted_completion_over = 1;  // do not offer file names
  return rl_completion_matches(word, next_match);
}

std::optional<std::string> ask(const CommandInput::Complete& complete) {
  completion = &complete;
  rl_attempted_completion_function = matches;
  rl_basic_word_break_characters = " \t";
  char* text = readline(prompt);
  completion = nullptr;
  if (!text) return std::nullopt;
  std::string line(text);
  std::free(text);
  if (!line.empty()) add_history(line.c_str());
  return line;
}

#else

std::optional<std::string> ask(const CommandInput::Complete&) {
  std::fputs(prompt, stdout);
  std::fflush(stdout);
  return read_line(stdin);
}

#endif

}  // namespace

std::optional<std::string> CommandInput::next(const Complete& complete) {
  if (script_) {
    if (auto line = read_line(script_)) return line;
    std::fclose(script_);
    script_ = nullptr;
  }
  const bool terminal = isatty(STDIN_FILENO) == 1;
  if (had_script_ && (batch_ || !terminal)) return std::nullopt;
  return terminal && !batch_ ? ask(complete) : read_line(stdin);
}

}  // namespace heddle::interpreter_agent
