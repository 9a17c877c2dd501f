// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/npy.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::tools {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::string file_of(const std::string& header, size_t data, char major = 1) {
  std::string text = std::string("\x93NUMPY") + major + '\0';
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  if (major > 1) text += std::string(2, '\0');
  return text + header + std::string(data, 'x');
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (std::vector<uint64_t> shape : {std::vector<uint64_t>{}, {5}, {2, 3}, {4, 1, 7}, {0}}) {
    const ElementType& type = *find_element_type("f32");
    std::string header = npy_header(type, shape);
    EXPECT_EQ(header.size() % 64, 0u);
    uint64_t elements = 1;
    for (uint64_t size : shape) elements *= size;
    auto parsed = parse_npy(bytes_of(header + std::string(elements * 4, 'x')));
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->type, &type);
    EXPECT_EQ(parsed->shape, shape);
    EXPECT_EQ(parsed->data_offset, header.size());
  }
}

TEST(Npy, HeadersAsOtherProgramsWriteThem) {
  auto version2 =
      parse_npy(bytes_of(file_of("{\"shape\":(3,), \"fortran_order\":False, \"descr\":\"<i8\"}\n", 24, 2)));
  ASSERT_TRUE(version2.ok()) << version2.error().message;
  EXPECT_EQ(version2->type->name, "s64");
  // One dimension has the same layout in either order.
  EXPECT_TRUE(
      parse_npy(bytes_of(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }", 3))).ok());
}

TEST(Npy, RefusesWhatItCannotRead) {
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_TRUE(parse_npy(bytes_of(file_of(good, 24))).ok());
  EXPECT_FALSE(parse_npy({}).ok());
  EXPECT_FALSE(parse_npy(bytes_of("\x93NUMPY")).ok());
  EXPECT_FALSE(parse_npy(bytes_of(file_of(good, 23))).ok());
  EXPECT_FALSE(parse_npy(bytes_of(file_of(good, 28))).ok());
  EXPECT_FALSE(parse_npy(bytes_of(file_of(good, 24, 9))).ok());
  EXPECT_FALSE(
      parse_npy(bytes_of(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", 24))).ok());
  EXPECT_FALSE(
      parse_npy(bytes_of(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24))).ok());
  EXPECT_FALSE(parse_npy(bytes_of(file_of("{'descr': '<f4', 'fortran_order': False}", 24))).ok());
  EXPECT_FALSE(
      parse_npy(bytes_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4))).ok());
  EXPECT_FALSE(
      parse_npy(bytes_of(file_of("{'descr': '<f4', 'shape': (4294967296, 4294967296, 16)}", 24))).ok());
  EXPECT_FALSE(
      parse_npy(bytes_of(file_of("{'descr': '<f4', 'shape': (99999999999999999999999,)}", 24))).ok());
  // Every proper prefix of a valid file is invalid, and none is read past its end.
  std::string file = file_of(good, 24);
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(parse_npy(bytes_of(file.substr(0, size))).ok()) << size;
}

}  // namespace
}  // namespace heddle::tools
