// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of clients while an agent maps it in processes of its own (wants_memory_files): which files it
// lies in, and what a fork leaves of it. The set of agents is fixed for a process, so this is a program of
// its own.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "driver/small_heap.h"
#include "fixture.h"
#include "logged.h"

namespace heddle::driver {
namespace {

using namespace test;

constexpr size_t page = 4096;

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

bool is_same(const std::optional<SharedPlace>& a, const SharedPlace& b) {
  return a && a->file == b.file && a->offset == b.offset;
}

struct stat status_of(int file) {
  struct stat status = {};
  EXPECT_EQ(fstat(file, &status), 0) << file;
  return status;
}

/// Runs `body` in a child. Returns its exit code, or -1 if a signal ended it.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The page of a file that contains an offset, mapped once more.
class SecondMapping {
 public:
  explicit SecondMapping(const SharedPlace& place)
      : base_(static_cast<char*>(mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, place.file,
                                      static_cast<off_t>(place.offset / page * page)))) {}
  SecondMapping(const SecondMapping&) = delete;
  ~SecondMapping() { munmap(base_, page); }
  /// What is at the same place of the page as `address`.
  char& at(const void* address) const { return base_[number(address) % page]; }

 private:
  char* const base_;
};

struct MemoryFiles : ClientTest {
  char* allocate(size_t size, Backing backing = Backing::automatic) const {
    const auto made = client->allocate(region(host, kernarg), size, 1, backing);
    EXPECT_TRUE(made) << size;
    return made ? static_cast<char*>(*made) : nullptr;
  }
  /// What agents are told of an address.
  static std::optional<SharedPlace> place_of(const void* address) {
    const int64_t handle = first_mock().calls("client_new").back().client;
    SharedPlace place{-1, 0};
    const HSAM_Error answer = first_mock().driver->memory_file(handle, address, &place.file, &place.offset);
    if (answer == HSAM_Done) return place;
    return std::nullopt;
  }
};

TEST_F(MemoryFiles, small_blocks_share_pages_of_one_file) {
  std::vector<char*> blocks;
  std::set<uintptr_t> pages;
  for (size_t i = 0; i < 32; ++i) {
    blocks.push_back(allocate(64));
    pages.insert(number(blocks.back()) / page);
  }
  EXPECT_LE(pages.size(), 2u);
  const SharedPlace first = place_of(blocks[0]).value();
  for (char* block : blocks) {
    const auto place = place_of(block);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->file, first.file);
    EXPECT_EQ(place->offset - first.offset, number(block) - number(blocks[0]));
    EXPECT_EQ(place->offset % page, number(block) % page) << "the pages around it lie in the file, too";
    const SecondMapping again(*place);
    std::memset(block, static_cast<int>(block - blocks[0]) / 64 + 1, 64);
    EXPECT_EQ(again.at(block), block[0]);
    EXPECT_EQ(again.at(block + 63), block[63]);
    again.at(block + 5) = 'x';
    EXPECT_EQ(block[5], 'x');
  }
}

TEST_F(MemoryFiles, every_byte_of_a_small_block_has_its_place) {
  for (const size_t size : {64, 100, 3000, 4096, 5000, 20000, 32768}) {
    char* const block = allocate(size);
    const size_t rounded = client->find(block)->size;
    const SharedPlace place = place_of(block).value();
    for (const size_t inside : {size_t{1}, rounded / 2, rounded - 1})
      EXPECT_TRUE(is_same(place_of(block + inside), {place.file, place.offset + inside})) << size;
    block[rounded - 1] = 'y';
    EXPECT_EQ(SecondMapping(*place_of(block + rounded - 1)).at(block + rounded - 1), 'y');
    EXPECT_EQ(client->free(block), HSA_STATUS_SUCCESS);
    EXPECT_FALSE(place_of(block)) << "freed";
  }
}

TEST_F(MemoryFiles, all_small_blocks_of_a_process_lie_in_one_file_apart) {
  const auto other = Client::open().value();
  const SharedPlace kernarg_place = place_of(allocate(64)).value();
  for (const size_t which : {kernarg, fine, coarse}) {
    const auto block = other->allocate(region(host, which), 200);
    ASSERT_TRUE(block);
#ifndef __SANITIZE_THREAD__
    EXPECT_EQ(number(*block) >> 44, 3u) << "elsewhere the system puts memory of its own";
#endif
    EXPECT_EQ(place_of(*block)->file, kernarg_place.file);
  }
}

