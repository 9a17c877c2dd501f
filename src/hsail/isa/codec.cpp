// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/codec.h"

#include <algorithm>
#include <cstring>

#include "hsail/isa/tables.h"

namespace heddle::isa {
namespace {

static_assert(std::ranges::all_of(tables::formats, [](const tables::Format& format) {
  const bool in_order = format.kind == HSA_BRIG_KIND_INST_BEGIN + (&format - tables::formats);
  return in_order && format.bytes <= max_entry_bytes && format.bytes >= sizeof(hsa_brig_inst_base_t);
}));
static_assert(std::size(tables::formats) == HSA_BRIG_KIND_INST_END - HSA_BRIG_KIND_INST_BEGIN);

const tables::Format* format_of(unsigned kind) {
  if (kind < HSA_BRIG_KIND_INST_BEGIN || kind >= HSA_BRIG_KIND_INST_END) return nullptr;
  return &tables::formats[kind - HSA_BRIG_KIND_INST_BEGIN];
}

std::span<const tables::FormatField> fields_of(const tables::Format& format) {
  return tables::slice(tables::format_fields, format.fields);
}

// BRIG is little-endian, independently of the host.
uint16_t load(const std::byte* at, unsigned bytes) {
  const unsigned low = std::to_integer<unsigned>(at[0]);
  return static_cast<uint16_t>(bytes == 1 ? low : low | std::to_integer<unsigned>(at[1]) << 8);
}

void store(std::byte* at, unsigned bytes, uint32_t value) {
  for (unsigned index = 0; index < bytes; ++index) at[index] = static_cast<std::byte>(value >> 8 * index);
}

constexpr size_t kind_offset = offsetof(hsa_brig_base_t, kind);
constexpr size_t opcode_offset = offsetof(hsa_brig_inst_base_t, opcode);
constexpr size_t type_offset = offsetof(hsa_brig_inst_base_t, type);
constexpr size_t operands_offset = offsetof(hsa_brig_inst_base_t, operands);

/// Returns the format of an entry, or null if the entry is shorter than the struct of the format.
const tables::Format* format_of(std::span<const std::byte> entry) {
  if (entry.size() < sizeof(hsa_brig_inst_base_t)) return nullptr;
  const tables::Format* format = format_of(load(entry.data() + kind_offset, 2));
  return format != nullptr && entry.size() >= format->bytes ? format : nullptr;
}

/// Reports whether all bits that belong to no field are 0.
bool only_fields_set(const tables::Format& format, std::span<const std::byte> entry) {
  std::array<std::byte, max_entry_bytes> rest{};
  std::copy_n(entry.data(), format.bytes, rest.begin());
  std::fill_n(rest.begin(), sizeof(hsa_brig_inst_base_t), std::byte{0});
  for (const tables::FormatField& field : fields_of(format)) {
    if (field.bit != 0) {
      rest[field.offset] &= ~std::byte{field.bit};
    } else {
      std::fill_n(rest.begin() + field.offset, field.bytes, std::byte{0});
    }
  }
  return std::ranges::all_of(rest, [](std::byte value) { return value == std::byte{0}; });
}

}  // namespace

size_t entry_bytes(unsigned kind) {
  const tables::Format* format = format_of(kind);
  return format == nullptr ? 0 : format->bytes;
}

bool format_has(unsigned kind, Field field) {
  const tables::Format* format = format_of(kind);
  if (format == nullptr) return false;
  const auto fields = fields_of(*format);
  return field == Field::type ||
         std::ranges::find(fields, field, &tables::FormatField::field) != fields.end();
}

std::optional<Fields> decode(std::span<const std::byte> entry, bool* reserved_clear) {
  const tables::Format* format = format_of(entry);
  if (format == nullptr) return std::nullopt;
  Fields fields;
  fields.kind = format->kind;
  fields.opcode = load(entry.data() + opcode_offset, 2);
  fields[Field::type] = load(entry.data() + type_offset, 2);
  for (const tables::FormatField& field : fields_of(*format)) {
    const uint16_t value = load(entry.data() + field.offset, field.bytes);
    fields[field.field] = field.bit == 0 ? value : (value & field.bit) != 0;
  }
  if (reserved_clear != nullptr) *reserved_clear = only_fields_set(*format, entry);
  return fields;
}

std::optional<uint32_t> decode_operands(std::span<const std::byte> entry) {
  if (format_of(entry) == nullptr) return std::nullopt;
  const std::byte* at = entry.data() + operands_offset;
  return load(at, 2) | static_cast<uint32_t>(load(at + 2, 2)) << 16;
}

size_t encode(const Fields& fields, hsa_brig_data_offset_operand_list32_t operands,
              std::span<std::byte> out) {
  const tables::Format* format = format_of(fields.kind);
  if (format == nullptr || out.size() < format->bytes) return 0;
  std::fill_n(out.begin(), format->bytes, std::byte{0});
  store(out.data(), 2, format->bytes);
  store(out.data() + kind_offset, 2, format->kind);
  store(out.data() + opcode_offset, 2, fields.opcode);
  store(out.data() + type_offset, 2, fields.type());
  store(out.data() + operands_offset, 4, operands);
  for (const tables::FormatField& field : fields_of(*format)) {
    std::byte* at = out.data() + field.offset;
    if (field.bit == 0) {
      store(at, field.bytes, fields[field.field]);
    } else if (fields[field.field] != 0) {
      *at |= std::byte{field.bit};
    }
  }
  return format->bytes;
}

}  // namespace heddle::isa
