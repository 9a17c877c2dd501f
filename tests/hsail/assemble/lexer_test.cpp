// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/lexer.h"

#include <gtest/gtest.h>

namespace heddle::assemble {
namespace {

struct Lexed {
  std::vector<Token> tokens;
  std::vector<Comment> comments;
  Diagnostics diagnostics;
};

Lexed lex(std::string_view text) {
  Lexed out;
  Lexer lexer(text, out.diagnostics);
  for (Token token = lexer.next(out.comments); token.kind != TokenKind::end; token = lexer.next(out.comments))
    out.tokens.push_back(token);
  return out;
}

TEST(Lexer, Kinds) {
  Lexed l = lex("add_u32 $s12, &g.x %l_1 @lab: 0x10 1.5f 0f3f800000 2.0 1e3h \"s\" $full 2dadepth ;");
  using K = TokenKind;
  std::vector<K> kinds;
  for (const Token& t : l.tokens) kinds.push_back(t.kind);
  EXPECT_EQ(kinds, (std::vector<K>{K::word, K::reg, K::punctuation, K::global_identifier, K::local_identifier,
                                   K::label_identifier, K::punctuation, K::integer, K::single_float,
                                   K::single_float, K::double_float, K::half_float, K::string,
                                   K::profile_word, K::word, K::punctuation}));
  EXPECT_FALSE(l.diagnostics.has_errors());
}

TEST(Lexer, Positions) {
  Lexed l = lex("a\n\t b /* x\ny */ c");
  ASSERT_EQ(l.tokens.size(), 3u);
  EXPECT_EQ(l.tokens[1].line, 2u);
  EXPECT_EQ(l.tokens[1].column, 3u);
  EXPECT_EQ(l.tokens[2].line, 3u);
  EXPECT_EQ(l.tokens[2].column, 6u);
  ASSERT_EQ(l.comments.size(), 2u);
  EXPECT_EQ(l.comments[0].text, " x");
  EXPECT_EQ(l.comments[1].text, "y ");
}

TEST(Lexer, CommentEndsAtFirstStarSlash) {
  Lexed l = lex("/***/ a /* ** */ b // rest\r\nc");
  EXPECT_EQ(l.tokens.size(), 3u);
  EXPECT_EQ(l.comments.back().text, "// rest");
}

TEST(Lexer, MnemonicWithParentheses) {
  std::string_view text = "ld_v4_readonly_align(8)_width(all)_f32 ($s0)";
  Diagnostics diagnostics;
  std::vector<Comment> comments;
  Lexer lexer(text, diagnostics);
  Token token = lexer.extend_mnemonic(lexer.next(comments));
  EXPECT_EQ(token.text, "ld_v4_readonly_align(8)_width(all)_f32");
  EXPECT_TRUE(lexer.next(comments).is('('));
}

TEST(Lexer, CallIsNoParenthesisedMnemonic) {
  std::string_view text = "align(8)";
  Diagnostics diagnostics;
  std::vector<Comment> comments;
  Lexer lexer(text, diagnostics);
  EXPECT_EQ(lexer.extend_mnemonic(lexer.next(comments)).text, "align");
}

struct Bad {
  const char* text;
  const char* id;
};
class LexerErrors : public testing::TestWithParam<Bad> {};

TEST_P(LexerErrors, Reported) {
  Lexed l = lex(GetParam().text);
  ASSERT_EQ(l.diagnostics.error_count(), 1u);
  EXPECT_EQ(l.diagnostics.all()[0].id, GetParam().id);
  EXPECT_TRUE(l.diagnostics.all()[0].location.has_text());
}

INSTANTIATE_TEST_SUITE_P(
    PRM_4, LexerErrors,
    testing::Values(Bad{"/* open", "HSAIL-4.3.1-comment-end"}, Bad{"\"open\nx", "HSAIL-4.5-string-end"},
                    Bad{"\"open\\", "HSAIL-4.5-string-end"}, Bad{"& x", "HSAIL-4.6.1-identifier"},
                    Bad{"$ x", "HSAIL-4.7-register"}, Bad{"$s01", "HSAIL-4.7-register"},
                    Bad{"12ab", "HSAIL-4.8-number"}, Bad{"0x1.5", "HSAIL-4.8-number"},
                    Bad{"#", "HSAIL-4.4-character"}, Bad{"\x80", "HSAIL-4.4-character"}));

}  // namespace
}  // namespace heddle::assemble
