// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/slot_table.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Table = SlotTable<int, 0x1234>;

TEST(SlotTable, FindsWhatWasInserted) {
  Table table;
  uint64_t a = table.insert(std::make_shared<int>(1));
  uint64_t b = table.insert(std::make_shared<int>(2));
  ASSERT_NE(a, b);
  EXPECT_EQ(*table.get(a), 1);
  EXPECT_EQ(*table.get(b), 2);
}

TEST(SlotTable, RefusesGarbage) {
  Table table;
  uint64_t a = table.insert(std::make_shared<int>(1));
  for (uint64_t bad : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, a ^ (uint64_t{1} << 48), a + 1, a + 0xfffff,
                       a + (uint64_t{1} << 24)})
    EXPECT_EQ(table.get(bad), nullptr) << bad;
}

TEST(SlotTable, StaleHandlesStayDead) {
  Table table;
  uint64_t a = table.insert(std::make_shared<int>(1));
  EXPECT_NE(table.erase(a), nullptr);
  EXPECT_EQ(table.erase(a), nullptr);
  uint64_t b = table.insert(std::make_shared<int>(2));
  EXPECT_EQ(table.get(a), nullptr);
  EXPECT_EQ(*table.get(b), 2);
}

TEST(SlotTable, HandlesThatWereNotIssuedYetCannotBeErased) {
  Table table;
  const uint64_t a = table.insert(std::make_shared<int>(1));
  EXPECT_EQ(table.erase(a + 1), nullptr);  // the next slot of the same chunk
  const uint64_t b = table.insert(std::make_shared<int>(2));
  const uint64_t c = table.insert(std::make_shared<int>(3));
  EXPECT_NE(b, c);
  EXPECT_NE(table.erase(b), nullptr);
  EXPECT_EQ(table.erase(b + (uint64_t{1} << 24)), nullptr);  // the next generation of a free slot
  EXPECT_EQ(*table.get(table.insert(std::make_shared<int>(4))), 4);
  EXPECT_NE(table.insert(std::make_shared<int>(5)), table.insert(std::make_shared<int>(6)));
}

TEST(SlotTable, ErasedObjectLivesWhileUsed) {
  Table table;
  uint64_t a = table.insert(std::make_shared<int>(7));
  auto held = table.get(a);
  table.erase(a);
  EXPECT_EQ(*held, 7);
}

TEST(SlotTable, ManyThreads) {
  Table table;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&table, t] {
      for (int i = 0; i < 3000; ++i) {
        uint64_t handle = table.insert(std::make_shared<int>(t));
        auto object = table.get(handle);
        ASSERT_NE(object, nullptr);
        EXPECT_EQ(*object, t);
        EXPECT_NE(table.erase(handle), nullptr);
        EXPECT_EQ(table.get(handle), nullptr);
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(SlotTable, VisitsTheLiving) {
  Table table;
  std::set<uint64_t> expected;
  for (int i = 0; i < 2000; ++i) {
    uint64_t handle = table.insert(std::make_shared<int>(i));
    if (i % 3 == 0)
      table.erase(handle);
    else
      expected.insert(handle);
  }
  std::set<uint64_t> seen;
  table.for_each([&](uint64_t handle, const std::shared_ptr<int>&) { seen.insert(handle); });
  EXPECT_EQ(seen, expected);
  table.clear();
  for (uint64_t handle : expected) EXPECT_EQ(table.get(handle), nullptr);
}

}  // namespace
}  // namespace heddle
