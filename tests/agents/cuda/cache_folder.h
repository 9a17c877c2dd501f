// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace heddle::cuda::test {

/// A cache of code objects that is there as long as this, for this process and those that it starts. Tests
/// have none otherwise.
class CacheFolder {
 public:
  CacheFolder() {
    std::string name = std::filesystem::temp_directory_path() / "heddle-cubins-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    setenv("HEDDLE_CACHE", "1", 1);
    setenv("HEDDLE_CACHE_DIR", path().c_str(), 1);
  }
  ~CacheFolder() {
    setenv("HEDDLE_CACHE", "0", 1);
    unsetenv("HEDDLE_CACHE_DIR");
    std::filesystem::remove_all(root_);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  std::filesystem::path path() const { return root_ / "cache"; }
  /// The files of entries.
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& item : std::filesystem::directory_iterator(path() / "1", none))
      if (item.path().filename() != "ledger") found.push_back(item.path());
    return found;
  }

 private:
  std::filesystem::path root_;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace heddle::cuda::test
