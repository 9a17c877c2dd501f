// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a whole image instruction, given by its BRIG fields, for agents that execute on the host.
#pragma once

#include <cstdint>

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

/// Executes an operation. `components` are the source of a store and the destination of all other operations;
/// queries use only the first one. Handles come from kernels, so reading what they point to may fault.
/// Returns null, or a text that says what a handle should have been and is not.
const char* execute(const Operation& operation, uint64_t image_handle, uint64_t sampler_handle,
                    const uint32_t* coordinates, uint32_t* components);

}  // namespace heddle::image
