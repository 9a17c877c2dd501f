// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace heddle::cuda::fake {

/// A folder for the intermediate forms of one finalization, which exists as long as the object. There is none
/// unless HEDDLE_FAKE_LOWERED=1 wants the fake to execute these forms.
class DumpFolder {
 public:
  DumpFolder() {
    const char* const setting = std::getenv("HEDDLE_FAKE_LOWERED");
    if (!setting || *setting != '1') return;
    std::string name = std::filesystem::temp_directory_path() / "heddle-fake-XXXXXX";
    if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~DumpFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  DumpFolder(const DumpFolder&) = delete;
  DumpFolder& operator=(const DumpFolder&) = delete;

  /// Empty if there is none.
  const std::string& path() const { return path_; }
  /// The LLVM IR of which PTX was made; empty if none was made, or there is no folder.
  std::vector<std::byte> lowered() const {
    if (path_.empty()) return {};
    std::ifstream file(path_ + "/optimised.ll", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
  }

 private:
  std::string path_;
};

}  // namespace heddle::cuda::fake
