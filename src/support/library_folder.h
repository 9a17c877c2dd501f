// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// Returns the folder of the shared library or program that `address` belongs to, or "." if the loader does
/// not know it. What heddle installs lies in and below this folder, so that an installation can be moved.
std::string library_folder(const void* address);

/// Below the folder of libraries: headers of HIP, laid out as clang's option --rocm-path expects them.
inline constexpr const char* hip_headers_subfolder = "heddle/hip";

}  // namespace heddle
