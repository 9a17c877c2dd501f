// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/number_index.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// An index of texts, whose hashes are those that `hash` returns.
class Texts {
 public:
  explicit Texts(std::function<size_t(const std::string&)> hash) : hash_(std::move(hash)) {}

  void add(const std::string& text) {
    index_.reserve(texts_.size() + 1, [&](uint32_t number) { return hash_(texts_[number]); });
    index_.insert(hash_(text), static_cast<uint32_t>(texts_.size()));
    texts_.push_back(text);
  }
  std::optional<uint32_t> find(const std::string& text) const {
    return index_.find(hash_(text), [&](uint32_t number) { return texts_[number] == text; });
  }
  void clear() {
    texts_.clear();
    index_.clear();
  }

 private:
  std::function<size_t(const std::string&)> hash_;
  std::vector<std::string> texts_;
  NumberIndex index_;
};

void fill_and_find(Texts& texts, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) texts.add("text " + std::to_string(i));
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(texts.find("text " + std::to_string(i)), i);
  EXPECT_EQ(texts.find("text " + std::to_string(count)), std::nullopt);
}

TEST(NumberIndex, FindsNothingWhenEmpty) {
  const Texts texts((std::hash<std::string>()));
  EXPECT_EQ(texts.find("text"), std::nullopt);
}

TEST(NumberIndex, FindsWhatWasInserted) {
  Texts texts((std::hash<std::string>()));
  fill_and_find(texts, 5000);
  texts.clear();
  EXPECT_EQ(texts.find("text 0"), std::nullopt);
  fill_and_find(texts, 100);
}

TEST(NumberIndex, TellsKeysWithEqualHashesApart) {
  Texts equal([](const std::string&) { return SIZE_MAX; });
  fill_and_find(equal, 100);
  Texts equal_low([](const std::string& text) { return std::hash<std::string>()(text) << 32; });
  fill_and_find(equal_low, 300);
}

}  // namespace
}  // namespace heddle
