// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/argument.h"

#include <gtest/gtest.h>

namespace heddle::tools {
namespace {

BufferArgument buffer(std::string_view text) {
  auto parsed = parse_argument(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().message);
  if (!parsed.ok() || !std::holds_alternative<BufferArgument>(*parsed)) return {};
  return std::get<BufferArgument>(*parsed);
}

std::string scalar(std::string_view text) {
  auto parsed = parse_argument(text);
  if (!parsed.ok()) return parsed.error().message;
  if (!std::holds_alternative<ValueArgument>(*parsed)) return "a buffer";
  const auto& value = std::get<ValueArgument>(*parsed);
  const ElementType& element = *value.type.element;
  std::string words(element.name);
  for (size_t at = 0; at < value.bytes.size(); at += element.size)
    words.append(" ").append(format_element(element, value.bytes.data() + at));
  return words;
}

TEST(Argument, Scalars) {
  EXPECT_EQ(scalar("u32:5"), "u32 5");
  EXPECT_EQ(scalar("u64:0x10"), "u64 16");
  EXPECT_EQ(scalar("u64:18446744073709551615"), "u64 18446744073709551615");
  EXPECT_EQ(scalar("s32:-1"), "s32 -1");
  EXPECT_EQ(scalar("s8:-128"), "s8 -128");
  EXPECT_EQ(scalar("s64:-9223372036854775808"), "s64 -9223372036854775808");
  EXPECT_EQ(scalar("f64:1e-3"), "f64 0.001");
  EXPECT_EQ(scalar("f32:-inf"), "f32 -inf");
  EXPECT_EQ(scalar("f16:65504"), "f16 65504");
}

/// Returns the argument's alignment in the kernarg segment.
uint32_t alignment(std::string_view text) {
  auto parsed = parse_argument(text);
  EXPECT_TRUE(parsed.ok()) << text;
  if (!parsed.ok()) return 0;
  return std::visit([](const auto& argument) { return argument.alignment; }, *parsed);
}

TEST(Argument, PackedValuesAndArrays) {
  EXPECT_EQ(scalar("u8x4:1,2,3,4"), "u8 1 2 3 4");
  EXPECT_EQ(scalar("f64x2:0.5,-1"), "f64 0.5 -1");
  EXPECT_EQ(scalar("s16:-1,2,3"), "s16 -1 2 3");
  EXPECT_EQ(scalar("f16x2:1,2,3,4"), "f16 1 2 3 4");
  EXPECT_EQ(alignment("u8:1,2,3"), 1u);
  EXPECT_EQ(alignment("u8x4:1,2,3,4"), 4u);
  EXPECT_EQ(alignment("f32x4:1,2,3,4"), 16u);
  EXPECT_EQ(alignment("f32*16"), 8u);
  EXPECT_EQ(alignment("align(64):u32:1"), 64u);
  EXPECT_EQ(alignment("align(256):in:f32:iota*16"), 256u);
  EXPECT_EQ(alignment("align(1):u32:1"), 4u);

  EXPECT_EQ(buffer("u8x4*100").shape, (std::vector<uint64_t>{100, 4}));
  EXPECT_EQ(buffer("f32x2:iota*4x3").shape, (std::vector<uint64_t>{4, 3, 2}));
  EXPECT_EQ(buffer("f32x2:iota*4x3").type->name, "f32");
}

TEST(Argument, Buffers) {
  BufferArgument sized = buffer("f32*1024");
  EXPECT_EQ(sized.direction, Direction::out);
  EXPECT_EQ(sized.source, SourceKind::zero);
  EXPECT_EQ(sized.shape, std::vector<uint64_t>{1024});

  BufferArgument result = buffer("out:f32*1024=result.npy");
  EXPECT_EQ(result.direction, Direction::out);
  EXPECT_EQ(result.destination, "result.npy");

  BufferArgument iota = buffer("in:f32:iota*1024");
  EXPECT_EQ(iota.direction, Direction::in);
  EXPECT_EQ(iota.source, SourceKind::iota);
  EXPECT_EQ(iota.first, 0);
  EXPECT_EQ(iota.second, 1);

  BufferArgument stepped = buffer("s32:iota(10,-2.5)*4x3");
  EXPECT_EQ(stepped.first, 10);
  EXPECT_EQ(stepped.second, -2.5);
  EXPECT_EQ(stepped.shape, (std::vector<uint64_t>{4, 3}));

  BufferArgument random = buffer("u8:random*1M");
  EXPECT_EQ(random.second, 256);
  EXPECT_EQ(random.seed, 1u);
  EXPECT_EQ(random.shape, std::vector<uint64_t>{1 << 20});
  EXPECT_EQ(buffer("f64:random*1").second, 1);
  EXPECT_EQ(buffer("f64:random(-1,1,77)*1").seed, 77u);

  BufferArgument filled = buffer("inout:u32:7*2K=r.bin");
  EXPECT_EQ(filled.source, SourceKind::fill);
  EXPECT_EQ(filled.direction, Direction::inout);
  EXPECT_EQ(filled.shape, std::vector<uint64_t>{2048});
}

TEST(Argument, FilesAndDirections) {
  EXPECT_EQ(buffer("@a.npy").source, SourceKind::npy);
  EXPECT_EQ(buffer("@a.npy").direction, Direction::in);
  EXPECT_EQ(buffer("@a.npy=b.npy").direction, Direction::inout);
  EXPECT_EQ(buffer("@a=b.npy=c.npy").file, "a=b.npy");
  EXPECT_EQ(buffer("f32@data.bin").source, SourceKind::raw);
  EXPECT_EQ(buffer("f32@data.bin").file, "data.bin");
  EXPECT_EQ(buffer("png:in:x.png").file, "in:x.png");
  EXPECT_EQ(buffer("inout:gray:p.png").direction, Direction::inout);
  EXPECT_EQ(buffer("inout:gray:p.png").source, SourceKind::gray);
}

/// A wrong argument, the position of the caret, and a part of the message.
struct Wrong {
  const char* text;
  size_t position;
  const char* part_of_message;
};

class WrongArgument : public testing::TestWithParam<Wrong> {};

TEST_P(WrongArgument, IsRefusedWithPosition) {
  auto parsed = parse_argument(GetParam().text);
  ASSERT_FALSE(parsed.ok()) << GetParam().text;
  EXPECT_EQ(parsed.error().position, GetParam().position) << parsed.error().message;
  EXPECT_NE(parsed.error().message.find(GetParam().part_of_message), std::string::npos)
      << parsed.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongArgument,
    testing::Values(Wrong{"", 0, "empty"}, Wrong{"f33*4", 0, "'f33' is no type"},
                    Wrong{"out:f33*4", 4, "is no type"}, Wrong{"u32", 3, "must follow the type"},
                    Wrong{"u32:", 4, "not an integer"}, Wrong{"u32:5x", 4, "not an integer"},
                    Wrong{"u32:-1", 4, "does not fit"}, Wrong{"u8:256", 3, "does not fit"},
                    Wrong{"s8:-129", 3, "does not fit"}, Wrong{"f16:1e6", 4, "does not fit"},
                    Wrong{"f32:1e50", 4, "does not fit"}, Wrong{"f32:", 4, "not a number"},
                    Wrong{"in:u32:5", 0, "neither direction"}, Wrong{"u8x4:1,2,3", 10, "4 elements"},
                    Wrong{"u8x3:1,2,3", 0, "is no type"}, Wrong{"u8x04:1,2,3,4", 0, "is no type"},
                    Wrong{"f64x4:1,2,3,4", 0, "is no type"}, Wrong{"u8x:1", 0, "is no type"},
                    Wrong{"u8x4x2:1", 0, "is no type"}, Wrong{"u8x4:1,,3,4", 7, "not an integer"},
                    Wrong{"u8x4:1,256,3,4", 7, "does not fit"}, Wrong{"u8x4@a.bin", 0, "write u8@FILE"},
                    Wrong{"align(3):u32:1", 6, "no alignment"}, Wrong{"align(512):u32:1", 6, "no alignment"},
                    Wrong{"align(8)u32:1", 7, "must follow"}, Wrong{"align():u32:1", 6, "no alignment"},
                    Wrong{"u32:5=r.npy", 0, "neither direction"}, Wrong{"f32*", 4, "is no count"},
                    Wrong{"f32*0", 4, "is no count"}, Wrong{"f32*4x", 6, "is no count"},
                    Wrong{"f32*4T", 4, "is no count"}, Wrong{"f32*99999999G", 4, "is no count"},
                    Wrong{"f32*1Gx1Gx1G", 7, "too large"}, Wrong{"f32:iota", 4, "count must follow"},
                    Wrong{"f32:iota(1*4", 4, "iota takes"}, Wrong{"f32:iota(1,2,3)*4", 4, "iota takes"},
                    Wrong{"f32:random(1)*4", 4, "random takes"}, Wrong{"f32:random(2,1)*4", 4, "LOW"},
                    Wrong{"f32:random(0,1,-1)*4", 4, "seed"},
                    Wrong{"f32:what*4", 4, "a value, iota or random"}, Wrong{"@", 1, "file name is missing"},
                    Wrong{"@a.bin", 1, "only .npy"}, Wrong{"png:", 4, "file name is missing"},
                    Wrong{"f32*4=", 6, "must follow '='"}, Wrong{"in:f32*4=r.npy", 9, "use 'inout'"}));

TEST(Argument, ErrorShowsTheCaretUnderThePosition) {
  EXPECT_EQ(describe_argument_error("out:f33*4", {4, "wrong"}), "wrong\n  out:f33*4\n      ^");
}

TEST(Extent, OneToThreeSizes) {
  auto three = parse_extent("1K,2,3");
  ASSERT_TRUE(three.ok());
  EXPECT_EQ(three->dimensions, 3u);
  EXPECT_EQ(three->size[0], 1024u);
  EXPECT_EQ(three->size[2], 3u);
  auto one = parse_extent("7");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->dimensions, 1u);
  EXPECT_EQ(one->size[1], 1u);
  for (const char* wrong : {"", "0", "1,2,3,4", "1,", ",1", "a", "-1", "4G"})
    EXPECT_FALSE(parse_extent(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace heddle::tools
