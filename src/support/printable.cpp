// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/printable.h"

#include <cstdint>

#include "support/utf8.h"

namespace heddle {

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t size = utf8_character_size(text, code);
    const bool control = (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7f && code <= 0x9f);
    if (size == 0 || control)
      shown += '?';
    else
      shown += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return shown;
}

}  // namespace heddle
