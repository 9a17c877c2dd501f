// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of code objects: what a hit gives, what makes it a miss, and what it does to its folder.
#include "finalizer/cache/cached_finalize.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "cache/store.h"
#include "compile.h"
#include "finalizer/cache/administration.h"
#include "finalizer/cache/build_id.h"
#include "finalizer/cache/key.h"
#include "finalizer/targets.h"
#include "hsail/assemble/assemble.h"

namespace heddle::finalizer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const isa_v3 = "heddle:x86-64-v3:w1";

/// The text of a module with one kernel that stores a number.
std::string module_text(int number, const std::string& name = "m") {
  return fmt::format(
      "module &{}:1:2:$full:$large:$near;\nprog kernel &k_{}(kernarg_u64 %p)\n{{\n"
      "  ld_kernarg_align(8)_u64 $d0, [%p];\n  st_global_align(4)_u32 {}, [$d0];\n}};\n",
      name, name, number);
}

std::vector<std::byte> brig_of(const std::string& text) {
  Diagnostics diagnostics("test.hsail", text);
  std::vector<std::byte> brig;
  EXPECT_TRUE(assemble::assemble(text, "test.hsail", brig, diagnostics)) << diagnostics.print();
  return brig;
}

/// The variables that the cache sees. The cache asks a plain function, so that they are global.
std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}
char* variable(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.data();
}

struct Job {
  std::vector<std::string> modules = {module_text(7)};
  link::Program::Options program = {};
  hsail_code_object_kind kind = HSAIL_CODE_OBJECT_BOTH;
  const char* isa = isa_v3;
  FinalizeOptions options = {};
  const hsail_control_directives* directives = nullptr;
};

struct Outcome {
  FinalizeResult result;
  std::vector<std::byte> bytes;
  std::string text;              ///< of the diagnostics
  std::vector<std::string> ids;  ///< of the diagnostics
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const Job& job) {
  link::Program program(job.program);
  for (const std::string& text : job.modules) {
    Diagnostics ignored;
    EXPECT_EQ(program.add(brig::Module::open(brig_of(text), ignored), ignored), link::Program::AddResult::ok);
  }
  Outcome outcome;
  Diagnostics diagnostics;
  outcome.result = cached_finalize(program, job.kind, find_isa(job.isa), job.options, job.directives,
                                   variable, outcome.bytes, diagnostics);
  outcome.text = diagnostics.print();
  for (const Diagnostic& diagnostic : diagnostics.all()) outcome.ids.push_back(diagnostic.id);
  return outcome;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "heddle-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    variables() = {{"HEDDLE_CACHE_DIR", (root_ / "cache").string()}};
  }
  void TearDown() override {
    variables().clear();
    fs::remove_all(root_);
  }

  fs::path folder() const { return root_ / "cache" / "1"; }

  /// The paths of all entries.
  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& item : fs::directory_iterator(folder(), none))
      if (item.path().filename() != "ledger") found.push_back(item.path());
    return found;
  }
  fs::path only_entry() const {
    const auto found = entries();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found[0];
  }
  uintmax_t size_of_entries() const {
    uintmax_t size = 0;
    for (const fs::path& path : entries()) size += fs::file_size(path);
    return size;
  }

  fs::path root_;
};

cache::Key key_of_file(const fs::path& entry) {
  const std::string name = entry.filename();
  cache::Key key;
  for (size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  return key;
}

/// Makes files old, so that a test sees which of them the cache writes or uses.
void set_age(const fs::path& path, int seconds) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}
bool is_new(const fs::path& path) {
  return fs::last_write_time(path) > fs::file_time_type::clock::now() - std::chrono::minutes(30);
}

// ---- hits ----

TEST_F(Cache, AHitGivesTheSameBytes) {
  variables()["HEDDLE_CACHE"] = "0";
  const Outcome without = run({});
  EXPECT_THAT(entries(), IsEmpty());
  variables().erase("HEDDLE_CACHE");
  const Outcome miss = run({});
  const fs::path entry = only_entry();
  set_age(entry, 7200);
  const Outcome hit = run({});
  EXPECT_TRUE(is_new(entry)) << "the entry was not used";
  EXPECT_EQ(without.result, FinalizeResult::ok);
  EXPECT_FALSE(without.bytes.empty());
  EXPECT_EQ(miss, without);
  EXPECT_EQ(hit, without);
}

