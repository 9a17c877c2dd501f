// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the check layer by themselves.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "layers/check/lives.h"
#include "layers/check/memory.h"
#include "layers/check/objects.h"
#include "layers/check/report.h"

namespace heddle::check {
namespace {

using ::testing::HasSubstr;

Event event(const char* function) { return {function, Site::here()}; }

Allocation allocation(uint64_t begin, uint64_t size) {
  Allocation made;
  made.begin = begin;
  made.size = made.capacity = size;
  made.made = event("allocate");
  return made;
}

TEST(Rules, HaveDifferentIdsAndAreDocumented) {
  std::ifstream file(HEDDLE_CHECKING_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> ids;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_THAT(page, HasSubstr(std::string("| `") + rule->id + "` |"));
  }
  size_t rows = 0;
  for (size_t at = page.find("| `CHECK-"); at != std::string::npos; at = page.find("| `CHECK-", at + 1))
    ++rows;
  EXPECT_EQ(rows, ids.size()) << "the page has rules that do not exist";
}

TEST(Lives, KnowOnlyFunctionsThatExist) {
  std::set<std::string_view> functions;
#define HEDDLE_INSERT(name) functions.insert(#name);
  HEDDLE_CHECK_FUNCTIONS(HEDDLE_INSERT)
#undef HEDDLE_INSERT
  for (const std::string_view name : beginnings) EXPECT_TRUE(functions.contains(name)) << name;
  for (const std::string_view name : endings) EXPECT_TRUE(functions.contains(name)) << name;
}

TEST(Site, NamesTheCallers) {
  EXPECT_THAT(Site::here().text(), HasSubstr("+0x"));
  EXPECT_EQ(Site().text(), "an unknown place");
  uint64_t keys[2];
  for (uint64_t& key : keys) key = Site::here().key();
  EXPECT_EQ(keys[0], keys[1]);
}

TEST(Objects, AreFoundAfterTheirEnd) {
  Objects objects;
  objects.make(Kind::signal, 0x40, event("create"));
  EXPECT_FALSE(objects.check(Kind::signal, 0x40));
  EXPECT_EQ(objects.check(Kind::queue, 0x40)->rule, &rules::handle_kind);
  EXPECT_EQ(objects.check(Kind::queue, 0x80)->rule, &rules::handle_unknown);
  objects.destroy(Kind::signal, 0x40, event("destroy"));
  EXPECT_EQ(objects.check(Kind::signal, 0x40)->rule, &rules::signal_destroyed);
  EXPECT_EQ(objects.check(Kind::signal, 0x40, true)->rule, &rules::destroyed_twice);
  EXPECT_EQ(objects.check(Kind::signal, 0x40)->notes.size(), 2u);
  objects.keep(Kind::signal, 0x40);
  EXPECT_FALSE(objects.check(Kind::signal, 0x40));
  objects.end_all(event("shut down"));
  EXPECT_EQ(objects.check(Kind::signal, 0x40)->rule, &rules::earlier_init);
  objects.make(Kind::signal, 0x40, event("create"));
  EXPECT_FALSE(objects.check(Kind::signal, 0x40));
  objects.lose_track();
  EXPECT_FALSE(objects.check(Kind::queue, 0x80));
}

TEST(Objects, WithSeveralReferencesEndWithTheLast) {
  Objects objects;
  objects.make(Kind::memory_handle, 1, event("create"));
  objects.make(Kind::memory_handle, 1, event("retain"));
  objects.destroy(Kind::memory_handle, 1, event("release"));
  EXPECT_FALSE(objects.check(Kind::memory_handle, 1));
  objects.destroy(Kind::memory_handle, 1, event("release"));
  EXPECT_TRUE(objects.check(Kind::memory_handle, 1));
}

TEST(Objects, ThatAreGoneAreForgottenInTime) {
  Objects objects;
  for (uint64_t handle = 1; handle <= 70000; ++handle) {
    objects.make(Kind::log, handle, {"create", {}});
    objects.destroy(Kind::log, handle, {"destroy", {}});
  }
  EXPECT_EQ(objects.find(Kind::log, 1), nullptr);
  EXPECT_NE(objects.find(Kind::log, 70000), nullptr);
}

TEST(Memory, FindsByAddress) {
  Memory memory;
  memory.allocate(allocation(0x1000, 0x100));
  EXPECT_EQ(memory.find(0xfff), nullptr);
  EXPECT_NE(memory.find(0x1000), nullptr);
  EXPECT_NE(memory.find(0x10ff), nullptr);
  EXPECT_EQ(memory.find(0x1100), nullptr);
}

TEST(Memory, FreesOnce) {
  Memory memory;
  memory.allocate(allocation(0x1000, 0x100));
  EXPECT_FALSE(memory.check_free(0));
  EXPECT_FALSE(memory.check_free(0x1000));
  EXPECT_EQ(memory.check_free(0x1010)->rule, &rules::memory_free_unknown);
  memory.free(0x1000, event("free"));
  EXPECT_EQ(memory.check_free(0x1000)->rule, &rules::memory_freed_twice);
  EXPECT_NE(memory.find_freed(0x1080), nullptr);
  memory.allocate(allocation(0x1080, 0x10));
  EXPECT_EQ(memory.find_freed(0x1010), nullptr) << "memory that is in use again is not told as freed";
}

TEST(Memory, KnowsTheEndsOfRanges) {
  Memory memory;
  memory.allocate(allocation(0x1000, 0x100));
  EXPECT_FALSE(memory.check_range(0x1000, 0x100, "it"));
  EXPECT_FALSE(memory.check_range(0x5000, 0x100, "it"));
  EXPECT_FALSE(memory.check_range(0x1000, 0, "it"));
  EXPECT_THAT(memory.check_range(0x10f8, 0x10, "it")->sentence, HasSubstr("8 more"));
  EXPECT_TRUE(memory.check_range(0x10f8, UINT64_MAX, "it"));
  memory.allocate(allocation(0x1100, 0x100));
  EXPECT_FALSE(memory.check_range(0x10f8, 0x10, "it"));
}

TEST(Memory, CountsLocksAndRegistrations) {
  Memory memory;
  memory.lock(8, event("lock"));
  memory.lock(8, event("lock"));
  EXPECT_TRUE(memory.unlock(8));
  EXPECT_TRUE(memory.unlock(8));
  EXPECT_FALSE(memory.unlock(8));
  memory.register_range(8, 8);
  EXPECT_FALSE(memory.deregister_range(8, 4));
  EXPECT_TRUE(memory.deregister_range(8, 8));
  EXPECT_FALSE(memory.deregister_range(8, 8));
}

class Reports : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("HEDDLE_CHECK");
    unsetenv("HEDDLE_CHECK_EXCEPT");
  }
  std::string said(const Rule& rule, int times = 1) {
    ::testing::internal::CaptureStderr();
    reporter_.configure();
    const Site site = Site::here();
    for (int i = 0; i < times; ++i)
      reporter_.report({{&rule, "something is wrong", {{"made by f", site}}}}, "hsa_f", site);
    return ::testing::internal::GetCapturedStderr();
  }
  Reporter reporter_;
};

