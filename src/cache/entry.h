// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of one file of the cache: compiled code, and the diagnostics of the compiler that made it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cache/key.h"
#include "support/diagnostic.h"

namespace heddle::cache {

struct Entry {
  std::vector<Diagnostic> diagnostics;
  std::vector<std::byte> object;
};

/// Returns the bytes of the file: a header with format, key and sizes; the diagnostics; the code; and
/// a checksum of all this.
std::vector<std::byte> encode(const Key& key, std::span<const Diagnostic> diagnostics,
                              std::span<const std::byte> object);

/// Returns nothing unless encode() can have made exactly these bytes for the key. A file may be torn, because
/// files are not forced to the disk before they get their names.
std::optional<Entry> decode(const Key& key, std::span<const std::byte> file);

}  // namespace heddle::cache
