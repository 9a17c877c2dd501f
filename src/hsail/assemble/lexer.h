// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace heddle::assemble {

enum class TokenKind : uint8_t {
  end,
  word,  // keywords, opcodes, types: [A-Za-z_][A-Za-z0-9_]*, and words that begin with a digit (1d, 2da)
  profile_word,       // $full, $small, $default, ...: a $ name that is not a register
  global_identifier,  // &name
  local_identifier,   // %name
  label_identifier,   // @name
  reg,                // $s1
  integer,
  half_float,
  single_float,
  double_float,
  string,       // with its quotes and escapes
  punctuation,  // one character
  invalid,      // reported already
};

/// A token. `text` is a view of the source.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  uint32_t line = 1;
  uint32_t column = 1;

  bool is(char c) const { return kind == TokenKind::punctuation && text[0] == c; }
  bool is_word(std::string_view word) const { return kind == TokenKind::word && text == word; }
  Location location() const { return Location::text(line, column, static_cast<uint32_t>(text.size())); }
};

/// One line of a comment. A block comment gives one Comment for each of its lines.
struct Comment {
  std::string_view text;  // without the comment marks of a block comment
  bool block = false;
  uint32_t line = 1;
};

/// Splits HSAIL text into tokens (PRM 19.1). Accepts any bytes; whatever is not a token is reported once and
/// skipped.
class Lexer {
 public:
  Lexer(std::string_view source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  /// Returns the next token and appends the comments before it to `comments`.
  Token next(std::vector<Comment>& comments);

  /// If `word` begins a mnemonic that contains parentheses, such as ld_align(4)_u32, returns the whole
  /// mnemonic as one word and moves past it; otherwise returns `word`. `word` must be the token that next()
  /// returned last.
  Token extend_mnemonic(const Token& word);

 private:
  bool at_end() const { return position_ >= source_.size(); }
  char peek(size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }
  void newline();
  void skip_space(std::vector<Comment>& comments);
  void skip_line_comment(std::vector<Comment>& comments);
  void skip_block_comment(std::vector<Comment>& comments);
  Token make(TokenKind kind, size_t begin) const;
  Token lex_identifier(TokenKind kind, size_t begin);
  Token lex_dollar(size_t begin);
  Token lex_word(size_t begin);
  Token lex_number(size_t begin);
  Token lex_string(size_t begin);

  /// Reports a token that touches the previous one where white space is needed.
  void check_space(size_t begin, uint32_t length);
  Token scan(size_t begin);

  std::string_view source_;
  Diagnostics& diagnostics_;
  size_t position_ = 0;
  size_t wordy_end_ = SIZE_MAX;  // end of the last token that can have letters or digits
  uint32_t line_ = 1;
  size_t line_begin_ = 0;
};

}  // namespace heddle::assemble