/// The entry decides what a hit returns: one with other contents gives these contents.
TEST_F(Cache, AHitDoesNotFinalize) {
  const Outcome miss = run({});
  const cache::Key key = key_of_file(only_entry());
  const std::vector<std::byte> other = {std::byte{1}, std::byte{2}};
  const Diagnostic warning = {"TEST-1", Severity::warning, Location::binary("hsa_code", 4), "a warning", {}};
  const auto file = cache::encode(key, {&warning, 1}, other);
  overwrite(only_entry(), {reinterpret_cast<const char*>(file.data()), file.size()});
  const Outcome hit = run({});
  EXPECT_EQ(hit.bytes, other);
  EXPECT_THAT(hit.ids, ElementsAre("TEST-1"));
}

TEST_F(Cache, AHitReportsTheWarningsOfTheMiss) {
  Job job;
  job.modules = {
      "module &m:1:2:$full:$large:$near;\n"
      "pragma \"hsa.tools.debug.src\", 1, \"BasicType\", 0, 32, 32, \"int\", \"Signed\";\n"
      "pragma \"hsa.tools.debug.version\", 2, 0;\nprog kernel &k()\n{\n  ret;\n};\n"};
  job.options.debug = true;
  const Outcome miss = run(job);
  ASSERT_EQ(miss.result, FinalizeResult::ok) << miss.text;
  ASSERT_FALSE(miss.ids.empty()) << "the test needs a module whose finalization warns";
  set_age(only_entry(), 7200);
  EXPECT_EQ(run(job), miss);
  EXPECT_TRUE(is_new(only_entry()));
}

TEST_F(Cache, KeepsNotesOfDiagnostics) {
  Diagnostic note = {"", Severity::note, Location::text(3, 4, 5), "a note", {}};
  Diagnostic warning = {"ID-1", Severity::warning, Location::binary("hsa_code", 77), "text", {note, note}};
  warning.location.operand = 2;
  const std::vector<Diagnostic> all = {warning, {}};
  const cache::Key key = {1};
  const auto entry = cache::decode(key, cache::encode(key, all, {}));
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->object, IsEmpty());
  ASSERT_EQ(entry->diagnostics.size(), 2u);
  const Diagnostic& read = entry->diagnostics[0];
  EXPECT_EQ(read.id, "ID-1");
  EXPECT_EQ(read.severity, Severity::warning);
  EXPECT_EQ(read.location.section, "hsa_code");
  EXPECT_EQ(read.location.offset, 77u);
  EXPECT_EQ(read.location.operand, 2u);
  EXPECT_EQ(read.message, "text");
  ASSERT_EQ(read.notes.size(), 2u);
  EXPECT_EQ(read.notes[1].location.line, 3u);
  EXPECT_EQ(read.notes[1].location.column, 4u);
  EXPECT_EQ(read.notes[1].location.length, 5u);
  EXPECT_EQ(read.notes[1].message, "a note");
}

TEST_F(Cache, DoesNotKeepFailures) {
  Job job;
  job.modules = {
      "module &m:1:2:$full:$large:$near;\ndecl prog function &f()();\n"
      "prog kernel &k()\n{\n  {\n    call &f()();\n  }\n};\n"};
  const Outcome first = run(job);
  EXPECT_EQ(first.result, FinalizeResult::failed);
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_EQ(run(job), first);
}

TEST_F(Cache, LeavesOutWhatIsFastOrDumps) {
  Job dumping;
  dumping.options.dump_folder = (root_ / "dump").string();
  EXPECT_EQ(run(dumping).result, FinalizeResult::ok);
  EXPECT_TRUE(fs::exists(root_ / "dump"));
  Job interpreted;
  interpreted.isa = "heddle:hsail:w1";
  EXPECT_EQ(run(interpreted).result, FinalizeResult::ok);
  Job variables_only;
  variables_only.kind = HSAIL_CODE_OBJECT_PROGRAM;
  EXPECT_EQ(run(variables_only).result, FinalizeResult::ok);
  EXPECT_THAT(entries(), IsEmpty());
  // With an entry, a request for the intermediate forms still makes them.
  run({});
  fs::remove_all(root_ / "dump");
  EXPECT_EQ(run(dumping).result, FinalizeResult::ok);
  EXPECT_TRUE(fs::exists(root_ / "dump"));
}

