// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernel_printf.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace heddle::testing {
namespace {

/// Builds buffers as kernels do.
class Buffer {
 public:
  template <typename T>
  Buffer& value(T value) {
    const size_t at = record_.size();
    record_.resize(at + sizeof value);
    std::memcpy(record_.data() + at, &value, sizeof value);
    return *this;
  }

  Buffer& characters(std::string_view text, size_t size) {
    std::string padded(text);
    padded.resize(size);
    for (const char c : padded) value(c);
    return *this;
  }

  /// Ends a record.
  Buffer& end() {
    const auto size = static_cast<uint32_t>(record_.size());
    record_.resize((record_.size() + 3) / 4 * 4);
    const size_t at = data_.size();
    data_.resize(at + sizeof size);
    std::memcpy(data_.data() + at, &size, sizeof size);
    data_.insert(data_.end(), record_.begin(), record_.end());
    record_.clear();
    return *this;
  }

  std::vector<std::byte> bytes() const {
    const PrintfBufferHeader header = {static_cast<uint32_t>(data_.size()),
                                       static_cast<uint32_t>(data_.size()), 0, 0};
    std::vector<std::byte> all(sizeof header);
    std::memcpy(all.data(), &header, sizeof header);
    all.insert(all.end(), data_.begin(), data_.end());
    return all;
  }

  PrintfText text(std::string_view formats) const { return printf_text(bytes(), PrintfFormats(formats)); }

