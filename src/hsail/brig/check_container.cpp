// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module header, section index and section headers (PRM 18.2, 18.3.18, 18.3.25).
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "hsail/brig/checker.h"

namespace heddle::brig {
namespace {

// Not sizeof the struct, which includes compiler padding after the name.
constexpr size_t section_header_bytes = offsetof(hsa_brig_section_header_t, name);
constexpr std::array<std::string_view, 3> standard_names = {"hsa_data", "hsa_code", "hsa_operand"};

/// The header, the section index or a section: a part of the module that must not overlap any other.
struct Element {
  uint64_t begin;
  uint64_t end;
};

/// Alignment needs up to 15 bytes between elements, but a producer that always pads, even after an element
/// that ends on a boundary, writes 1 to 16.
constexpr uint64_t most_padding = 16;

class ContainerReader {
 public:
  ContainerReader(Module::State& state, Diagnostics& diagnostics)
      : state_(state), diagnostics_(diagnostics) {}

  bool read(std::span<const std::byte> bytes) {
    return read_header(bytes) && read_sections() && check_layout();
  }

 private:
  bool fail(uint64_t at, const char* id, std::string message) {
    diagnostics_.error(id, Location::binary("file", at), std::move(message));
    return false;
  }

  template <typename T>
  T get(uint64_t at) const {
    T value;
    std::memcpy(&value, state_.bytes() + at, sizeof value);
    return value;
  }

  bool read_header(std::span<const std::byte> bytes);
  bool read_sections();
  bool read_section(uint32_t index, uint64_t begin);
  bool check_layout();

