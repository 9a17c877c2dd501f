// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What memory an instruction of kernel code accesses with vector registers, for the report of its fault.
#pragma once

#include <sys/ucontext.h>

#include <cstdint>
#include <optional>
#include <span>

namespace heddle::cpu {

/// The memory operand of a vector instruction, with the registers as they were when it faulted.
struct VectorAccess {
  uint64_t address = 0;    ///< of the first byte; 0 for gathers and scatters
  uint32_t bytes = 0;      ///< that it accesses if all elements are active; 0 for gathers and scatters
  bool is_masked = false;  ///< whether `active` and `element_bytes` say something
  uint64_t active = 0;     ///< bit i: element i is to be accessed, and no gather has completed it
  uint32_t element_bytes = 0;
  uint32_t elements = 0;  ///< of a gather or scatter; 0 for others
};

/// Decodes the instruction at the beginning of `code` if it is one with which code for waves accesses memory:
/// a move, gather, scatter or arithmetic of whole vectors of AVX, AVX2 or AVX-512. Called by signal handlers.
std::optional<VectorAccess> decode_access(std::span<const uint8_t> code, const mcontext_t& registers);

}  // namespace heddle::cpu
