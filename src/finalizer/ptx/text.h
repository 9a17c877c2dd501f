// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns where the line begins that defines the entry or the function with this name, or nothing if the PTX
/// has no such definition.
std::optional<uint64_t> find_entry(std::string_view ptx, const std::string& name);
std::optional<uint64_t> find_function(std::string_view ptx, const std::string& name);

}  // namespace heddle::finalizer::ptx