  Module::State& state_;
  Diagnostics& diagnostics_;
  hsa_brig_module_header_t header_{};
  std::vector<Element> elements_;
};

bool ContainerReader::read_header(std::span<const std::byte> bytes) {
  using Header = hsa_brig_module_header_t;
  if (bytes.size() < sizeof(Header)) {
    return fail(0, "BRIG-18.3.18-truncated",
                fmt::format("{} bytes are too few for a module header ({})", bytes.size(), sizeof(Header)));
  }
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (std::memcmp(header_.identification, "HSA BRIG", sizeof header_.identification) != 0) {
    return fail(0, "BRIG-18.3.18-identification", "the module does not begin with \"HSA BRIG\"");
  }
  if (header_.brig_major != HSA_BRIG_VERSION_BRIG_MAJOR || header_.brig_minor > HSA_BRIG_VERSION_BRIG_MINOR) {
    return fail(offsetof(Header, brig_major), "BRIG-18.3.18-version",
                fmt::format("BRIG version {}.{}; this reader knows {}.0 to {}.{}", header_.brig_major,
                            header_.brig_minor, unsigned{HSA_BRIG_VERSION_BRIG_MAJOR},
                            unsigned{HSA_BRIG_VERSION_BRIG_MAJOR}, unsigned{HSA_BRIG_VERSION_BRIG_MINOR}));
  }
  if (header_.byte_count % 16 != 0 || header_.byte_count < sizeof(Header)) {
    return fail(
        offsetof(Header, byte_count), "BRIG-18.3.18-byte-count",
        fmt::format("byte_count is {}, not a multiple of 16 that holds the header", header_.byte_count));
  }
  if (header_.byte_count > bytes.size()) {
    return fail(
        offsetof(Header, byte_count), "BRIG-18.3.18-truncated",
        fmt::format("byte_count is {}, but only {} bytes are there", header_.byte_count, bytes.size()));
  }
  if (header_.reserved != 0) {
    return fail(offsetof(Header, reserved), "BRIG-18.3.18-reserved", "the reserved field is not 0");
  }
  state_.size = header_.byte_count;
  state_.storage.resize(state_.size / sizeof(Module::Block));
  std::memcpy(state_.storage.data(), bytes.data(), state_.size);
  elements_.push_back({0, sizeof(Header)});
  return true;
}

bool ContainerReader::read_sections() {
  using Header = hsa_brig_module_header_t;
  const uint64_t size = state_.size;
  if (header_.section_count < standard_names.size()) {
    return fail(
        offsetof(Header, section_count), "BRIG-18.3.18-section-count",
        fmt::format("{} sections; hsa_data, hsa_code and hsa_operand must be there", header_.section_count));
  }
  const uint64_t index_bytes = uint64_t{header_.section_count} * sizeof(uint64_t);
  if (header_.section_index % 8 != 0 || header_.section_index > size ||
      size - header_.section_index < index_bytes) {
    return fail(
        offsetof(Header, section_index), "BRIG-18.3.18-section-index",
        fmt::format("a section index of {} entries at 0x{:x} is not 8-byte aligned or not inside the module",
                    header_.section_count, header_.section_index));
  }
  elements_.push_back({header_.section_index, header_.section_index + index_bytes});
  bool good = true;
  for (uint32_t i = 0; i < header_.section_count && good; ++i) {
    good = read_section(i, get<uint64_t>(header_.section_index + i * sizeof(uint64_t)));
  }
  return good;
}

bool ContainerReader::read_section(uint32_t index, uint64_t begin) {
  const uint64_t size = state_.size;
  if (begin % 16 != 0 || begin > size || size - begin < section_header_bytes) {
    return fail(header_.section_index + index * sizeof(uint64_t), "BRIG-18.2-section-offset",
                fmt::format("offset 0x{:x} of section {} is not 16-byte aligned or not inside the module",
                            begin, index));
  }
  const auto byte_count = get<uint64_t>(begin + offsetof(hsa_brig_section_header_t, byte_count));
  const auto header_byte_count =
      get<uint32_t>(begin + offsetof(hsa_brig_section_header_t, header_byte_count));
  const auto name_length = get<uint32_t>(begin + offsetof(hsa_brig_section_header_t, name_length));
  if (byte_count % 4 != 0 || byte_count > size - begin) {
    return fail(begin, "BRIG-18.3.25-byte-count",
                fmt::format("section {} has byte_count {}, not a multiple of 4 that ends inside the module",
                            index, byte_count));
  }
  if (header_byte_count % 4 != 0 || header_byte_count > byte_count ||
      header_byte_count < section_header_bytes || header_byte_count - section_header_bytes < name_length) {
    return fail(
        begin + offsetof(hsa_brig_section_header_t, header_byte_count), "BRIG-18.3.25-header-byte-count",
        fmt::format(
            "section {} has header_byte_count {}, not a multiple of 4 inside the section that holds a "
            "name of {} bytes",
            index, header_byte_count, name_length));
  }
  elements_.push_back({begin, begin + byte_count});
  if (index >= standard_names.size()) return true;  // the contents of other sections have no defined meaning

  const std::string_view name(reinterpret_cast<const char*>(state_.bytes()) + begin + section_header_bytes,
                              name_length);
  if (name != standard_names[index]) {
    return fail(begin + section_header_bytes, "BRIG-18.2-section-name",
                fmt::format("section {} must have the name {}", index, standard_names[index]));
  }
  if (byte_count > UINT32_MAX) {
    return fail(begin, "BRIG-18.2-section-size",
                fmt::format("section {} is larger than offsets can say", name));
  }
  Module::Section* const sections[] = {&state_.data, &state_.code, &state_.operands};
  *sections[index] = {state_.bytes() + begin, header_byte_count, static_cast<Offset>(byte_count)};
  return true;
}

bool ContainerReader::check_layout() {
  std::sort(elements_.begin(), elements_.end(),
            [](const Element& a, const Element& b) { return a.begin < b.begin; });
  elements_.push_back({state_.size, state_.size});
  uint64_t end = 0;
  for (const Element& element : elements_) {
    if (element.begin < end) {
      return fail(element.begin, "BRIG-18.2-overlap",
                  fmt::format("the parts of the module at 0x{:x} overlap", element.begin));
    }
    const std::byte* const gap = state_.bytes() + end;
    const uint64_t gap_bytes = element.begin - end;
    if (gap_bytes > most_padding ||
        std::any_of(gap, gap + gap_bytes, [](std::byte b) { return b != std::byte{}; })) {
      return fail(end, "BRIG-18.2-padding",
                  fmt::format("{} bytes between the parts of the module are not zero padding for alignment",
                              gap_bytes));
    }
    end = element.end;
  }
  return true;
}

}  // namespace

bool read_container(std::span<const std::byte> bytes, Module::State& state, Diagnostics& diagnostics) {
  return ContainerReader(state, diagnostics).read(bytes);
}

}  // namespace heddle::brig
