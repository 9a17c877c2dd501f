// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/log.h"

#include <algorithm>
#include <new>

#include "driver/log.h"

namespace heddle::runtime {

void Log::append(std::string_view text) noexcept try {
  std::lock_guard lock(mutex_);
  text_.append(text);
} catch (const std::bad_alloc&) {
  driver::log_warning("a log lacks {} bytes of messages: no memory", text.size());
}

size_t Log::take(std::span<char> text) {
  std::lock_guard lock(mutex_);
  const size_t taken = std::min(text.size(), text_.size());
  std::copy_n(text_.begin(), taken, text.begin());
  if (taken < text.size()) text[taken] = '\0';
  text_.erase(0, taken);
  return text_.size();
}

}  // namespace heddle::runtime
