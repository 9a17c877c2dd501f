// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hsail/isa/isa.h"

/// Between the BRIG entry of an instruction (PRM 18.5.2) and its Fields. Bytes need no alignment.
namespace heddle::isa {

/// Size in bytes of the largest instruction entry this revision defines.
inline constexpr size_t max_entry_bytes = 20;

/// Size in bytes of the struct of a format (HSA_BRIG_KIND_INST_*); 0 for any other kind.
size_t entry_bytes(unsigned kind);

/// True if the format stores the field.
bool format_has(unsigned kind, Field field);

/// Reads the fixed part of an instruction entry. None if `entry` is shorter than the struct of its kind or
/// its kind is no instruction format. byte_count is not looked at: `entry` ends where the entry ends.
/// Field::vector is 0. Bits of modifier bytes that no Field covers, and bytes named reserved, are reported
/// through `reserved_clear`.
std::optional<Fields> decode(std::span<const std::byte> entry, bool* reserved_clear = nullptr);

/// Offset of the operand list in the data section: inst_base.operands. Same conditions as decode.
std::optional<uint32_t> decode_operands(std::span<const std::byte> entry);

/// Writes an entry of entry_bytes(fields.kind) bytes, byte_count and kind included, reserved bytes 0, into
/// `out`. Returns its size; 0 if `out` is too small or the kind is no instruction format.
size_t encode(const Fields& fields, hsa_brig_data_offset_operand_list32_t operands, std::span<std::byte> out);

}  // namespace heddle::isa