// ---- keys ----

cache::Key key_of(const Job& job, std::string_view build = "build") {
  link::Program program(job.program);
  for (const std::string& text : job.modules) {
    Diagnostics ignored;
    program.add(brig::Module::open(brig_of(text), ignored), ignored);
  }
  return finalizer::key_of(CacheRequest{program, job.kind, job.isa, job.options, job.directives}, build);
}

TEST(CacheKey, EveryPartOfTheRequestCounts) {
  const std::string a = module_text(7, "a"), b = module_text(7, "b");
  const std::string unnamed = "module &c:1:2:$full:$large:$default;\n";
  std::vector<Job> jobs = {{}};
  const auto with = [&](const std::function<void(Job&)>& change) { change(jobs.emplace_back()); };
  with([](Job& job) { job.modules = {module_text(8)}; });
  with([](Job& job) { job.modules = {module_text(7, "n")}; });
  with([&](Job& job) { job.modules = {a, b}; });
  with([&](Job& job) { job.modules = {b, a}; });
  with([&](Job& job) { job.modules = {a}; });
  with([&](Job& job) { job.modules = {}; });
  with([](Job& job) { job.program.default_rounding = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN; });
  with([](Job& job) { job.program.strict_rounding = true; });
  with([&](Job& job) {
    job.modules = {};
    job.program.machine_model = HSA_BRIG_MACHINE_MODEL_SMALL;
  });
  with([&](Job& job) {
    job.modules = {};
    job.program.profile = HSA_BRIG_PROFILE_BASE;
  });
  with([](Job& job) { job.kind = HSAIL_CODE_OBJECT_AGENT; });
  with([](Job& job) { job.isa = "heddle:x86-64-v2:w1"; });
  with([](Job& job) { job.options.opt_level = 1; });
  with([](Job& job) { job.options.debug = true; });
  with([](Job& job) { job.options.lazy = true; });
  with([](Job& job) { job.options.kernel = "&k"; });
  std::vector<cache::Key> keys;
  for (const Job& job : jobs) keys.push_back(key_of(job));
  keys.push_back(key_of({}, "another build"));
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
  for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(key_of(jobs[i]), keys[i]);
}

TEST(CacheKey, EveryControlDirectiveCounts) {
  hsail_control_directives directives = {};
  Job job;
  job.directives = &directives;
  EXPECT_EQ(key_of(job), key_of({})) << "no directives are the same as none that are enabled";
  std::vector<cache::Key> keys = {key_of(job)};
  const auto add = [&](auto& field) {
    field = 1;
    keys.push_back(key_of(job));
    field = 0;
  };
  add(directives.mask);
  add(directives.break_exceptions_mask);
  add(directives.detect_exceptions_mask);
  add(directives.max_dynamic_group_size);
  add(directives.max_flat_grid_size);
  add(directives.max_flat_workgroup_size);
  for (auto& size : directives.required_grid_size) add(size);
  for (auto& size : directives.required_workgroup_size) add(size);
  add(directives.required_dim);
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
}

/// Debug information contains the current folder.
TEST_F(Cache, TheCurrentFolderCountsForDebuggers) {
  Job debug;
  debug.options.debug = true;
  const fs::path before = fs::current_path();
  const auto here = key_of(debug), plain_here = key_of({});
  fs::current_path(root_);
  const auto there = key_of(debug), plain_there = key_of({});
  fs::current_path(before);
  EXPECT_NE(here, there);
  EXPECT_EQ(plain_here, plain_there);
}

/// It is a copy of the modules, which would only take the place of code.
TEST_F(Cache, DoesNotKeepLazyCodeObjects) {
  Job lazy;
  lazy.options.lazy = true;
  const Outcome first = run(lazy);
  EXPECT_FALSE(first.bytes.empty());
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(run(lazy), first);
  Job part;
  part.options.kernel = "&k_m";
  const Outcome code = run(part);
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_EQ(run(part), code);
}