TEST_F(MemoryFiles, slabs_that_nobody_has_touched_take_no_memory) {
  char* const block = allocate(64);
  std::memset(block, 1, 64);
  const struct stat status = status_of(place_of(block)->file);
  EXPECT_GE(status.st_size, off_t{16} << 20);
  EXPECT_LE(status.st_blocks * 512, off_t{8} << 20) << "a few slabs of other tests, and perhaps huge pages";
}

/// Whether a core dump leaves out what is at an address (proc(5), VmFlags "dd").
bool is_left_out_of_dumps(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_there = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      is_there = begin <= number(address) && number(address) < end;
    else if (is_there && line.starts_with("VmFlags:"))
      return line.find(" dd") != std::string::npos;
  }
  ADD_FAILURE() << "nothing is mapped at " << address;
  return false;
}

/// Otherwise a dump would take as much memory as the whole arena, which the system commits to read it.
TEST_F(MemoryFiles, a_core_dump_contains_only_slabs_in_use) {
  std::byte *first, *last;
  {
    SmallHeap heap(&page, SlabArena::Kind::in_file);
    auto* const block = static_cast<std::byte*>(heap.allocate(64, 64));
    ASSERT_NE(block, nullptr);
    first = block - number(block) % SlabArena::slab_size;
    last = first + SlabArena::slab_size - 1;
    EXPECT_FALSE(is_left_out_of_dumps(first));
    EXPECT_FALSE(is_left_out_of_dumps(last));
    const SharedPlace place = SmallHeap::place_of(block).value();
    EXPECT_TRUE(is_left_out_of_dumps(block - place.offset + status_of(place.file).st_size - 1));
  }
  EXPECT_TRUE(is_left_out_of_dumps(first)) << "its client has ended";
  EXPECT_TRUE(is_left_out_of_dumps(last));
  SmallHeap next(&page, SlabArena::Kind::in_file);
  EXPECT_FALSE(is_left_out_of_dumps(next.allocate(64, 64))) << "used again";
}

