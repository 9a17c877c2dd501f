// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace heddle::tools {
namespace {

constexpr uint64_t max_elements = uint64_t{1} << 48;

}  // namespace

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return std::nullopt;
  std::string_view suffix = text.substr(end - text.data());
  unsigned shift = suffix.empty() ? 0 : suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : 64;
  if (shift == 64 || count == 0 || count > max_elements >> shift) return std::nullopt;
  return count << shift;
}

namespace {

/// Parses one argument from left to right; `at_` is the start of the unread text.
class ArgumentParser {
 public:
  explicit ArgumentParser(std::string_view text) : text_(text) {}

  Result<Argument, ArgumentError> parse() {
    if (text_.empty()) return fail("an argument is empty");
    if (auto error = take_alignment()) return *error;
    std::optional<Direction> direction = take_direction();
    take_destination();
    if (take("png:")) return file_buffer(direction, SourceKind::png, nullptr);
    if (take("gray:")) return file_buffer(direction, SourceKind::gray, nullptr);
    if (take("@")) return npy_buffer(direction);

    size_t length = rest().find_first_of(":*@");
    std::string_view name = rest().substr(0, length);
    const ValueType type = find_value_type(name);
    if (type.element == nullptr) {
      return fail(
          fmt::format("'{}' is no type; the types are {}, and packed ones of 4, 8 or 16 bytes like u8x4",
                      name, element_type_names()));
    }
    if (type.lanes > 1 && rest().substr(name.size()).starts_with("@"))
      return fail(fmt::format("files have elements, not packed values: write {}@FILE", type.element->name));
    at_ += name.size();
    if (take("@")) return file_buffer(direction, SourceKind::raw, type.element);
    if (take("*")) return sized_buffer(direction, type);
    if (take(":")) return values(direction, type);
    return fail("':' and a value, '*' and a count, or '@' and a file must follow the type");
  }

 private:
  using Parsed = Result<Argument, ArgumentError>;

  std::string_view rest() const { return text_.substr(at_); }
  ArgumentError fail(std::string message) const { return {at_, std::move(message)}; }

