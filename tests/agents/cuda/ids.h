// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel that tests run to see which work-items there are.
#pragma once

namespace heddle::cuda::test {

/// Stores the flattened ID of each work-item, plus one, where its argument says.
inline constexpr char ids[] = R"(
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_u64 $d0, [%out];
  workitemflatabsid_u32 $s0;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0];
  ret;
};
)";

}  // namespace heddle::cuda::test
