// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's BLAKE3 against that of LLVM.
#include "cache/blake3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <llvm/Support/BLAKE3.h>

namespace heddle::cache {
namespace {

std::vector<std::byte> bytes_of(size_t size) {
  std::vector<std::byte> bytes(size);
  uint32_t state = 1;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

Blake3::Digest digest_of_llvm(const std::vector<std::byte>& bytes) {
  return llvm::BLAKE3::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

/// Around the ends of blocks, chunks, groups of chunks and whole trees.
TEST(Blake3, AgreesWithLlvmForEverySize) {
  std::vector<size_t> sizes = {100'000, (1 << 20) + 77};
  for (size_t size = 0; size <= 200; ++size) sizes.push_back(size);
  for (size_t chunks = 1; chunks <= 40; ++chunks)
    for (const size_t size : {chunks * 1024 - 1, chunks * 1024, chunks * 1024 + 1}) sizes.push_back(size);
  for (const size_t size : sizes) {
    const auto bytes = bytes_of(size);
    EXPECT_EQ(Blake3::of(bytes), digest_of_llvm(bytes)) << size;
  }
}

TEST(Blake3, DoesNotDependOnThePieces) {
  const auto bytes = bytes_of(50'000);
  const auto whole = digest_of_llvm(bytes);
  for (const size_t piece : {1, 63, 64, 1000, 1024, 1025, 8191, 8192, 8193, 20'000}) {
    Blake3 blake3;
    for (size_t at = 0; at < bytes.size(); at += piece)
      blake3.update(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    EXPECT_EQ(blake3.value(), whole) << piece;
  }
}

}  // namespace
}  // namespace heddle::cache