TEST_F(Cache, RequestsThatDifferHaveTheirOwnEntries) {
  Job other;
  other.options.opt_level = 0;
  const Outcome one = run({}), two = run(other);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_NE(one.bytes, two.bytes);
  EXPECT_EQ(run({}), one);
  EXPECT_EQ(run(other), two);
  EXPECT_EQ(entries().size(), 2u);
}

TEST(CacheBuild, IsThatOfTheLoadedFiles) {
  const auto own = build_id_of(reinterpret_cast<const void*>(&brig_of));
  const auto c_library = build_id_of(reinterpret_cast<const void*>(&::getpid));
  EXPECT_EQ(own.size(), 20u) << "SHA-1";
  EXPECT_FALSE(std::ranges::equal(own, c_library));
  int on_the_stack = 0;
  EXPECT_TRUE(build_id_of(&on_the_stack).empty());
  const std::string build = finalizer_build();
  EXPECT_GE(build.size(), 2 * own.size());
  EXPECT_EQ(std::memcmp(build.data(), own.data(), own.size()), 0);
}

// ---- damaged entries ----

TEST_F(Cache, EveryFlippedByteIsAMiss) {
  const Outcome right = run({});
  const std::string good = contents(only_entry());
  const cache::Key key = key_of_file(only_entry());
  const auto decodes = [&](const std::string& file) {
    return cache::decode(key, std::as_bytes(std::span(file))).has_value();
  };
  EXPECT_TRUE(decodes(good));
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      EXPECT_FALSE(decodes(bad)) << "byte " << i;
    }
  }
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(decodes(good.substr(0, size))) << size;
  EXPECT_FALSE(decodes(good + '\0'));
}

TEST_F(Cache, ADamagedEntryIsReplaced) {
  const Outcome right = run({});
  const std::string good = contents(only_entry());
  for (const size_t place : {size_t{0}, size_t{8}, size_t{40}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[place] = static_cast<char>(~bad[place]);
    for (const std::string& damaged : {bad, good.substr(0, place)}) {
      overwrite(only_entry(), damaged);
      EXPECT_EQ(run({}), right);
      EXPECT_EQ(contents(only_entry()), good);
    }
  }
}

TEST_F(Cache, ADamagedEntryIsRemovedEvenIfNothingReplacesIt) {
  run({});
  overwrite(only_entry(), "damaged");
  variables()["HEDDLE_CACHE_SIZE"] = "1";
  EXPECT_EQ(run({}).result, FinalizeResult::ok);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Cache, AnEntryUnderAnotherNameIsAMiss) {
  const Outcome one = run({});
  const fs::path first = only_entry();
  const std::string bytes = contents(first);
  Job other;
  other.options.opt_level = 0;
  const Outcome two = run(other);
  for (const fs::path& path : entries()) overwrite(path, bytes);
  EXPECT_EQ(run(other), two);
  EXPECT_EQ(run({}), one);
}

TEST_F(Cache, FilesThatAreNoEntriesDoNoHarm) {
  const Outcome right = run({});
  const fs::path entry = only_entry();
  fs::remove(entry);
  ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  EXPECT_EQ(run({}), right);
  fs::remove(entry);
  fs::create_directory(entry);
  EXPECT_EQ(run({}), right);
  fs::remove_all(entry);
  overwrite(root_ / "elsewhere", "x");
  fs::create_symlink(root_ / "elsewhere", entry);
  EXPECT_EQ(run({}), right);
  EXPECT_EQ(contents(root_ / "elsewhere"), "x");
}

// ---- settings ----

TEST_F(Cache, CanBeSwitchedOff) {
  for (const char* name : {"HEDDLE_CACHE", "HEDDLE_CACHE_SIZE"}) {
    variables()[name] = "0";
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.result, FinalizeResult::ok);
    EXPECT_THAT(outcome.ids, IsEmpty());
    EXPECT_FALSE(fs::exists(root_ / "cache"));
    variables()[name] = "";  // counts as none
  }
  run({});
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Cache, FindsItsFolder) {
  Diagnostics diagnostics;
  const auto folder = [&] { return cache::read_settings(variable, diagnostics).folder; };
  variables() = {{"HEDDLE_CACHE_DIR", "/a"}, {"XDG_CACHE_HOME", "/b"}, {"HOME", "/c"}};
  EXPECT_EQ(folder(), "/a");
  variables()["HEDDLE_CACHE_DIR"] = "";
  EXPECT_EQ(folder(), "/b/heddle");
  variables()["XDG_CACHE_HOME"] = "relative";
  EXPECT_EQ(folder(), "/c/.cache/heddle");
  variables()["HOME"] = "relative";
  EXPECT_EQ(folder(), "");
  EXPECT_THAT(diagnostics.all(), IsEmpty());
}

