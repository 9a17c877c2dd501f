// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernel_printf.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include "support/printf_conversion.h"

namespace heddle {
namespace {

template <typename T>
std::optional<T> number(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Removes and returns what precedes the separator; nothing if there is none.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end + 1);
  return head;
}

/// LLVM writes some characters of formats of OpenCL C as in C, and the colon, its separator, by its octal
/// number.
std::string without_escapes(std::string_view text) {
  constexpr std::pair<std::string_view, char> escapes[] = {{"\\a", '\a'}, {"\\b", '\b'}, {"\\f", '\f'},
                                                           {"\\n", '\n'}, {"\\r", '\r'}, {"\\v", '\v'},
                                                           {"\\72", ':'}};
  std::string result;
  while (!text.empty()) {
    const auto* const escape = std::find_if(std::begin(escapes), std::end(escapes),
                                            [&](const auto& known) { return text.starts_with(known.first); });
    const bool found = escape != std::end(escapes);
    result += found ? escape->second : text.front();
    text.remove_prefix(found ? escape->first.size() : 1);
  }
  return result;
}

/// The bytes of a record that have not been read yet.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size(); }

  std::optional<std::span<const std::byte>> take(size_t count) {
    if (count > bytes_.size()) return std::nullopt;
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  template <typename T>
  std::optional<T> take_value() {
    const auto taken = take(sizeof(T));
    if (!taken) return std::nullopt;
    T value;
    std::memcpy(&value, taken->data(), sizeof value);
    return value;
  }

  std::string_view characters() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
};

constexpr size_t hip_unit = 8;  // arguments of HIP take a multiple of these bytes

/// Takes a string of a record of HIP: characters, NUL, and what fills the last unit.
std::optional<std::string_view> take_string(Bytes& bytes) {
  const std::string_view rest = bytes.characters();
  const size_t length = rest.find('\0');
  if (length == std::string_view::npos) return std::nullopt;
  const size_t whole = (length + hip_unit) / hip_unit * hip_unit;
  if (!bytes.take(std::min(whole, rest.size()))) return std::nullopt;
  return rest.substr(0, length);
}

/// The arguments of one record, in their order.
class Arguments {
 public:
  /// `sizes` are the bytes of each argument; null for records of HIP, which have units of 8 bytes and
  /// strings.
  Arguments(Bytes bytes, const std::vector<uint32_t>* sizes) : bytes_(bytes), sizes_(sizes) {}

  std::optional<std::span<const std::byte>> next() {
    if (sizes_ == nullptr) return bytes_.take(hip_unit);
    if (position_ == sizes_->size()) return std::nullopt;
    return bytes_.take(((*sizes_)[position_++] + 3) / 4 * 4);
  }

