// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logs of the extension for logging (Runtime 3.6).
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// A text that grows at its end and is taken from its beginning. Thread safe.
class Log {
 public:
  /// Appends a text as a whole: texts of several threads do not mix. If there is no memory for it, the text
  /// is missing, because what it explains has been done all the same.
  void append(std::string_view text) noexcept;
  /// Takes as many bytes as `text` has room for, or all. If room is left, a NUL follows them. Returns how
  /// many bytes the log still has.
  size_t take(std::span<char> text);

 private:
  std::mutex mutex_;
  std::string text_;
};

}  // namespace heddle::runtime
