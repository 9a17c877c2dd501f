// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extensions, their versions and their tables of functions (Runtime 2.3.1.6 to 2.3.1.11, 3.1).
#pragma once

#include <bitset>
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
  /// Returns the table of the major version. Minor versions only append to it.
  const void* (*table)(Runtime& runtime);
  size_t table_size;
  /// The size in bytes of the table of each minor version, which is all that the getter without a length
  /// writes. Versions behind the last element have the size that it gives.
  std::span<const size_t> table_sizes;

  size_t size_of_version(uint16_t wanted_minor) const {
    return table_sizes[wanted_minor < table_sizes.size() ? wanted_minor : table_sizes.size() - 1];
  }

  /// Reports whether the system, or the agent, supports the major version.
  bool supports(Runtime& runtime, uint16_t wanted_major) const;
  bool supports(Runtime& runtime, const Agent& agent, uint16_t wanted_major) const;
};

/// Returns null if there is no extension with this number.
const Extension* find_extension(uint16_t number);

/// A bit for each extension: the attributes are uint8_t[128].
using ExtensionMask = std::bitset<128 * 8>;

/// Returns a mask in which bit i is set if the system, or the agent, supports extension i.
ExtensionMask extension_mask(Runtime& runtime);
ExtensionMask extension_mask(Runtime& runtime, const Agent& agent);

}  // namespace heddle::runtime
