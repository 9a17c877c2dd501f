// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A generated program as a tree that can be printed and shrunk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tools::fuzz {

struct Statement;
using Block = std::vector<Statement>;

/// Text with blocks between its pieces: pieces[0] bodies[0] pieces[1] bodies[1] ... Control enters and leaves
/// a body only at its ends, and no body depends on results of the pieces. Therefore any statement can be
/// removed, or replaced by its bodies one after the other, and the program stays valid.
struct Statement {
  std::vector<std::string> pieces;  ///< one more than bodies
  std::vector<Block> bodies;
  uint32_t rounds = 1;            ///< how often one execution runs through the pieces, at most
  bool one_body_a_round = false;  ///< otherwise a round may execute all of them
};

/// A kernel or function. `head` declares and initialises variables, `tail` stores the results and ends the
/// routine.
struct Routine {
  std::string name;  ///< with "&"
  std::string head, tail;
  Block body;
  uint32_t activations = 1;  ///< at most, in one call, including recursive ones
};

/// The dispatch of a program.
struct Launch {
  uint32_t dimensions = 1;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t group[3] = {1, 1, 1};
  uint64_t data_seed = 0;  ///< seed of the values in the records

  uint32_t work_items() const { return grid[0] * grid[1] * grid[2]; }
  uint32_t work_groups() const;
};

struct Program {
  std::string declarations;
  std::vector<Routine> functions;  ///< callees precede their callers
  Routine kernel;                  ///< &k
  Launch launch;
  bool observes_waves = false;  ///< the results are only defined for waves of one size
  /// Instructions detect exceptions, which finalizers refuse for ISAs that cannot.
  bool detects_exceptions = false;

  /// Returns the HSAIL text without functions that nothing calls any more.
  std::string text() const;
  size_t statements() const;
  /// Returns an upper bound for the number of instructions that all work-items together execute. It depends
  /// only on the text and the grid.
  uint64_t instructions() const;
};

size_t count_statements(const Block& block);

/// The maximum number of instructions that a generated program executes. Most programs stay far below it; the
/// interpreter needs seconds to reach it.
inline constexpr uint64_t instruction_budget = uint64_t{1} << 26;

/// The layout of the kernel's only buffer: a record for each work-item, then a shared area, then the columns,
/// then results of the work-groups.
namespace layout {
inline constexpr uint32_t record_size = 512;  ///< bytes; records are ordered by workitemflatabsid
inline constexpr uint32_t in_s = 0;           ///< 8 words, 8 bytes apart: first values of $s0-7
inline constexpr uint32_t in_d = 64;          ///< 4 double words: first values of $d0-3
inline constexpr uint32_t out_s = 128;        ///< 8 words: last values of $s0-7, in the same form
inline constexpr uint32_t out_d = 192;
inline constexpr uint32_t out_c = 224;        ///< $c0-3, 8 bytes apart
inline constexpr uint32_t scratch = 256;      ///< 256 bytes that statements load and store
inline constexpr uint32_t shared_size = 256;  ///< global counters
inline constexpr uint32_t most_items = 2048;  ///< work-items of a grid
/// Arrays with one element for each work-item, by workitemflatabsid: 16, 8, 4, 2 and 1 bytes long. The
/// columns begin after the global counters.
inline constexpr uint32_t column_16 = 0, column_8 = 16 * most_items, column_4 = 24 * most_items,
                          column_2 = 28 * most_items, column_1 = 30 * most_items;
inline constexpr uint32_t columns_size = 31 * most_items;
inline constexpr uint32_t group_results = 64;  ///< bytes for each work-group after the columns
}  // namespace layout

/// Returns the size of the buffer in bytes.
size_t buffer_size(const Launch& launch);

}  // namespace heddle::tools::fuzz