TEST_F(MemoryFiles, freed_blocks_are_used_again) {
  char* const block = allocate(300);
  const SharedPlace place = place_of(block).value();
  EXPECT_EQ(client->free(block), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(client->find(block));
  EXPECT_EQ(client->free(block), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(first_mock().calls("memory_free").at(0).address, block);
  EXPECT_EQ(allocate(300), block);
  EXPECT_TRUE(is_same(place_of(block), place));
}

TEST_F(MemoryFiles, slabs_return_when_a_client_ends) {
  std::set<void*> slabs;
  for (int round = 0; round < 100; ++round) {
    const auto other = Client::open().value();
    const auto block = other->allocate(region(host, fine), 32768);
    ASSERT_TRUE(block);
    slabs.insert(*block);
  }
  EXPECT_LE(slabs.size(), 4u);
}

TEST_F(MemoryFiles, larger_blocks_have_pages_of_their_own) {
  const SharedPlace small = place_of(allocate(64)).value();
  for (const size_t size : {SmallHeap::largest + 1, size_t{100000}, size_t{3} << 20}) {
    char* const block = allocate(size);
    EXPECT_EQ(number(block) % page, 0u);
    EXPECT_TRUE(client->find(block)->is_shareable);
    const SharedPlace place = place_of(block + page).value();
    EXPECT_EQ(place.offset, place_of(block)->offset + page);
    EXPECT_NE(place.file, small.file);
    EXPECT_TRUE(client->share(block));
    EXPECT_FALSE(SmallHeap::find(block));
  }
}

TEST_F(MemoryFiles, memory_for_other_processes_shares_no_pages) {
  char* const shareable = allocate(64, Backing::shareable);
  char* const next = allocate(64, Backing::shareable);
  EXPECT_NE(number(shareable) / page, number(next) / page);
  EXPECT_TRUE(client->find(shareable)->is_shareable);
  EXPECT_TRUE(place_of(shareable));
  EXPECT_TRUE(client->share(shareable));
  EXPECT_TRUE(client->detachable_place_of(shareable));
  // As without files.
  char* const small = allocate(64);
  EXPECT_FALSE(client->find(small)->is_shareable);
  EXPECT_EQ(client->share(small).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->detachable_place_of(small).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryFiles, foreign_addresses_are_in_no_block) {
  char* const block = allocate(100);  // 128 with the granule of the region
  const SharedPlace place = place_of(block).value();
  char* const begin = block - place.offset;
  char* const end = begin + status_of(place.file).st_size;
  int local = 0;
  for (const void* wrong : {static_cast<const void*>(nullptr), static_cast<const void*>(&local),
                            static_cast<const void*>(begin - 1), static_cast<const void*>(end - 1),
                            static_cast<const void*>(end), static_cast<const void*>(block + 128)}) {
    EXPECT_FALSE(SmallHeap::find(wrong)) << wrong;
    EXPECT_FALSE(place_of(wrong)) << wrong;
    EXPECT_FALSE(client->find(wrong)) << wrong;
    EXPECT_EQ(SmallHeap::free(const_cast<void*>(wrong)), false) << wrong;
  }
  EXPECT_FALSE(SmallHeap::free(block + 64));
  EXPECT_TRUE(client->find(block + 127));
}

TEST_F(MemoryFiles, both_arenas_are_in_use_at_once) {
  SmallHeap anonymous(&page), in_file(&page, SlabArena::Kind::in_file);
  void* const here = anonymous.allocate(64, 64);
  void* const there = in_file.allocate(64, 64);
  EXPECT_EQ(SmallHeap::find(here)->heap, &anonymous);
  EXPECT_EQ(SmallHeap::find(there)->heap, &in_file);
  EXPECT_FALSE(SmallHeap::place_of(here));
  EXPECT_TRUE(SmallHeap::place_of(there));
  EXPECT_TRUE(SmallHeap::free(here));
  EXPECT_TRUE(SmallHeap::free(there));
  EXPECT_FALSE(SmallHeap::free(there));
}

TEST_F(MemoryFiles, random_allocations_never_overlap) {
  std::mt19937 random(1);
  std::vector<std::pair<uint32_t*, size_t>> live;
  for (uint32_t i = 0; i < 10000; ++i) {
    if (live.size() < 500 && random() % 2) {
      const size_t words = 1 + random() % (random() % 50 == 0 ? 20000 : 200);
      auto* const memory = reinterpret_cast<uint32_t*>(allocate(words * 4));
      std::fill(memory, memory + words, i);
      live.emplace_back(memory, words);
    } else if (!live.empty()) {
      const size_t which = random() % live.size();
      const auto [memory, words] = live[which];
      for (size_t w = 1; w < words; ++w) ASSERT_EQ(memory[w], memory[0]);
      ASSERT_EQ(client->free(memory), HSA_STATUS_SUCCESS);
      live[which] = live.back();
      live.pop_back();
    }
  }
}

TEST_F(MemoryFiles, threads_allocate_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        char* const block = allocate(16 + static_cast<size_t>(i * 37) % 3000);
        block[0] = static_cast<char>(t);
        if (!place_of(block) || block[0] != t) ++failures;
        if (client->free(block) != HSA_STATUS_SUCCESS) ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

// ---- forks ----

/// Whether this process can read there.
bool is_readable(const void* address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool read = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return read;
}

/// Whether the system would put something there.
bool is_free(const void* address) {
  void* const wish = reinterpret_cast<void*>(number(address) / page * page);
  void* const made = mmap(wish, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made != MAP_FAILED) munmap(made, page);
  return made == wish;
}

/// What the child of a fork must find, and does with memory of its own. Returns 0, or which step failed.
int allocate_anew(const Region& region, const char* parents, const SharedPlace& place,
                  const struct stat& file) {
  struct stat status = {};
  if (fstat(place.file, &status) == 0 && status.st_ino == file.st_ino) return 1;
  int local = 0;
  if (is_readable(parents) || !is_readable(&local)) return 2;
  if (is_free(parents)) return 3;
  if (SmallHeap::find(parents) || SmallHeap::place_of(parents)) return 4;
  const auto client = Client::open();
  if (!client) return 5;
  if ((*client)->find(parents)) return 6;
  char* blocks[200];
  for (char*& block : blocks) {
    const auto made = (*client)->allocate(region, 64);
    if (!made) return 7;
    block = static_cast<char*>(*made);
    std::memset(block, 'c', 64);
    const uintptr_t distance = number(block) - (number(parents) - place.offset);
    if (distance < static_cast<uintptr_t>(file.st_size)) return 8;
    const auto own = SmallHeap::place_of(block);
    if (!own || fstat(own->file, &status) != 0 || status.st_ino == file.st_ino) return 9;
    if (SecondMapping(*own).at(block) != 'c') return 10;
  }
  if (is_readable(parents)) return 11;
  for (char* block : blocks)
    if ((*client)->free(block) != HSA_STATUS_SUCCESS) return 12;
  return 0;
}

TEST_F(MemoryFiles, the_child_of_a_fork_has_a_file_of_its_own) {
  char* blocks[200];
  for (char*& block : blocks) std::memset(block = allocate(64), 'p', 64);
  const SharedPlace place = place_of(blocks[0]).value();
  const struct stat file = status_of(place.file);
  const Region& where = region(host, kernarg);
  EXPECT_EQ(in_child([&] { return allocate_anew(where, blocks[0], place, file); }), 0);
  for (const char* block : blocks)
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(block[i], 'p');
  EXPECT_TRUE(is_same(place_of(blocks[0]), place));
  EXPECT_EQ(client->free(blocks[0]), HSA_STATUS_SUCCESS);
}

TEST_F(MemoryFiles, the_grandchild_has_none_of_the_childs) {
  char* const block = allocate(64);
  const SharedPlace place = place_of(block).value();
  const struct stat file = status_of(place.file);
  const Region& where = region(host, kernarg);
  const int code = in_child([&] {
    if (allocate_anew(where, block, place, file) != 0) return 100;
    const auto own = Client::open();
    const auto made = own ? (*own)->allocate(where, 64) : HSA_STATUS_ERROR;
    if (!made) return 101;
    const SharedPlace own_place = SmallHeap::place_of(*made).value();
    const struct stat own_file = status_of(own_place.file);
    return in_child([&] { return allocate_anew(where, static_cast<char*>(*made), own_place, own_file); });
  });
  EXPECT_EQ(code, 0);
}

/// The parent has a file already; its child needs another one.
TEST_F(MemoryFiles, without_room_for_slabs_each_block_has_whole_pages) {
  const Region& where = region(host, kernarg);
  const int code = in_child([&] {
    const rlimit limit = {8 << 20, 8 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    const auto own = Client::open();
    if (!own) return 2;
    std::array<char*, 3> blocks{};
    for (char*& block : blocks) {
      const auto made = (*own)->allocate(where, 64);
      if (!made) return 3;
      block = static_cast<char*>(*made);
      if (number(block) % page != 0 || SmallHeap::find(block) || !(*own)->find(block)->is_shareable) return 4;
      const auto place = place_of(block);
      *block = 'w';
      if (!place || SecondMapping(*place).at(block) != 'w') return 5;
    }
    for (char* block : blocks)
      if ((*own)->free(block) != HSA_STATUS_SUCCESS) return 6;
    return 0;
  });
  EXPECT_EQ(code, 0);
}

/// What a process does that may make no file as long as it needs. Returns 0, or which step failed.
int allocate_without_files(const Region& region) {
  const auto own = Client::open();
  if (!own) return 2;
  for (const size_t size : {size_t{64}, size_t{64}, size_t{100000}, size_t{3} << 20}) {
    const auto made = (*own)->allocate(region, size);
    if (!made) return 3;
    auto* const block = static_cast<char*>(*made);
    std::memset(block, 'n', size);
    const auto found = (*own)->find(block + size - 1);
    if (!found || found->base != block || found->is_shareable) return 4;
    if (SmallHeap::place_of(block) || MemoryFiles::place_of(block)) return 5;
    if (size == 100000 && (*own)->free(block) != HSA_STATUS_SUCCESS) return 6;
  }
  // What is for other processes cannot do without.
  if ((*own)->allocate(region, 64, 1, Backing::shareable)) return 7;
  return 0;
}

TEST_F(MemoryFiles, if_files_may_not_be_long_enough_memory_lies_in_none) {
  const Region& where = region(host, kernarg);
  const int code = in_child([&] {
    const rlimit limit = {1 << 20, 1 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    int step = 0;
    const std::string text = logged([&] { step = allocate_without_files(where); });
    if (step != 0) return step;
    const size_t warning = text.find("lies in no file");
    if (warning == std::string::npos || text.find("lies in no file", warning + 1) != std::string::npos)
      return 8;
    return text.find("other processes can map: File too large") == std::string::npos ? 9 : 0;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace heddle::driver

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("HEDDLE_AGENTS", "", 1);
  setenv("HEDDLE_LOG", "warning", 1);
  heddle::driver::test::register_mocks(true);
  return RUN_ALL_TESTS();
}