/// secure_getenv knows no variables in processes with the rights of another user.
TEST_F(Cache, IsOffWithoutAnEnvironment) {
  variables().clear();
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.result, FinalizeResult::ok);
  EXPECT_THAT(outcome.ids, IsEmpty());
  Diagnostics diagnostics;
  EXPECT_NE(cache::read_settings(variable, diagnostics).why_absent, "");
}

TEST_F(Cache, ReadsItsSize) {
  const std::map<std::string, uint64_t> sizes = {
      {"1", 1}, {"12345", 12345}, {"3K", 3072}, {"2M", 2 << 20}, {"5G", uint64_t{5} << 30}};
  for (const auto& [text, size] : sizes) {
    Diagnostics diagnostics;
    variables()["HEDDLE_CACHE_SIZE"] = text;
    EXPECT_EQ(cache::read_settings(variable, diagnostics).limit, size);
    EXPECT_THAT(diagnostics.all(), IsEmpty()) << text;
  }
}

TEST_F(Cache, ComplainsAboutValuesThatMeanNothing) {
  for (const char* text :
       {"-1", "1.5G", "1 M", "1k", "much", "0x10", "99999999999999999999", "17179869184G"}) {
    Diagnostics diagnostics;
    variables()["HEDDLE_CACHE_SIZE"] = text;
    EXPECT_EQ(cache::read_settings(variable, diagnostics).limit, uint64_t{256} << 20);
    ASSERT_EQ(diagnostics.all().size(), 1u) << text;
    EXPECT_NE(diagnostics.all()[0].message.find(text), std::string::npos);
  }
  const Outcome miss = run({});
  EXPECT_EQ(miss.result, FinalizeResult::ok);
  EXPECT_THAT(miss.ids, ElementsAre("FINALIZER-cache-setting"));
  EXPECT_EQ(run({}), miss);
  variables() = {{"HEDDLE_CACHE_DIR", "relative"}, {"HOME", root_.string()}};
  EXPECT_THAT(run({}).ids, ElementsAre("FINALIZER-cache-setting"));
  EXPECT_FALSE(fs::exists(root_ / ".cache")) << "another folder than the one that was meant";
}

// ---- folders ----

