// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hsail/isa/isa.h"

/// Converts the BRIG entry of an instruction (PRM 18.5.2) to and from Fields. Bytes need no alignment.
namespace heddle::isa {

/// Size in bytes of the largest instruction entry in BRIG 1.2.
inline constexpr size_t max_entry_bytes = 20;

/// Returns the size in bytes of the struct of a format (HSA_BRIG_KIND_INST_*), 0 for any other kind.
size_t entry_bytes(unsigned kind);

/// Reports whether the format stores the field.
bool format_has(unsigned kind, Field field);

/// Reads the fixed part of an instruction entry. Returns nothing if `entry` is shorter than the struct of its
/// kind or the kind is not an instruction format. `entry` must end where the entry ends, because byte_count
/// is ignored. Field::vector is 0 in the result. Sets `reserved_clear`, if it is not null, to whether all
/// reserved bytes and all bits of modifier bytes that no Field covers are 0.
std::optional<Fields> decode(std::span<const std::byte> entry, bool* reserved_clear = nullptr);

/// Returns the offset of the operand list in the data section (inst_base.operands), or nothing in the same
/// cases as decode().
std::optional<uint32_t> decode_operands(std::span<const std::byte> entry);

/// Writes an entry of entry_bytes(fields.kind) bytes to `out`, including byte_count and kind, with reserved
/// bytes 0. Returns its size, or 0 if `out` is too small or the kind is not an instruction format.
size_t encode(const Fields& fields, hsa_brig_data_offset_operand_list32_t operands, std::span<std::byte> out);

}  // namespace heddle::isa
