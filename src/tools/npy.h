// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy array files (.npy, versions 1 to 3) with little-endian scalars in C order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "element.h"
#include "support/result.h"

namespace heddle::tools {

struct NpyHeader {
  const ElementType* type;
  std::vector<uint64_t> shape;  ///< empty for a single value
  size_t data_offset;           ///< in the file
};

/// Parses the header and checks that the file contains exactly the elements that the header describes.
Result<NpyHeader> parse_npy(std::span<const std::byte> file);
/// Returns a version 1 header, which the elements must follow.
std::string npy_header(const ElementType& type, std::span<const uint64_t> shape);

}  // namespace heddle::tools
