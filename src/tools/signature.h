// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formal arguments of kernels, from BRIG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

struct Formal {
  std::string name;    ///< with its %; empty for one without name
  std::string type;    ///< as HSAIL writes it, "u8x4" or "f32[16]"
  uint64_t size;       ///< bytes
  uint64_t alignment;  ///< bytes, the `align` qualifier or else the natural one
};

/// The input arguments of a kernel of this name ("&name") in a module that the toolchain has accepted.
/// nullopt if the module has no such kernel.
std::optional<std::vector<Formal>> kernel_formals(std::span<const std::byte> brig, std::string_view kernel);

}  // namespace heddle::tools
