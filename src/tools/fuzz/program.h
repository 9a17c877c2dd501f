// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A generated program as a tree that can be printed and made smaller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tools::fuzz {

struct Statement;
using Block = std::vector<Statement>;

/// Text with blocks between its pieces: pieces[0] bodies[0] pieces[1] bodies[1] ... Control enters and leaves
/// a body at its ends only, and no body depends on what the pieces compute, so each statement may be taken
/// out, or replaced by its bodies one after the other, and the program stays valid.
struct Statement {
  std::vector<std::string> pieces;  ///< one more than bodies
  std::vector<Block> bodies;
  uint32_t rounds = 1;            ///< how often one execution passes the pieces, at most
  bool one_body_a_round = false;  ///< else a round may execute each of them
};

/// A kernel or function: `head` declares and initialises, `tail` returns results and closes.
struct Routine {
  std::string name;  ///< with "&"
  std::string head, tail;
  Block body;
  uint32_t activations = 1;  ///< how many one call makes by calling itself, itself included, at most
};

/// What to run a program with.
struct Launch {
  uint32_t dimensions = 1;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t group[3] = {1, 1, 1};
  uint64_t data_seed = 0;  ///< of the values in the records

  uint32_t work_items() const { return grid[0] * grid[1] * grid[2]; }
  uint32_t work_groups() const;
};

struct Program {
  std::string declarations;
  std::vector<Routine> functions;  ///< a function stands before those that call it
  Routine kernel;                  ///< &k
  Launch launch;

  /// HSAIL text. Functions that nothing names any more are left out.
  std::string text() const;
  size_t statements() const;
  /// Instructions that all work-items together execute, at most: a bound that follows from the text and the
  /// grid alone.
  uint64_t instructions() const;
};

size_t count_statements(const Block& block);

/// Instructions that a generated program executes at most. Most stay far below; the interpreter needs seconds
/// for so many.
inline constexpr uint64_t instruction_budget = uint64_t{1} << 26;

/// The kernel's one buffer: a record for each work-item, then one area for all.
namespace layout {
inline constexpr uint32_t record_size = 512;  ///< bytes for each work-item, by its workitemflatabsid
inline constexpr uint32_t in_s = 0;           ///< 8 words, 8 bytes apart: first values of $s0-7
inline constexpr uint32_t in_d = 64;          ///< 4 double words: of $d0-3
inline constexpr uint32_t out_s = 128;        ///< last values, in the same form
inline constexpr uint32_t out_d = 192;
inline constexpr uint32_t out_c = 224;         ///< $c0-3, 8 bytes apart
inline constexpr uint32_t scratch = 256;       ///< 256 bytes that statements load and store
inline constexpr uint32_t shared_size = 256;   ///< global counters
inline constexpr uint32_t group_results = 64;  ///< bytes for each work-group behind the global counters
}  // namespace layout

/// Bytes of the buffer.
size_t buffer_size(const Launch& launch);

}  // namespace heddle::tools::fuzz
