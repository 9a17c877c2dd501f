// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers on the command line within limits. What CLI11 itself lets through: a minus before unsigned numbers,
// numbers beyond 64 bits, NaN.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace heddle::tools {

inline CLI::Validator whole_number(uint64_t least, uint64_t greatest) {
  return {[least, greatest](std::string& text) -> std::string {
            char* end = nullptr;
            errno = 0;
            const uint64_t value = std::strtoull(text.c_str(), &end, 0);  // as CLI11 reads it afterwards
            const bool number =
                !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
            if (number && value >= least && value <= greatest) return {};
            return fmt::format("{} is no whole number from {} to {}", text, least, greatest);
          },
          ""};
}

inline CLI::Validator number(double least, double greatest) {
  return {[least, greatest](std::string& text) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= greatest) return {};
            return fmt::format("{} is no number from {} to {}", text, least, greatest);
          },
          ""};
}

}  // namespace heddle::tools
