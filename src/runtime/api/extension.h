// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which extensions there are, in which versions, and their tables of functions (Runtime 2.3.1.6
// to 2.3.1.11, 3.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hsa/hsa.h>

namespace heddle::runtime {

class Runtime;
struct Agent;

struct Extension {
  uint16_t number;
  const char* name;
  uint16_t major;  ///< 0: not implemented
  uint16_t minor;  ///< greatest; all smaller ones are supported
  /// Table of the major version; grows at its end with the minor versions.
  const void* table;
  size_t table_size;
  /// Bytes that version major.0 had: what the getter without a length writes.
  size_t first_table_size;

  /// Whether system, agent (not null), support this version.
  bool supports(Runtime& runtime, uint16_t wanted_major) const;
  bool supports(Runtime& runtime, const Agent& agent, uint16_t wanted_major) const;
};

/// Null if there is no extension of that number.
const Extension* find_extension(uint16_t number);

/// Bit i: extension i is supported.
uint64_t extension_mask(Runtime& runtime);
uint64_t extension_mask(Runtime& runtime, const Agent& agent);

}  // namespace heddle::runtime
