// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shrink.h"

#include <algorithm>

#include "expressions.h"
#include "tools/fuzz/shrink.h"

namespace heddle::tests {

using tools::fuzz::Block;
using tools::fuzz::Program;
using tools::fuzz::Routine;

namespace {

/// A marked expression within a text.
struct Mark {
  size_t begin, end;  ///< of all of it, with its marks
  std::string type;
};

Mark mark_at(const std::string& text, size_t begin) {
  const size_t type_end = text.find(mark_type_end, begin);
  size_t end = type_end + 1;
  for (unsigned open = 1; open > 0; ++end) {
    if (text[end] == mark_begin) ++open;
    if (text[end] == mark_end) --open;
  }
  return {begin, end, text.substr(begin + 1, type_end - begin - 1)};
}

/// What may stand for the expression: a constant, or an expression of its type within it.
std::vector<std::string> replacements(const std::string& text, const Mark& mark) {
  const std::string one = "((" + mark.type + ")(1))";
  std::vector<std::string> made;
  if (mark.end - mark.begin > one.size() + mark.type.size() + 3)
    made.push_back(mark_begin + mark.type + mark_type_end + one + mark_end);
  for (size_t at = text.find(mark_begin, mark.begin + 1); at < mark.end; at = text.find(mark_begin, at + 1)) {
    const Mark inner = mark_at(text, at);
    if (inner.type == mark.type) made.push_back(text.substr(inner.begin, inner.end - inner.begin));
    if (made.size() > 6) break;
  }
  return made;
}

class TextShrinker {
 public:
  TextShrinker(Program program, const Fails& fails, unsigned& budget)
      : best_(std::move(program)), fails_(fails), budget_(budget) {}

  Program run() {
    each_routine([this](Routine& routine) {
      shrink_lines(routine.head);
      shrink_lines(routine.tail);
    });
    each_routine([this](Routine& routine) {
      shrink_block(routine.body);
      shrink_expressions(routine.head);
      shrink_expressions(routine.tail);
    });
    shrink_lines(best_.declarations);
    return std::move(best_);
  }

 private:
  template <typename Visit>
  void each_routine(const Visit& visit) {
    visit(best_.kernel);
    for (Routine& function : best_.functions) visit(function);
  }

  bool keep(std::string& place, std::string candidate) {
    if (budget_ == 0) return false;
    --budget_;
    std::swap(place, candidate);
    if (fails_(best_)) return true;
    std::swap(place, candidate);
    return false;
  }

  /// Removes lines, from halves down to single ones, from the end, because later lines need earlier ones.
  void shrink_lines(std::string& text) {
    for (size_t run = lines_of(text).size() / 2; run > 0; run /= 2) {
      for (size_t last = lines_of(text).size(); last > 0 && budget_ > 0; last -= std::min(last, run)) {
        const auto lines = lines_of(text);
        std::string rest;
        for (size_t i = 0; i < lines.size(); ++i)
          if (i + run < last || i >= last || !is_removable(lines[i])) rest += lines[i];
        if (rest != text) keep(text, rest);
      }
    }
  }

  /// Without these lines the program would read what nobody has written, or race.
  static bool is_removable(const std::string& line) {
    for (const char* needed : {"barrier", "counters[", "if (lid == 0)", "return "})
      if (line.find(needed) != std::string::npos) return false;
    return !line.starts_with("  s") || line[3] < '0' || line[3] > '9';
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      lines.push_back(text.substr(begin, end - begin));
      begin = end;
    }
    return lines;
  }

  void shrink_block(Block& block) {
    for (tools::fuzz::Statement& statement : block) {
      for (std::string& piece : statement.pieces) shrink_expressions(piece);
      for (Block& body : statement.bodies) shrink_block(body);
    }
  }

  void shrink_expressions(std::string& text) {
    for (size_t at = text.find(mark_begin); at != std::string::npos && budget_ > 0;
         at = text.find(mark_begin, at + 1))
      while (shrink_expression(text, at)) continue;
  }

  bool shrink_expression(std::string& text, size_t at) {
    const Mark mark = mark_at(text, at);
    for (const std::string& replacement : replacements(text, mark))
      if (keep(text, text.substr(0, mark.begin) + replacement + text.substr(mark.end))) return true;
    return false;
  }

  Program best_;
  const Fails& fails_;
  unsigned& budget_;
};

}  // namespace

Program shrink_program(Program program, const Fails& fails, unsigned budget) {
  program = tools::fuzz::shrink(std::move(program), fails, budget / 2);
  budget /= 2;
  program = TextShrinker(std::move(program), fails, budget).run();
  return tools::fuzz::shrink(std::move(program), fails, budget);
}

}  // namespace heddle::tests