 private:
  std::vector<std::byte> record_;
  std::vector<std::byte> data_;
};

/// Returns the contents of the variable that has these formats.
std::string formats(std::initializer_list<std::string> entries) {
  std::string all;
  for (const std::string& entry : entries) all += entry + '\0';
  return all;
}

TEST(KernelPrintf, FormatsScalarsOfOpenCl) {
  const std::string known = formats({R"(1:5:4:8:4:8:4:%d %lu %5.2f|%-8.3e|%c\n)", R"(2:0:nothing\72 100%%\n)",
                                     R"(3:3:4:4:4:%hhd %hu %#x\n)"});
  Buffer buffer;
  buffer.value(1U).value(-7).value(uint64_t{1} << 40).value(3.14159F).value(1e100).value(int{'x'}).end();
  buffer.value(2U).end();
  buffer.value(3U).value(0x1ff).value(0x1ffff).value(0xbeef).end();
  const PrintfText result = buffer.text(known);
  EXPECT_EQ(result.text, "-7 1099511627776  3.14|1.000e+100|x\nnothing: 100%\n-1 65535 0xbeef\n");
  EXPECT_EQ(result.malformed, 0U);
}

TEST(KernelPrintf, FormatsVectorsOfOpenCl) {
  const std::string known = formats({"1:1:16:%v4hlf;", "2:1:8:%v2hhd;", "3:1:16:%v16hhu;", "4:1:8:%v3hd;",
                                     "5:1:16:%v2ld;", "6:1:8:%v4hf;", "7:1:16:%4.1v2lf;", "8:1:16:%v3hlx;"});
  Buffer buffer;
  buffer.value(1U).value(std::array{1.0F, -2.5F, 3.0F, 4.0F}).end();
  buffer.value(2U).value(std::array{1, -2}).end();  // small vectors are widened
  std::array<uint8_t, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(240 + i);
  buffer.value(3U).value(bytes).end();
  buffer.value(4U).value(std::array<int16_t, 4>{1, -2, 3, 99}).end();
  buffer.value(5U).value(std::array<int64_t, 2>{-1, int64_t{1} << 33}).end();
  buffer.value(6U).value(std::array<uint16_t, 4>{0x3c00, 0xc000, 0x7c00, 0x0001}).end();
  buffer.value(7U).value(std::array{1.25, 2.75}).end();
  buffer.value(8U).value(std::array{10, 11, 12, 99}).end();
  EXPECT_EQ(buffer.text(known).text,
            "1.000000,-2.500000,3.000000,4.000000;1,-2;240,241,242,243,244,245,246,247,248,249,250,251,252,"
            "253,254,255;"
            "1,-2,3;-1,8589934592;1.000000,-2.000000,inf,0.000000; 1.2, 2.8;a,b,c;");
}

TEST(KernelPrintf, FormatsStringsOfOpenCl) {
  Buffer buffer;
  buffer.value(1U).characters("abc", 4).characters("", 4).characters("left", 8).end();
  EXPECT_EQ(buffer.text(formats({"1:3:4:4:8:[%s][%s][%-6.2s]"})).text, "[abc][][le    ]");
}

/// Records of HIP, as clang's option -mprintf-kind=buffered makes them.
TEST(KernelPrintf, FormatsRecordsOfHip) {
  const std::string known =
      formats({"0:0:4a263a6300f2bd05,a: %d %s %f\n", "0:0:92dd20844490dd85,%c|%*d|%.*f|%p\n"});
  Buffer buffer;
  buffer.value((36U << 2) | 2)
      .value(uint64_t{0x4a263a6300f2bd05})
      .value(uint64_t{0xfffffffe})
      .characters("lit", 8)
      .value(0.5)
      .end();
  buffer.value((60U << 2) | 2).value(uint64_t{0x92dd20844490dd85});
  for (const uint64_t value : {uint64_t{'y'}, uint64_t{4}, uint64_t{42}, uint64_t{1}}) buffer.value(value);
  buffer.value(2.25).value(uint64_t{0x1000}).end();
  buffer.value(28U << 2).characters("dynamic %d %%", 16).value(uint64_t{9}).end();
  const PrintfText result = buffer.text(known);
  EXPECT_EQ(result.text, "a: -2 lit 0.500000\ny|  42|2.2|0x1000\ndynamic 9 %");
  EXPECT_EQ(result.malformed, 0U);
}

TEST(KernelPrintf, CountsRecordsThatCannotBeRead) {
  const std::string known =
      formats({"1:1:4:%d\\n", "0:0:0000000000000001,%d %s", "nonsense", "9:1:x:%d", "2:2:4:4:%d"});
  Buffer unknown;
  EXPECT_EQ(unknown.value(77U).value(1).end().text(known).malformed, 1U);
  Buffer short_record;
  EXPECT_EQ(short_record.value(1U).end().text(known).malformed, 1U);
  Buffer without_string;
  without_string.value((20U << 2) | 2).value(uint64_t{1}).value(uint64_t{5}).end();
  EXPECT_EQ(without_string.text(known).malformed, 1U);
  Buffer fine_after_bad;
  const PrintfText text = fine_after_bad.value(77U).end().value(1U).value(5).end().text(known);
  EXPECT_EQ(text.text, "5\n");
  EXPECT_EQ(text.malformed, 1U);
}

TEST(KernelPrintf, KeepsToTheBuffer) {
  Buffer buffer;
  buffer.value(1U).value(5).end();
  auto bytes = buffer.bytes();
  PrintfBufferHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.used = 0xfffffff0;
  std::memcpy(bytes.data(), &header, sizeof header);
  EXPECT_EQ(printf_text(bytes, PrintfFormats(formats({"1:1:4:%d"}))).text, "5");
  EXPECT_EQ(printf_text(std::span(bytes).first(7), PrintfFormats("")).text, "");
}

TEST(KernelPrintf, LimitsWidths) {
  Buffer buffer;
  buffer.value(1U).value(5).end();
  EXPECT_EQ(buffer.text(formats({"1:1:4:%99999999999d"})).text.size(), 65536U);
}

/// Any bytes as formats and as records end without harm.
TEST(KernelPrintf, AcceptsAnyBytes) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): every run has the same records
  constexpr std::string_view alphabet("0123456789:,%dsfvhlx*.- \0", 25);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = random() % 80; i != 0; --i) text += alphabet[random() % alphabet.size()];
    Buffer buffer;
    for (unsigned records = random() % 4; records != 0; --records) {
      buffer.value(random() % 8 == 0 ? static_cast<uint32_t>(random()) : static_cast<uint32_t>(random() % 4));
      for (unsigned words = random() % 12; words != 0; --words) buffer.value(static_cast<uint32_t>(random()));
      buffer.end();
    }
    const PrintfText result =
        buffer.text(formats({"1:2:4:8:" + text, "2:1:16:" + text, "0:0:1," + text, text}));
    EXPECT_LE(result.malformed, 3U);
  }
}

}  // namespace
}  // namespace heddle::testing
