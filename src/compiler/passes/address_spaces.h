// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::compiler {

/// The address spaces of the triple amdgcn-amd-amdhsa.
inline constexpr unsigned flat_space = 0;
inline constexpr unsigned global_space = 1;
inline constexpr unsigned group_space = 3;
inline constexpr unsigned constant_space = 4;  ///< global memory that no kernel changes
inline constexpr unsigned private_space = 5;

}  // namespace heddle::compiler
