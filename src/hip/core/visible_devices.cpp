// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace heddle::hip {

std::vector<size_t> visible_devices(size_t count, bool means_hip) {
  const char* variable = "HIP_VISIBLE_DEVICES";
  const char* setting = secure_getenv(variable);
  if (setting == nullptr && means_hip) setting = secure_getenv(variable = "CUDA_VISIBLE_DEVICES");
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
    if (!fits || std::ranges::find(chosen, number) != chosen.end()) {
      // Programs end the list with -1 on purpose.
      if (word != "-1")
        std::fprintf(stderr,
                     "hip:W: %s=%s: the list of devices ends before '%.*s', which names none or one again\n",
                     variable, setting, static_cast<int>(word.size()), word.data());
      break;
    }
    chosen.push_back(number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return chosen;
}

}  // namespace heddle::hip
