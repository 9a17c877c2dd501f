// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a whole image instruction, given by its BRIG fields.
#pragma once

#include "image/portable.h"

namespace heddle::image {

/// An rdimage, ldimage, stimage, queryimage or querysampler instruction.
struct Operation {
  uint8_t opcode;    ///< hsa_brig_opcode_t
  uint8_t geometry;  ///< hsa_ext_brig_image_geometry_t
  uint8_t type;      ///< hsa_brig_type_t of the components
  uint8_t detail;    ///< hsa_brig_type_t of the coordinates, or the property of a query
};
/// Unpacks a word that has the fields in its bytes, the first one in the lowest byte.
constexpr Operation unpack(uint32_t word) {
  return {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8), static_cast<uint8_t>(word >> 16),
          static_cast<uint8_t>(word >> 24)};
}

/// What is wrong with the handles of an instruction.
enum class Misuse : uint8_t { none, image, sampler };
/// Says what a handle should have been and is not; null for Misuse::none.
const char* text_of(Misuse misuse);

/// The sources and the destination of an instruction. Handles come from kernels, so reading what they point
/// to may fault.
struct Operands {
  uint64_t image, sampler;
  const uint32_t* coordinates;
  uint32_t* components;  ///< the source of a store and the destination of all others; queries use the first
};

/// Each function executes the instructions of one opcode.
Misuse execute_read(const Operation& operation, const Operands& operands);
Misuse execute_load(const Operation& operation, const Operands& operands);
Misuse execute_store(const Operation& operation, const Operands& operands);
Misuse execute_image_query(const Operation& operation, const Operands& operands);
Misuse execute_sampler_query(const Operation& operation, const Operands& operands);

/// Executes an operation of any opcode.
Misuse execute(const Operation& operation, const Operands& operands);

}  // namespace heddle::image
