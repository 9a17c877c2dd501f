// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"

namespace heddle::tools::fuzz {
namespace {

void print(const Block& block, std::string& text) {
  for (const Statement& statement : block) {
    for (size_t i = 0; i < statement.pieces.size(); ++i) {
      text += statement.pieces[i];
      if (i < statement.bodies.size()) print(statement.bodies[i], text);
    }
  }
}

std::string print(const Routine& routine) {
  std::string text = routine.head;
  print(routine.body, text);
  return text + routine.tail;
}

/// True if `name` stands in the text and is not the beginning of a longer name.
bool names(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

}  // namespace

uint32_t Launch::work_groups() const {
  uint32_t count = 1;
  for (int i = 0; i < 3; ++i) count *= (grid[i] + group[i] - 1) / group[i];
  return count;
}

std::string Program::text() const {
  std::string used = print(kernel);
  for (size_t i = functions.size(); i-- > 0;) {  // callers first: they say what is needed
    if (names(used, functions[i].name)) used.insert(0, print(functions[i]));
  }
  return declarations + used;
}

size_t count_statements(const Block& block) {
  size_t count = block.size();
  for (const Statement& statement : block) {
    for (const Block& body : statement.bodies) count += count_statements(body);
  }
  return count;
}

size_t Program::statements() const {
  size_t count = count_statements(kernel.body);
  for (const Routine& function : functions) count += count_statements(function.body);
  return count;
}

size_t buffer_size(const Launch& launch) {
  return size_t{launch.work_items()} * layout::record_size + layout::shared_size +
         size_t{launch.work_groups()} * layout::group_results;
}

}  // namespace heddle::tools::fuzz
