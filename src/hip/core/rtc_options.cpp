// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/rtc_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace heddle::hip {
namespace {

/// Options that choose a device. All code is for every device.
constexpr std::string_view architecture_options[] = {"--gpu-architecture", "--offload-arch", "-arch",
                                                     "--amdgpu-target", "--cuda-gpu-arch"};

/// Options of other compilers, and what they are called here; a replacement that is empty has no effect.
struct Replacement {
  std::string_view word;  ///< the whole word, or with '=' at the end how it begins
  std::string_view by;    ///< takes the place of `word`
};
constexpr Replacement replacements[] = {
    {"--std=", "-std="},
    {"--define-macro=", "-D"},
    {"--undefine-macro=", "-U"},
    {"--include-path=", "-I"},
    {"--pre-include=", "-include="},
    {"--fmad=true", "-ffp-contract=fast"},
    {"--fmad=false", "-ffp-contract=off"},
    {"--use_fast_math", "-ffast-math"},
    {"-use_fast_math", "-ffast-math"},
    {"--device-debug", "-g"},
    {"-G", "-g"},
    {"-lineinfo", "-gline-tables-only"},
    {"--generate-line-info", "-gline-tables-only"},
    {"-default-device", ""},
    {"-fgpu-rdc", ""},
    {"-Ofast", "-O3"},
};

bool names_architecture(std::string_view word, bool& value_follows) {
  const auto* const found = std::ranges::find_if(architecture_options, [word](std::string_view option) {
    return word.starts_with(option) && (word.size() == option.size() || word[option.size()] == '=');
  });
  if (found == std::end(architecture_options)) return false;
  value_follows = word.size() == found->size();
  return true;
}

std::string replaced(const std::string& word) {
  for (const Replacement& replacement : replacements) {
    const bool whole = !replacement.word.ends_with('=');
    if (whole ? word != replacement.word : !word.starts_with(replacement.word)) continue;
    return std::string(replacement.by) + word.substr(replacement.word.size());
  }
  return word;
}

}  // namespace

std::vector<std::string> rtc_options(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  for (size_t i = 0; i < given.size(); ++i) {
    bool value_follows = false;
    if (names_architecture(given[i], value_follows)) {
      if (value_follows) ++i;
      continue;
    }
    std::string word = replaced(given[i]);
    if (word.starts_with("-include=")) {
      words.emplace_back("-include");
      word = word.substr(std::string_view("-include=").size());
    }
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace heddle::hip