mode_t mode_of(const fs::path& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(Cache, MakesPrivateFolders) {
  variables() = {{"HOME", (root_ / "home" / "me").string()}};
  const mode_t before = ::umask(0);
  run({});
  ::umask(before);
  for (const char* path : {"home", "home/me/.cache", "home/me/.cache/heddle", "home/me/.cache/heddle/1"})
    EXPECT_EQ(mode_of(root_ / path), 0700u) << path;
  int files = 0;
  for (const auto& item : fs::directory_iterator(root_ / "home/me/.cache/heddle/1")) {
    EXPECT_EQ(mode_of(item.path()), 0600u) << item.path();
    ++files;
  }
  EXPECT_EQ(files, 2) << "an entry and the ledger";
}

TEST_F(Cache, RefusesFoldersThatOthersCanWrite) {
  const Outcome right = run({});
  for (const fs::path& path : {root_ / "cache", folder()}) {
    for (const mode_t mode : {0720u, 0702u, 0777u, 01777u}) {
      fs::remove(only_entry());
      ASSERT_EQ(::chmod(path.c_str(), mode), 0);
      const Outcome outcome = run({});
      EXPECT_EQ(outcome.bytes, right.bytes);
      EXPECT_THAT(outcome.ids, ElementsAre("FINALIZER-cache-folder"));
      EXPECT_NE(outcome.text.find(path.string()), std::string::npos) << outcome.text;
      EXPECT_THAT(entries(), IsEmpty());
      ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
      EXPECT_EQ(run({}), right);
    }
  }
}

TEST_F(Cache, IgnoresEntriesThatOthersCanWrite) {
  run({});
  for (const mode_t mode : {0620u, 0602u}) {
    ASSERT_EQ(::chmod(only_entry().c_str(), mode), 0);
    EXPECT_EQ(run({}).result, FinalizeResult::ok);
    EXPECT_EQ(mode_of(only_entry()), 0600u) << "not replaced";
  }
}

TEST_F(Cache, RefusesFoldersOfOtherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const Outcome right = run({});
  for (const fs::path& path : {root_ / "cache", folder()}) {
    fs::remove(only_entry());
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.bytes, right.bytes);
    EXPECT_THAT(outcome.ids, ElementsAre("FINALIZER-cache-folder"));
    EXPECT_NE(outcome.text.find("12345"), std::string::npos) << outcome.text;
    EXPECT_THAT(entries(), IsEmpty());
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    EXPECT_EQ(run({}), right);
  }
  ASSERT_EQ(::chown(only_entry().c_str(), 12345, 12345), 0);
  EXPECT_EQ(run({}), right);
  struct stat status;
  ASSERT_EQ(::stat(only_entry().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u) << "not replaced";
}

enum class Rights : uint8_t { keep, drop };

/// Runs a function in a child process, which gives up the rights of root if it is to. Returns whether the
/// function returned true and no expectation failed.
bool in_child(Rights rights, const std::function<bool()>& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (rights == Rights::drop && ::geteuid() == 0 && (::setgid(12345) != 0 || ::setuid(12345) != 0))
      ::_exit(3);
    ::_exit(run() && !::testing::Test::HasFailure() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status == 0;
}

TEST_F(Cache, FinalizesWithoutAFolderThatCanBeWritten) {
  ASSERT_EQ(::chmod(root_.c_str(), 0555), 0);
  for (const std::string& path :
       {root_.string(), root_.string() + "/missing", root_.string() + "/missing/too",
        std::string("/dev/null"), std::string("/dev/null/missing"), "/" + std::string(5000, 'x'),
        std::string("/proc/heddle")}) {
    variables()["HEDDLE_CACHE_DIR"] = path;
    EXPECT_TRUE(in_child(Rights::drop, [&] {
      const Outcome outcome = run({});
      // Root's folder is a foreign one for the child.
      const bool quiet = outcome.ids.empty() || (path == root_ && ::getuid() == 12345);
      return outcome.result == FinalizeResult::ok && !outcome.bytes.empty() && quiet;
    })) << path.substr(0, 100);
  }
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(Cache, HitsInAFolderThatIsReadOnly) {
  const Outcome right = run({});
  ASSERT_EQ(::chmod(folder().c_str(), 0555), 0);
  EXPECT_EQ(run({}), right);
  ASSERT_EQ(::chmod(folder().c_str(), 0755), 0);
}

/// Files that are larger than the process may write would end it with a signal.
TEST_F(Cache, KeepsToTheLimitOfFileSizes) {
  variables()["HEDDLE_CACHE"] = "0";
  const Outcome right = run({});
  variables().erase("HEDDLE_CACHE");
  EXPECT_TRUE(in_child(Rights::keep, [&] {
    const rlimit limit = {100, 100};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && run({}) == right;
  }));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Cache, LeavesNothingOnAFullDisk) {
  fs::create_directory(root_ / "cache");
  const bool can_mount = in_child(Rights::keep, [] {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  });
  if (!can_mount) GTEST_SKIP() << "this process cannot mount a file system of its own";
  EXPECT_TRUE(in_child(Rights::keep, [&] {
    const fs::path disk = root_ / "cache";
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", disk.c_str(), "tmpfs", 0, "size=16k,mode=700") != 0)
      return false;
    const Outcome right = run({});
    EXPECT_EQ(entries().size(), 1u);
    fs::remove(only_entry());
    overwrite(disk / "filler", std::string(1 << 20, 'x'));
    EXPECT_EQ(run({}), right);  // the ledger has its place, the entry has not
    EXPECT_THAT(entries(), IsEmpty());
    fs::remove(folder() / "ledger");
    overwrite(disk / "filler", std::string(1 << 20, 'x'));
    EXPECT_EQ(run({}), right);
    EXPECT_THAT(entries(), IsEmpty());
    fs::remove(disk / "filler");
    EXPECT_EQ(run({}), right);
    EXPECT_EQ(entries().size(), 1u);
    return true;
  }));
}

// ---- the limit ----

class Eviction : public Cache {
 protected:
  Job numbered(int number) const {
    Job job;
    job.modules = {module_text(number)};
    return job;
  }
  /// Adds the entry of a number and returns its path.
  fs::path add(int number) {
    const auto before = entries();
    EXPECT_EQ(run(numbered(number)).result, FinalizeResult::ok);
    for (const fs::path& path : entries())
      if (std::ranges::find(before, path) == before.end()) return path;
    ADD_FAILURE() << "no new entry";
    return {};
  }
  void limit_entries(double count) {
    variables()["HEDDLE_CACHE_SIZE"] = std::to_string(static_cast<uint64_t>(count * entry_size_));
  }
  void SetUp() override {
    Cache::SetUp();
    add(1000);
    entry_size_ = static_cast<double>(size_of_entries());
    fs::remove_all(root_ / "cache");
  }
  double entry_size_ = 0;
};

TEST_F(Eviction, RemovesTheLeastRecentlyUsedFirst) {
  limit_entries(4.6);
  std::vector<fs::path> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back(add(i));
    set_age(paths.back(), 4000 - i);
  }
  run(numbered(0));  // uses the oldest
  const fs::path fresh = add(4);
  EXPECT_TRUE(fs::exists(paths[0]));
  EXPECT_FALSE(fs::exists(paths[1]));
  EXPECT_TRUE(fs::exists(paths[2]));
  EXPECT_TRUE(fs::exists(paths[3]));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(Eviction, KeepsToTheLimit) {
  limit_entries(5.5);
  for (int i = 0; i < 20; ++i) {
    run(numbered(i));
    EXPECT_LE(static_cast<double>(size_of_entries()), 5.5 * entry_size_);
  }
  EXPECT_GE(entries().size(), 4u);
  limit_entries(2.5);  // a smaller limit holds from the next entry on
  run(numbered(100));
  EXPECT_LE(entries().size(), 2u);
}

TEST_F(Eviction, AnEntryThatIsTooLargeRemovesNothing) {
  add(1);
  limit_entries(0.9);
  EXPECT_EQ(run(numbered(2)).result, FinalizeResult::ok);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Eviction, SurvivesALedgerThatIsWrong) {
  limit_entries(3.5);
  for (const std::string& bytes :
       {std::string(), std::string("junk"), std::string(24, '\xff'), std::string(24, '\0')}) {
    for (int i = 0; i < 3; ++i) run(numbered(i));
    overwrite(folder() / "ledger", bytes);
    run(numbered(10));
    EXPECT_LE(static_cast<double>(size_of_entries()), 3.5 * entry_size_);
    EXPECT_GE(entries().size(), 2u);
  }
  for (int i = 0; i < 3; ++i) run(numbered(i));
  for (const fs::path& path : entries()) fs::remove(path);  // as users do
  for (int i = 0; i < 3; ++i) run(numbered(i));
  EXPECT_GE(entries().size(), 2u);
}

TEST_F(Eviction, RemovesWhatDeadProcessesLeft) {
  limit_entries(2.5);
  add(1);
  const fs::path left = folder() / "new-0123456789abcdef";
  overwrite(left, "half");
  overwrite(folder() / "README", "not of the cache");
  for (int i = 2; i < 6; ++i) run(numbered(i));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(folder() / "README"));
}

TEST_F(Eviction, DoesNotWaitLongForALockedLedger) {
  const Outcome right = run(numbered(1));
  const fs::path entry = only_entry();
  const int ledger = ::open((folder() / "ledger").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(ledger, LOCK_EX), 0);
  EXPECT_EQ(run(numbered(2)).result, FinalizeResult::ok);
  EXPECT_EQ(entries().size(), 1u) << "an entry that was not accounted for";
  set_age(entry, 7200);
  EXPECT_EQ(run(numbered(1)), right);
  EXPECT_TRUE(is_new(entry)) << "readers need no lock";
  ::close(ledger);
  run(numbered(2));
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Eviction, SaysWhatItHoldsAndClears) {
  Diagnostics diagnostics;
  const auto settings = cache::read_settings(variable, diagnostics);
  EXPECT_FALSE(cache::Store::open(settings, cache::Missing::leave).ok());
  EXPECT_FALSE(fs::exists(root_ / "cache"));
  add(1);
  add(2);
  overwrite(folder() / "new-0123456789abcdef", "half");
  const auto store = cache::Store::open(settings, cache::Missing::leave);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->usage().entries, 2u);
  EXPECT_EQ(store->usage().bytes, size_of_entries());
  const auto cleared = store->clear();
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->entries, 2u);
  EXPECT_EQ(store->usage().entries, 0u);
  EXPECT_EQ(store->usage().bytes, 0u);
  EXPECT_THAT(entries(), IsEmpty());
  add(1);
}

