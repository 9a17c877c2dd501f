// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"

#include <algorithm>
#include <utility>

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

/// Reports whether the text contains `name` other than as the beginning of a longer name.
bool names(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

/// Computes how many instructions routines execute at most. Callees must precede their callers.
class Bound {
 public:
  explicit Bound(const std::vector<Routine>& functions) {
    for (const Routine& function : functions) {
      const uint64_t once = of(function);
      callees_.emplace_back(function.name, once * function.activations);
    }
  }

  uint64_t of(const Routine& routine) const { return of(routine.head) + of(routine.body) + of(routine.tail); }

 private:
  /// Counts semicolons, which end instructions and a few declarations, and adds the instructions of the
  /// callees.
  uint64_t of(const std::string& text) const {
    uint64_t count = static_cast<uint64_t>(std::count(text.begin(), text.end(), ';'));
    for (const auto& [name, instructions] : callees_)
      if (names(text, name)) count += instructions;
    return count;
  }

  uint64_t of(const Block& block) const {
    uint64_t count = 0;
    for (const Statement& statement : block) count += of(statement);
    return count;
  }

  uint64_t of(const Statement& statement) const {
    uint64_t pieces = 0, all_bodies = 0, largest_body = 0;
    for (const std::string& piece : statement.pieces) pieces += of(piece);
    for (const Block& body : statement.bodies) {
      const uint64_t count = of(body);
      all_bodies += count;
      largest_body = std::max(largest_body, count);
    }
    return statement.rounds * (pieces + (statement.one_body_a_round ? largest_body : all_bodies));
  }

  std::vector<std::pair<std::string, uint64_t>> callees_;
};

}  // namespace

uint32_t Launch::work_groups() const {
  uint32_t count = 1;
  for (int i = 0; i < 3; ++i) count *= (grid[i] + group[i] - 1) / group[i];
  return count;
}

std::string Program::text() const {
  std::string used = print(kernel);
  for (size_t i = functions.size(); i-- > 0;) {  // callers first, since they determine what is needed
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

uint64_t Program::instructions() const { return launch.work_items() * Bound(functions).of(kernel); }

size_t buffer_size(const Launch& launch) {
  return size_t{launch.work_items()} * layout::record_size + layout::shared_size + layout::columns_size +
         size_t{launch.work_groups()} * layout::group_results;
}

}  // namespace heddle::tools::fuzz
