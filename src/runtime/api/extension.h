// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extensions, their versions and their tables of functions (Runtime 2.3.1.6 to 2.3.1.11, 3.1).
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
  uint16_t major;  ///< 0: the extension is not implemented
  uint16_t minor;  ///< greatest supported minor version; all smaller ones are supported, too
  /// The table of the major version. Minor versions only append to it.
  const void* table;
  size_t table_size;
  /// Size in bytes of the table of version major.0, which is all that the getter without a length writes.
  size_t first_table_size;

  /// Reports whether the system, or the agent, supports the major version.
  bool supports(Runtime& runtime, uint16_t wanted_major) const;
  bool supports(Runtime& runtime, const Agent& agent, uint16_t wanted_major) const;
};

/// Returns null if there is no extension with this number.
const Extension* find_extension(uint16_t number);

/// Returns a mask in which bit i is set if the system, or the agent, supports extension i.
uint64_t extension_mask(Runtime& runtime);
uint64_t extension_mask(Runtime& runtime, const Agent& agent);

}  // namespace heddle::runtime