  bool take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::optional<ArgumentError> take_alignment() {
    if (!take("align(")) return std::nullopt;
    const std::string_view word = rest().substr(0, rest().find(')'));
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), alignment_);
    if (error != std::errc{} || end != word.data() + word.size() || !std::has_single_bit(alignment_) ||
        alignment_ > 256)
      return fail(fmt::format("'{}' is no alignment: 1, 2, 4, ... 256", word));
    at_ += word.size();
    if (!take("):")) return fail("'):' must follow the alignment");
    return std::nullopt;
  }

  std::optional<Direction> take_direction() {
    if (take("in:")) return Direction::in;
    if (take("out:")) return Direction::out;
    if (take("inout:")) return Direction::inout;
    return std::nullopt;
  }

  void take_destination() {
    size_t equals = text_.rfind('=');
    if (equals == std::string_view::npos || equals < at_) return;
    has_destination_ = true;
    destination_ = text_.substr(equals + 1);
    destination_at_ = equals + 1;
    text_ = text_.substr(0, equals);
  }

  /// Sets direction and destination and checks that they are compatible.
  Parsed finish(BufferArgument buffer, std::optional<Direction> direction) {
    bool has_values = buffer.source != SourceKind::zero;
    if (has_destination_ && destination_.empty()) {
      return ArgumentError{destination_at_, "a file name must follow '='"};
    }
    if (has_destination_ && direction == Direction::in) {
      return ArgumentError{destination_at_, "an 'in' buffer has no result to write; use 'inout'"};
    }
    Direction implied = !has_values ? Direction::out : has_destination_ ? Direction::inout : Direction::in;
    buffer.direction = direction.value_or(implied);
    buffer.destination = destination_;
    buffer.alignment = std::max(buffer.alignment, alignment_);
    return Argument{std::move(buffer)};
  }

  Parsed file_buffer(std::optional<Direction> direction, SourceKind source, const ElementType* type) {
    if (rest().empty()) return fail("a file name is missing");
    BufferArgument buffer;
    buffer.source = source;
    buffer.type = type;
    buffer.file = rest();
    return finish(std::move(buffer), direction);
  }

  Parsed npy_buffer(std::optional<Direction> direction) {
    if (!rest().empty() && !rest().ends_with(".npy")) {
      return fail(
          "only .npy files say their type; write TYPE@FILE for raw bytes, png:FILE or gray:FILE for "
          "pictures");
    }
    return file_buffer(direction, SourceKind::npy, nullptr);
  }

  Parsed sized_buffer(std::optional<Direction> direction, ValueType type) {
    BufferArgument buffer;
    buffer.type = type.element;
    return counted(std::move(buffer), direction, type.lanes);
  }

  /// Parses the COUNT at the end of a generated buffer.
  Parsed counted(BufferArgument buffer, std::optional<Direction> direction, uint32_t lanes) {
    uint64_t elements = lanes;
    while (true) {
      std::string_view word = rest().substr(0, rest().find('x'));
      std::optional<uint64_t> count = parse_count(word);
      if (!count)
        return fail(fmt::format(
            "'{}' is no count: a number from 1, or with K, M or G for 1024, 1024^2, 1024^3", word));
      if (*count > max_elements / elements) return fail("the buffer is too large");
      elements *= *count;
      buffer.shape.push_back(*count);
      at_ += word.size();
      if (rest().empty()) break;
      take("x");
    }
    if (lanes > 1) buffer.shape.push_back(lanes);
    return finish(std::move(buffer), direction);
  }

  Parsed values(std::optional<Direction> direction, ValueType type) {
    size_t star = rest().rfind('*');
    if (star == std::string_view::npos) return by_value(direction, type);
    std::string_view generator = rest().substr(0, star);
    BufferArgument buffer;
    buffer.type = type.element;
    if (generator.starts_with("iota")) {
      if (auto error = iota(generator, buffer)) return *error;
    } else if (generator.starts_with("random")) {
      if (auto error = random(generator, buffer)) return *error;
    } else {
      auto value = parse_element(*type.element, generator);
      if (!value) return fail(value.error().message + "; a value, iota or random is expected");
      buffer.source = SourceKind::fill;
      buffer.fill = *value;
    }
    at_ += star + 1;
    return counted(std::move(buffer), direction, type.lanes);
  }

  Parsed by_value(std::optional<Direction> direction, ValueType type) {
    if (rest().starts_with("iota") || rest().starts_with("random")) {
      return fail("'*' and a count must follow a generator");
    }
    ValueArgument argument{type, {}, std::max(type.size(), alignment_)};
    while (true) {
      const std::string_view word = rest().substr(0, rest().find(','));
      auto value = parse_element(*type.element, word);
      if (!value) return fail(value.error().message);
      argument.bytes.insert(argument.bytes.end(), value->bytes, value->bytes + type.element->size);
      at_ += word.size();
      if (rest().empty()) break;
      take(",");
    }
    if (argument.bytes.size() % type.size() != 0)
      return fail(fmt::format("a packed value has {} elements", type.lanes));
    if (direction || has_destination_)
      return ArgumentError{0, "a value has neither direction nor destination"};
    return Argument{std::move(argument)};
  }

  /// Parses the numbers in parentheses after a word. Returns nullopt if they are malformed.
  static std::optional<std::vector<double>> numbers(std::string_view text) {
    std::vector<double> found;
    if (text.empty()) return found;
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    while (true) {
      std::string_view word = text.substr(0, text.find(','));
      auto value = parse_element(*find_element_type("f64"), word);
      if (!value) return std::nullopt;
      found.push_back(element_to_double(*find_element_type("f64"), value->bytes));
      if (word.size() == text.size()) return found;
      text.remove_prefix(word.size() + 1);
    }
  }

  std::optional<ArgumentError> iota(std::string_view generator, BufferArgument& buffer) {
    auto values = numbers(generator.substr(4));
    if (!values || values->size() > 2) return fail("iota takes none, one or two numbers: iota(START,STEP)");
    buffer.source = SourceKind::iota;
    buffer.first = !values->empty() ? (*values)[0] : 0;
    buffer.second = values->size() > 1 ? (*values)[1] : 1;
    return std::nullopt;
  }

  std::optional<ArgumentError> random(std::string_view generator, BufferArgument& buffer) {
    auto values = numbers(generator.substr(6));
    if (!values || values->size() == 1 || values->size() > 3) {
      return fail("random takes no numbers, two or three: random(LOW,HIGH,SEED)");
    }
    bool floating = buffer.type->kind == ElementKind::floating;
    buffer.source = SourceKind::random;
    buffer.first = values->size() > 1 ? (*values)[0] : 0;
    buffer.second = values->size() > 1 ? (*values)[1] : (floating ? 1 : 256);
    if (!(buffer.first < buffer.second)) return fail("LOW must be less than HIGH");
    double seed = values->size() > 2 ? (*values)[2] : 1;
    if (!(seed >= 0 && seed < 0x1p53)) return fail("the seed is a number from 0");
    buffer.seed = static_cast<uint64_t>(seed);
    return std::nullopt;
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t alignment_ = 0;
  bool has_destination_ = false;
  std::string destination_;
  size_t destination_at_ = 0;
};

}  // namespace

Result<Argument, ArgumentError> parse_argument(std::string_view text) { return ArgumentParser(text).parse(); }

std::string describe_argument_error(std::string_view text, const ArgumentError& error) {
  return fmt::format("{}\n  {}\n  {:>{}}", error.message, text, "^", error.position + 1);
}

Result<Extent> parse_extent(std::string_view text) {
  Extent extent;
  std::string_view rest = text;
  while (true) {
    std::string_view word = rest.substr(0, rest.find(','));
    std::optional<uint64_t> count = parse_count(word);
    if (!count || *count > UINT32_MAX || extent.dimensions == 3) {
      return Error{fmt::format("'{}' is no extent: 1 to 3 sizes from 1 to 4294967295, as in 1024,768", text)};
    }
    extent.size[extent.dimensions++] = *count;
    if (word.size() == rest.size()) return extent;
    rest.remove_prefix(word.size() + 1);
  }
}

std::string format_extent(const Extent& extent, uint32_t dimensions) {
  std::string text;
  for (uint32_t i = 0; i < dimensions; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", extent.size[i]);
  return text;
}

}  // namespace heddle::tools
