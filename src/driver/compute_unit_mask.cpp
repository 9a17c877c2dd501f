// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/compute_unit_mask.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <optional>

#include "driver/log.h"
#include "support/printable.h"

namespace heddle::driver {
namespace {

constexpr uint32_t most_agents = 1024;
constexpr uint32_t most_units = 65536;

bool contains(const UnitMask& mask, uint32_t number) {
  return number / 32 < mask.size() && (mask[number / 32] >> number % 32 & 1) != 0;
}

void add(UnitMask& mask, uint32_t number) {
  if (mask.size() <= number / 32) mask.resize(number / 32 + 1);
  mask[number / 32] |= 1u << number % 32;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of a hexadecimal digit; nothing for another character.
std::optional<uint32_t> hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

UnitMask all_units(uint32_t units) {
  UnitMask mask((size_t{units} + 31) / 32, UINT32_MAX);
  keep_units(mask, units);
  return mask;
}

void keep_units(UnitMask& mask, uint32_t units) {
  mask.resize((size_t{units} + 31) / 32);
  if (units % 32 != 0) mask.back() &= (1u << units % 32) - 1;
}

bool restrict_units(UnitMask& mask, const UnitMask& usable) {
  assert(mask.size() == usable.size());
  bool reduced = false;
  for (size_t word = 0; word < mask.size(); ++word) {
    reduced |= (mask[word] & ~usable[word]) != 0;
    mask[word] &= usable[word];
  }
  return reduced;
}

bool is_empty(const UnitMask& mask) {
  return std::ranges::all_of(mask, [](uint32_t word) { return word == 0; });
}

/// Recursive descent over the syntax of UnitLimits. Functions return false after the first error, which
/// error() then tells.
class UnitLimitsParser {
 public:
  explicit UnitLimitsParser(std::string_view text) : text_(text) {}

  bool parse(UnitLimits& limits) {
    do {
      if (!set(limits.sets_.emplace_back())) return false;
    } while (take(';'));
    return position_ == text_.size() || fail(position_, "';' or the end is expected");
  }
  const UnitLimitsError& error() const { return error_; }

 private:
  bool fail(size_t position, std::string message) {
    error_ = {position, std::move(message)};
    return false;
  }
  char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_spaces() {
    while (next() == ' ' || next() == '\t') ++position_;
  }
  /// Takes the character if it is the next one after spaces.
  bool take(char c) {
    skip_spaces();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  bool set(UnitLimits::Set& set) {
    if (!numbers(most_agents, listed_agents_, set.agents)) return false;
    if (!take(':')) return fail(position_, "':' and compute units are expected");
    skip_spaces();
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("0x") || rest.starts_with("0X")) return hexadecimal(set.units);
    UnitMask listed;
    return numbers(most_units, listed, set.units);
  }

  /// Adds the numbers to both sets. None of them may be in `listed` before.
  bool numbers(uint32_t end, UnitMask& listed, UnitMask& found) {
    do {
      skip_spaces();
      const size_t start = position_;
      uint32_t first = 0;
      if (!number(end, first)) return false;
      uint32_t last = first;
      if (take('-') && !number(end, last)) return false;
      if (last < first) return fail(start, "the range ends before its beginning");
      for (uint32_t i = first; i <= last; ++i) {
        if (contains(listed, i)) return fail(start, fmt::format("{} is listed a second time", i));
        add(listed, i);
        add(found, i);
      }
    } while (take(','));
    return true;
  }

  bool number(uint32_t end, uint32_t& value) {
    skip_spaces();
    const size_t start = position_;
    if (!is_digit(next())) return fail(start, "a number is expected");
    value = 0;
    for (; is_digit(next()); ++position_)
      value = std::min(value * 10 + static_cast<uint32_t>(next() - '0'), end);
    return value < end || fail(start, fmt::format("the number is greater than {}", end - 1));
  }

  bool hexadecimal(UnitMask& units) {
    const size_t start = position_;
    position_ += 2;
    const size_t digits = position_;
    while (hex_value(next())) ++position_;
    if (position_ == digits) return fail(position_, "hexadecimal digits are expected");
    for (size_t i = 0; i < position_ - digits; ++i) {
      const uint32_t value = *hex_value(text_[position_ - 1 - i]);
      if (value == 0) continue;
      if (i * 4 >= most_units)
        return fail(start, fmt::format("a compute unit is greater than {}", most_units - 1));
      if (units.size() <= i / 8) units.resize(i / 8 + 1);
      units[i / 8] |= value << i % 8 * 4;
    }
    return !is_empty(units) || fail(start, "the mask has no compute units");
  }

  const std::string_view text_;
  size_t position_ = 0;
  UnitMask listed_agents_;
  UnitLimitsError error_;
};

Result<UnitLimits, UnitLimitsError> UnitLimits::parse(std::string_view text) {
  UnitLimits limits;
  UnitLimitsParser parser(text);
  if (!parser.parse(limits)) return parser.error();
  return limits;
}

const UnitMask* UnitLimits::find(uint32_t kernel_agent) const {
  const auto found =
      std::ranges::find_if(sets_, [=](const Set& set) { return contains(set.agents, kernel_agent); });
  return found == sets_.end() ? nullptr : &found->units;
}

UnitLimits unit_limits_of_environment() {
  const char* text = secure_getenv("HSA_CU_MASK");
  if (text == nullptr || *text == '\0') return {};
  auto limits = UnitLimits::parse(text);
  if (limits) return std::move(limits).value();
  log_warning("HSA_CU_MASK is ignored: {} at character {} of '{}'", limits.error().message,
              limits.error().position + 1, printable(text));
  return {};
}

}  // namespace heddle::driver
