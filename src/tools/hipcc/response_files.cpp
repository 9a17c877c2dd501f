// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/hipcc/response_files.h"

#include <cctype>
#include <filesystem>
#include <string_view>

#include "tools/files.h"

namespace heddle::tools::hipcc {
namespace {

constexpr int deepest = 32;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // of a word
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
      continue;
    }
    inside = true;
    if (c == '\\' && i + 1 < text.size())
      word += text[++i];
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote && quote != 0)
      quote = 0;
    else
      word += c;
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<void> add(const std::vector<std::string>& words, int depth, std::vector<std::string>& all) {
  for (const std::string& word : words) {
    std::error_code failed;
    if (word.size() < 2 || word[0] != '@' || !std::filesystem::is_regular_file(word.substr(1), failed)) {
      all.push_back(word);
      continue;
    }
    if (depth == deepest) return Error{word + ": response files name each other without end"};
    const auto file = read_file(word.substr(1));
    if (!file) return file.error();
    auto added = add(split({reinterpret_cast<const char*>(file->data()), file->size()}), depth + 1, all);
    if (!added) return added;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_response_files(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  auto added = add(words, 0, all);
  if (!added) return added.error();
  return all;
}

}  // namespace heddle::tools::hipcc
