// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/key.h"

namespace heddle::cache {

std::string to_text(const Key& key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * key.size());
  for (const uint8_t byte : key) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace heddle::cache