TEST_F(Eviction, PeopleCanAskAndClear) {
  Diagnostics quiet;
  const auto describe = [&] { return describe_cache(variable, quiet); };
  EXPECT_TRUE(describe().enabled);
  EXPECT_EQ(describe().where, (root_ / "cache").string());
  EXPECT_EQ(describe().usage.entries, 0u);
  EXPECT_EQ(clear_cache(variable, quiet)->usage.entries, 0u);
  EXPECT_FALSE(fs::exists(root_ / "cache"));
  add(1);
  add(2);
  EXPECT_EQ(describe().usage.entries, 2u);
  EXPECT_EQ(describe().limit, uint64_t{256} << 20);
  const int ledger = ::open((folder() / "ledger").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(ledger, LOCK_EX), 0);
  Diagnostics locked;
  EXPECT_FALSE(clear_cache(variable, locked));
  ASSERT_EQ(locked.all().size(), 1u);
  EXPECT_EQ(locked.all()[0].id, "FINALIZER-cache-clear");
  ::close(ledger);
  EXPECT_EQ(clear_cache(variable, quiet)->usage.entries, 2u);
  EXPECT_EQ(describe().usage.entries, 0u);
  ASSERT_EQ(::chmod(folder().c_str(), 0777), 0);
  EXPECT_FALSE(describe().enabled);
  EXPECT_NE(describe().where.find("777"), std::string::npos) << describe().where;
  variables()["HEDDLE_CACHE"] = "0";
  EXPECT_FALSE(describe().enabled);
  EXPECT_FALSE(clear_cache(variable, quiet)->enabled);
  EXPECT_THAT(quiet.all(), IsEmpty());
}

