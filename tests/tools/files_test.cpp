// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <thread>

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = testing::TempDir() + "heddle-files-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string contents(const std::string& file) const {
    auto bytes = read_file(file);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "unreadable";
  }

  fs::path folder_;
};

TEST_F(Files, ReplacesWholeFilesAndLeavesNothingElse) {
  ASSERT_TRUE(write_file(path("a"), bytes_of("a longer text")).ok());
  ASSERT_TRUE(write_file(path("a"), bytes_of("text")).ok());
  ASSERT_TRUE(write_file(path("empty"), {}).ok());
  EXPECT_EQ(contents(path("a")), "text");
  EXPECT_EQ(contents(path("empty")), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(Files, NamesOfAnyLength) {
  const std::string longest(255, 'n');
  ASSERT_TRUE(write_file(path(longest.c_str()), bytes_of("text")).ok());
  EXPECT_EQ(contents(path(longest.c_str())), "text");
}

TEST_F(Files, PipesGetTheBytes) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = contents(path("pipe")); });
  EXPECT_TRUE(write_file(path("pipe"), bytes_of("text")).ok());
  reader.join();
  EXPECT_EQ(got, "text");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(Files, ReasonsOfFailures) {
  const auto reason = [](const std::string& file) {
    auto written = write_file(file, bytes_of("text"));
    return written ? "none" : written.error().message;
  };
  EXPECT_EQ(reason(folder_.string()), "cannot write " + folder_.string() + ": Is a directory");
  EXPECT_EQ(reason(path("no/file")), "cannot write " + path("no/file") + ": No such file or directory");
  ASSERT_TRUE(write_file(path("a"), {}).ok());
  EXPECT_EQ(reason(path("a/b")), "cannot write " + path("a/b") + ": Not a directory");
}

/// This runs in a process of its own. Root may write every file, so the process becomes another user, who
/// owns these files.
TEST_F(Files, AFileThatMayNotBeWrittenIsNotReplaced) {
  constexpr uid_t nobody = 65534;
  ASSERT_TRUE(write_file(path("a"), bytes_of("old")).ok());
  ASSERT_EQ(chmod(path("a").c_str(), 0444), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path("a").c_str(), nobody, 0), 0);
    ASSERT_EQ(chown(folder_.c_str(), nobody, 0), 0);
  }
  const auto become_nobody = [] { return geteuid() != 0 || setuid(nobody) == 0; };
  EXPECT_EXIT(_exit(become_nobody() && !write_file(path("a"), bytes_of("new")).ok() ? 0 : 1),
              testing::ExitedWithCode(0), "");
  EXPECT_EQ(contents(path("a")), "old");
  EXPECT_EXIT(_exit(become_nobody() && write_file(path("b"), bytes_of("new")).ok() ? 0 : 1),
              testing::ExitedWithCode(0), "")
      << "others in the folder can be";
}

TEST_F(Files, OneFileOfSeveralNames) {
  ASSERT_TRUE(write_file(path("a"), {}).ok());
  ASSERT_TRUE(write_file(path("b"), {}).ok());
  fs::create_symlink(path("a"), path("soft"));
  EXPECT_TRUE(same_file(path("a"), path("a")));
  EXPECT_TRUE(same_file(path("a"), path("soft")));
  EXPECT_FALSE(same_file(path("a"), path("b")));
  EXPECT_FALSE(same_file(path("none"), path("none")));
  EXPECT_FALSE(same_file("-", "-"));
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
  const std::string inputs[] = {path("b"), path("a")};
  EXPECT_FALSE(check_output(path("soft"), inputs).ok());
  EXPECT_TRUE(check_output(path("c"), inputs).ok());
}

}  // namespace
}  // namespace heddle::tools
