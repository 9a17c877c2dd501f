// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/utf8.h"

namespace heddle {

size_t utf8_character_size(std::string_view text, uint32_t& code) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    code = first;
    return 1;
  }
  const size_t size = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  code = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if (!continues_character(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= least[size] && code <= 0x10ffff && !surrogate ? size : 0;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t size = utf8_character_size(text, code);
    valid += size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return valid;
}

}  // namespace heddle
