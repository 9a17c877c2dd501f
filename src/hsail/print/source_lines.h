// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hsail/brig/module.h"

namespace heddle::print {

/// Maps the entries of a module to source lines: those in its debug pragmas (PRM 13.4.2.2.4.1) or loc
/// directives (PRM 13.2) or, in a module that has neither, the lines of the text that disassemble() returns.
/// Immutable; thread safe.
class SourceLines {
 public:
  struct Position {
    std::string_view file;  ///< as in the module, perhaps empty; "NAME.hsail" for text of disassemble()
    uint32_t line = 0;      ///< 0 if not known, as before the first loc
    uint32_t column = 0;
  };

  explicit SourceLines(const brig::Module& module);

  /// Returns the position of the entry of hsa_code at `entry`. The name of the file lives as long as this
  /// object.
  Position at(brig::Offset entry) const&;
  Position at(brig::Offset entry) const&& = delete;  // the name of the file would dangle
  /// Returns false if the positions are those in the text of disassemble().
  bool from_loc() const { return from_loc_; }

 private:
  struct Row {
    brig::Offset from = 0;
    uint32_t line = 0, column = 0;
    uint32_t file = 0;
  };
  uint32_t file_number(std::string_view file);
  void read_locs(const brig::Module& module);
  void count_lines(const brig::Module& module);

  std::vector<std::string> files_;
  std::vector<Row> rows_;  // by offset
  bool from_loc_ = false;
};

}  // namespace heddle::print
