// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace heddle::driver::test {

/// Returns what the call writes to the log.
template <typename Call>
std::string logged(Call call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

/// Reports whether the text contains all the words.
inline testing::AssertionResult says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (text.find(word) == std::string::npos)
      return testing::AssertionFailure() << "no '" << word << "' in: " << text;
  return testing::AssertionSuccess();
}

}  // namespace heddle::driver::test
