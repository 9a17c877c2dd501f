// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle::tools {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Returns the text after `'key':` in the header's Python dictionary, up to the header's end; empty without
/// such a key.
std::string_view value_of(std::string_view header, std::string_view key) {
  for (char quote : {'\'', '"'}) {
    std::string wanted = fmt::format("{0}{1}{0}", quote, key);
    size_t at = header.find(wanted);
    if (at == std::string_view::npos) continue;
    std::string_view value = header.substr(at + wanted.size());
    size_t start = value.find_first_not_of(" \t:");
    return start == std::string_view::npos ? std::string_view{} : value.substr(start);
  }
  return {};
}

std::optional<std::string_view> quoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) return std::nullopt;
  size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(1, end - 1);
}

/// Parses a tuple of sizes: "()", "(3,)", "(2, 3)".
std::optional<std::vector<uint64_t>> tuple(std::string_view text) {
  if (!text.starts_with("(")) return std::nullopt;
  size_t end = text.find(')');
  if (end == std::string_view::npos) return std::nullopt;
  std::vector<uint64_t> sizes;
  bool digits = false;  // whether `size` has any
  uint64_t size = 0;
  for (char c : text.substr(1, end - 1)) {
    if (c >= '0' && c <= '9') {
      if (size > (uint64_t{1} << 48)) return std::nullopt;
      size = size * 10 + static_cast<uint64_t>(c - '0');
      digits = true;
    } else if (c == ',') {
      if (!digits) return std::nullopt;
      sizes.push_back(std::exchange(size, 0));
      digits = false;
    } else if (c != ' ' && c != 'L') {
      return std::nullopt;
    }
  }
  if (digits) sizes.push_back(size);
  return sizes;
}

/// Returns offset and length of the header text; nullopt if the file is not a .npy file.
std::optional<std::pair<size_t, size_t>> header_range(std::span<const std::byte> file) {
  if (file.size() < 10 || std::memcmp(file.data(), magic.data(), magic.size()) != 0) return std::nullopt;
  auto major = static_cast<unsigned>(file[6]);
  if (major < 1 || major > 3) return std::nullopt;
  size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) return std::nullopt;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, length_bytes);
  if (length > file.size() - 8 - length_bytes) return std::nullopt;
  return std::pair{8 + length_bytes, size_t{length}};
}

}  // namespace

Result<NpyHeader> parse_npy(std::span<const std::byte> file) {
  auto range = header_range(file);
  if (!range) return Error{"not a .npy file"};
  std::string_view header(reinterpret_cast<const char*>(file.data()) + range->first, range->second);

  auto descr = quoted(value_of(header, "descr"));
  const ElementType* type = descr ? find_npy_type(*descr) : nullptr;
  if (type == nullptr) {
    return Error{fmt::format("unsupported element type '{}' (little-endian integers and floats are)",
                             descr.value_or("?"))};
  }
  auto shape = tuple(value_of(header, "shape"));
  if (!shape) return Error{"the header has no shape"};
  bool fortran = value_of(header, "fortran_order").starts_with("True");
  if (fortran && shape->size() > 1) return Error{"arrays in Fortran order are not supported"};

  NpyHeader parsed{type, *shape, range->first + range->second};
  uint64_t available = (file.size() - parsed.data_offset) / type->size;
  uint64_t elements = 1;
  for (uint64_t size : *shape) {
    if (size != 0 && elements > available / size) return Error{"the file is shorter than its shape"};
    elements *= size;
  }
  if (elements * type->size != file.size() - parsed.data_offset)
    return Error{"the file is longer than its shape"};
  return parsed;
}

std::string npy_header(const ElementType& type, std::span<const uint64_t> shape) {
  std::string sizes;
  for (uint64_t size : shape) sizes += fmt::format("{},{}", size, shape.size() > 1 ? " " : "");
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type.npy, sizes);
  // The elements must begin at a multiple of 64, and the text must end with a newline.
  size_t unpadded = magic.size() + 4 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace heddle::tools
