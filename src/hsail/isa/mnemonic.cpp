// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/isa/isa.h"
#include "hsail/isa/spelling.h"

namespace heddle::isa {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\n' || c == '\r';
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

/// Parses an integer literal of HSAIL (PRM 4.8.1): decimal, hexadecimal or octal.
std::optional<uint64_t> parse_integer(std::string_view digits) {
  unsigned base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits.size() > 22) return std::nullopt;
  uint64_t value = 0;
  for (const char c : digits) {
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 99u;
    if (digit >= base || value > (UINT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

/// Calls `use(value)` for each value of the set.
template <typename Use>
void for_each_value(const ValueSet& set, Use&& use) {
  for (const auto& [word, base] : {std::pair{set.low, 0u}, std::pair{set.high, 64u}}) {
    for (uint64_t rest = word; rest != 0; rest &= rest - 1) {
      use(base + static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
}

/// Returns the field value for the argument of align(), equiv() or width(), or nothing if the argument is not
/// legal for the slot.
std::optional<uint16_t> argument_value(const Slot& slot, std::string_view argument) {
  if (slot.form == SlotForm::width) {
    if (argument == "all") return HSA_BRIG_WIDTH_ALL;
    if (argument == "WAVESIZE") return HSA_BRIG_WIDTH_WAVESIZE;
  }
  const auto number = parse_integer(argument);
  if (!number) return std::nullopt;
  if (slot.form == SlotForm::number) {
    return *number <= 255 ? std::optional(static_cast<uint16_t>(*number)) : std::nullopt;
  }
  if (!std::has_single_bit(*number)) return std::nullopt;
  const unsigned code = static_cast<unsigned>(std::countr_zero(*number)) + 1;
  // The codes after that of 2^31 are WAVESIZE and all.
  if (code > HSA_BRIG_WIDTH_2147483648 || !value_set(slot.domain).contains(code)) return std::nullopt;
  return static_cast<uint16_t>(code);
}

std::string argument_text(const Slot& slot, unsigned value) {
  if (slot.form == SlotForm::number) return fmt::format("{}", value);
  if (slot.form == SlotForm::width && value == HSA_BRIG_WIDTH_ALL) return "all";
  if (slot.form == SlotForm::width && value == HSA_BRIG_WIDTH_WAVESIZE) return "WAVESIZE";
  return value == 0 || value > 64 ? fmt::format("?{}", value) : fmt::format("{}", uint64_t{1} << (value - 1));
}

bool has_argument(const Slot& slot) {
  return slot.form == SlotForm::power_of_two || slot.form == SlotForm::width || slot.form == SlotForm::number;
}

/// Adds what a slot expects to the list for an error message.
void add_expectation(const Slot& slot, std::vector<std::string>& list) {
  const auto add = [&](std::string one) {
    if (std::ranges::find(list, one) == list.end()) list.push_back(std::move(one));
  };
  if (slot.form == SlotForm::flag || slot.form == SlotForm::literal)
    return add(fmt::format("_{}", text(slot.word)));
  if (has_argument(slot)) return add(fmt::format("_{}(...)", text(slot.word)));
  std::vector<std::string_view> tokens;
  for_each_value(value_set(slot.domain), [&](unsigned value) {
    const std::string_view spelled = token(slot.field, value);
    if (!spelled.empty()) tokens.push_back(spelled);
  });
  if (tokens.size() > 8) return add(fmt::format("a {}", field_name(slot.field)));
  for (const std::string_view spelled : tokens) add(fmt::format("_{}", spelled));
}

/// Returns a description of the legal arguments of align(), equiv() or width().
std::string_view argument_rule(const Slot& slot) {
  switch (slot.form) {
    case SlotForm::power_of_two:
      return "a power of two from 1 to 256";
    case SlotForm::width:
      return "a power of two from 1 to 2147483648, WAVESIZE or all";
    default:
      return "a number from 0 to 255";
  }
}

/// Tries to parse the modifiers of a mnemonic as those of one variant.
class Attempt {
 public:
  Attempt(const Variant& variant, std::string_view text, size_t at)
      : variant_(variant), text_(text), at_(at), fields_(default_fields(variant)) {
    ok_ = run();
  }

  bool ok() const { return ok_; }
  const Fields& fields() const { return fields_; }
  /// Returns the position in the text up to which the modifiers fit.
  size_t reached() const { return at_; }
  /// Returns the slots that were possible at reached().
  std::span<const Slot> expected() const { return slots(variant_).subspan(expected_first_, expected_count_); }
  /// Reports whether the text at reached() is an argument that is not legal for its slot.
  bool bad_argument() const { return bad_argument_; }

 private:
  enum class Step { absent, taken, bad };

  bool run() {
    size_t index = 0;
    for (const Slot& slot : slots(variant_)) {
      const Step step = take(slot);
      ++index;
      if (step == Step::absent) {
        ++expected_count_;
        if (!slot.optional) return false;
        continue;
      }
      expected_first_ = step == Step::taken ? index : index - 1;
      expected_count_ = step == Step::taken ? 0 : 1;
      if (step == Step::bad) return false;
    }
    if (skip_space(text_, at_) != text_.size()) return false;
    for (const Implied& entry : implied(variant_)) {
      if (entry.copies) fields_[entry.field] = fields_[entry.same_as];
    }
    return true;
  }

  Step take(const Slot& slot) {
    if (at_ >= text_.size() || text_[at_] != '_') return Step::absent;
    if (slot.form == SlotForm::name) return take_name(slot);
    const std::string_view word = text(slot.word);
    if (!starts_with_word(word)) return Step::absent;
    if (!has_argument(slot)) {
      at_ += 1 + word.size();
      if (slot.form == SlotForm::flag) fields_[slot.field] = 1;
      return Step::taken;
    }
    return take_argument(slot, at_ + 1 + word.size());
  }

  /// Reports whether the complete word after the underscore at the current position is `word`.
  bool starts_with_word(std::string_view word) const {
    const std::string_view rest = text_.substr(at_ + 1);
    if (!rest.starts_with(word)) return false;
    return rest.size() == word.size() || rest[word.size()] == '_' || rest[word.size()] == '(' ||
           is_space(rest[word.size()]);
  }

  Step take_name(const Slot& slot) {
    // The longest token wins, for example _pp_sat over _pp.
    std::string_view longest;
    unsigned found = 0;
    for_each_value(value_set(slot.domain), [&](unsigned value) {
      const std::string_view spelled = token(slot.field, value);
      if (spelled.size() > longest.size() && starts_with_word(spelled)) {
        longest = spelled;
        found = value;
      }
    });
    if (longest.empty()) return Step::absent;
    fields_[slot.field] = static_cast<uint16_t>(found);
    at_ += 1 + longest.size();
    return Step::taken;
  }

  Step take_argument(const Slot& slot, size_t after_word) {
    const size_t open = skip_space(text_, after_word);
    if (open >= text_.size() || text_[open] != '(') return Step::absent;
    const size_t first = skip_space(text_, open + 1);
    const size_t close = text_.find(')', first);
    if (close == std::string_view::npos) {
      at_ = text_.size();
      bad_argument_ = true;
      return Step::bad;
    }
    size_t last = close;
    while (last > first && is_space(text_[last - 1])) --last;
    const auto value = argument_value(slot, text_.substr(first, last - first));
    if (!value) {
      at_ = first;
      bad_argument_ = true;
      return Step::bad;
    }
    fields_[slot.field] = *value;
    // White space may follow the parenthesis if another modifier comes after it.
    at_ = close + 1;
    const size_t next = skip_space(text_, at_);
    if (next < text_.size() && text_[next] == '_') at_ = next;
    return Step::taken;
  }

  const Variant& variant_;
  std::string_view text_;
  size_t at_;
  Fields fields_;
  size_t expected_first_ = 0;
  size_t expected_count_ = 0;
  bool bad_argument_ = false;
  bool ok_ = false;
};

/// Chooses the most useful error message: it combines the expectations of the variants that fit the longest
/// part of the text.
class ErrorChoice {
 public:
  void add(const Variant& variant, const Attempt& attempt) {
    if (chosen_ && attempt.reached() < reached_) return;
    if (!chosen_ || attempt.reached() > reached_) {
      chosen_ = true;
      reached_ = attempt.reached();
      bad_argument_ = attempt.bad_argument();
      variant_ = &variant;
      expected_.clear();
    }
    for (const Slot& slot : attempt.expected()) {
      if (attempt.bad_argument()) {
        expected_.assign(1, std::string(argument_rule(slot)));
      } else {
        add_expectation(slot, expected_);
      }
    }
  }

  MnemonicError error(std::string_view mnemonic, std::string_view text) const {
    const size_t after = std::min(reached_ + 1, text.size());
    size_t end = bad_argument_ ? text.find(')', reached_) : text.find_first_of("_( ", after);
    end = std::min(end, text.size());
    const std::string_view found = text.substr(reached_, end - reached_);
    std::string message = found.empty() ? fmt::format("incomplete modifiers of {}", mnemonic)
                                        : fmt::format("'{}' is not allowed here in {}", found, mnemonic);
    if (!expected_.empty()) message += fmt::format("; expected {}", fmt::join(expected_, ", "));
    return {static_cast<uint32_t>(reached_), static_cast<uint32_t>(std::max<size_t>(found.size(), 1)),
            fmt::format("HSAIL-{}-modifier", isa::text(variant_->clause)), std::move(message)};
  }

 private:
  bool chosen_ = false;
  bool bad_argument_ = false;
  size_t reached_ = 0;
  const Variant* variant_ = nullptr;
  std::vector<std::string> expected_;
};

}  // namespace

Result<Mnemonic, MnemonicError> parse_mnemonic(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  const size_t end = std::min(text.find('_'), text.size());
  const std::string_view mnemonic = text.substr(0, end);
  const Instruction* found = instruction(mnemonic);
  if (found == nullptr) {
    return MnemonicError{0, static_cast<uint32_t>(std::max<size_t>(end, 1)), "HSAIL-19.2-opcode",
                         fmt::format("unknown instruction '{}'", mnemonic)};
  }
  ErrorChoice errors;
  std::optional<Violation> refused;
  for (const Variant& variant : variants(*found)) {
    const Attempt attempt(variant, text, end);
    if (!attempt.ok()) {
      errors.add(variant, attempt);
      continue;
    }
    Fields fields = attempt.fields();
    // The tokens fit, but their combination may belong to another variant, as with cvt_f32_f16 and
    // cvt_f16_f32.
    if (auto misfit = detail::misfit(variant, fields)) {
      refused = std::move(misfit);
      continue;
    }
    canonicalize(variant, fields);
    return Mnemonic{&variant, fields};
  }
  if (refused) {
    return MnemonicError{0, static_cast<uint32_t>(text.size()), refused->id, refused->message};
  }
  return errors.error(mnemonic, text);
}

std::string print_mnemonic(const Variant& variant, const Fields& fields) {
  std::string out(opcode_name(variant.opcode));
  Fields full = fields;
  complete(variant, full);
  for (const Slot& slot : slots(variant)) {
    if (slot.form == SlotForm::literal) {
      out += fmt::format("_{}", text(slot.word));
      continue;
    }
    const unsigned value = full[slot.field];
    if (slot.optional && value == slot.default_value) continue;
    if (slot.form == SlotForm::flag) {
      if (value != 0) out += fmt::format("_{}", text(slot.word));
    } else if (has_argument(slot)) {
      out += fmt::format("_{}({})", text(slot.word), argument_text(slot, value));
    } else if (const std::string_view spelled = token(slot.field, value); !spelled.empty()) {
      out += fmt::format("_{}", spelled);
    }
  }
  return out;
}

}  // namespace heddle::isa