// ---- at the same time ----

TEST_F(Eviction, ThreadsShareTheFolder) {
  limit_entries(4.5);
  std::vector<Outcome> right;
  for (int i = 0; i < 6; ++i) right.push_back(run(numbered(i)));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i)
        if (run(numbered((i + t) % 6)) != right[static_cast<size_t>((i + t) % 6)]) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(static_cast<double>(size_of_entries()), 4.5 * entry_size_);
}

TEST_F(Eviction, ProcessesShareTheFolder) {
  constexpr int processes = 8, programs = 6, rounds = 18;
  limit_entries(3.5);
  std::vector<Outcome> right;
  for (int i = 0; i < programs; ++i) right.push_back(run(numbered(i)));
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < rounds; ++i) {
        const int program = (i * 5 + p) % programs;
        good = good && run(numbered(program)) == right[static_cast<size_t>(program)];
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(static_cast<double>(size_of_entries()), 3.5 * entry_size_);
  for (const fs::path& path : entries())
    EXPECT_EQ(path.filename().string().size(), 64u) << "left over: " << path;
}

TEST_F(Cache, ProcessesThatAreKilledLeaveNoWrongEntries) {
  const Outcome right = run({});
  for (int i = 0; i < 20; ++i) {
    fs::remove(only_entry());
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        std::error_code none;
        for (const fs::path& path : entries()) fs::remove(path, none);
        run({});
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * i));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(run({}), right);
    for (const fs::path& path : entries())
      if (path.filename().string().starts_with("new-")) fs::remove(path);
  }
}

}  // namespace
}  // namespace heddle::finalizer
