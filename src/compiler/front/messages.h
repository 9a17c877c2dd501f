// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler tells its caller: messages with places, whether clang wrote them or this library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace heddle::compiler {

/// One message. hsail_message (hsail/compiler.h) says what the members mean.
struct Message {
  Severity severity = Severity::error;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string text;
  std::string display;
};

using MessageSink = std::function<void(const Message&)>;

/// Where a message refers to; a place without a file is none.
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Makes messages in the form of clang's, and passes them on. Not thread safe; each call of the compiler has
/// its own.
class Messages {
 public:
  /// `colour` says whether the display of messages has the codes of colours for terminals.
  explicit Messages(MessageSink sink, bool colour = false) : sink_(std::move(sink)), colour_(colour) {}

  void set_colour(bool colour) { colour_ = colour; }
  bool colour() const { return colour_; }
  void pass(const Message& message) const { sink_(message); }
  /// Reports `text`, one line without a full stop, and with the source line and a caret if the place has both
  /// a column and a file that can be read.
  void report(Severity severity, const std::string& text, const Place& place = {}) const;
  void error(const std::string& text, const Place& place = {}) const { report(Severity::error, text, place); }
  void note(const std::string& text, const Place& place = {}) const { report(Severity::note, text, place); }

 private:
  MessageSink sink_;
  bool colour_;
};

/// Splits what clang wrote to standard error into its messages. The displays of all, one after the other, are
/// `output`, so that nothing is lost: lines before the first message become a message of their own, and lines
/// between two belong to the one before, but "In file included from" to the one after. `failed` says whether
/// clang failed; then a message that it writes without a severity counts as an error.
std::vector<Message> split_clang_output(std::string_view output, bool failed);

}  // namespace heddle::compiler
