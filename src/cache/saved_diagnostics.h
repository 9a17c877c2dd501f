// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as bytes, so that a hit in the cache reports what the finalization reported.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "support/diagnostic.h"

namespace heddle::cache {

std::vector<std::byte> save(std::span<const Diagnostic> diagnostics);

/// Returns nothing unless the bytes are those of save().
std::optional<std::vector<Diagnostic>> restore(std::span<const std::byte> bytes);

}  // namespace heddle::cache