TEST_F(Reports, AreOneMessage) {
  const std::string text = said(rules::signal_destroyed);
  EXPECT_TRUE(text.starts_with(
      "heddle: check: error: CHECK-signal-destroyed: hsa_f: something is wrong [Runtime 2.4.1.4]\n"
      "    called at "))
      << text;
  EXPECT_THAT(text, HasSubstr("\n    made by f at "));
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(Reports, OfTheSamePlaceAreCounted) {
  const std::string text = said(rules::signal_destroyed, 10);
  size_t count = 0;
  for (size_t at = text.find("CHECK-"); at != std::string::npos; at = text.find("CHECK-", at + 1)) ++count;
  EXPECT_EQ(count, Reporter::shown_per_place);
  ::testing::internal::CaptureStderr();
  reporter_.summarise();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "heddle: check: 7 more findings of the same places and rules were not shown\n");
}

TEST_F(Reports, CanBeExcepted) {
  setenv("HEDDLE_CHECK_EXCEPT", "CHECK-leak,,CHECK-signal-destroyed", 1);
  EXPECT_EQ(said(rules::signal_destroyed), "");
  EXPECT_THAT(said(rules::queue_destroyed), HasSubstr("CHECK-queue-destroyed"));
  setenv("HEDDLE_CHECK_EXCEPT", "CHECK-nothing", 1);
  EXPECT_THAT(said(rules::signal_destroyed), HasSubstr("names 'CHECK-nothing', which is no rule"));
}

TEST_F(Reports, EndTheProcessIfThatIsAskedFor) {
  setenv("HEDDLE_CHECK", "abort", 1);
  EXPECT_DEATH(said(rules::signal_destroyed), "");
  EXPECT_THAT(said(rules::fence_release), HasSubstr("warning: CHECK-fence-release"))
      << "warnings end nothing";
}

}  // namespace
}  // namespace heddle::check
