// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/buffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tools/files.h"
#include "tools/png_file.h"

namespace heddle::tools {
namespace {

class Buffer : public testing::Test {
 protected:
  Buffer() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-buffer-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~Buffer() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static PlannedBuffer plan(const std::string& text) {
    auto parsed = parse_argument(text);
    if (!parsed.ok()) ADD_FAILURE() << parsed.error().message;
    auto planned = plan_buffer(std::get<BufferArgument>(*parsed));
    if (!planned.ok()) ADD_FAILURE() << planned.error().message;
    return std::move(*planned);
  }
  static std::string refusal(const std::string& text) {
    auto planned = plan_buffer(std::get<BufferArgument>(*parse_argument(text)));
    return planned.ok() ? "accepted" : planned.error().message;
  }
  static std::vector<std::byte> filled(const PlannedBuffer& buffer) {
    std::vector<std::byte> memory(buffer.bytes(), std::byte{0xcc});
    fill_buffer(buffer, memory);
    return memory;
  }
  template <typename T>
  static std::vector<T> values(const std::vector<std::byte>& memory) {
    std::vector<T> out(memory.size() / sizeof(T));
    std::memcpy(out.data(), memory.data(), memory.size());
    return out;
  }

  std::string folder_;
};

TEST_F(Buffer, GeneratedValues) {
  EXPECT_EQ(values<float>(filled(plan("f32*3"))), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(values<float>(filled(plan("f32:iota*4"))), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(values<int32_t>(filled(plan("s32:iota(10,-5)*4"))), (std::vector<int32_t>{10, 5, 0, -5}));
  EXPECT_EQ(values<uint8_t>(filled(plan("u8:iota(254)*4"))), (std::vector<uint8_t>{254, 255, 0, 1}));
  EXPECT_EQ(values<uint16_t>(filled(plan("u16:7*2x2"))), (std::vector<uint16_t>{7, 7, 7, 7}));
}

TEST_F(Buffer, RandomValuesAreReproducibleAndInRange) {
  auto one = values<float>(filled(plan("f32:random(-2,3,5)*1000")));
  EXPECT_EQ(one, values<float>(filled(plan("f32:random(-2,3,5)*1000"))));
  EXPECT_NE(one, values<float>(filled(plan("f32:random(-2,3,6)*1000"))));
  float low = 3, high = -2, sum = 0;
  for (float value : one) low = std::min(low, value), high = std::max(high, value), sum += value;
  EXPECT_GE(low, -2);
  EXPECT_LE(high, 3);
  EXPECT_NEAR(sum / 1000, 0.5, 0.2);
  for (int8_t value : values<int8_t>(filled(plan("s8:random(-3,4)*1000")))) {
    EXPECT_GE(value, -3);
    EXPECT_LE(value, 3);
  }
}

TEST_F(Buffer, NpyGoesOutAndComesIn) {
  PlannedBuffer buffer = plan("s16:iota(-3)*2x3=" + path("a.npy"));
  std::vector<std::byte> memory = filled(buffer);
  ASSERT_TRUE(save_buffer(buffer, memory).ok());
  PlannedBuffer again = plan("@" + path("a.npy"));
  EXPECT_EQ(again.type->name, "s16");
  EXPECT_EQ(again.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(filled(again), memory);
}

TEST_F(Buffer, RawGoesOutAndComesIn) {
  PlannedBuffer buffer = plan("f64:iota*5=" + path("a.bin"));
  std::vector<std::byte> memory = filled(buffer);
  ASSERT_TRUE(save_buffer(buffer, memory).ok());
  EXPECT_EQ(std::filesystem::file_size(path("a.bin")), 40u);
  EXPECT_EQ(filled(plan("f64@" + path("a.bin"))), memory);
  PlannedBuffer bytes = plan("u8@" + path("a.bin"));
  EXPECT_EQ(bytes.shape, std::vector<uint64_t>{40});
  ASSERT_TRUE(write_file(path("odd.bin"), std::vector<std::byte>(7)).ok());
  EXPECT_NE(refusal("f32@" + path("odd.bin")).find("no multiple"), std::string::npos);
}

TEST_F(Buffer, PicturesKeepShapeAndPixels) {
  for (const char* shape : {"5x4", "5x4x1", "5x4x2", "5x4x3", "5x4x4"}) {
    PlannedBuffer buffer = plan(std::string("u8:iota(3,11)*") + shape + "=" + path("p.png"));
    std::vector<std::byte> memory = filled(buffer);
    ASSERT_TRUE(save_buffer(buffer, memory).ok()) << shape;
    auto file = read_file(path("p.png"));
    ASSERT_TRUE(file.ok());
    auto picture = decode_png(*file, false);
    ASSERT_TRUE(picture.ok());
    EXPECT_EQ(picture->width, 4u);
    EXPECT_EQ(picture->height, 5u);
  }
  // RGBA was the last shape. Its picture reads back exactly.
  PlannedBuffer again = plan("png:" + path("p.png"));
  EXPECT_EQ(again.shape, (std::vector<uint64_t>{5, 4, 4}));
  EXPECT_EQ(filled(again), filled(plan("u8:iota(3,11)*5x4x4")));
  EXPECT_EQ(plan("gray:" + path("p.png")).shape, (std::vector<uint64_t>{5, 4}));
}

TEST_F(Buffer, WordsArePixels) {
  PlannedBuffer buffer = plan("u32:0xff0000ff*2x3=" + path("red.png"));
  ASSERT_TRUE(save_buffer(buffer, filled(buffer)).ok());
  std::vector<std::byte> pixels = filled(plan("png:" + path("red.png")));
  EXPECT_EQ(values<uint32_t>(pixels), std::vector<uint32_t>(6, 0xff0000ff));  // R is the lowest byte
}

TEST_F(Buffer, Refusals) {
  EXPECT_NE(refusal("@" + path("none.npy")).find("No such file"), std::string::npos);
  ASSERT_TRUE(write_file(path("text.npy"), std::vector<std::byte>(100)).ok());
  EXPECT_NE(refusal("@" + path("text.npy")).find("not a .npy file"), std::string::npos);
  EXPECT_NE(refusal("png:" + path("text.npy")), "accepted");
  EXPECT_NE(refusal("f32*4x4=" + path("x.png")).find("is no picture"), std::string::npos);
  EXPECT_NE(refusal("u8*4x4x5=" + path("x.png")).find("is no picture"), std::string::npos);
}

TEST_F(Buffer, ChecksumIsTheOneOfZip) {
  const char* text = "123456789";
  EXPECT_EQ(checksum(std::as_bytes(std::span(text, 9))), 0xcbf43926u);
}

TEST_F(Buffer, Summary) {
  PlannedBuffer buffer = plan("s32:iota(-1)*6");
  EXPECT_NE(summarize(buffer, filled(buffer)).find("min -1  max 4  [-1, 0, 1, 2, ...]"), std::string::npos);
  PlannedBuffer nan = plan("f32:nan*2");
  EXPECT_NE(summarize(nan, filled(nan)).find("NaN 2"), std::string::npos);
}

}  // namespace
}  // namespace heddle::tools
