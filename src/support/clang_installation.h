// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where clang and the headers of HIP are, for those who run clang. Both functions look at the file system at
// each call and are thread safe.
#pragma once

#include <string>

namespace heddle {

/// The place of clang 22 in Debian's package.
inline constexpr const char* debian_clang = "/usr/lib/llvm-22/bin/clang";

/// Returns the path of clang-22 in a folder of PATH, else debian_clang, else "".
std::string installed_clang();

/// Returns the folder below which include/hip/hip_runtime.h is: heddle's own one, which lies below the folder
/// of the library that `address` belongs to (support/library_folder.h), else /usr or /opt/rocm, else "".
std::string installed_hip_headers(const void* address);

}  // namespace heddle
