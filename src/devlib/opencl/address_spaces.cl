// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clang calls for the operators to_global, to_local and to_private (OpenCL C 6.15.9), and get_fence. segmentp says of null that it belongs to
// every segment (PRM 5.16), and the conversions keep it null.

CONSTANT_IN_WORK_ITEM bool __hsail_segmentp_group_b1_u64(const void*);
CONSTANT_IN_WORK_ITEM bool __hsail_segmentp_private_b1_u64(const void*);
// Casts in OpenCL C would be combined with those that made the pointer, and be of impossible kinds where they are not executed.
CONSTANT_IN_WORK_ITEM uint __hsail_ftos_group_u32_u64(const void*);
CONSTANT_IN_WORK_ITEM uint __hsail_ftos_private_u32_u64(const void*);

global void* __to_global(void* p) {
  if (__hsail_segmentp_group_b1_u64(p) || __hsail_segmentp_private_b1_u64(p)) return 0;
  return (global void*)(size_t)p;
}
local void* __to_local(void* p) {
  return __hsail_segmentp_group_b1_u64(p) ? (local void*)__hsail_ftos_group_u32_u64(p) : 0;
}
private void* __to_private(void* p) {
  return __hsail_segmentp_private_b1_u64(p) ? (private void*)__hsail_ftos_private_u32_u64(p) : 0;
}

// Private memory is seen by nobody else, so that any fence will do for it.
OVERLOAD cl_mem_fence_flags get_fence(const void* p) {
  return __hsail_segmentp_group_b1_u64(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOAD cl_mem_fence_flags get_fence(void* p) { return get_fence((const void*)p); }
