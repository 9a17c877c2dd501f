// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the program something happened: the calls that led to it, kept as addresses and turned into names
// only when a finding is printed, because most are never printed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::check {

class Site {
 public:
  /// No place.
  Site() = default;
  /// Returns the stack of the calling thread. Takes some microseconds.
  static Site here() noexcept;
  /// Prepares here(), whose first call loads a library.
  static void prepare() noexcept;

  bool empty() const { return depth_ == 0; }
  /// Returns the innermost calls of the program, at most `limit` of them, separated by " < ". Each is
  /// "function+0xOFFSET (FILE+0xOFFSET)", of which addr2line translates the second part if the file has
  /// debug information. Frames of this library and of the runtime are left out.
  std::string text(size_t limit = 4) const;
  /// Says whether the runtime has called the program at this place: in a callback, perhaps on a thread of its
  /// own.
  bool is_in_callback() const;
  /// Returns a number that is the same for the same place in the program.
  uint64_t key() const;

 private:
  static constexpr size_t max_depth = 16;
  /// Returns the number of frames that belong to this library or to the runtime at the top of the stack.
  size_t skipped() const;

  std::array<void*, max_depth> frames_{};
  uint8_t depth_ = 0;
};

}  // namespace heddle::check
