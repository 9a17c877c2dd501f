// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/lexer.h"

#include <array>

#include <fmt/format.h>

namespace heddle::assemble {
namespace {

enum CharacterClass : uint8_t { letter = 1, digit = 2, hex_digit = 4, space = 8 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = letter;
  classes['_'] = letter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = digit | hex_digit;
  for (int c = 'a'; c <= 'f'; ++c) classes[c] |= hex_digit;
  for (int c = 'A'; c <= 'F'; ++c) classes[c] |= hex_digit;
  for (char c : {' ', '\t', '\v', '\f', '\r', '\n'}) classes[static_cast<uint8_t>(c)] = space;
  return classes;
}
constexpr std::array<uint8_t, 256> classes = make_classes();

bool is(char c, uint8_t what) { return (classes[static_cast<uint8_t>(c)] & what) != 0; }

/// Returns the length of the run of characters of the class `what` at the start of `text`.
size_t run(std::string_view text, uint8_t what) {
  size_t n = 0;
  while (n < text.size() && is(text[n], what)) ++n;
  return n;
}

/// Returns the length of an exponent such as e+12 or p-3 at the start of `text`, 0 if there is none.
size_t exponent(std::string_view text, char mark) {
  if (text.empty() || (text[0] | 0x20) != mark) return 0;
  size_t n = 1;
  if (n < text.size() && (text[n] == '+' || text[n] == '-')) ++n;
  size_t digits = run(text.substr(n), digit);
  return digits == 0 ? 0 : n + digits;
}

struct Number {
  TokenKind kind = TokenKind::invalid;
  size_t length = 0;
};

/// Reads a number such as 0h1234, 0f12345678 or 0d..., which must have exactly as many hexadecimal digits as
/// its format.
Number ieee_number(std::string_view text) {
  struct Form {
    char mark;
    size_t digits;
    TokenKind kind;
  };
  static constexpr Form forms[] = {
      {'h', 4, TokenKind::half_float}, {'f', 8, TokenKind::single_float}, {'d', 16, TokenKind::double_float}};
  if (text.size() < 2 || text[0] != '0') return {};
  for (const Form& form : forms)
    if ((text[1] | 0x20) == form.mark && run(text.substr(2), hex_digit) == form.digits)
      return {form.kind, 2 + form.digits};
  return {};
}

Number with_suffix(std::string_view text, size_t length) {
  char suffix = length < text.size() ? static_cast<char>(text[length] | 0x20) : '\0';
  if (suffix == 'h') return {TokenKind::half_float, length + 1};
  if (suffix == 'f') return {TokenKind::single_float, length + 1};
  if (suffix == 'd') return {TokenKind::double_float, length + 1};
  return {TokenKind::double_float, length};
}

Number hex_number(std::string_view text) {
  size_t whole = run(text.substr(2), hex_digit);
  size_t n = 2 + whole, fraction = 0;
  if (n < text.size() && text[n] == '.') {
    fraction = run(text.substr(n + 1), hex_digit);
    n += 1 + fraction;
  }
  if (whole + fraction == 0) return {};
  size_t power = exponent(text.substr(n), 'p');
  if (power != 0) return with_suffix(text, n + power);
  return n == 2 + whole ? Number{TokenKind::integer, n} : Number{};
}

Number decimal_number(std::string_view text) {
  size_t whole = run(text, digit);
  size_t n = whole, fraction = 0;
  bool dot = n < text.size() && text[n] == '.';
  if (dot) {
    fraction = run(text.substr(n + 1), digit);
    n += 1 + fraction;
  }
  if (whole + fraction == 0) return {};
  size_t power = exponent(text.substr(n), 'e');
  if (dot || power != 0) return with_suffix(text, n + power);
  return {TokenKind::integer, n};
}

Number number(std::string_view text) {
  Number ieee = ieee_number(text);
  if (ieee.length != 0) return ieee;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') return hex_number(text);
  return decimal_number(text);
}

}  // namespace

void Lexer::newline() {
  ++line_;
  line_begin_ = position_;
}

/// Tokens that can have letters or digits in them must not touch (PRM 4.4). Comments are white space
/// (PRM 4.3.1).
void Lexer::check_space(size_t begin, uint32_t length) {
  if (begin != wordy_end_) return;
  diagnostics_.error("HSAIL-4.4-white-space",
                     Location::text(line_, static_cast<uint32_t>(begin - line_begin_ + 1), length),
                     "white space is needed before this");
}

void Lexer::skip_line_comment(std::vector<Comment>& comments) {
  size_t begin = position_;
  while (!at_end() && peek() != '\n') ++position_;
  std::string_view text = source_.substr(begin, position_ - begin);
  if (text.ends_with('\r')) text.remove_suffix(1);
  comments.push_back({text, false, line_});
}

void Lexer::skip_block_comment(std::vector<Comment>& comments) {
  Location begin = Location::text(line_, static_cast<uint32_t>(position_ - line_begin_ + 1), 2);
  position_ += 2;
  size_t line_start = position_;
  auto add_line = [&] {
    std::string_view text = source_.substr(line_start, position_ - line_start);
    if (text.ends_with('\r')) text.remove_suffix(1);
    comments.push_back({text, true, line_});
  };
  for (;;) {
    if (at_end()) {
      diagnostics_.error("HSAIL-4.3.1-comment-end", begin, "comment without an end");
      return;
    }
    if (peek() == '*' && peek(1) == '/') {
      add_line();
      position_ += 2;
      return;
    }
    if (peek() == '\n') {
      add_line();
      ++position_;
      newline();
      line_start = position_;
    } else {
      ++position_;
    }
  }
}

void Lexer::skip_space(std::vector<Comment>& comments) {
  while (!at_end()) {
    char c = peek();
    if (c == '\n') {
      ++position_;
      newline();
    } else if (is(c, space)) {
      ++position_;
    } else if (c == '/' && peek(1) == '/') {
      skip_line_comment(comments);
    } else if (c == '/' && peek(1) == '*') {
      skip_block_comment(comments);
    } else {
      return;
    }
  }
}

Token Lexer::make(TokenKind kind, size_t begin) const {
  return {kind, source_.substr(begin, position_ - begin), line_,
          static_cast<uint32_t>(begin - line_begin_ + 1)};
}

/// Reads &, % or @ and a name: a letter or underscore, then letters, digits, underscores and dots
/// (PRM 4.6.1).
Token Lexer::lex_identifier(TokenKind kind, size_t begin) {
  ++position_;
  if (!is(peek(), letter)) {
    Token bad = make(TokenKind::invalid, begin);
    diagnostics_.error("HSAIL-4.6.1-identifier", bad.location(),
                       fmt::format("'{}' needs a name behind it", bad.text));
    return bad;
  }
  while (is(peek(), letter | digit) || peek() == '.') ++position_;
  return make(kind, begin);
}

/// Reads a register ($, one of c, s, d and q, and a number without leading zeros) or a word such as $full.
Token Lexer::lex_dollar(size_t begin) {
  ++position_;
  size_t length = run(source_.substr(position_), letter | digit);
  std::string_view name = source_.substr(position_, length);
  position_ += length;
  constexpr std::string_view kinds = "csdq";
  bool reg = length >= 2 && kinds.find(name[0]) != std::string_view::npos &&
             run(name.substr(1), digit) == length - 1;
  if (reg && (length == 2 || name[1] != '0')) return make(TokenKind::reg, begin);
  if (!reg && length != 0 && is(name[0], letter)) return make(TokenKind::profile_word, begin);
  Token bad = make(TokenKind::invalid, begin);
  diagnostics_.error(
      "HSAIL-4.7-register", bad.location(),
      fmt::format("'{}' is no register: $c, $s, $d or $q and a number without leading zeros", bad.text));
  return bad;
}

Token Lexer::lex_word(size_t begin) {
  position_ += run(source_.substr(position_), letter | digit);
  return make(TokenKind::word, begin);
}

Token Lexer::lex_number(size_t begin) {
  Number found = number(source_.substr(position_));
  // Letters that follow decide whether this is a number at all: the geometries 1d and 2dadepth are words, and
  // 12ab is neither a number nor a word.
  size_t tail = run(source_.substr(position_ + found.length), letter | digit);
  if (found.length != 0 && tail == 0) {
    position_ += found.length;
    return make(found.kind, begin);
  }
  size_t length = run(source_.substr(position_), letter | digit);
  position_ += length == 0 ? 1 : length;
  Token word = make(TokenKind::word, begin);
  if (length != 0 && word.text.find('d') == 1) return word;
  word.kind = TokenKind::invalid;
  diagnostics_.error("HSAIL-4.8-number", word.location(), fmt::format("'{}' is no number", word.text));
  return word;
}

Token Lexer::lex_string(size_t begin) {
  ++position_;
  while (!at_end() && peek() != '"' && peek() != '\n') position_ += peek() == '\\' && peek(1) != '\n' ? 2 : 1;
  if (position_ > source_.size()) position_ = source_.size();
  if (peek() != '"') {
    Token bad = make(TokenKind::invalid, begin);
    diagnostics_.error("HSAIL-4.5-string-end", bad.location(), "string without an end on this line");
    return bad;
  }
  ++position_;
  return make(TokenKind::string, begin);
}

Token Lexer::next(std::vector<Comment>& comments) {
  skip_space(comments);
  Token token = scan(position_);
  if (token.kind < TokenKind::punctuation && token.kind != TokenKind::end) {
    check_space(position_ - token.text.size(), static_cast<uint32_t>(token.text.size()));
    wordy_end_ = position_;
  }
  return token;
}

Token Lexer::scan(size_t begin) {
  if (at_end()) return make(TokenKind::end, begin);
  char c = peek();
  if (is(c, letter)) return lex_word(begin);
  if (is(c, digit) || (c == '.' && is(peek(1), digit))) return lex_number(begin);
  switch (c) {
    case '&':
      return lex_identifier(TokenKind::global_identifier, begin);
    case '%':
      return lex_identifier(TokenKind::local_identifier, begin);
    case '@':
      return lex_identifier(TokenKind::label_identifier, begin);
    case '$':
      return lex_dollar(begin);
    case '"':
      return lex_string(begin);
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case ';':
    case ':':
    case '=':
    case '+':
    case '-':
      ++position_;
      return make(TokenKind::punctuation, begin);
    default:
      break;
  }
  ++position_;
  Token bad = make(TokenKind::invalid, begin);
  bool printable = c > ' ' && c <= '~';
  diagnostics_.error("HSAIL-4.4-character", bad.location(),
                     printable ? fmt::format("unexpected character '{}'", c)
                               : fmt::format("unexpected byte 0x{:02x}", static_cast<uint8_t>(c)));
  return bad;
}

Token Lexer::extend_mnemonic(const Token& word) {
  size_t begin = static_cast<size_t>(word.text.data() - source_.data());
  auto ends_with_argument_word = [&] {
    std::string_view text = source_.substr(begin, position_ - begin);
    return text.ends_with("_align") || text.ends_with("_equiv") || text.ends_with("_width");
  };
  while (peek() == '(' && ends_with_argument_word()) {
    size_t close = position_ + 1;
    while (close < source_.size() && (is(source_[close], letter | digit) || source_[close] == ' ')) ++close;
    if (close >= source_.size() || source_[close] != ')') break;
    position_ = close + 1;
    if (peek() == '_') position_ += run(source_.substr(position_), letter | digit);
  }
  wordy_end_ = position_;
  return make(TokenKind::word, begin);
}

}  // namespace heddle::assemble
