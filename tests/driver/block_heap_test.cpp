// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of pools: blocks and fragments, what is kept and given back, and the file behind it.
#include "driver/block_heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "driver/shared_file.h"

namespace heddle::driver {
namespace {

constexpr size_t page = 4096;
constexpr size_t block = BlockHeap::block_size;

/// The memory that the system has behind a file.
size_t resident(const SharedFile& file) {
  struct stat status = {};
  EXPECT_EQ(fstat(file.descriptor(), &status), 0);
  return static_cast<size_t>(status.st_blocks) * 512;
}

TEST(BlockHeap, SmallAllocationsShareABlock) {
  BlockHeap heap;
  std::byte* first = heap.allocate(page, 1);
  std::byte* second = heap.allocate(3 * page, 1);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(second, first + page);
  EXPECT_EQ(heap.offset_of(second), heap.offset_of(first) + page);
  EXPECT_EQ(heap.usage().blocks, 1u);
  heap.free(first);
  // The smallest fragment that is large enough is taken.
  EXPECT_EQ(heap.allocate(page, 1), first);
  EXPECT_EQ(heap.allocate(2 * page, 1), second + 3 * page);
}

TEST(BlockHeap, MemoryApartLiesWhereTheSystemPutsNothing) {
  BlockHeap heap(Where::apart);
  for (const size_t size : {page, 3 * block + page}) {
    std::byte* memory = heap.allocate(size, 1);
    ASSERT_NE(memory, nullptr);
    // The runs of ThreadSanitizer have no such addresses, and the system is free to give others.
    const auto address = reinterpret_cast<uintptr_t>(memory);
    const void* anywhere = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(anywhere, MAP_FAILED);
#ifndef __SANITIZE_THREAD__
    EXPECT_EQ(address >> 44, 3u) << memory;
#endif
    EXPECT_NE(reinterpret_cast<uintptr_t>(anywhere) >> 44, 3u) << anywhere;
    munmap(const_cast<void*>(anywhere), page);
    std::memset(memory, 1, size);
    EXPECT_EQ(address % page, 0u);
    heap.free(memory);
  }
}

TEST(BlockHeap, FreeNeighboursBecomeOneFragment) {
  for (const std::vector<int>& order :
       {std::vector{0, 1, 2}, std::vector{2, 1, 0}, std::vector{0, 2, 1}, std::vector{1, 0, 2}}) {
    BlockHeap heap;
    std::byte* parts[3];
    for (std::byte*& part : parts) part = heap.allocate(page, 1);
    std::byte* behind = heap.allocate(block - 3 * page, 1);
    EXPECT_EQ(behind, parts[2] + page);
    for (int i : order) heap.free(parts[i]);
    EXPECT_EQ(heap.allocate(3 * page, 1), parts[0]);
    EXPECT_EQ(heap.usage().blocks, 1u);
  }
}

TEST(BlockHeap, FreeBlocksAreKeptAndTrimmed) {
  BlockHeap heap;
  std::byte* memory = heap.allocate(block / 2, 1);
  std::memset(memory, 1, block / 2);
  EXPECT_GE(resident(heap.file()), block / 2);
  heap.free(memory);
  EXPECT_EQ(heap.usage().blocks, 0u);
  EXPECT_EQ(heap.usage().cached_blocks, 1u);
  EXPECT_EQ(heap.allocate(page, 1), memory);
  EXPECT_EQ(heap.usage().cached_blocks, 0u);
  heap.free(memory);
  heap.trim();
  EXPECT_EQ(heap.usage().cached_blocks, 0u);
  EXPECT_EQ(resident(heap.file()), 0u);
  // The file's range is used again, and reads as 0.
  memory = heap.allocate(page, 1);
  EXPECT_EQ(memory[0], std::byte{0});
}

TEST(BlockHeap, OnlyAFewFreeBlocksAreKept) {
  BlockHeap heap;
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(heap.allocate(block - page, 1));
  EXPECT_EQ(heap.usage().blocks, 40u);
  for (std::byte* memory : blocks) heap.free(memory);
  EXPECT_EQ(heap.usage().blocks, 0u);
  EXPECT_EQ(heap.usage().cached_blocks, 16u);
}

TEST(BlockHeap, LargeAllocationsHaveMemoryOfTheirOwn) {
  BlockHeap heap;
  std::byte* memory = heap.allocate(3 * block + page, 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % block, 0u);
  EXPECT_EQ(heap.usage().large, 1u);
  std::memset(memory, 1, 3 * block + page);
  heap.free(memory);
  EXPECT_EQ(heap.usage().large, 0u);
  EXPECT_EQ(resident(heap.file()), 0u);
  EXPECT_EQ(heap.allocate(size_t{1} << 62, 1), nullptr);
}

TEST(BlockHeap, AlignmentsAreKept) {
  BlockHeap heap;
  for (size_t alignment : {page, 4 * page, size_t{1} << 20, 4 * block}) {
    std::byte* odd = heap.allocate(page, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(heap.allocate(page, alignment)) % alignment, 0u) << alignment;
    EXPECT_NE(odd, nullptr);
  }
}

/// Random allocations keep what was written to them, and in the end everything is free.
TEST(BlockHeap, AllocationsDoNotOverlap) {
  BlockHeap heap;
  struct Piece {
    std::byte* base;
    size_t size;
    std::byte mark;
  };
  std::vector<Piece> pieces;
  std::mt19937 random(7);
  const auto check = [&](const Piece& piece) {
    for (size_t at = 0; at < piece.size; at += page) ASSERT_EQ(piece.base[at], piece.mark);
  };
  for (int i = 0; i < 3000; ++i) {
    if (pieces.empty() || random() % 2 == 0) {
      const size_t size = (1 + random() % (random() % 8 == 0 ? 700 : 60)) * page;
      const Piece piece{heap.allocate(size, 1), size, static_cast<std::byte>(i)};
      ASSERT_NE(piece.base, nullptr);
      for (size_t at = 0; at < size; at += page) piece.base[at] = piece.mark;
      pieces.push_back(piece);
    } else {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      check(pieces.back());
      heap.free(pieces.back().base);
      pieces.pop_back();
    }
  }
  for (const Piece& piece : pieces) {
    check(piece);
    heap.free(piece.base);
  }
  EXPECT_EQ(heap.usage().blocks, 0u);
  EXPECT_EQ(heap.usage().large, 0u);
  heap.trim();
  EXPECT_EQ(resident(heap.file()), 0u);
}

TEST(BlockHeap, ThreadsAllocateAtOnce) {
  BlockHeap heap;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&heap, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 300; ++i) {
        std::byte* memory = heap.allocate((1 + random() % 600) * page, 1);
        ASSERT_NE(memory, nullptr);
        memory[0] = static_cast<std::byte>(t);
        std::this_thread::yield();
        EXPECT_EQ(memory[0], static_cast<std::byte>(t));
        heap.free(memory);
        if (i % 100 == 0) heap.trim();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heap.usage().blocks, 0u);
}

TEST(SharedFile, RangesAreUsedAgain) {
  SharedFile file;
  EXPECT_EQ(file.descriptor(), -1);
  const uint64_t first = *file.allocate(page), second = *file.allocate(2 * page),
                 third = *file.allocate(page);
  EXPECT_TRUE(first + page <= second && second + 2 * page <= third);
  file.free(first, page);
  file.free(second, 2 * page);
  EXPECT_EQ(file.allocate(3 * page), first);  // the ranges were joined
  file.free(first, 3 * page);
  file.free(third, page);
  EXPECT_EQ(file.allocate(page), first);
}

TEST(SharedFile, DroppedPagesReadAsZero) {
  SharedFile file;
  const uint64_t offset = *file.allocate(page);
  const SharedMapping memory = SharedMapping::create(file.descriptor(), offset, page);
  ASSERT_TRUE(memory);
  memory.base()[5] = std::byte{9};
  file.drop_pages(offset, page);
  EXPECT_EQ(memory.base()[5], std::byte{0});
}

}  // namespace
}  // namespace heddle::driver
