// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A minimal reader of BRIG (PRM 18) for the command and the HIP runtime, which leave everything else to the
// toolchain. Malformed bytes yield empty results.
#pragma once

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_entries.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace heddle {

class BrigFile {
 public:
  explicit BrigFile(std::span<const std::byte> brig)
      : data_(section(brig, HSA_BRIG_SECTION_INDEX_DATA)),
        code_(section(brig, HSA_BRIG_SECTION_INDEX_CODE)),
        operands_(section(brig, HSA_BRIG_SECTION_INDEX_OPERAND)) {}

  template <typename Entry>
  std::optional<Entry> code(uint64_t offset) const {
    return read_at<Entry>(code_, offset);
  }
  template <typename Entry>
  std::optional<Entry> operand(uint64_t offset) const {
    return read_at<Entry>(operands_, offset);
  }
  /// Calls visit(offset, kind) for each entry of the code section until it returns false.
  template <typename Visit>
  void each_directive(Visit visit) const {
    const auto header = read_at<hsa_brig_section_header_t>(code_, 0);
    if (!header) return;
    for (uint64_t at = header->header_byte_count;;) {
      const auto entry = code<hsa_brig_base_t>(at);
      if (!entry || entry->byte_count < sizeof *entry || !visit(at, entry->kind)) return;
      at += entry->byte_count;
    }
  }
  /// Returns a string of the data section.
  std::string_view string(hsa_brig_data_offset_string32_t offset) const {
    const auto size = read_at<uint32_t>(data_, offset);
    if (!size || data_.size() - offset - sizeof *size < *size) return "";
    return {reinterpret_cast<const char*>(data_.data()) + offset + sizeof *size, *size};
  }

 private:
  template <typename T>
  static std::optional<T> read_at(std::span<const std::byte> bytes, uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  static std::span<const std::byte> section(std::span<const std::byte> brig, uint32_t index) {
    const auto header = read_at<hsa_brig_module_header_t>(brig, 0);
    if (!header || header->section_count <= index) return {};
    const auto offset = read_at<uint64_t>(brig, header->section_index + index * sizeof(uint64_t));
    return offset && *offset <= brig.size() ? brig.subspan(*offset) : std::span<const std::byte>();
  }

  std::span<const std::byte> data_, code_, operands_;
};

}  // namespace heddle
