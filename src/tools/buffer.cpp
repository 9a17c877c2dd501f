// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "buffer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "files.h"
#include "npy.h"
#include "png_file.h"

namespace heddle::tools {
namespace {

/// SplitMix64 generates the same numbers on every machine, and each without its predecessors.
uint64_t random_bits(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

Error in_file(const std::string& file, const Error& error) {
  return {fmt::format("{}: {}", file, error.message)};
}

Result<void> plan_picture(PlannedBuffer& buffer) {
  bool gray = buffer.argument.source == SourceKind::gray;
  auto picture = decode_png(buffer.contents, gray);
  if (!picture) return in_file(buffer.argument.file, picture.error());
  buffer.type = find_element_type("u8");
  buffer.shape = {picture->height, picture->width};
  if (!gray) buffer.shape.push_back(picture->channels);
  buffer.contents = std::move(picture->bytes);
  return {};
}

Result<void> plan_npy(PlannedBuffer& buffer) {
  auto header = parse_npy(buffer.contents);
  if (!header) return in_file(buffer.argument.file, header.error());
  buffer.type = header->type;
  buffer.shape = header->shape;
  buffer.offset = header->data_offset;
  return {};
}

Result<void> plan_raw(PlannedBuffer& buffer) {
  if (buffer.contents.size() % buffer.type->size != 0) {
    return Error{fmt::format("{}: {} bytes are no multiple of the size of {}", buffer.argument.file,
                             buffer.contents.size(), buffer.type->name)};
  }
  buffer.shape = {buffer.contents.size() / buffer.type->size};
  return {};
}

Result<void> plan_file(PlannedBuffer& buffer) {
  auto contents = read_file(buffer.argument.file);
  if (!contents) return contents.error();
  buffer.contents = std::move(*contents);
  switch (buffer.argument.source) {
    case SourceKind::npy:
      return plan_npy(buffer);
    case SourceKind::raw:
      return plan_raw(buffer);
    default:
      return plan_picture(buffer);
  }
}

void fill_generated(const PlannedBuffer& buffer, std::span<std::byte> memory) {
  const BufferArgument& argument = buffer.argument;
  const ElementType& type = *buffer.type;
  double width = argument.second - argument.first;
  for (uint64_t i = 0; i < buffer.elements(); ++i) {
    ElementBytes value;
    if (argument.source == SourceKind::fill) {
      value = argument.fill;
    } else if (argument.source == SourceKind::iota) {
      value = element_from_double(type, argument.first + argument.second * static_cast<double>(i));
    } else {
      double unit = static_cast<double>(random_bits(argument.seed, i) >> 11) * 0x1p-53;
      double drawn = argument.first + width * unit;
      value = element_from_double(type, type.kind == ElementKind::floating ? drawn : std::floor(drawn));
    }
    std::memcpy(memory.data() + i * type.size, value.bytes, type.size);
  }
}

/// Returns height, width and channels if the buffer can be written as a picture: u8 with up to 4 channels, or
/// 32-bit words of RGBA.
Result<std::vector<uint32_t>> picture_shape(const PlannedBuffer& buffer) {
  bool bytes = buffer.type->name == "u8", words = buffer.type->name == "u32" || buffer.type->name == "s32";
  size_t dimensions = buffer.shape.size();
  bool fits =
      (bytes && (dimensions == 2 || (dimensions == 3 && buffer.shape[2] >= 1 && buffer.shape[2] <= 4))) ||
      (words && dimensions == 2);
  if (!fits || buffer.shape[0] > 1 << 20 || buffer.shape[1] > 1 << 20) {
    return Error{fmt::format(
        "{} is no picture; it takes u8*HEIGHTxWIDTH, u8*HEIGHTxWIDTHxCHANNELS or u32*HEIGHTxWIDTH",
        describe_shape(*buffer.type, buffer.shape))};
  }
  uint32_t channels = words ? 4 : dimensions == 3 ? static_cast<uint32_t>(buffer.shape[2]) : 1;
  return std::vector<uint32_t>{static_cast<uint32_t>(buffer.shape[0]), static_cast<uint32_t>(buffer.shape[1]),
                               channels};
}

}  // namespace

uint64_t PlannedBuffer::elements() const {
  uint64_t product = 1;
  for (uint64_t size : shape) product *= size;
  return product;
}

Result<PlannedBuffer> plan_buffer(const BufferArgument& argument) {
  PlannedBuffer buffer{argument, argument.type, argument.shape, {}, 0};
  if (!argument.file.empty()) {
    auto planned = plan_file(buffer);
    if (!planned) return planned.error();
  }
  if (argument.destination.ends_with(".png")) {  // report errors before the run
    auto shape = picture_shape(buffer);
    if (!shape) return in_file(argument.destination, shape.error());
  }
  return buffer;
}

void fill_buffer(const PlannedBuffer& buffer, std::span<std::byte> memory) {
  if (buffer.argument.source == SourceKind::zero) {
    std::fill(memory.begin(), memory.end(), std::byte{0});
  } else if (!buffer.argument.file.empty()) {
    std::copy(buffer.contents.begin() + static_cast<ptrdiff_t>(buffer.offset), buffer.contents.end(),
              memory.begin());
  } else {
    fill_generated(buffer, memory);
  }
}

Result<void> save_buffer(const PlannedBuffer& buffer, std::span<const std::byte> memory) {
  const std::string& path = buffer.argument.destination;
  if (path.ends_with(".png")) {
    auto shape = picture_shape(buffer);
    if (!shape) return in_file(path, shape.error());
    auto file = encode_png((*shape)[1], (*shape)[0], (*shape)[2], memory);
    if (!file) return in_file(path, file.error());
    return write_file(path, *file);
  }
  if (!path.ends_with(".npy")) return write_file(path, memory);
  std::string header = npy_header(*buffer.type, buffer.shape);
  std::vector<std::byte> file(header.size() + memory.size());
  std::memcpy(file.data(), header.data(), header.size());
  std::copy(memory.begin(), memory.end(), file.begin() + static_cast<ptrdiff_t>(header.size()));
  return write_file(path, file);
}

uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string summarize(const PlannedBuffer& buffer, std::span<const std::byte> memory) {
  const ElementType& type = *buffer.type;
  uint64_t elements = buffer.elements();
  std::string text = fmt::format("crc32 {:08x}", checksum(memory));
  if (elements == 0) return text;
  uint64_t least = 0, greatest = 0, nans = 0;
  double low = INFINITY, high = -INFINITY;
  for (uint64_t i = 0; i < elements; ++i) {
    double value = element_to_double(type, &memory[i * type.size]);
    if (std::isnan(value)) ++nans;
    if (value < low) low = value, least = i;
    if (value > high) high = value, greatest = i;
  }
  text += fmt::format("  min {}  max {}", format_element(type, &memory[least * type.size]),
                      format_element(type, &memory[greatest * type.size]));
  if (nans != 0) text += fmt::format("  NaN {}", nans);
  text += "  [";
  for (uint64_t i = 0; i < std::min<uint64_t>(elements, 4); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", format_element(type, &memory[i * type.size]));
  }
  return text + (elements > 4 ? ", ...]" : "]");
}

std::string describe_shape(const ElementType& type, std::span<const uint64_t> shape) {
  std::string text(type.name);
  for (uint64_t size : shape) text += fmt::format("[{}]", size);
  return text;
}

}  // namespace heddle::tools
