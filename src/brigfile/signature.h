// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formal arguments of kernels and their limits, read from BRIG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct Formal {
  std::string name;    ///< with its %; empty for an argument without name
  std::string type;    ///< as written in HSAIL, such as "u8x4" or "f32[16]"
  uint64_t size;       ///< bytes
  uint64_t alignment;  ///< bytes: the `align` qualifier or else natural alignment
};

struct KernelSignature {
  std::string name;             ///< with its &
  std::vector<Formal> formals;  ///< the input arguments
  /// How many work-items a work-group may have, from the directive maxflatworkgroupsize with a constant; 0 if
  /// there is none.
  uint32_t largest_group;
};

/// Calls visit(signature) for each kernel that a module defines, in one pass. The toolchain has accepted the
/// module.
void for_each_kernel(std::span<const std::byte> brig,
                     const std::function<void(const KernelSignature&)>& visit);

/// Returns the input arguments of the kernel with this name ("&name") in a module that the toolchain has
/// accepted, or nullopt if there is no such kernel.
std::optional<std::vector<Formal>> kernel_formals(std::span<const std::byte> brig, std::string_view kernel);

}  // namespace heddle
