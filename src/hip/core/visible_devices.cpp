// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace heddle::hip {

std::vector<size_t> visible_devices(size_t count) {
  const char* setting = secure_getenv("HIP_VISIBLE_DEVICES");
  if (setting == nullptr) setting = secure_getenv("CUDA_VISIBLE_DEVICES");
  if (setting == nullptr || *setting == '\0') {
    std::vector<size_t> all(count);
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  std::vector<size_t> chosen;
  std::string_view rest = setting;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool fits = error == std::errc() && end == word.data() + word.size() && number < count;
    if (!fits || std::ranges::find(chosen, number) != chosen.end()) break;
    chosen.push_back(number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return chosen;
}

}  // namespace heddle::hip