  std::optional<std::string_view> next_string() {
    if (sizes_ == nullptr) return take_string(bytes_);
    const auto bytes = next();
    if (!bytes) return std::nullopt;
    const std::string_view all(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    return all.substr(0, all.find('\0'));
  }

 private:
  Bytes bytes_;
  const std::vector<uint32_t>* sizes_;
  size_t position_ = 0;
};

/// Reads a width or precision that is an argument.
bool resolve_stars(PrintfConversion& conversion, Arguments& arguments) {
  for (PrintfConversion::Size* size : {&conversion.width, &conversion.precision}) {
    if (!size->is_argument) continue;
    const auto bytes = arguments.next();
    if (!bytes || bytes->size() < sizeof(int32_t)) return false;
    int32_t value;
    std::memcpy(&value, bytes->data(), sizeof value);
    conversion.set(*size, value);
  }
  return true;
}

/// Appends one argument, or the part of the format that stands for itself. Returns false if the record has no
/// such argument.
bool append(std::string& text, PrintfConversion conversion, Arguments& arguments) {
  if (!resolve_stars(conversion, arguments)) return false;
  if (conversion.is_string()) {
    const auto string = arguments.next_string();
    if (string) text += conversion.of_string(*string);
    return string.has_value();
  }
  const auto bytes = arguments.next();
  return bytes && conversion.append(text, *bytes);
}

bool append_all(std::string& text, std::string_view format, Arguments arguments) {
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    text += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    if (format.starts_with("%%")) {
      text += '%';
      format.remove_prefix(2);
      continue;
    }
    const auto conversion = PrintfConversion::take(format);
    if (!conversion) {
      text += format.front();  // a percent sign that begins no conversion stands for itself
      format.remove_prefix(1);
    } else if (!append(text, *conversion, arguments)) {
      return false;
    }
  }
  return true;
}

uint32_t total(const std::vector<uint32_t>& sizes) {
  uint32_t sum = 0;
  for (const uint32_t size : sizes) sum += (size + 3) / 4 * 4;
  return sum;
}

bool append_record(std::string& text, std::span<const std::byte> record, const PrintfFormats& formats) {
  Bytes bytes(record);
  const auto control = bytes.take_value<uint32_t>();
  if (!control) return false;
  const PrintfFormats::Format* numbered = formats.by_number(*control);
  if (numbered != nullptr && total(numbered->sizes) == bytes.size())
    return append_all(text, numbered->text, Arguments(bytes, &numbered->sizes));
  // HIP's records say how long they are, and whether a hash stands for the format.
  if (*control >> 2 != record.size()) return false;
  if ((*control & 2) == 0) {
    const auto format = take_string(bytes);
    return format && append_all(text, *format, Arguments(bytes, nullptr));
  }
  const auto hash = bytes.take_value<uint64_t>();
  const PrintfFormats::Format* hashed = hash ? formats.by_hash(*hash) : nullptr;
  return hashed != nullptr && append_all(text, hashed->text, Arguments(bytes, nullptr));
}

}  // namespace

PrintfFormats::PrintfFormats(std::string_view contents) {
  while (const auto entry = take_until(contents, '\0')) add(*entry);
}

void PrintfFormats::add(std::string_view entry) {
  const auto id = take_until(entry, ':');
  const auto count = take_until(entry, ':');
  const auto key = id ? number<uint32_t>(*id, 10) : std::nullopt;
  const auto arguments = count ? number<uint32_t>(*count, 10) : std::nullopt;
  if (!key || !arguments) return;
  if (*key == 0) {
    const auto digits = take_until(entry, ',');
    const auto hash = digits ? number<uint64_t>(*digits, 16) : std::nullopt;
    if (hash) hashed_.try_emplace(*hash, Format{std::string(entry), {}});
    return;
  }
  Format format;
  for (uint32_t i = 0; i < *arguments; ++i) {
    const auto digits = take_until(entry, ':');
    const auto size = digits ? number<uint32_t>(*digits, 10) : std::nullopt;
    if (!size || *size > 0x10000) return;
    format.sizes.push_back(*size);
  }
  format.text = without_escapes(entry);
  numbered_.try_emplace(*key, std::move(format));
}

const PrintfFormats::Format* PrintfFormats::by_number(uint32_t number) const {
  const auto found = numbered_.find(number);
  return found == numbered_.end() ? nullptr : &found->second;
}

const PrintfFormats::Format* PrintfFormats::by_hash(uint64_t hash) const {
  const auto found = hashed_.find(hash);
  return found == hashed_.end() ? nullptr : &found->second;
}

PrintfText printf_text(std::span<const std::byte> buffer, const PrintfFormats& formats) {
  PrintfText result;
  PrintfBufferHeader header;
  if (buffer.size() < sizeof header) return result;
  std::memcpy(&header, buffer.data(), sizeof header);
  const auto data = buffer.subspan(sizeof header);
  Bytes records(data.first(std::min<size_t>(header.used, data.size())));
  while (const auto size = records.take_value<uint32_t>()) {
    // Records begin at multiples of 4.
    const auto record = records.take(std::min<size_t>((size_t{*size} + 3) / 4 * 4, records.size()));
    if (record->size() < *size || !append_record(result.text, record->first(*size), formats))
      result.malformed++;
  }
  return result;
}

}  // namespace heddle
