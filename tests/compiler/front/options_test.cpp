// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/options.h"

#include <gtest/gtest.h>

namespace heddle::compiler {
namespace {

using Words = std::vector<std::string>;

std::string complaint_about(const Words& words) {
  const auto options = parse_options(words);
  return options ? "" : options.error().message;
}

TEST(Options, NoneMeanLevelTwo) {
  const auto options = parse_options({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->level, Level::normal);
  EXPECT_FALSE(options->source_lines || options->verbose || options->colour || options->hip_headers);
  EXPECT_TRUE(options->clang.empty());
}

TEST(Options, LevelsReachClangToo) {
  for (const auto& [word, level] :
       std::initializer_list<std::pair<const char*, Level>>{{"-O0", Level::none},
                                                            {"-O", Level::less},
                                                            {"-O1", Level::less},
                                                            {"-O2", Level::normal},
                                                            {"-O3", Level::aggressive},
                                                            {"-Os", Level::size},
                                                            {"-Oz", Level::least_size},
                                                            {"-cl-opt-disable", Level::none}}) {
    const auto options = parse_options({word});
    ASSERT_TRUE(options) << word;
    EXPECT_EQ(options->level, level) << word;
    EXPECT_EQ(options->clang, Words{word});
  }
}

TEST(Options, TheLastLevelCounts) {
  EXPECT_EQ(parse_options({"-O0", "-O3"})->level, Level::aggressive);
  EXPECT_EQ(parse_options({"-O3", "-cl-opt-disable"})->level, Level::none);
}

TEST(Options, ValuesAreJoinedOrFollow) {
  const Words words = {"-DA=1",      "-D",      "B",    "-Ifolder", "-I",   "-O3", "-include", "-x",
                       "-std=c++20", "-Xclang", "-foo", "-mllvm",   "-bar", "-UA", "-U",       "B"};
  const auto options = parse_options(words);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->clang, words);
  EXPECT_EQ(options->level, Level::normal) << "-O3 is the value of -I";
}

TEST(Options, TheLibrarysOwnDoNotReachClang) {
  const auto options = parse_options({"-c", "-v", "-save-temps=some/stem"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->verbose);
  EXPECT_EQ(options->save_temps, "some/stem");
  EXPECT_TRUE(options->clang.empty());
}

TEST(Options, Flags) {
  EXPECT_TRUE(parse_options({"-g"})->source_lines);
  EXPECT_TRUE(parse_options({"-gline-tables-only"})->source_lines);
  EXPECT_TRUE(parse_options({"-fcolor-diagnostics"})->colour);
  EXPECT_FALSE(parse_options({"-fcolor-diagnostics", "-fno-color-diagnostics"})->colour);
  EXPECT_TRUE(parse_options({"-nogpuinc"})->hip_headers);
  EXPECT_TRUE(parse_options({"--rocm-path=/opt"})->hip_headers);
}

TEST(Options, FamiliesPassThrough) {
  const Words words = {"-Wall",
                       "-Werror=shadow",
                       "-w",
                       "-pedantic",
                       "-fno-signed-zeros",
                       "-mllvm",
                       "x",
                       "-mno-fma",
                       "-cl-fast-relaxed-math",
                       "-cl-std=CL3.0",
                       "-cl-kernel-arg-info"};
  const auto options = parse_options(words);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->clang, words);
}

TEST(Options, UnknownOnesAreNamed) {
  for (const char* word :
       {"-S", "-o", "--foo", "-O4", "-Ofast", "-x", "kernel.cl", "-", "", "-vv", "-gdwarf"})
    EXPECT_EQ(complaint_about({"-O2", word}), "there is no option '" + std::string(word) + "'");
}

TEST(Options, RefusedOnesSayWhy) {
  EXPECT_EQ(complaint_about({"-mcpu=gfx900"}),
            "there is no option -mcpu=gfx900: HSAIL is for every processor");
  EXPECT_NE(complaint_about({"--offload-arch=gfx900"}).find("waves of 32"), std::string::npos);
  for (const char* word : {"-target", "--target=x", "-E", "-MD", "-emit-llvm", "-flto", "-flto=thin",
                           "-fsyntax-only", "-save-temps", "-ftime-trace", "-march=x"})
    EXPECT_EQ(complaint_about({word}).find("there is no option " + std::string(word) + ": "), 0U) << word;
}

TEST(Options, MissingValues) {
  for (const char* word :
       {"-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-Xclang", "-mllvm"})
    EXPECT_EQ(complaint_about({word}), "the option " + std::string(word) + " lacks its value");
  for (const char* word : {"-std=", "-cl-", "-save-temps="}) EXPECT_NE(complaint_about({word}), "") << word;
}

}  // namespace
}  // namespace heddle::compiler
